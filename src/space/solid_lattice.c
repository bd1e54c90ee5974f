#include "space/solid_lattice.h"

#include "space/shape_node.h"

/* The cube of 2^level cells per axis that begins at `corner`. Distances change by the way at most
 * (sampled grids: a little more), so a far surface settles the whole cube. */
static void visit_cube(const solid_lattice *l, vec3 corner, int level)
{
    int dim = l->s->dim;
    double width = ldexp(l->cell, level), half = width / 2;
    vec3 centre = {corner.x + half, corner.y + half, dim == 3 ? corner.z + half : 0};
    double d = shape_distance(l->s, centre, NULL);
    double safe =
        level == 0 ? l->reach : l->reach + half * sqrt(dim) * (l->s->loose ? 1.25 : 1.001);
    if (fabs(d) > safe) {
        if (d < 0 && l->full)
            l->full(l->user, centre, width);
        return;
    }
    if (level == 0) {
        l->cut(l->user, centre);
        return;
    }
    for (int k = 0; k < (dim == 3 ? 2 : 1); k++)
        for (int j = 0; j < 2; j++)
            for (int i = 0; i < 2; i++)
                visit_cube(l, (vec3){corner.x + i * half, corner.y + j * half, corner.z + k * half},
                           level - 1);
}

void solid_lattice_visit(const solid_lattice *l)
{
    bounds b = bounds_grow(l->area, l->reach + l->cell, l->s->dim);
    double widest = fmax(b.hi.x - b.lo.x, fmax(b.hi.y - b.lo.y, b.hi.z - b.lo.z));
    int level = 0;
    while (ldexp(l->cell, level) < widest)
        level++;
    visit_cube(l, b.lo, level);
}
