/* Anisotropic kernels after Yu and Turk, "Reconstructing Surfaces of Particle-Based Fluids Using
 * Anisotropic Kernels" (ACM TOG 2013), eqs. 6 to 16: the covariance of the weighted neighbourhood
 * stretches a kernel along the surface and flattens it across, and centres move towards the mean
 * of their neighbours. Four things differ from the paper:
 * - its constants that depend on units (k_s, k_n) are derived from a full neighbourhood;
 * - its switch at 25 neighbours is a blend, so that nothing pops between frames;
 * - centres average with neighbours that lie alike. The paper's plain mean draws the surface in by
 *   0.7 spacings, after which no level gives back the volume;
 * - the density in the weight counts missing neighbours only where few are left. The plain
 *   m/ρ gives particles on bumps more weight, which makes the bumps grow. */
#include "surface/kernels.h"

#include "base/error.h"
#include "surface/eigen.h"
#include "surface/neighbourhood.h"

#include <math.h>
#include <stdlib.h>

/* Fullness between which kernels turn from balls to ellipsoids. With the default reach a row of
 * particles has 0.11, a sheet one particle thick 0.36. */
static const float blend_low = 0.05f, blend_high = 0.25f;

/* Density against that inside a fluid between which weights turn to the constant one. */
static const float sparse_low = 0.35f, sparse_high = 0.65f;

/* Largest axis of a kernel, in supports: threads stretch kernels beyond those of a full fluid. */
static const double longest = 1.5;

typedef struct job {
    const surface_particles *particles;
    const surface_settings *settings;
    const bins *cells;
    kernel_shape *shapes;
    /* Sums in a full neighbourhood, one particle per unit of volume. */
    float full_weight, full_spread, full_density;
} job;

static float smooth_step(float from, float to, float x)
{
    float t = (x - from) / (to - from);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}

float kernels_blend(float fullness)
{
    return smooth_step(blend_low, blend_high, fullness);
}

/* Writes G and G⁻¹ with the given half-axes along the rows of `vectors`. */
static void set_axes(kernel_shape *shape, const double axes[3], double vectors[3][3])
{
    for (int i = 0, n = 0; i < 3; i++)
        for (int j = i; j < 3; j++, n++) {
            double g = 0, a = 0;
            for (int k = 0; k < 3; k++) {
                g += vectors[k][i] * vectors[k][j] / axes[k];
                a += vectors[k][i] * vectors[k][j] * axes[k];
            }
            shape->inverse[n] = (float)g;
            shape->axes[n] = (float)a;
        }
}

/* Eqs. 9 to 16, with k_s = 1/full_spread: inside a fluid a kernel is the ball of the support. */
static void shape_ellipsoid(const job *j, const moments *m, kernel_shape *shape)
{
    const surface_settings *s = j->settings;
    const float *lean = shape->lean;
    symmetric3 c = {m->xx / m->w - lean[0] * lean[0], m->xy / m->w - lean[0] * lean[1],
                    m->xz / m->w - lean[0] * lean[2], m->yy / m->w - lean[1] * lean[1],
                    m->yz / m->w - lean[1] * lean[2], m->zz / m->w - lean[2] * lean[2]};
    double values[3], vectors[3][3], axes[3], determinant = 1;
    eigen_solve(&c, values, vectors);
    float blend = kernels_blend(shape->fullness);
    double largest = fmin(values[0] / j->full_spread, longest);
    for (int k = 0; k < 3; k++) {
        double value = fmin(fmax(values[k] / j->full_spread, largest / s->stretch), largest);
        axes[k] = s->support * (blend * value + (1 - blend));
        /* In 2D the last axis is z and plays no part. */
        determinant *= k < j->particles->dim ? axes[k] / s->support : 1;
    }
    set_axes(shape, axes, vectors);
    float ratio = m->density / j->full_density;
    float density = ratio + (1 - ratio) * smooth_step(sparse_low, sparse_high, ratio);
    float weight = (float)(1 / (j->full_density * density * determinant));
    shape->weight = blend * weight + (1 - blend);
}

