/* Makes a mesh enclose a volume: closes cracks, turns faces outwards and, where the user asks for
 * it, fills holes. What cannot be made closed is refused with a reason. */
#ifndef WEIR_MESH_MESH_REPAIR_H
#define WEIR_MESH_MESH_REPAIR_H

#include "mesh/mesh_check.h"

typedef struct mesh_repair_options {
    bool fill_holes;      /* the scene's `repair: true` */
    double weld_distance; /* m: open edges nearer than this are joined; 0 = 1e-5 of the diagonal */
} mesh_repair_options;

/* What was done to the mesh, and its state afterwards. */
typedef struct mesh_repair_report {
    size_t welded_points;     /* joined over cracks */
    size_t flipped_triangles; /* turned to point outwards */
    size_t filled_holes;
    size_t added_triangles; /* to fill them */
    mesh_report mesh;
} mesh_repair_report;

/* `name` stands for the mesh in messages. Fails, with the mesh partly repaired, where it does not
 * enclose a volume. */
bool mesh_repair(triangle_mesh *mesh, const char *name, const mesh_repair_options *options,
                 mesh_repair_report *report, weir_error *error);

/* One sentence of what was done, for the log; an empty text where nothing was. */
void mesh_repair_note(const mesh_repair_report *report, char *text, size_t size);

/* The steps, each usable alone. */

/* Joins points on open edges that are at most `distance` apart. */
bool mesh_repair_weld(triangle_mesh *mesh, double distance, size_t *welded, weir_error *error);

/* Makes neighbours run the same way round and outer surfaces enclose a positive volume; surfaces
 * inside of others keep their direction, because they may be cavities. */
bool mesh_repair_orient(triangle_mesh *mesh, size_t *flipped, weir_error *error);

/* Closes every loop of open edges of an oriented mesh. Loops of up to 256 edges get the
 * triangulation of least area (Barequet and Sharir 1995, "Filling gaps in the boundary of a
 * polyhedron", section 3), larger ones a fan around their centre. */
bool mesh_repair_fill(triangle_mesh *mesh, size_t *holes, size_t *triangles, weir_error *error);

#endif
