/* Which blocks of the grid a bake fills: those that the surface cuts, and those with nodes that a
 * kernel reaches from there. */
#include "base/error.h"
#include "space/boundary_bake_work.h"
#include "space/shape_coverage.h"

#include <assert.h>

/* What one map may take, so that a slip in a unit does not fill the machine. */
static const double MAX_GROUPS = 2e7;
static const size_t MAX_VALUES = (size_t)1 << 29;

static bool refuse(const baker *b, weir_error *error, const char *why)
{
    bounds area = b->s->core_surface;
    return fail(error, WEIR_OUT_OF_MEMORY,
                "boundary volume: %s to bake a surface of %g x %g x %g m at a kernel radius of %g "
                "m; use larger particles or a smaller shape",
                why, area.hi.x - area.lo.x, area.hi.y - area.lo.y, area.hi.z - area.lo.z, b->h);
}

bool bake_no_memory(const baker *b, weir_error *error)
{
    return refuse(b, error, "no memory");
}

static bool too_large(const baker *b, weir_error *error)
{
    return refuse(b, error, "more than 2 GiB would be needed");
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
    return x->group_states || bake_no_memory(b, error);
}

/* Numbers the groups that the surface, or a neighbour of a block on it, meets. */
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
        return bake_no_memory(b, error);
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
        return bake_no_memory(b, error);
    *count = found;
    found = 0;
    for (size_t slot = 0; slot < slots; slot++)
        if (states[slot] >= STORED) {
            (*list)[found] = place_of(b, slot);
            states[slot] = STORED + (uint32_t)found++;
        }
    return true;
}

static void classify_blocks(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const baker *b = context;
    double reach = 0.5 * b->h * sqrt(b->dim) * 1.1 + COVERAGE_REACH * b->cell;
    for (size_t slot = begin; slot < end; slot++) {
        block_place p = place_of(b, slot);
        b->x->states[slot] = classify(b, block_centre(b, p.i, p.j, p.k), reach);
    }
}

bool bake_find_cut_blocks(baker *b, weir_error *error)
{
    if (!lay_groups(b, error) || !find_groups(b, error))
        return false;
    parallel_for(b->threads, b->x->table_count * power(GROUP, b->dim), 64, classify_blocks, b);
    return number_blocks(b, b->x->states, &b->cut, &b->cut_count, error);
}

/* A block has interesting nodes if it or a neighbour is cut, or neighbours differ. */
bool bake_find_node_blocks(baker *b, weir_error *error)
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

void bake_gather(const baker *b, block_place p, const uint32_t *states, const float *stored,
                 int cells, float *padded)
{
    int n = BLOCK * cells, row = PADDED * cells;
    int blocks_z = b->dim == 3 ? 3 : 1, nz = b->dim == 3 ? n : 1;
    size_t volume = power((size_t)n, b->dim);
    for (int bz = 0; bz < blocks_z; bz++)
        for (int by = 0; by < 3; by++)
            for (int bx = 0; bx < 3; bx++) {
                uint32_t state = block_state(b->x, states, p.i + bx - 1, p.j + by - 1,
                                             b->dim == 3 ? p.k + bz - 1 : 0);
                const float *from = state >= STORED ? stored + (state - STORED) * volume : NULL;
                float flat = state == INSIDE ? 1 : 0;
                for (int k = 0; k < nz; k++)
                    for (int j = 0; j < n; j++) {
                        float *to =
                            padded + (size_t)(((bz * n + k) * row + by * n + j) * row) + bx * BLOCK;
                        for (int node = 0; node < BLOCK; node++)
                            for (int phase = 0; phase < cells; phase++)
                                to[phase * PADDED + node] = from ? *from++ : flat;
                    }
            }
}
