/* Bakes B(x) = int_solid W(|x - y|, h) dy on a sparse grid and interpolates it.
 *
 * Nodes lie h/6 apart, in blocks of 6 per axis, so that a block is h wide and a kernel reaches
 * into the neighbouring blocks only. (At h/4 the gradient at a flat wall is 2 % low, at h/6 0.6 %.)
 * Stages:
 *   1. find the blocks that the surface cuts, coarse to fine, by the distance at their centres
 *   2. sample there the coverage of a lattice of one cell per node (3 per axis in 2D)
 *   3. sum coverage times kernel for every node of the cut blocks and their neighbours
 *   4. turn node values into coefficients of a cubic B-spline
 * The spline (C2) is preferred to Catmull-Rom (C1): for the same 4^dim values its gradient, which
 * is the force on particles, is an order more accurate. Every sum has a fixed order, so the result
 * does not depend on threads. Other blocks are wholly inside (1) or outside (0). */
#include "space/boundary_bake.h"

#include "base/error.h"
#include "space/shape_coverage.h"

#include <assert.h>

#ifdef _OPENMP
#include <omp.h>
#endif

enum { PADDED = 3 * BLOCK }; /* nodes per axis of a block with its neighbours */

/* What one map may take, so that a slip in a unit does not fill the machine. */
static const double MAX_GROUPS = 2e7;
static const size_t MAX_VALUES = (size_t)1 << 29;

typedef struct tap {
    int32_t offset;
    float weight;
} tap;

typedef struct block_place {
    int i, j, k;
    size_t slot; /* in the tables of states */
} block_place;

typedef struct baker {
    memory *m;
    const shape *s;
    weir_kernel kernel;
    double h, grow, cell;
    int dim, cells; /* lattice cells per node and axis */
    int threads;
    block_index *x;
    vec3 *group_origins; /* of the groups with a table, in blocks */
    block_place *cut;    /* blocks that the surface may cut */
    size_t cut_count;
    float *coverage; /* per cut block */
    block_place *node_blocks;
    size_t node_count;
    uint32_t *node_states; /* as states, but STORED + index into node_blocks */
    float *values;         /* B at the nodes */
    tap *taps;
    size_t tap_count, tap_capacity;
    float *scratch; /* per thread */
    size_t scratch_floats;
    struct filter_steps *steps; /* per thread */
} baker;

