/* Where the lists of springs lie; for viscoelastic_springs*.c only. */
#ifndef WEIR_METHOD_VISCOELASTIC_SPRINGS_STORE_H
#define WEIR_METHOD_VISCOELASTIC_SPRINGS_STORE_H

#include "method/viscoelastic_springs.h"

/* The arena of one of the two sides that a thread writes to. */
static inline arena *springs_side_arena(springs *s, int side, int thread)
{
    return &s->arenas[side * s->threads + thread];
}

/* Forgets the lists of a side. */
void springs_reset_side(springs *s, int side);

/* Lets spans and places reach from the oldest living particle to the youngest: with sinks and
 * emitters at work the window moves on, and memory does not grow with all that ever lived.
 * False: memory ran out. */
bool springs_fit_window(springs *s, const flow *f);

#endif
