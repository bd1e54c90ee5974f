/* The loops of spectral.c over rows, once per instruction level.
 *
 * Rows are taken in groups of eight, and every sum is kept in eight parts, one for each row of a
 * group, however many lanes a level has: so all levels add in the same order. */
#ifndef WEIR_SOLVE_SPECTRAL_PASSES_H
#define WEIR_SOLVE_SPECTRAL_PASSES_H

#include "lanes/level.h"

#include <stddef.h>

enum { SPECTRAL_GROUP = 8 };

typedef struct spectral_vectors {
    size_t count; /* rows; none of the vectors needs to be longer */
    const float *rhs, *lo, *hi;
    float *x, *moved; /* moved: what the last move added to x */
    float *gradient;  /* of x; from the product on until `measure`, the product */
    float *last;      /* the gradient before the last move */
    float unit;       /* sums are in these: squares of floats in any unit might be 0 or infinite */
} spectral_vectors;

/* Squares of the residual; of its sums over blocks of rows, over the size of a block: as much as
 * the squares where rows have nothing in common, and more where neighbours are alike. Then s·s, s·y
 * and y·y of the move s and the change y of the gradient. */
enum spectral_sum {
    SPECTRAL_RESIDUAL,
    SPECTRAL_SMOOTH,
    SPECTRAL_MOVE,
    SPECTRAL_MIXED,
    SPECTRAL_CHANGE,
    SPECTRAL_SUM_COUNT
};

/* Of groups [begin, end), the last of which may lack rows. */
typedef struct spectral_passes {
    /* Makes the product the gradient, adds to `sums`, and raises `peak` to the largest residual, as
     * it is and not in units. */
    void (*measure)(const spectral_vectors *v, size_t begin, size_t end, double *sums,
                    double *peak);
    /* x := P(x − step·gradient) */
    void (*move)(const spectral_vectors *v, float step, size_t begin, size_t end);
} spectral_passes;

const spectral_passes *spectral_passes_of(lane_level level);

static inline size_t spectral_group_count(size_t rows)
{
    return (rows + SPECTRAL_GROUP - 1) / SPECTRAL_GROUP;
}

#endif