static int thread_index(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

static vec3 block_centre(const baker *b, int i, int j, int k)
{
    const vec3 o = b->x->origin;
    double half = b->h * 0.5;
    return (vec3){o.x + i * b->h + half, o.y + j * b->h + half,
                  b->dim == 3 ? o.z + k * b->h + half : 0};
}

/* INSIDE or OUTSIDE if the surface is farther than `reach` from `p`, STORED if not. */
static uint32_t classify(const baker *b, vec3 p, double reach)
{
    double d = shape_core_distance(b->s, p, NULL) - b->grow;
    if (fabs(d) <= reach)
        return STORED;
    return d < 0 ? INSIDE : OUTSIDE;
}

static bool refuse(const baker *b, weir_error *error, const char *why)
{
    bounds area = b->s->core_surface;
    return fail(error, WEIR_OUT_OF_MEMORY,
                "boundary volume: %s to bake a surface of %g x %g x %g m at a kernel radius of %g "
                "m; use larger particles or a smaller shape",
                why, area.hi.x - area.lo.x, area.hi.y - area.lo.y, area.hi.z - area.lo.z, b->h);
}

static bool no_memory(const baker *b, weir_error *error)
{
    return refuse(b, error, "no memory");
}

static bool too_large(const baker *b, weir_error *error)
{
    return refuse(b, error, "more than 2 GiB would be needed");
}

/* Lays the grid around the surface with room for the kernel and the spline. */
static bool lay_groups(baker *b, weir_error *error)
{
    block_index *x = b->x;
    bounds area = bounds_grow(b->s->core_surface, fmax(0, b->grow) + 2 * b->h, b->dim);
    double size[3] = {area.hi.x - area.lo.x, area.hi.y - area.lo.y, area.hi.z - area.lo.z};
    double total = 1;
    x->origin = area.lo;
    x->dim = b->dim;
    for (int axis = 0; axis < 3; axis++) {
        double groups = axis < b->dim ? ceil(size[axis] / (GROUP * b->h)) : 1;
        total *= groups;
        if (!(total < MAX_GROUPS))
            return too_large(b, error);
        x->groups[axis] = (int)groups;
    }
    x->far = shape_core_distance(b->s, area.lo, NULL) - b->grow < 0 ? INSIDE : OUTSIDE;
    x->group_count = (size_t)total;
    x->group_states = memory_take(b->m, x->group_count * sizeof *x->group_states);
    return x->group_states || no_memory(b, error);
}

/* Stage 1, coarse: numbers the groups that the surface, or a neighbour of a block on it, meets. */
static bool find_groups(baker *b, weir_error *error)
{
    block_index *x = b->x;
    double root = sqrt(b->dim), reach = (0.5 * GROUP + 2) * b->h * root * 1.1;
    double middle = 0.5 * GROUP - 0.5;
    size_t at = 0;
    for (int k = 0; k < x->groups[2]; k++)
        for (int j = 0; j < x->groups[1]; j++)
            for (int i = 0; i < x->groups[0]; i++, at++) {
                vec3 corner = block_centre(b, i * GROUP, j * GROUP, k * GROUP);
                vec3 to_middle = {middle * b->h, middle * b->h, b->dim == 3 ? middle * b->h : 0};
                uint32_t state = classify(b, vec3_add(corner, to_middle), reach);
                x->group_states[at] = state < STORED ? state : STORED + (uint32_t)x->table_count++;
            }
    if (x->table_count == 0)
        return true;
    size_t slots = x->table_count * power(GROUP, b->dim);
    if (slots > MAX_VALUES)
        return too_large(b, error);
    x->states = memory_take(b->m, slots * sizeof *x->states);
    b->node_states = memory_take(b->m, slots * sizeof *b->node_states);
    b->group_origins = memory_take(b->m, x->table_count * sizeof *b->group_origins);
    if (!x->states || !b->node_states || !b->group_origins)
        return no_memory(b, error);
    at = 0;
    for (int k = 0; k < x->groups[2]; k++)
        for (int j = 0; j < x->groups[1]; j++)
            for (int i = 0; i < x->groups[0]; i++, at++)
                if (x->group_states[at] >= STORED)
                    b->group_origins[x->group_states[at] - STORED] =
                        (vec3){i * GROUP, j * GROUP, k * GROUP};
    return true;
}

static block_place place_of(const baker *b, size_t slot)
{
    assert(b->group_origins);
    size_t volume = power(GROUP, b->dim), in = slot % volume;
    vec3 o = b->group_origins[slot / volume];
    return (block_place){(int)o.x + (int)(in % GROUP), (int)o.y + (int)(in / GROUP % GROUP),
                         (int)o.z + (int)(in / GROUP / GROUP), slot};
}

/* Lists the slots whose state in `states` is at least STORED and numbers them. */
static bool number_blocks(baker *b, uint32_t *states, block_place **list, size_t *count,
                          weir_error *error)
{
    size_t slots = b->x->table_count * power(GROUP, b->dim), found = 0;
    for (size_t slot = 0; slot < slots; slot++)
        found += states[slot] >= STORED;
    if (found == 0)
        return true;
    if (found > MAX_VALUES / power((size_t)(BLOCK * b->cells), b->dim))
        return too_large(b, error);
    *list = memory_take(b->m, found * sizeof **list);
    if (!*list)
        return no_memory(b, error);
    *count = found;
    found = 0;
    for (size_t slot = 0; slot < slots; slot++)
        if (states[slot] >= STORED) {
            (*list)[found] = place_of(b, slot);
            states[slot] = STORED + (uint32_t)found++;
        }
    return true;
}

/* Stage 1, fine. */
static bool find_cut_blocks(baker *b, weir_error *error)
{
    ptrdiff_t slots = (ptrdiff_t)(b->x->table_count * power(GROUP, b->dim));
    double reach = 0.5 * b->h * sqrt(b->dim) * 1.1 + COVERAGE_REACH * b->cell;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 64) num_threads(b->threads) if (b->threads > 1)
#endif
    for (ptrdiff_t slot = 0; slot < slots; slot++) {
        block_place p = place_of(b, (size_t)slot);
        b->x->states[slot] = classify(b, block_centre(b, p.i, p.j, p.k), reach);
    }
    return number_blocks(b, b->x->states, &b->cut, &b->cut_count, error);
}

