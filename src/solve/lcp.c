/* Workspace, options, equal units and residuals of the LCP solvers. */
#include "solve/lcp.h"

#include "base/error.h"
#include "solve/lcp_parts.h"

#include <math.h>
#include <string.h>

const char *lcp_status_name(lcp_status status)
{
    switch (status) {
    case LCP_SOLVED:
        return "solved";
    case LCP_RAY:
        return "ray";
    case LCP_LIMIT:
        return "limit";
    case LCP_INACCURATE:
        return "inaccurate";
    case LCP_INVALID:
        break;
    }
    return "invalid";
}

void lcp_workspace_init(lcp_workspace *work, memory *m)
{
    *work = (lcp_workspace){.memory = m};
}

void lcp_workspace_free(lcp_workspace *work)
{
    for (int i = 0; i < work->chunks; i++)
        memory_give(work->memory, work->chunk[i], work->size[i]);
    *work = (lcp_workspace){.memory = work->memory};
}

static bool add_chunk(lcp_workspace *work, size_t bytes)
{
    void *chunk = work->chunks < LCP_CHUNKS ? memory_take(work->memory, bytes) : NULL;
    if (!chunk) {
        work->failed = true;
        return false;
    }
    work->chunk[work->chunks] = chunk;
    work->size[work->chunks++] = bytes;
    work->used = 0;
    return true;
}

void lcp_workspace_reset(lcp_workspace *work)
{
    size_t total = 0;
    for (int i = 0; i < work->chunks; i++)
        total += work->size[i];
    if (work->chunks > 1) {
        lcp_workspace_free(work);
        add_chunk(work, total);
    }
    work->used = 0;
    work->failed = false;
}

static void *take_bytes(lcp_workspace *work, size_t bytes)
{
    enum { ALIGNMENT = 64, SMALLEST = 1 << 16 };
    if (bytes > SIZE_MAX / 4) {
        work->failed = true;
        return NULL;
    }
    bytes = (bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    int newest = work->chunks - 1;
    if (newest < 0 || work->size[newest] - work->used < bytes) {
        /* Doubling keeps the number of chunks small. */
        size_t size = newest < 0 ? SMALLEST : 2 * work->size[newest];
        if (!add_chunk(work, size > bytes ? size : bytes))
            return NULL;
        newest = work->chunks - 1;
    }
    void *taken = (char *)work->chunk[newest] + work->used;
    work->used += bytes;
    return taken;
}

void *lcp_take(lcp_workspace *work, int count, size_t element)
{
    return take_bytes(work, (size_t)count * element);
}

double *lcp_take_doubles(lcp_workspace *work, ptrdiff_t count)
{
    if ((size_t)count > SIZE_MAX / sizeof(double)) {
        work->failed = true;
        return NULL;
    }
    return take_bytes(work, (size_t)count * sizeof(double));
}

bool lcp_fail_memory(int n, weir_error *error)
{
    return fail(error, WEIR_OUT_OF_MEMORY,
                "Memory ran out while solving a complementarity problem of %d rows.", n);
}

lcp_options lcp_options_resolve(const lcp_options *options, int n)
{
    lcp_options o = options ? *options : (lcp_options){0};
    if (o.pivot_limit <= 0)
        o.pivot_limit = n < 40000000 ? 1000 + 50 * n : 2000000000;
    if (!(o.tolerance > 0))
        o.tolerance = 1e-9;
    return o;
}

bool lcp_options_check(const lcp_options *options, int n, weir_error *error)
{
    for (int i = 0; options && options->cover && i < n; i++)
        if (!(options->cover[i] > 0) || !isfinite(options->cover[i]))
            return fail(error, WEIR_INVALID,
                        "Element %d of the covering vector is %g; every one must be positive.", i,
                        options->cover[i]);
    if (options && options->start == LCP_START_GIVEN && !options->start_set)
        return fail(error, WEIR_INVALID,
                    "A given start needs start_set; it is NULL. Use LCP_START_COLD for none.");
    return true;
}

void lcp_measure(int n, double *z, const double *w, double tolerance, lcp_result *result)
{
    double residual = 0, product = 0, largest_z = 0;
    bool finite = true;
    for (int i = 0; i < n; i++) {
        z[i] = lcp_larger(z[i], 0);
        residual = lcp_larger(residual, fabs(z[i] < w[i] ? z[i] : w[i]));
        product = lcp_larger(product, fabs(z[i] * w[i]));
        largest_z = lcp_larger(largest_z, z[i]);
        finite = finite && isfinite(w[i]); /* z that is not finite makes w so */
    }
    result->residual = finite ? residual : INFINITY;
    result->complementarity = largest_z > 0 ? product / largest_z : 0;
    if (result->status == LCP_SOLVED && !(result->residual <= tolerance))
        result->status = LCP_INACCURATE;
}

double lcp_power_of_two(double x)
{
    if (!(x > 0))
        return 1;
    /* The exponent bits alone are the power below; a factor of √2 moves the limit to the middle.
     * Numbers near the ends of the range of doubles are left as they are. */
    if (x < 0x1p-1000 || x > 0x1p1000)
        return 1;
    double raised = x * 1.4142135623730951;
    uint64_t bits;
    memcpy(&bits, &raised, sizeof bits);
    bits &= UINT64_C(0x7ff0000000000000);
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

double lcp_scale_to_one(int n, double *values)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = lcp_larger(largest, fabs(values[i]));
    double scale = lcp_power_of_two(largest);
    for (int i = 0; i < n; i++)
        values[i] /= scale;
    return scale;
}

static bool check_dense(const lcp_dense *p, weir_error *error)
{
    if (p->n < 0)
        return fail(error, WEIR_INVALID, "A complementarity problem has %d rows; 0 or more may be.",
                    p->n);
    for (int i = 0; i < p->n; i++) {
        if (!isfinite(p->q[i]))
            return fail(error, WEIR_INVALID, "q[%d] is %g; it must be finite.", i, p->q[i]);
        for (int j = 0; j < p->n; j++)
            if (!isfinite(p->m[(ptrdiff_t)i * p->n + j]))
                return fail(error, WEIR_INVALID, "M[%d][%d] is %g; it must be finite.", i, j,
                            p->m[(ptrdiff_t)i * p->n + j]);
    }
    return true;
}

/* One sweep of Ruiz's equilibration: every row and column gets the root of its largest element,
 * the same for row i and column i, so that symmetry and definiteness stay. */
static void equilibrate(const lcp_dense *p, double *s, double *largest)
{
    int n = p->n;
    memset(largest, 0, (size_t)n * sizeof *largest);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double size = fabs(p->m[(ptrdiff_t)i * n + j]) * s[i] * s[j];
            largest[i] = lcp_larger(largest[i], size);
            largest[j] = lcp_larger(largest[j], size);
        }
    for (int i = 0; i < n; i++)
        if (largest[i] > 0)
            s[i] /= lcp_power_of_two(sqrt(largest[i]));
}

