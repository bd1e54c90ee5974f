/* The spheres of a body by cells, in the body's own frame: whether a place is near its surface.
 * They sit on the surface, one per spacing, as Kurose and Takahashi 2009, §3.2; the cells are as
 * large as the reach, so that the 3^dim cells around a place hold all that can be near. */
#ifndef WEIR_COUPLE_SKIN_CELLS_H
#define WEIR_COUPLE_SKIN_CELLS_H

#include "space/surface_sample.h"

typedef struct skin_cells {
    double cell; /* m, edge of a cell: the reach */
    vec3 origin;
    int count[3];    /* cells along each axis */
    uint32_t *start; /* per cell and one: its spheres in `order` */
    uint32_t *order;
    size_t cells, spheres;
} skin_cells;

enum { SKIN_NONE = UINT32_MAX };

/* The samples must stay where they are. False: memory ran out. */
bool skin_cells_create(skin_cells *c, memory *m, const surface_samples *skin, double reach);
void skin_cells_destroy(skin_cells *c, memory *m);

/* The sphere whose surface point is nearest to a place in the body's frame and closer than the
 * reach; the first of equals. SKIN_NONE: none is. */
uint32_t skin_cells_nearest(const skin_cells *c, const surface_samples *skin, vec3 place);

#endif