/* Stage 2 for one block. Returns its state: INSIDE or OUTSIDE if nothing is cut after all. */
static uint32_t sample_block(const baker *b, block_place p, uint32_t state, float *coverage)
{
    int n = BLOCK * b->cells, nz = b->dim == 3 ? n : 1;
    bool full = true, empty = true;
    vec3 o = b->x->origin;
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                vec3 at = {o.x + b->cell * (p.i * n + i), o.y + b->cell * (p.j * n + j),
                           b->dim == 3 ? o.z + b->cell * (p.k * n + k) : 0};
                double c = shape_core_coverage(b->s, at, b->cell, b->grow);
                full = full && c == 1;
                empty = empty && c == 0;
                *coverage++ = (float)c;
            }
    return full ? INSIDE : empty ? OUTSIDE : state;
}

static bool sample_coverage(baker *b, weir_error *error)
{
    size_t volume = power((size_t)(BLOCK * b->cells), b->dim);
    if (b->cut_count == 0)
        return true;
    b->coverage = memory_take(b->m, b->cut_count * volume * sizeof *b->coverage);
    if (!b->coverage)
        return no_memory(b, error);
    ptrdiff_t count = (ptrdiff_t)b->cut_count;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 4) num_threads(b->threads) if (b->threads > 1)
#endif
    for (ptrdiff_t i = 0; i < count; i++) {
        uint32_t *state = &b->x->states[b->cut[i].slot];
        *state = sample_block(b, b->cut[i], *state, b->coverage + (size_t)i * volume);
    }
    return true;
}

/* A block has interesting nodes if it or a neighbour is cut, or neighbours differ. */
static bool find_node_blocks(baker *b, weir_error *error)
{
    size_t slots = b->x->table_count * power(GROUP, b->dim);
    int reach_z = b->dim == 3 ? 1 : 0;
    for (size_t slot = 0; slot < slots; slot++) {
        block_place p = place_of(b, slot);
        uint32_t own = b->x->states[slot], state = own;
        for (int k = -reach_z; k <= reach_z && state < STORED; k++)
            for (int j = -1; j <= 1 && state < STORED; j++)
                for (int i = -1; i <= 1 && state < STORED; i++)
                    if (block_state(b->x, b->x->states, p.i + i, p.j + j, p.k + k) != own)
                        state = STORED;
        b->node_states[slot] = state;
    }
    return number_blocks(b, b->node_states, &b->node_blocks, &b->node_count, error);
}

/* The kernel on the lattice, as offsets into a padded block whose x axis is split by phase: cell
 * c is at [c mod cells][c / cells], so that the nodes of a row read neighbours. */
static bool make_taps(baker *b, weir_error *error)
{
    int reach = BLOCK * b->cells, row = PADDED * b->cells, reach_z = b->dim == 3 ? reach : 0;
    double sum = 0;
    b->tap_capacity = power((size_t)(2 * reach + 1), b->dim);
    b->taps = memory_take(b->m, b->tap_capacity * sizeof *b->taps);
    if (!b->taps)
        return no_memory(b, error);
    for (int k = -reach_z; k <= reach_z; k++)
        for (int j = -reach; j <= reach; j++)
            for (int i = -reach; i <= reach; i++) {
                double r = b->cell * sqrt(i * i + j * j + k * k);
                double weight = kernel_value(b->kernel, b->dim, r, b->h);
                if (!(weight > 0))
                    continue;
                int x = i + reach;
                int at = (k * row + j) * row + x % b->cells * PADDED + x / b->cells;
                b->taps[b->tap_count++] = (tap){at, (float)weight};
                sum += weight;
            }
    for (size_t t = 0; t < b->tap_count; t++)
        b->taps[t].weight = (float)((double)b->taps[t].weight / sum);
    return true;
}

