/* Sums of kernels, in lanes. Each node and each point adds the same numbers in the same order,
 * whichever block and lane it is computed in: blocks agree on the nodes that they share. What a
 * kernel adds outside its support is 0, so that nothing depends on how closely it is skipped. */
#include "surface/iso_passes.h"

#include "lanes/lane.h"

#include <math.h>

/* ----------------------------------------------------------------- listing */

/* Where kernels from `k` on lie, in steps from the block's first node. Differences of nodes are
 * whole numbers and exact, also far from the origin. */
LANE_INLINE lane load_centre(const iso_field *f, const iso_field_block *b, uint32_t k, int axis)
{
    lane_mask node;
    memcpy(&node, f->node[axis] + k, sizeof node);
    node = node - b->node[axis];
#if WEIR_LANES == 1
    lane whole = (float)node;
#else
    lane whole = __builtin_convertvector(node, lane);
#endif
    return whole + lane_load(f->offset[axis] + k);
}

/* p is the way from a kernel's centre to the nearest point of the block: the plane through that
 * point and across p has the block on its far side, and all of the kernel on the near one if it
 * reaches less far along p, which is |G⁻¹ p|/|p|. */
LANE_INLINE uint32_t find_touching(const iso_field *f, const iso_field_block *b, uint32_t k)
{
    lane zero = lane_set(0), p[3] = {zero, zero, zero}, m[6];
    for (int a = 0; a < f->dim; a++) {
        lane centre = load_centre(f, b, k, a);
        p[a] = lane_max(zero - centre, zero) + lane_min(lane_set(BLOCK_CELLS) - centre, zero);
    }
    for (int n = 0; n < 6; n++)
        m[n] = lane_load(f->axes[n] + k);
    lane x = m[0] * p[0] + m[1] * p[1] + m[2] * p[2], y = m[1] * p[0] + m[3] * p[1] + m[4] * p[2],
         z = m[2] * p[0] + m[4] * p[1] + m[5] * p[2];
    lane p2 = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
    /* A little more, so that rounding never cuts off a contribution. */
    return lane_bits(p2 * p2 <= (x * x + y * y + z * z) * lane_set(1.001f));
}

static uint32_t list(const iso_field *f, const iso_field_block *b, uint32_t first, uint32_t end,
                     uint32_t *to)
{
    uint32_t kept = 0;
    for (uint32_t k = first; k < end; k += WEIR_LANES) {
        uint32_t bits = find_touching(f, b, k);
        if (end - k < WEIR_LANES)
            bits &= (1u << (end - k)) - 1;
        kept += lane_list_bits(to + kept, k, bits);
    }
    return kept;
}

/* ------------------------------------------------------------------- nodes */

enum {
    ROWS = BLOCK_NODES * BLOCK_NODES,
    ROW_ROOM = (ROWS + ISO_ROOM - 1) / ISO_ROOM * ISO_ROOM,
};

/* A block as lanes see it: rows of eight nodes along x, and the last node of each row, for which
 * eight lanes have no place. */
typedef struct grid {
    float y[ROW_ROOM], z[ROW_ROOM]; /* of the rows */
    float last[ROW_ROOM];           /* values of the last nodes */
} grid;

/* What a kernel is at the rows of a block. */
typedef struct row_terms {
    float u[3][ROW_ROOM];               /* G d without the part of x */
    uint32_t near[ROW_ROOM + ISO_ROOM]; /* the rows that it reaches */
} row_terms;

static void set_up(grid *rows, const iso_field_block *b)
{
    /* Rows that do not exist are far away. */
    *rows = (grid){{0}, {0}, {0}};
    for (int r = 0; r < ROW_ROOM; r++) {
        rows->y[r] = (float)(r % BLOCK_NODES);
        rows->z[r] = r < b->count[1] * b->count[2] ? (float)(r / BLOCK_NODES) : 1e6f;
    }
}

LANE_INLINE lane kernel_value(lane qx, lane qy, lane qz, float weight, bool balls)
{
    lane q2 = qx * qx + qy * qy + qz * qz;
    if (balls) {
        lane q = lane_max(lane_set(1) - lane_sqrt(q2), lane_set(0));
        return lane_set(weight) * q * q;
    }
    lane q = lane_max(lane_set(1) - q2, lane_set(0));
    return lane_set(weight) * q * q * q;
}

/* Nodes of [0, last] between two places; none: low > high. */
LANE_INLINE void clip(float from, float to, int last, int *low, int *high)
{
    from = from > 0 ? from : 0;
    to = to < (float)last ? to : (float)last;
    *low = (int)from + ((float)(int)from < from);
    *high = to < 0 ? -1 : (int)to;
}

/* Which of some rows come closer than 1 to the kernel, where G d is g x + u and x in [low, high]; a
 * little more, so that rounding never cuts off a contribution. */
LANE_INLINE uint32_t find_near(const float g[3], const lane u[3], float low, float high)
{
    float square = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
    lane x = lane_set(-1 / square) *
             (lane_set(g[0]) * u[0] + lane_set(g[1]) * u[1] + lane_set(g[2]) * u[2]);
    x = lane_min(lane_max(x, lane_set(low)), lane_set(high));
    lane q[3];
    for (int a = 0; a < 3; a++)
        q[a] = lane_set(g[a]) * x + u[a];
    return lane_bits(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] < lane_set(1.001f));
}

