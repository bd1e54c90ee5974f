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
#include "lanes/level.h"
#include "par/parallel.h"
#include "surface/neighbourhood.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Fullness between which kernels turn from balls to ellipsoids. With the default reach a row of
 * particles has 0.11, a sheet one particle thick 0.36. */
static const float blend_low = 0.05f, blend_high = 0.25f;

/* Density against that inside a fluid between which weights turn to the constant one. */
static const float sparse_low = 0.35f, sparse_high = 0.65f;

/* Largest axis of a kernel, in supports: threads stretch kernels beyond those of a full fluid. */
static const float longest = 1.5f;

typedef struct job {
    const surface_particles *particles;
    const surface_settings *settings;
    const sorted_particles *sorted;
    kernel_shape *shapes;
    /* Sums in a full neighbourhood, one particle per unit of volume. */
    float full_weight, full_spread, full_density;
    const neighbourhood_passes *by; /* the loops over neighbours, of the instruction level */
} job;

typedef void visitor(const job *j, const neighbourhood *n, const group *g);

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

/* Of particle i of a group. */
static kernel_shape *shape_of(const job *j, const group *g, int i)
{
    return &j->shapes[j->sorted->cells.order[g->first + (size_t)i]];
}

/* The weight of a kernel whose axes, in supports, have this product. */
static float find_weight(const job *j, float density, float determinant, float blend)
{
    float ratio = density / j->full_density;
    float even = ratio + (1 - ratio) * smooth_step(sparse_low, sparse_high, ratio);
    return blend / (j->full_density * even * determinant) + (1 - blend);
}

/* With k_s = 1/full_spread: inside a fluid a kernel is the ball of the support. */
static void shape_ellipsoids(const job *j, const moments *m, const group *g)
{
    const surface_settings *s = j->settings;
    ellipsoid_rules rules = {.dim = j->particles->dim,
                             .support = (float)s->support,
                             .stretch = (float)s->stretch,
                             .spread = j->full_spread,
                             .longest = longest};
    ellipsoids e;
    float blend[GROUP_SIZE];
    for (int i = 0; i < GROUP_SIZE; i++)
        blend[i] = kernels_blend(m->w[i] / j->full_weight);
    j->by->shape(&rules, m, blend, &e);
    for (int i = 0; i < g->count; i++) {
        kernel_shape *shape = shape_of(j, g, i);
        for (int n = 0; n < 6; n++) {
            shape->inverse[n] = e.inverse[n][i];
            shape->axes[n] = e.axes[n][i];
        }
        shape->weight = find_weight(j, m->density[i], e.determinant[i], blend[i]);
    }
}

static void shape_ball(const job *j, kernel_shape *shape)
{
    float support = (float)j->settings->support;
    for (int n = 0; n < 6; n++) {
        bool diagonal = n == 0 || n == 3 || n == 5;
        shape->axes[n] = diagonal ? support : 0;
        shape->inverse[n] = diagonal ? (float)(1 / j->settings->support) : 0;
    }
    shape->weight = 1;
}

/* What the sums of particle i of a group say about it. */
static kernel_shape look_around(const job *j, const moments *m, int i)
{
    float w = m->w[i], reach = (float)j->settings->reach;
    kernel_shape shape = {.lean = {m->first[0][i] / w, m->first[1][i] / w, m->first[2][i] / w}};
    shape.fullness = w / j->full_weight;
    float lean2 = shape.lean[0] * shape.lean[0] + shape.lean[1] * shape.lean[1] +
                  shape.lean[2] * shape.lean[2];
    shape.exposed = lean2 > 0.005f * reach * reach || shape.fullness < 0.7f;
    return shape;
}

static void shape_group(const job *j, const neighbourhood *n, const group *g)
{
    float reach = (float)j->settings->reach, support = (float)j->settings->support;
    moments m;
    uint32_t count = j->by->list(n, g, fmaxf(reach, support), n->near);
    j->by->find_moments(n, g, n->near, count, reach, support, &m);
    for (int i = 0; i < g->count; i++) {
        kernel_shape *shape = shape_of(j, g, i);
        *shape = look_around(j, &m, i);
        for (int a = 0; a < 3; a++)
            j->sorted->lean[a][g->first + (size_t)i] = shape->lean[a];
        if (j->settings->kind == SURFACE_ISOTROPIC)
            shape_ball(j, shape);
    }
    if (j->settings->kind == SURFACE_ANISOTROPIC)
        shape_ellipsoids(j, &m, g);
}

