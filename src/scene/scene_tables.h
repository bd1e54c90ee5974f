/* The records of the parts of a scene file, for one another. */
#ifndef WEIR_SCENE_SCENE_TABLES_H
#define WEIR_SCENE_SCENE_TABLES_H

#include "scene/scene.h"

/* scene_tables_shape.c */
extern const record scene_rotation_record, scene_shape_record;

/* scene_tables_matter.c */
extern const record scene_solid_record, scene_fill_record, scene_emitter_record, scene_sink_record,
    scene_probe_record, scene_spin_record;

/* scene_tables_bodies.c */
enum { SCENE_WALL_CHOICES = 2, SCENE_CONTACT_FIELDS = 7 };
extern const choice scene_wall_choices[SCENE_WALL_CHOICES];
extern const field scene_contact_fields[SCENE_CONTACT_FIELDS]; /* of scene_contact */
extern const record scene_body_record, scene_joint_record;

#endif
