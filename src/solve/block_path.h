/* Block principal pivoting, without the linear algebra: which set of z is tried next. */
#ifndef WEIR_SOLVE_BLOCK_PATH_H
#define WEIR_SOLVE_BLOCK_PATH_H

#include "solve/lcp_parts.h"

typedef struct block_system {
    void *self;
    /* Makes ready for solves with (M + epsilon I)_FF. False: singular. */
    bool (*factor)(void *self, const bool *in, double epsilon);
    /* z_F of (M + epsilon I)_FF z_F = right_F, and z = 0 elsewhere. */
    void (*solve)(void *self, const double *right, double *z);
    void (*product)(void *self, const double *z, double *product); /* M z */
    /* The F of M + epsilon I and q by other means, which the blocks then confirm; factors are lost.
     * May be NULL. False: not found. */
    bool (*improve)(void *self, const double *q, double epsilon, bool *in);
} block_system;

typedef struct block_path {
    block_system system;
    int n;
    const double *q;
    bool *in;      /* F: where z may be positive; the first guess when a run begins */
    double *z, *w; /* of M, q as given, after a run */
    /* below: scratch */
    bool *factored;
    double factored_epsilon;
    bool has_factors;
    double *shifted, *previous, *right, *step;
    int block_steps, pivots, proximal_steps;
} block_path;

bool block_path_take(block_path *path, int n, lcp_workspace *work);

/* The guess that needs no knowledge: F where q is negative. */
void block_path_guess(block_path *path);

/* True when z and w solve the problem with a residual of at most `tolerance`. `regular` says that
 * M_FF can be expected to have an inverse for every F. On failure `in` is still a good guess. */
bool block_path_run(block_path *path, bool regular, double tolerance);

#endif
