#include "solve/lcp_iterative.h"

#include "base/error.h"
#include "solve/mprgp.h"

#include <math.h>
#include <string.h>

/* Sweeps between two looks at the residual, which costs as much as one. */
enum { SWEEPS = 10 };

/* The status of z and w = M z + q: solved, or out of patience. */
static bool is_near(int n, double *z, const double *w, double tolerance, lcp_result *result)
{
    result->status = LCP_SOLVED;
    lcp_measure(n, z, w, tolerance, result);
    if (result->status != LCP_SOLVED)
        result->status = LCP_LIMIT;
    return result->status == LCP_SOLVED;
}

static void add_to(int n, const double *q, double *w)
{
    for (int i = 0; i < n; i++)
        w[i] += q[i];
}

/* ---------------------------------------------------- projected Gauss–Seidel */

/* The z of one row that makes its w zero, or 0. A row without an answer stays as it is. */
static double improve(double z, double w, double diagonal)
{
    return diagonal > 0 ? lcp_larger(z - w / diagonal, 0) : z;
}

static void sweep_dense(const lcp_scaled *p, double *z)
{
    for (int i = 0; i < p->n; i++) {
        const double *row = p->m + (ptrdiff_t)i * p->n;
        double w = p->q[i];
        for (int j = 0; j < p->n; j++)
            w += row[j] * z[j];
        z[i] = improve(z[i], w, row[i]);
    }
}

bool pgs_run_dense(const lcp_scaled *p, const lcp_options *options, lcp_workspace *work, double *z,
                   double *w, lcp_result *result, weir_error *error)
{
    (void)work;
    (void)error;
    memset(z, 0, (size_t)p->n * sizeof *z);
    do {
        for (int k = 0; k < SWEEPS; k++)
            sweep_dense(p, z);
        result->iterations += SWEEPS;
        result->row_visits += (int64_t)SWEEPS * p->n;
        lcp_scaled_product(p, z, w);
        add_to(p->n, p->q, w);
    } while (!is_near(p->n, z, w, options->tolerance, result) &&
             result->iterations < LCP_MOST_SWEEPS);
    return true;
}

/* Impulses act on velocities at once, so that a sweep costs what the rows cost: `columns` holds
 * Uᵀz, `point` Pᵀz of the group at hand. */
static void sweep_island(const lcp_island *island, double *z, double *columns)
{
    for (int group = 0; group < island->groups; group++) {
        int first = island->group_start[group], end = island->group_start[group + 1];
        double point[3] = {0};
        for (int i = first; i < end; i++)
            for (int k = 0; k < 3; k++)
                point[k] += island->rows[i].point[k] * z[i];
        for (int i = first; i < end; i++) {
            const lcp_row *row = &island->rows[i];
            double diagonal = island->diagonal[i];
            for (int k = 0; row->column[0] >= 0 && k < LCP_BODY_COLUMNS; k++)
                diagonal += row->body[k] * row->body[k];
            const double *second = island->second + (ptrdiff_t)i * LCP_BODY_COLUMNS;
            for (int k = 0; row->column[1] >= 0 && k < LCP_BODY_COLUMNS; k++)
                diagonal += second[k] * second[k];
            double w = island->q[i] + lcp_point_dot(row->point, point) +
                       island->softness[i] * z[i] + lcp_row_dot(island, i, columns);
            double next = improve(z[i], w, diagonal);
            lcp_row_add(island, i, next - z[i], columns);
            for (int k = 0; k < 3; k++)
                point[k] += row->point[k] * (next - z[i]);
            z[i] = next;
        }
    }
}

bool pgs_run_island(lcp_contact_solver *s)
{
    const lcp_island *island = s->island;
    memset(s->z, 0, (size_t)island->n * sizeof *s->z);
    do {
        /* Anew each time, so that rounding does not add up. */
        memset(s->columns, 0, (size_t)island->columns * sizeof *s->columns);
        for (int i = 0; i < island->n; i++)
            lcp_row_add(island, i, s->z[i], s->columns);
        for (int k = 0; k < SWEEPS; k++)
            sweep_island(island, s->z, s->columns);
        s->result->iterations += SWEEPS;
        s->result->row_visits += (int64_t)SWEEPS * island->n;
        lcp_island_product(island, s->z, s->w, s->columns);
        add_to(island->n, island->q, s->w);
    } while (!is_near(island->n, s->z, s->w, s->options->tolerance, s->result) &&
             s->result->iterations < LCP_MOST_SWEEPS);
    return true;
}

/* --------------------------------------------------------------------- MPRGP */

/* S (M z): the rows scaled to a diagonal of 1, in single precision outside. */
typedef struct mprgp_job {
    int n;
    const double *q;
    const void *problem;
    void (*product)(const struct mprgp_job *job, const double *z, double *mz);
    double *columns; /* scratch of contact problems */
    double *scale, *from, *to;
    float *x, *rhs, *lo, *hi;
} mprgp_job;

