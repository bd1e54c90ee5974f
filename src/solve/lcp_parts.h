/* What the LCP solvers share: workspace, options, and the dense problem in equal units. */
#ifndef WEIR_SOLVE_LCP_PARTS_H
#define WEIR_SOLVE_LCP_PARTS_H

#include "solve/lcp.h"

/* Forgets what was taken; joins the chunks, so that the next solve finds one piece. */
void lcp_workspace_reset(lcp_workspace *work);

/* Memory until the next reset, not cleared. On failure NULL, and work->failed stays set, so that a
 * set-up can take everything and ask once. */
void *lcp_take(lcp_workspace *work, int count, size_t element);
double *lcp_take_doubles(lcp_workspace *work, ptrdiff_t count);

/* For numbers: unlike fmax it is one instruction. */
static inline double lcp_larger(double a, double b)
{
    return a > b ? a : b;
}

/* Options with the defaults written out, for a problem of n rows. */
lcp_options lcp_options_resolve(const lcp_options *options, int n);
bool lcp_options_check(const lcp_options *options, int n, weir_error *error);

/* Clips negative z and sets the residuals, of z and w in equal units where max |q| is about 1. One
 * above the tolerance turns solved to inaccurate. */
void lcp_measure(int n, double *z, const double *w, double tolerance, lcp_result *result);

bool lcp_fail_memory(int n, weir_error *error);

/* The power of two nearest to x by ratio; 1 for 0. Scaling by it rounds nothing. */
double lcp_power_of_two(double x);

/* Multiplies the values, so that the largest has a magnitude near 1, and returns the factor that
 * undoes it. */
double lcp_scale_to_one(int n, double *values);

/* S M S and S q / scale: the rows and columns of M have largest elements near 1. */
typedef struct lcp_scaled {
    int n;
    double *m, *q;
    double *s;      /* diagonal of S */
    double q_scale; /* z = scale S z', w = scale S⁻¹ w' */
} lcp_scaled;

bool lcp_scaled_build(lcp_scaled *scaled, const lcp_dense *problem, lcp_workspace *work,
                      weir_error *error);
void lcp_scaled_product(const lcp_scaled *scaled, const double *z, double *product);
void lcp_scaled_restore(const lcp_scaled *scaled, const double *scaled_z, const double *scaled_w,
                        double *z, double *w);

/* Solves the scaled problem; z and w in its units. Adds to the result. */
typedef bool lcp_dense_method(const lcp_scaled *scaled, const lcp_options *options,
                              lcp_workspace *work, double *z, double *w, lcp_result *result,
                              weir_error *error);

lcp_dense_method lemke_run_dense;

/* Checks and scales the problem, solves it by the method, and brings z and w back. */
bool lcp_dense_solve(const lcp_dense *problem, const lcp_options *options, lcp_dense_method *method,
                     lcp_workspace *work, double *z, double *w, lcp_result *result,
                     weir_error *error);

#endif