/* Copies the coverage of a block and its neighbours to `padded`. */
static void gather_coverage(const baker *b, block_place p, float *padded)
{
    int n = BLOCK * b->cells, row = 3 * n, blocks_z = b->dim == 3 ? 3 : 1, nz = b->dim == 3 ? n : 1;
    size_t volume = power((size_t)n, b->dim);
    for (int bz = 0; bz < blocks_z; bz++)
        for (int by = 0; by < 3; by++)
            for (int bx = 0; bx < 3; bx++) {
                uint32_t state = block_state(b->x, b->x->states, p.i + bx - 1, p.j + by - 1,
                                             b->dim == 3 ? p.k + bz - 1 : 0);
                const float *from =
                    state >= STORED ? b->coverage + (state - STORED) * volume : NULL;
                float flat = state == INSIDE ? 1 : 0;
                for (int k = 0; k < nz; k++)
                    for (int j = 0; j < n; j++) {
                        float *to = padded + (size_t)(((bz * n + k) * row + by * n + j) * row);
                        for (int i = 0; i < n; i++) {
                            int x = bx * n + i;
                            to[x % b->cells * PADDED + x / b->cells] = from ? *from++ : flat;
                        }
                    }
            }
}

/* Stage 3 for one block: rows of BLOCK nodes at a time. */
static void sum_kernel(const baker *b, const float *padded, float *values)
{
    int n = BLOCK * b->cells, row = 3 * n, nodes_z = b->dim == 3 ? BLOCK : 1;
    for (int k = 0; k < nodes_z; k++)
        for (int j = 0; j < BLOCK; j++, values += BLOCK) {
            int z = b->dim == 3 ? n + k * b->cells : 0;
            const float *base = padded + (ptrdiff_t)(z * row + n + j * b->cells) * row;
            float sum[BLOCK] = {0};
            for (size_t t = 0; t < b->tap_count; t++) {
                const float *from = base + b->taps[t].offset;
                float weight = b->taps[t].weight;
                for (int i = 0; i < BLOCK; i++)
                    sum[i] += weight * from[i];
            }
            for (int i = 0; i < BLOCK; i++)
                values[i] = sum[i];
        }
}

static bool sum_values(baker *b, weir_error *error)
{
    if (b->node_count == 0)
        return true;
    size_t volume = power(BLOCK, b->dim), row = (size_t)(PADDED * b->cells);
    b->values = memory_take(b->m, b->node_count * volume * sizeof *b->values);
    b->scratch_floats = power(row, b->dim);
    b->scratch = memory_take(b->m, (size_t)b->threads * b->scratch_floats * sizeof *b->scratch);
    if (!b->values || !b->scratch)
        return no_memory(b, error);
    ptrdiff_t count = (ptrdiff_t)b->node_count;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 4) num_threads(b->threads) if (b->threads > 1)
#endif
    for (ptrdiff_t i = 0; i < count; i++) {
        float *padded = b->scratch + (size_t)thread_index() * b->scratch_floats;
        gather_coverage(b, b->node_blocks[i], padded);
        sum_kernel(b, padded, b->values + (size_t)i * volume);
    }
    return true;
}

/* Stage 4: the inverse of the B-spline's values at the nodes, (1 + D/6)^-1 with D the second
 * difference, as the series 1 - D/6 + ... + (D/6)^4. Two terms less would smooth B by 0.3 %. `in`
 * holds rows of PADDED along an axis, `out` the middle BLOCK of them. */
static void filter_axis(const double *in, double *out, int outer, int inner)
{
    static const double c[5] = {2134.0 / 1296, -506.0 / 1296, 100.0 / 1296, -14.0 / 1296,
                                1.0 / 1296};
    for (int o = 0; o < outer; o++)
        for (int n = 0; n < BLOCK; n++)
            for (int i = 0; i < inner; i++) {
                const double *f = in + (o * PADDED + n + BLOCK) * inner + i;
                double sum = c[0] * f[0];
                for (int k = 1; k < 5; k++)
                    sum += c[k] * (f[-k * inner] + f[k * inner]);
                *out++ = sum;
            }
}

static void gather_values(const baker *b, block_place p, double *padded)
{
    int blocks_z = b->dim == 3 ? 3 : 1, nz = b->dim == 3 ? BLOCK : 1;
    size_t volume = power(BLOCK, b->dim);
    for (int bz = 0; bz < blocks_z; bz++)
        for (int by = 0; by < 3; by++)
            for (int bx = 0; bx < 3; bx++) {
                uint32_t state = block_state(b->x, b->node_states, p.i + bx - 1, p.j + by - 1,
                                             b->dim == 3 ? p.k + bz - 1 : 0);
                const float *from = state >= STORED ? b->values + (state - STORED) * volume : NULL;
                for (int k = 0; k < nz; k++)
                    for (int j = 0; j < BLOCK; j++) {
                        int row = (bz * BLOCK + k) * PADDED + by * BLOCK + j;
                        for (int i = 0; i < BLOCK; i++)
                            padded[row * PADDED + bx * BLOCK + i] =
                                from ? (double)*from++ : (double)(state == INSIDE);
                    }
            }
}

