/* Convergence of solvers on the density rows of a pillar that begins to carry its weight (Bodin et
 * al. 2012, figure 4): projected Gauss–Seidel, which the paper has, beside Weir's two.
 *
 * Particles of mass 1 and volume 1 stand a spacing of 1 apart, a little displaced, between walls of
 * fixed ones. Row i says that the density may not grow, G v <= 0, with G_ij = −∇_iW_ij and G_ii the
 * sum over all neighbours; the multipliers solve 0 <= ν ⟂ G Gᵀ ν − G v >= 0 for the velocity v that
 * gravity gives. Rows are stored here, since a sweep goes through them one after the other. */
#include "bench.h"

#include "base/random.h"
#include "kernel/kernel.h"
#include "solve/accelerated.h"
#include "solve/mprgp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SUPPORT = 2.5, DISPLACEMENT = 0.1; /* spacings */
enum { LAYERS = 3 };                                   /* of fixed particles: more than SUPPORT */

typedef struct pillar_entry {
    uint32_t column;
    float gradient[3]; /* G_ij */
} pillar_entry;

typedef struct pillar {
    int across, high;
    size_t count;
    size_t *begin; /* count + 1: entries of a row */
    pillar_entry *entries;
    float (*own)[3]; /* G_ii */
    float (*work)[3];
    float *scale; /* makes the diagonal 1 */
    float *rhs, *lo, *hi, *x, *gradient;
} pillar;

static bool is_fluid(const pillar *p, const int at[3])
{
    return at[0] >= 0 && at[0] < p->across && at[1] >= 0 && at[1] < p->high && at[2] >= 0 &&
           at[2] < p->across;
}

/* Open above. */
static bool is_there(const pillar *p, const int at[3])
{
    return at[0] >= -LAYERS && at[0] < p->across + LAYERS && at[1] >= -LAYERS && at[1] < p->high &&
           at[2] >= -LAYERS && at[2] < p->across + LAYERS;
}

static size_t index_of(const pillar *p, const int at[3])
{
    return ((size_t)at[1] * (size_t)p->across + (size_t)at[2]) * (size_t)p->across + (size_t)at[0];
}

static void place(const pillar *p, const int at[3], double x[3])
{
    for (int a = 0; a < 3; a++) {
        x[a] = at[a];
        if (is_fluid(p, at))
            x[a] += DISPLACEMENT * (2 * random_unit(1, 3 * index_of(p, at) + (uint64_t)a) - 1);
    }
}

/* Writes the row of one particle; returns its number of entries. */
static size_t write_row(pillar *p, const int at[3], pillar_entry *out)
{
    double x[3], own[3] = {0, 0, 0};
    size_t count = 0, row = index_of(p, at);
    int to[3];
    place(p, at, x);
    for (to[1] = at[1] - LAYERS; to[1] <= at[1] + LAYERS; to[1]++)
        for (to[2] = at[2] - LAYERS; to[2] <= at[2] + LAYERS; to[2]++)
            for (to[0] = at[0] - LAYERS; to[0] <= at[0] + LAYERS; to[0]++) {
                double y[3], r = 0;
                if (!is_there(p, to) || memcmp(to, at, sizeof to) == 0)
                    continue;
                place(p, to, y);
                for (int a = 0; a < 3; a++)
                    r += (x[a] - y[a]) * (x[a] - y[a]);
                r = sqrt(r);
                if (r >= SUPPORT)
                    continue;
                double slope = kernel_derivative(WEIR_KERNEL_WENDLAND_C2, 3, r, SUPPORT) / r;
                for (int a = 0; a < 3; a++)
                    own[a] += slope * (x[a] - y[a]);
                if (!is_fluid(p, to))
                    continue;
                out[count].column = (uint32_t)index_of(p, to);
                for (int a = 0; a < 3; a++)
                    out[count].gradient[a] = (float)(-slope * (x[a] - y[a]));
                count++;
            }
    for (int a = 0; a < 3; a++)
        p->own[row][a] = (float)own[a];
    return count;
}

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Scales a row and finds what gravity's velocity (0, −1, 0) does to it. */
static void finish_row(pillar *p, size_t i)
{
    float squares = dot(p->own[i], p->own[i]), down = -p->own[i][1];
    for (size_t k = p->begin[i]; k < p->begin[i + 1]; k++) {
        squares += dot(p->entries[k].gradient, p->entries[k].gradient);
        down -= p->entries[k].gradient[1];
    }
    p->scale[i] = 1 / sqrtf(squares);
    p->rhs[i] = p->scale[i] * down;
    p->hi[i] = INFINITY;
}

static void free_pillar(pillar *p)
{
    void *parts[] = {p->begin, p->entries, p->own, p->work, p->scale,
                     p->rhs,   p->lo,      p->hi,  p->x,    p->gradient};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        free(parts[k]);
}

