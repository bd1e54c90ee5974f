/* Walks the cells of a lattice that a solid fills or cuts, from coarse to fine. */
#ifndef WEIR_SPACE_SOLID_LATTICE_H
#define WEIR_SPACE_SOLID_LATTICE_H

#include "space/shape.h"

typedef struct solid_lattice {
    const shape *s;
    bounds area;  /* what to walk through; it is widened by the reach */
    double cell;  /* m */
    double reach; /* cells with centres within this of the surface are visited as cut */
    /* A cell near the surface, by its centre. */
    void (*cut)(void *user, vec3 centre);
    /* A cube (2D: square) of cells wholly inside the solid, by its centre and width. May be NULL.
     */
    void (*full)(void *user, vec3 centre, double width);
    void *user;
} solid_lattice;

/* Visits each cell at most once, in an order that depends on the shape and the cell only. */
void solid_lattice_visit(const solid_lattice *lattice);

#endif