/* What a block takes on its way through the filter, axis by axis. */
typedef struct filter_steps {
    double values[PADDED * PADDED * PADDED];
    double x[BLOCK * PADDED * PADDED];
    double y[BLOCK * BLOCK * PADDED];
    double z[BLOCK * BLOCK * BLOCK];
} filter_steps;

static void filter_block(const baker *b, block_place p, filter_steps *f, float *coefficients)
{
    int planes = b->dim == 3 ? PADDED : 1;
    gather_values(b, p, f->values);
    filter_axis(f->values, f->x, PADDED * planes, 1);
    filter_axis(f->x, f->y, planes, BLOCK);
    if (b->dim == 3)
        filter_axis(f->y, f->z, 1, BLOCK * BLOCK);
    for (size_t i = 0; i < power(BLOCK, b->dim); i++)
        coefficients[i] = (float)(b->dim == 3 ? f->z[i] : f->y[i]);
}

static bool filter_values(baker *b, baked_field *f, weir_error *error)
{
    size_t volume = power(BLOCK, b->dim);
    if (b->node_count == 0)
        return true;
    f->block_count = b->node_count;
    f->coefficients = memory_take(b->m, b->node_count * volume * sizeof *f->coefficients);
    b->steps = memory_take(b->m, (size_t)b->threads * sizeof *b->steps);
    if (!f->coefficients || !b->steps)
        return no_memory(b, error);
    ptrdiff_t count = (ptrdiff_t)b->node_count;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 16) num_threads(b->threads) if (b->threads > 1)
#endif
    for (ptrdiff_t i = 0; i < count; i++)
        filter_block(b, b->node_blocks[i], &b->steps[thread_index()],
                     f->coefficients + (size_t)i * volume);
    return true;
}

static void release(baker *b)
{
    memory *m = b->m;
    size_t slots = b->x->table_count * power(GROUP, b->dim);
    memory_give(m, b->group_origins, b->x->table_count * sizeof *b->group_origins);
    memory_give(m, b->cut, b->cut_count * sizeof *b->cut);
    memory_give(m, b->coverage,
                b->cut_count * power((size_t)(BLOCK * b->cells), b->dim) * sizeof *b->coverage);
    memory_give(m, b->node_blocks, b->node_count * sizeof *b->node_blocks);
    memory_give(m, b->node_states, slots * sizeof *b->node_states);
    memory_give(m, b->values, b->node_count * power(BLOCK, b->dim) * sizeof *b->values);
    memory_give(m, b->taps, b->tap_capacity * sizeof *b->taps);
    memory_give(m, b->steps, (size_t)b->threads * sizeof *b->steps);
    memory_give(m, b->scratch, (size_t)b->threads * b->scratch_floats * sizeof *b->scratch);
}

static bool bake(baker *b, baked_field *f, weir_error *error)
{
    if (!lay_groups(b, error) || !find_groups(b, error) || !find_cut_blocks(b, error) ||
        !sample_coverage(b, error) || !find_node_blocks(b, error) || !make_taps(b, error) ||
        !sum_values(b, error) || !filter_values(b, f, error))
        return false;
    /* The states of coverage have served; the field keeps those of the nodes. */
    uint32_t *served = f->index.states;
    f->index.states = b->node_states;
    b->node_states = served;
    return true;
}

baked_field *boundary_bake(memory *m, const shape *s, weir_kernel kernel, double h, double grow,
                           int threads, weir_error *error)
{
    baked_field *f = memory_take(m, sizeof *f);
    if (!f) {
        fail(error, WEIR_OUT_OF_MEMORY, "boundary volume: no memory for it");
        return NULL;
    }
    int cells = s->dim == 3 ? 1 : 3;
    baker b = {.m = m,
               .s = s,
               .kernel = kernel,
               .h = h,
               .grow = grow,
               .cell = h / (BLOCK * cells),
               .dim = s->dim,
               .cells = cells,
               .threads = threads > 1 ? threads : 1,
               .x = &f->index};
    f->step = h / BLOCK;
    bool done = bake(&b, f, error);
    release(&b);
    if (done)
        return f;
    baked_field_destroy(m, f);
    return NULL;
}
