/* The loops of accelerated.c over rows, once per instruction level.
 *
 * Rows are taken in groups of eight, and every sum is kept in eight parts, one for each row of a
 * group, however many lanes a level has: so all levels add in the same order. */
#ifndef WEIR_SOLVE_ACCELERATED_PASSES_H
#define WEIR_SOLVE_ACCELERATED_PASSES_H

#include "lanes/level.h"

#include <stddef.h>

enum { ACCELERATED_GROUP = 8 };

typedef struct accelerated_vectors {
    size_t count; /* rows; none of the vectors needs to be longer */
    const float *rhs, *lo, *hi;
    float *x, *moved; /* moved: what the last move added to x */
    float *base;      /* where the last move led without its momentum */
    float *gradient;  /* of x; from the product on until `measure`, the product */
    float *last;      /* the gradient before the last move */
    float unit;       /* sums are in these: squares of floats in any unit might be 0 or infinite */
} accelerated_vectors;

/* Squares of the residual; of its sums over blocks of rows, over the size of a block: as much as
 * the squares where rows have nothing in common, and more where neighbours are alike. Then s·s,
 * s·y, y·y and s·g of the move s, the change y of the gradient and the gradient g. */
enum accelerated_sum {
    ACCELERATED_RESIDUAL,
    ACCELERATED_SMOOTH,
    ACCELERATED_MOVE,
    ACCELERATED_MIXED,
    ACCELERATED_CHANGE,
    ACCELERATED_UPHILL,
    ACCELERATED_SUM_COUNT
};

/* Of groups [begin, end), the last of which may lack rows. */
typedef struct accelerated_passes {
    /* Makes the product the gradient, adds to `sums`, and raises `peak` to the largest residual, as
     * it is and not in units. */
    void (*measure)(const accelerated_vectors *v, size_t begin, size_t end, double *sums,
                    double *peak);
    /* x := P(b + momentum·(b − base)) with b = P(x − step·gradient), the new base */
    void (*move)(const accelerated_vectors *v, float step, float momentum, size_t begin,
                 size_t end);
} accelerated_passes;

const accelerated_passes *accelerated_passes_of(lane_level level);

static inline size_t accelerated_group_count(size_t rows)
{
    return (rows + ACCELERATED_GROUP - 1) / ACCELERATED_GROUP;
}

#endif
