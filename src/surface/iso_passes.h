/* The loops over kernels of a field, in lanes: which kernels touch a block, their sums at its
 * nodes, and their sums at single points. */
#ifndef WEIR_SURFACE_ISO_PASSES_H
#define WEIR_SURFACE_ISO_PASSES_H

#include "lanes/level.h"
#include "surface/iso_field.h"

/* Arrays that lanes read or write are so much longer than what they hold. */
enum { ISO_ROOM = 8 };

/* Points that are sampled together, in steps from the block's first node; `count` of them are
 * asked for, the others are copies. */
enum { ISO_POINTS = 8 };
typedef struct iso_points {
    int count;
    float at[3][ISO_POINTS];
} iso_points;

/* What the kernels add up to there. */
typedef struct iso_sums {
    float total[ISO_POINTS];
    float gradient[3][ISO_POINTS]; /* without the outer root of balls */
    float velocity[3][ISO_POINTS]; /* times the total */
    float fluid[ISO_POINTS];       /* of the kernel with the largest share */
} iso_sums;

typedef struct iso_passes {
    /* Lists those of the kernels [first, end) that touch the block; returns how many. */
    uint32_t (*list)(const iso_field *f, const iso_field_block *b, uint32_t first, uint32_t end,
                     uint32_t *to);
    /* Sets the block's values to the sums of its kernels. */
    void (*add)(const iso_field *f, iso_field_block *b);
    /* `near` has room for the block's kernels. */
    void (*sample)(const iso_field *f, const iso_field_block *b, const iso_points *points,
                   uint32_t *near, iso_sums *sums);
} iso_passes;

LANE_DECLARE(iso_passes, iso_passes_);

#endif
