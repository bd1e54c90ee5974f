/* From a mesh file to the distance field of a solid or a fill, in one call. */
#ifndef WEIR_MESH_MESH_LOAD_H
#define WEIR_MESH_MESH_LOAD_H

#include "mesh/mesh_distance.h"
#include "mesh/mesh_repair.h"

typedef struct mesh_load_def {
    const char *path;
    mesh_transform transform;
    mesh_repair_options repair;
    mesh_distance_options distance; /* `spacing` must be set */
} mesh_load_def;

typedef struct mesh_loaded {
    mesh_report mesh; /* after repair */
    mesh_distance_plan plan;
    mesh_distance field; /* empty when only planned */
    char note[500];      /* sentences for the log: what was repaired, what is too thin; or empty */
} mesh_loaded;

mesh_load_def mesh_load_def_default(void);

/* With `plan_only` everything is checked and the cost is known, but no distances are computed. */
bool mesh_load(mesh_loaded *out, const mesh_load_def *def, bool plan_only, weir_error *error);
void mesh_loaded_free(mesh_loaded *loaded);

#endif