/* Rows [from, to), with the last nodes of all of them; returns how many are near. Differences of
 * nodes are whole numbers and exact, also far from the origin. */
LANE_INLINE uint32_t find_rows(const iso_field_kernel *k, const iso_field_block *b, int from,
                               int to, grid *rows, row_terms *t, bool balls)
{
    const float *g = k->inverse, gx[3] = {g[0], g[1], g[2]}, gy[3] = {g[1], g[3], g[4]},
                gz[3] = {g[2], g[4], g[5]};
    float first[3];
    for (int a = 0; a < 3; a++)
        first[a] = (float)(b->node[a] - k->node[a]);
    float low = first[0] - k->offset[0], last = first[0] + BLOCK_CELLS - k->offset[0];
    uint32_t count = 0;
    for (int r = from / WEIR_LANES * WEIR_LANES; r < to; r += WEIR_LANES) {
        lane y = lane_set(first[1]) + lane_load(rows->y + r) - lane_set(k->offset[1]);
        lane z = lane_set(first[2]) + lane_load(rows->z + r) - lane_set(k->offset[2]);
        lane u[3];
        for (int a = 0; a < 3; a++) {
            u[a] = lane_set(gy[a]) * y + lane_set(gz[a]) * z;
            lane_store(t->u[a] + r, u[a]);
        }
        if (last < k->extent[0]) {
            lane value = kernel_value(lane_set(gx[0] * last) + u[0], lane_set(gx[1] * last) + u[1],
                                      lane_set(gx[2] * last) + u[2], k->weight, balls);
            lane_store(rows->last + r, lane_load(rows->last + r) + value);
        }
        count += lane_list_bits(t->near + count, (uint32_t)r,
                                find_near(gx, u, low, low + BLOCK_CELLS - 1));
    }
    return count;
}

