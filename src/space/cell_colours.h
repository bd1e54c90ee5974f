/* Cells of at least twice the kernel radius, in 2^D colours as on a chess board: particles in
 * different cells of one colour have no neighbour in common, so that what is done to one cell's
 * neighbourhoods may run beside the others of its colour, in any order, with the same result.
 * Particles that something else connects, such as a body, are kept apart in a last cell of a
 * colour of its own. */
#ifndef WEIR_SPACE_CELL_COLOURS_H
#define WEIR_SPACE_CELL_COLOURS_H

#include "space/neighbours.h"

enum { CELL_MAX_COLOURS = 9 };

typedef struct cell_colours {
    key_sort sort;   /* sort.order: the particles, by colour, then cell, then index */
    uint32_t *cells; /* where each cell begins in that order, and the end of the last one */
    size_t cell_count, cell_capacity;
    int colour_count;
    size_t colours[CELL_MAX_COLOURS + 1]; /* where each colour begins among the cells */
} cell_colours;

void cell_colours_free(cell_colours *c, memory *m);

/* `apart` holds a byte per particle. False: no memory. */
bool cell_colours_find(cell_colours *c, memory *m, const neighbours *near, const particles *p,
                       const uint8_t *apart);

#endif