static bool make_pillar(pillar *p, int across, int high)
{
    enum { MOST_NEIGHBOURS = 150 };
    size_t n = (size_t)across * (size_t)across * (size_t)high;
    *p = (pillar){.across = across, .high = high, .count = n};
    p->begin = calloc(n + 1, sizeof *p->begin);
    p->entries = malloc(n * MOST_NEIGHBOURS * sizeof *p->entries);
    p->own = calloc(n, sizeof *p->own);
    p->work = calloc(n, sizeof *p->work);
    float **vectors[] = {&p->scale, &p->rhs, &p->lo, &p->hi, &p->x, &p->gradient};
    bool ok = p->begin && p->entries && p->own && p->work;
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
        ok = (*vectors[k] = calloc(n, sizeof(float))) != NULL && ok;
    if (!ok)
        return false;
    int at[3];
    size_t row = 0;
    for (at[1] = 0; at[1] < high; at[1]++)
        for (at[2] = 0; at[2] < across; at[2]++)
            for (at[0] = 0; at[0] < across; at[0]++, row++)
                p->begin[row + 1] = p->begin[row] + write_row(p, at, p->entries + p->begin[row]);
    for (size_t i = 0; i < n; i++)
        finish_row(p, i);
    return true;
}

/* What a multiplier does to the velocities: work −= Gᵀ ν. */
static void push(pillar *p, size_t i, float nu)
{
    for (int a = 0; a < 3; a++)
        p->work[i][a] -= p->own[i][a] * nu;
    for (size_t k = p->begin[i]; k < p->begin[i + 1]; k++)
        for (int a = 0; a < 3; a++)
            p->work[p->entries[k].column][a] -= p->entries[k].gradient[a] * nu;
}

static float pull(const pillar *p, size_t i)
{
    float sum = dot(p->own[i], p->work[i]);
    for (size_t k = p->begin[i]; k < p->begin[i + 1]; k++)
        sum += dot(p->entries[k].gradient, p->work[p->entries[k].column]);
    return sum;
}

static void multiply(void *context, const float *x, float *y)
{
    pillar *p = context;
    memset(p->work, 0, p->count * sizeof *p->work);
    for (size_t i = 0; i < p->count; i++)
        push(p, i, p->scale[i] * x[i]);
    for (size_t i = 0; i < p->count; i++)
        y[i] = -p->scale[i] * pull(p, i);
}

/* Root mean square of the part of the gradient that may still move x. */
static double find_residual(pillar *p, const bounded_system *s)
{
    double squares = 0;
    bounded_find_gradient(s, p->x, p->gradient);
    for (size_t i = 0; i < p->count; i++) {
        double g = (double)bounded_free_part(s, p->x[i], p->gradient[i], i) +
                   (double)bounded_chopped_part(s, p->x[i], p->gradient[i], i);
        squares += g * g;
    }
    return sqrt(squares / (double)p->count);
}

/* Bodin's algorithm VII.1: every row takes the multiplier that is right for it alone. */
static void sweep(pillar *p)
{
    for (size_t i = 0; i < p->count; i++) {
        float gradient = -p->scale[i] * pull(p, i) - p->rhs[i];
        float next = fmaxf(p->x[i] - gradient, 0);
        push(p, i, p->scale[i] * (next - p->x[i]));
        p->x[i] = next;
    }
}

static const int marks[] = {1, 2, 5, 10, 20, 50, 100, 200};
enum { MARKS = sizeof marks / sizeof marks[0], GAUSS_SEIDEL = 1, ACCELERATED, MPRGP };

static void run_sweeps(pillar *p, const bounded_system *s, double start, bench_table *table)
{
    memset(p->x, 0, p->count * sizeof *p->x);
    memset(p->work, 0, p->count * sizeof *p->work);
    for (int done = 0, k = 0; k < MARKS; k++) {
        for (; done < marks[k]; done++)
            sweep(p);
        /* It leaves `work` as the multipliers have it. */
        table->values[k][GAUSS_SEIDEL] = find_residual(p, s) / start;
    }
}

static bool run_solver(pillar *p, const bounded_system *s, double start, int column,
                       bench_table *table)
{
    weir_hooks hooks = {0};
    memory mem = memory_with_hooks(&hooks);
    bounded_work work = {0};
    if (!bounded_work_reserve(&work, &mem, p->count))
        return false;
    solve_options o = {.scale = start, .min_iterations = 1, .max_iterations = marks[MARKS - 1] + 1};
    memset(p->x, 0, p->count * sizeof *p->x);
    solve_result r = column == ACCELERATED ? accelerated_solve(&work, s, &o, p->x)
                                           : mprgp_solve(&work, s, &o, p->x);
    for (int k = 0; k < MARKS; k++)
        table->values[k][column] = marks[k] < r.history_count ? r.history[marks[k]] : NAN;
    bounded_work_free(&work, &mem);
    return true;
}

bool bench_convergence(const bench_options *o, bench_table *table, weir_error *error)
{
    pillar p;
    bool ok = make_pillar(&p, o->quick ? 18 : 40, o->quick ? 30 : 62);
    *table = (bench_table){.columns = MPRGP + 1, .rows = MARKS};
    const char *names[] = {"iterations", "Gauss-Seidel", "accelerated", "mprgp"};
    memcpy(table->names, names, sizeof names);
    for (int k = 0; k < MARKS; k++)
        table->values[k][0] = marks[k];
    if (ok) {
        bounded_system s = {.count = p.count,
                            .rhs = p.rhs,
                            .lo = p.lo,
                            .hi = p.hi,
                            .multiply = multiply,
                            .context = &p,
                            .threads = 1,
                            .level = lane_level_best()};
        double start = find_residual(&p, &s);
        run_sweeps(&p, &s, start, table);
        ok = run_solver(&p, &s, start, ACCELERATED, table) &&
             run_solver(&p, &s, start, MPRGP, table);
    }
    free_pillar(&p);
    return ok || fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the pillar's rows");
}