bool lcp_scaled_build(lcp_scaled *scaled, const lcp_dense *p, lcp_workspace *work,
                      weir_error *error)
{
    if (!check_dense(p, error))
        return false;
    int n = p->n;
    *scaled = (lcp_scaled){
        .n = n,
        .m = lcp_take_doubles(work, (ptrdiff_t)n * n),
        .q = lcp_take_doubles(work, n),
        .s = lcp_take_doubles(work, n),
    };
    double *largest = lcp_take_doubles(work, n);
    if (work->failed)
        return lcp_fail_memory(n, error);
    for (int i = 0; i < n; i++)
        scaled->s[i] = 1;
    for (int sweep = 0; sweep < 4; sweep++)
        equilibrate(p, scaled->s, largest);
    for (int i = 0; i < n; i++) {
        scaled->q[i] = p->q[i] * scaled->s[i];
        for (int j = 0; j < n; j++) {
            ptrdiff_t at = (ptrdiff_t)i * n + j;
            scaled->m[at] = p->m[at] * scaled->s[i] * scaled->s[j];
        }
    }
    scaled->q_scale = lcp_scale_to_one(n, scaled->q);
    return true;
}

void lcp_scaled_product(const lcp_scaled *scaled, const double *z, double *product)
{
    for (int i = 0; i < scaled->n; i++) {
        const double *row = scaled->m + (ptrdiff_t)i * scaled->n;
        double sum = 0;
        for (int j = 0; j < scaled->n; j++)
            sum += row[j] * z[j];
        product[i] = sum;
    }
}

void lcp_scaled_restore(const lcp_scaled *scaled, const double *scaled_z, const double *scaled_w,
                        double *z, double *w)
{
    for (int i = 0; i < scaled->n; i++) {
        z[i] = scaled_z[i] * scaled->s[i] * scaled->q_scale;
        w[i] = scaled_w[i] / scaled->s[i] * scaled->q_scale;
    }
}

bool lcp_dense_solve(const lcp_dense *problem, const lcp_options *options, lcp_dense_method *method,
                     lcp_workspace *work, double *z, double *w, lcp_result *result,
                     weir_error *error)
{
    *result = (lcp_result){.status = LCP_INVALID, .islands = 1};
    lcp_workspace_reset(work);
    lcp_scaled scaled;
    if (!lcp_scaled_build(&scaled, problem, work, error) ||
        !lcp_options_check(options, problem->n, error))
        return false;
    lcp_options resolved = lcp_options_resolve(options, problem->n);
    double *scaled_z = lcp_take_doubles(work, problem->n);
    double *scaled_w = lcp_take_doubles(work, problem->n);
    if (work->failed)
        return lcp_fail_memory(problem->n, error);
    if (!method(&scaled, &resolved, work, scaled_z, scaled_w, result, error)) {
        result->status = LCP_INVALID;
        return false;
    }
    lcp_scaled_restore(&scaled, scaled_z, scaled_w, z, w);
    return true;
}