static void shape_ball(const job *j, kernel_shape *shape)
{
    double axes[3] = {j->settings->support, j->settings->support, j->settings->support};
    double vectors[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    set_axes(shape, axes, vectors);
    shape->weight = 1;
}

static bool shape_cell(const job *j, size_t cell, neighbourhood *n)
{
    const bins *b = j->cells;
    float reach = (float)j->settings->reach, support = (float)j->settings->support;
    if (!neighbourhood_gather(n, b, cell, j->particles, NULL))
        return false;
    for (uint32_t k = b->start[cell]; k < b->start[cell + 1]; k++) {
        uint32_t i = b->order[k];
        moments m = neighbourhood_moments(n, j->particles, i, reach, support);
        kernel_shape *shape = &j->shapes[i];
        *shape = (kernel_shape){.lean = {m.wx / m.w, m.wy / m.w, m.wz / m.w}};
        shape->fullness = m.w / j->full_weight;
        float lean2 = shape->lean[0] * shape->lean[0] + shape->lean[1] * shape->lean[1] +
                      shape->lean[2] * shape->lean[2];
        shape->exposed = lean2 > 0.005f * reach * reach || shape->fullness < 0.7f;
        if (j->settings->kind == SURFACE_ANISOTROPIC)
            shape_ellipsoid(j, &m, shape);
        else
            shape_ball(j, shape);
    }
    return true;
}

/* Moves centres (eq. 6). */
static bool smooth_cell(const job *j, size_t cell, neighbourhood *n)
{
    const bins *b = j->cells;
    if (!neighbourhood_gather(n, b, cell, j->particles, j->shapes))
        return false;
    for (uint32_t k = b->start[cell]; k < b->start[cell + 1]; k++) {
        kernel_shape *shape = &j->shapes[b->order[k]];
        float mean[3], move = (float)j->settings->smoothing * kernels_blend(shape->fullness);
        neighbourhood_mean_alike(n, j->particles, b->order[k], shape->lean,
                                 (float)j->settings->reach, mean);
        for (int a = 0; a < 3; a++)
            shape->shift[a] = move * mean[a];
    }
    return true;
}

static bool for_each_cell(const job *j, bool (*visit)(const job *, size_t, neighbourhood *))
{
    bool done = true;
#pragma omp parallel reduction(&& : done)
    {
        neighbourhood n = {0};
#pragma omp for schedule(dynamic, 16)
        for (size_t cell = 0; cell < j->cells->cells.count; cell++)
            done = visit(j, cell, &n) && done;
        neighbourhood_free(&n);
    }
    return done;
}

static bool check_range(const char *name, double value, double low, double high, weir_error *error)
{
    if (value >= low && value <= high)
        return true;
    return fail(error, WEIR_INVALID, "the surface's %s is %g, but must be between %g and %g", name,
                value, low, high);
}

static bool check_settings(surface_settings *s, weir_error *error)
{
    /* Balls must stay small, or the level rises above what a lone particle reaches. */
    if (s->support == 0)
        s->support = s->kind == SURFACE_ISOTROPIC ? 1.5 : 2.5;
    return check_range("cell", s->cell, 0.1, 1, error) &&
           check_range("support", s->support, 1, 4, error) &&
           check_range("level", s->level, 0, 10, error) &&
           check_range("reach", s->reach, 1.5, 5, error) &&
           check_range("smoothing", s->smoothing, 0, 1, error) &&
           check_range("stretch", s->stretch, 1, 8, error);
}

static bool check_position(const surface_particles *p, size_t i, double limit, weir_error *error)
{
    double x = p->x[i], y = p->y[i], z = p->dim == 3 ? p->z[i] : 0;
    if (!isfinite(x) || !isfinite(y) || !isfinite(z))
        return fail(error, WEIR_NOT_FINITE, "the position of particle %zu is not finite", i);
    double far = fmax(fmax(fabs(x), fabs(y)), fabs(z));
    if (far > limit)
        return fail(error, WEIR_UNSUPPORTED,
                    "particle %zu is %g m from the origin, but a surface with this spacing and "
                    "cell reaches only %g m: remove stray particles or take larger cells",
                    i, far, limit);
    return true;
}

bool kernels_check(const surface_particles *p, surface_settings *s, weir_error *error)
{
    if (p->dim != 2 && p->dim != 3)
        return fail(error, WEIR_INVALID, "a surface has 2 or 3 dimensions, not %d", p->dim);
    if (!(p->spacing > 0) || !isfinite(p->spacing))
        return fail(error, WEIR_INVALID, "the spacing is %g m, but must be above 0", p->spacing);
    if (p->count >= UINT32_MAX)
        return fail(error, WEIR_UNSUPPORTED, "a surface takes fewer than 2^32 particles, not %zu",
                    p->count);
    if (!check_settings(s, error))
        return false;
    double limit = KEYMAP_LIMIT * 0.5 * p->spacing * s->cell;
    for (size_t i = 0; i < p->count; i++)
        if (!check_position(p, i, limit, error))
            return false;
    return true;
}

/* Integrals of the weights, of w x² and of the density kernel over a full neighbourhood. */
static void fill_rest(job *j)
{
    double pi = acos(-1), reach = j->settings->reach, h = j->settings->support;
    bool flat = j->particles->dim == 2;
    j->full_weight = (float)(flat ? 0.6 * pi * reach * reach : 2 * pi / 3 * reach * reach * reach);
    j->full_spread = (float)(flat ? 5.0 / 28 * reach * reach : 0.15 * reach * reach);
    j->full_density = (float)(flat ? pi / 4 * h * h : 64 * pi / 315 * h * h * h);
}

bool kernels_build(kernel_shape *shapes, const surface_particles *p, const surface_settings *s,
                   weir_error *error)
{
    uint64_t *keys = calloc(p->count + 1, sizeof *keys);
    bins cells = {0};
    double size = s->reach * p->spacing;
    for (size_t i = 0; keys && i < p->count; i++)
        keys[i] = keymap_key((int)floor(p->x[i] / size), (int)floor(p->y[i] / size),
                             p->dim == 3 ? (int)floor(p->z[i] / size) : 0);
    bool built = keys && bins_build(&cells, keys, p->count);
    free(keys);
    job j = {.particles = p, .settings = s, .cells = &cells, .shapes = shapes};
    fill_rest(&j);
    built = built && for_each_cell(&j, shape_cell);
    if (s->kind == SURFACE_ANISOTROPIC && s->smoothing > 0)
        built = built && for_each_cell(&j, smooth_cell);
    bins_free(&cells);
    return built || fail(error, WEIR_OUT_OF_MEMORY,
                         "memory ran out for the surface of %zu particles", p->count);
}

void kernels_shrink_lonely(kernel_shape *shapes, size_t count, int dim, const surface_settings *s)
{
    if (s->kind == SURFACE_ISOTROPIC || s->level >= 1)
        return;
    /* A ball kernel alone has its surface where (1 − q²)³ = level. */
    double pi = acos(-1), drop = dim == 2 ? sqrt(1 / pi) : cbrt(3 / (4 * pi));
    double shrink = fmin(drop / (s->support * sqrt(1 - cbrt(s->level))), 1);
    for (size_t i = 0; i < count; i++) {
        float blend = kernels_blend(shapes[i].fullness);
        float factor = blend + (1 - blend) * (float)shrink;
        for (int k = 0; k < 6; k++) {
            shapes[i].axes[k] *= factor;
            shapes[i].inverse[k] /= factor;
        }
    }
}