LANE_INLINE void add_kernel(const iso_field_kernel *k, iso_field_block *b, grid *rows, bool balls)
{
    static const float ramp[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    row_terms t;
    int low, high;
    float height = (float)(k->node[2] - b->node[2]) + k->offset[2];
    clip(height - k->extent[2], height + k->extent[2], b->count[2] - 1, &low, &high);
    uint32_t count = find_rows(k, b, low * BLOCK_NODES, (high + 1) * BLOCK_NODES, rows, &t, balls);
    for (int x = 0; x < BLOCK_CELLS; x += WEIR_LANES) {
        lane d = lane_set((float)(b->node[0] - k->node[0])) + lane_load(ramp + x) -
                 lane_set(k->offset[0]);
        lane gx[3];
        for (int a = 0; a < 3; a++)
            gx[a] = lane_set(k->inverse[a]) * d;
        for (uint32_t n = 0; n < count; n++) {
            uint32_t r = t.near[n];
            float *row = b->values + r * BLOCK_NODES + x;
            lane value = kernel_value(gx[0] + lane_set(t.u[0][r]), gx[1] + lane_set(t.u[1][r]),
                                      gx[2] + lane_set(t.u[2][r]), k->weight, balls);
            lane_store(row, lane_load(row) + value);
        }
    }
}

LANE_INLINE void add_kernels(const iso_field *f, iso_field_block *b, grid *rows, bool balls)
{
    for (size_t n = 0; n < b->kernel_count; n++)
        add_kernel(&f->kernels[b->kernels[n]], b, rows, balls);
}

static void add(const iso_field *f, iso_field_block *b)
{
    grid rows;
    int count = b->count[1] * b->count[2];
    set_up(&rows, b);
    memset(b->values, 0, (size_t)count * BLOCK_NODES * sizeof *b->values);
    if (f->kind == SURFACE_ISOTROPIC)
        add_kernels(f, b, &rows, true);
    else
        add_kernels(f, b, &rows, false);
    for (int r = 0; r < count; r++)
        b->values[r * BLOCK_NODES + BLOCK_CELLS] = rows.last[r];
    if (f->kind == SURFACE_ISOTROPIC)
        for (int i = 0; i < count * BLOCK_NODES; i++)
            b->values[i] = sqrtf(b->values[i]);
}

/* ------------------------------------------------------------------ points */

/* The box of all points, in steps from the block's first node. */
LANE_INLINE void find_box(const iso_points *p, float low[3], float high[3])
{
    for (int a = 0; a < 3; a++) {
        low[a] = high[a] = p->at[a][0];
        for (int i = 1; i < ISO_POINTS; i++) {
            low[a] = p->at[a][i] < low[a] ? p->at[a][i] : low[a];
            high[a] = p->at[a][i] > high[a] ? p->at[a][i] : high[a];
        }
    }
}

/* Lists the block's kernels that touch the box of the points. */
static uint32_t list_near(const iso_field *f, const iso_field_block *b, const iso_points *p,
                          uint32_t *near)
{
    float low[3], high[3];
    uint32_t count = 0;
    find_box(p, low, high);
    for (size_t n = 0; n < b->kernel_count; n += WEIR_LANES) {
        uint32_t bits = LANE_ALL_BITS;
        for (int a = 0; a < f->dim; a++) {
            lane_mask above = lane_load(b->boxes[2 * a + 1] + n) >= lane_set(low[a]);
            lane_mask below = lane_load(b->boxes[2 * a] + n) <= lane_set(high[a]);
            bits &= lane_bits(above & below);
        }
        if (b->kernel_count - n < WEIR_LANES)
            bits &= (1u << (b->kernel_count - n)) - 1;
        count += lane_list_bits(near + count, (uint32_t)n, bits);
    }
    return count;
}

/* The value of a kernel at q² = |G d|² < 1, and its derivative by q²; 0 elsewhere. */
LANE_INLINE lane find_slope(lane q2, float weight, lane *slope, bool balls)
{
    lane w = lane_set(weight), zero = lane_set(0), one = lane_set(1);
    if (balls) {
        lane q = lane_sqrt(q2);
        lane_mask inside = q2<one, beside = q> zero;
        *slope = lane_select(inside & beside, zero - w * (one - q) / q, zero);
        return lane_select(inside, w * (one - q) * (one - q), zero);
    }
    lane rest = lane_max(one - q2, zero);
    *slope = lane_set(-3 * weight) * rest * rest;
    return w * rest * rest * rest;
}

typedef struct lane_sums {
    lane total, largest, fluid, gradient[3], velocity[3];
} lane_sums;

/* Adds the gradient of a kernel and returns its value. */
LANE_INLINE lane add_gradient(const iso_field_kernel *k, const iso_field_block *b, const lane at[3],
                              lane gradient[3], bool balls)
{
    lane d[3], slope, g[6];
    for (int a = 0; a < 3; a++)
        d[a] = lane_set((float)(b->node[a] - k->node[a])) + at[a] - lane_set(k->offset[a]);
    for (int a = 0; a < 6; a++)
        g[a] = lane_set(k->inverse[a]);
    lane u[3] = {g[0] * d[0] + g[1] * d[1] + g[2] * d[2], g[1] * d[0] + g[3] * d[1] + g[4] * d[2],
                 g[2] * d[0] + g[4] * d[1] + g[5] * d[2]};
    lane q2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    lane share = find_slope(q2, k->weight, &slope, balls), twice = lane_set(2) * slope;
    gradient[0] = gradient[0] + twice * (g[0] * u[0] + g[1] * u[1] + g[2] * u[2]);
    gradient[1] = gradient[1] + twice * (g[1] * u[0] + g[3] * u[1] + g[4] * u[2]);
    gradient[2] = gradient[2] + twice * (g[2] * u[0] + g[4] * u[1] + g[5] * u[2]);
    return share;
}

/* What a particle's velocity is outside its kernel must not matter, be it NaN. */
LANE_INLINE void add_share(const surface_particles *p, uint32_t i, lane share, lane_sums *s)
{
    lane zero = lane_set(0);
    s->total = s->total + share;
    if (p->vx) {
        const float v[3] = {p->vx[i], p->vy[i], p->vz ? p->vz[i] : 0};
        for (int a = 0; a < 3; a++)
            s->velocity[a] =
                s->velocity[a] + lane_select(share > zero, share * lane_set(v[a]), zero);
    }
    if (p->fluid) {
        lane_mask more = share > s->largest;
        s->fluid = lane_select(more, lane_set(p->fluid[i]), s->fluid);
        s->largest = lane_select(more, share, s->largest);
    }
}

LANE_INLINE void sum(const iso_field *f, const iso_field_block *b, const iso_points *p, int first,
                     const uint32_t *near, uint32_t count, iso_sums *sums, bool balls)
{
    lane zero = lane_set(0);
    const lane at[3] = {lane_load(p->at[0] + first), lane_load(p->at[1] + first),
                        lane_load(p->at[2] + first)};
    lane_sums s = {zero, zero, zero, {zero, zero, zero}, {zero, zero, zero}};
    for (uint32_t n = 0; n < count; n++) {
        const iso_field_kernel *k = &f->kernels[b->kernels[near[n]]];
        lane share = add_gradient(k, b, at, s.gradient, balls);
        add_share(f->particles, k->particle, share, &s);
    }
    lane_store(sums->total + first, s.total);
    lane_store(sums->fluid + first, s.fluid);
    for (int a = 0; a < 3; a++) {
        lane_store(sums->gradient[a] + first, s.gradient[a]);
        lane_store(sums->velocity[a] + first, s.velocity[a]);
    }
}

static void sample(const iso_field *f, const iso_field_block *b, const iso_points *points,
                   uint32_t *near, iso_sums *sums)
{
    uint32_t count = list_near(f, b, points, near);
    for (int first = 0; first < points->count; first += WEIR_LANES)
        if (f->kind == SURFACE_ISOTROPIC)
            sum(f, b, points, first, near, count, sums, true);
        else
            sum(f, b, points, first, near, count, sums, false);
}

const iso_passes LANE_SYMBOL(iso_passes_) = {list, add, sample};