/* Moves centres (eq. 6). */
static void smooth_group(const job *j, const neighbourhood *n, const group *g)
{
    float reach = (float)j->settings->reach, mean[3][GROUP_SIZE];
    uint32_t count = j->by->list(n, g, reach, n->near);
    j->by->mean_alike(n, g, n->near, count, reach, mean);
    for (int i = 0; i < g->count; i++) {
        kernel_shape *shape = shape_of(j, g, i);
        float move = (float)j->settings->smoothing * kernels_blend(shape->fullness);
        for (int a = 0; a < 3; a++)
            shape->shift[a] = move * mean[a][i];
    }
}

/* Gathers around a cell and visits its particles in groups, with their leans if asked for. */
static bool visit_cell(const job *j, size_t cell, bool with_leans, visitor *visit, neighbourhood *n)
{
    const bins *b = &j->sorted->cells;
    if (!neighbourhood_gather(n, j->sorted, cell, with_leans))
        return false;
    for (uint32_t k = b->start[cell]; k < b->start[cell + 1]; k += GROUP_SIZE) {
        group g;
        neighbourhood_group(n, j->sorted, k, b->start[cell + 1] - k, &g);
        visit(j, n, &g);
    }
    return true;
}

int kernels_threads(const surface_settings *s)
{
    int most = s->threads > 0 ? s->threads : parallel_cores();
    return most < PARALLEL_MAX_THREADS ? most : PARALLEL_MAX_THREADS;
}

typedef struct cell_loop {
    const job *job;
    bool with_leans;
    visitor *visit;
    neighbourhood near[PARALLEL_MAX_THREADS]; /* by thread */
    atomic_bool failed;
} cell_loop;

static void visit_cells(void *context, size_t begin, size_t end, int thread)
{
    cell_loop *l = context;
    for (size_t cell = begin; cell < end; cell++)
        if (!visit_cell(l->job, cell, l->with_leans, l->visit, &l->near[thread]))
            l->failed = true;
}

static bool for_each_cell(const job *j, bool with_leans, visitor *visit)
{
    int threads = kernels_threads(j->settings);
    cell_loop l = {.job = j, .with_leans = with_leans, .visit = visit};
    parallel_for(threads, j->sorted->cells.cell_count, 16, visit_cells, &l);
    for (int thread = 0; thread < threads; thread++)
        neighbourhood_free(&l.near[thread]);
    return !l.failed;
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
    if (lane_level_find(s->simd) == LANE_LEVEL_COUNT)
        return fail(error, WEIR_UNSUPPORTED, "this machine has no instruction level '%s'", s->simd);
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
    static const neighbourhood_passes *const levels[LANE_LEVEL_COUNT] =
        LANE_TABLE(neighbourhood_passes_);
    sorted_particles sorted;
    bool built = sorted_particles_build(&sorted, p, s->reach * p->spacing, kernels_threads(s));
    job j = {.particles = p,
             .settings = s,
             .sorted = &sorted,
             .shapes = shapes,
             .by = levels[lane_level_find(s->simd)]};
    fill_rest(&j);
    built = built && for_each_cell(&j, false, shape_group);
    if (s->kind == SURFACE_ANISOTROPIC && s->smoothing > 0)
        built = built && for_each_cell(&j, true, smooth_group);
    sorted_particles_free(&sorted);
    return built || fail(error, WEIR_OUT_OF_MEMORY,
                         "memory ran out for the surface of %zu particles", p->count);
}

typedef struct shrink_loop {
    kernel_shape *shapes;
    float shrink; /* of a particle alone */
} shrink_loop;

static void shrink(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const shrink_loop *l = context;
    for (size_t i = begin; i < end; i++) {
        kernel_shape *shape = &l->shapes[i];
        float blend = kernels_blend(shape->fullness), factor = blend + (1 - blend) * l->shrink;
        if (blend == 1)
            continue;
        for (int k = 0; k < 6; k++) {
            shape->axes[k] *= factor;
            shape->inverse[k] /= factor;
        }
    }
}

void kernels_shrink_lonely(kernel_shape *shapes, size_t count, int dim, const surface_settings *s)
{
    if (s->kind == SURFACE_ISOTROPIC || s->level >= 1)
        return;
    /* A ball kernel alone has its surface where (1 − q²)³ = level. */
    double pi = acos(-1), drop = dim == 2 ? sqrt(1 / pi) : cbrt(3 / (4 * pi));
    double alone = fmin(drop / (s->support * sqrt(1 - cbrt(s->level))), 1);
    shrink_loop l = {shapes, (float)alone};
    parallel_for(kernels_threads(s), count, 4096, shrink, &l);
}