static void multiply(void *context, const float *x, float *y)
{
    const mprgp_job *job = context;
    for (int i = 0; i < job->n; i++)
        job->from[i] = job->scale[i] * (double)x[i];
    job->product(job, job->from, job->to);
    for (int i = 0; i < job->n; i++)
        y[i] = (float)(job->scale[i] * job->to[i]);
}

static bool take(mprgp_job *job, lcp_workspace *work)
{
    job->scale = lcp_take_doubles(work, job->n);
    job->from = lcp_take_doubles(work, job->n);
    job->to = lcp_take_doubles(work, job->n);
    job->x = lcp_take(work, job->n, sizeof *job->x);
    job->rhs = lcp_take(work, job->n, sizeof *job->rhs);
    job->lo = lcp_take(work, job->n, sizeof *job->lo);
    job->hi = lcp_take(work, job->n, sizeof *job->hi);
    return !work->failed;
}

/* `job->scale` holds the diagonal. False: memory ran out. */
static bool run_mprgp(mprgp_job *job, memory *m, double tolerance, double *z, double *w,
                      lcp_result *result)
{
    double largest = 0;
    for (int i = 0; i < job->n; i++) {
        job->scale[i] = job->scale[i] > 0 ? 1 / sqrt(job->scale[i]) : 1;
        job->x[i] = job->lo[i] = 0;
        job->hi[i] = INFINITY;
        job->rhs[i] = (float)(-job->scale[i] * job->q[i]);
        largest = lcp_larger(largest, fabs((double)job->rhs[i]));
    }
    bounded_work solver = {0};
    bool ok = bounded_work_reserve(&solver, m, (size_t)job->n);
    if (ok) {
        bounded_system system = {.count = (size_t)job->n,
                                 .rhs = job->rhs,
                                 .lo = job->lo,
                                 .hi = job->hi,
                                 .multiply = multiply,
                                 .context = job,
                                 .threads = 1,
                                 .level = lane_level_best()};
        /* The tolerance is on the largest residual, the solver's on the mean. */
        solve_options options = {.tolerance = tolerance / sqrt(job->n),
                                 .scale = largest > 0 ? largest : 1,
                                 .max_iterations = LCP_MOST_SWEEPS / 10};
        solve_result found = mprgp_solve(&solver, &system, &options, job->x);
        result->iterations += found.iterations;
        result->row_visits += (int64_t)found.iterations * job->n;
        for (int i = 0; i < job->n; i++)
            z[i] = job->scale[i] * (double)job->x[i];
        job->product(job, z, w);
        add_to(job->n, job->q, w);
        is_near(job->n, z, w, tolerance, result);
    }
    bounded_work_free(&solver, m);
    return ok;
}

static void dense_product(const mprgp_job *job, const double *z, double *mz)
{
    lcp_scaled_product(job->problem, z, mz);
}

static bool is_symmetric(const lcp_scaled *p)
{
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < i; j++)
            if (fabs(p->m[(ptrdiff_t)i * p->n + j] - p->m[(ptrdiff_t)j * p->n + i]) > 1e-9)
                return false;
    return true;
}

bool mprgp_run_dense(const lcp_scaled *p, const lcp_options *options, lcp_workspace *work,
                     double *z, double *w, lcp_result *result, weir_error *error)
{
    if (!is_symmetric(p))
        return fail(error, WEIR_UNSUPPORTED,
                    "M is not symmetric, which mprgp needs; use lemke for such a problem");
    mprgp_job job = {.n = p->n, .q = p->q, .problem = p, .product = dense_product};
    if (!take(&job, work))
        return lcp_fail_memory(p->n, error);
    for (int i = 0; i < p->n; i++)
        job.scale[i] = p->m[(ptrdiff_t)i * p->n + i];
    return run_mprgp(&job, work->memory, options->tolerance, z, w, result) ||
           lcp_fail_memory(p->n, error);
}

static void island_product(const mprgp_job *job, const double *z, double *mz)
{
    lcp_island_product(job->problem, z, mz, job->columns);
}

/* Rows of an island have diagonals near 1 already (lcp_islands.c). */
bool mprgp_run_island(lcp_contact_solver *s)
{
    mprgp_job job = {.n = s->island->n,
                     .q = s->island->q,
                     .problem = s->island,
                     .product = island_product,
                     .columns = s->columns};
    if (!take(&job, s->work))
        return false;
    for (int i = 0; i < job.n; i++)
        job.scale[i] = 1;
    return run_mprgp(&job, s->work->memory, s->options->tolerance, s->z, s->w, s->result);
}
