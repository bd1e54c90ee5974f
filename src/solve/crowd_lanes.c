#include "lanes/lane_table.h"
#include "solve/crowd_sweep.h"

/* The bodies of some lanes of a batch, out of memory and back. */
typedef struct crowd_motion {
    lane v[3], w[3];
} crowd_motion;

LANE_INLINE crowd_motion load(const float *work, const uint32_t *at)
{
    lane_row v = lane_read_table(work, CROWD_SPACE_STRIDE, at);
    lane_row w = lane_read_table(work + 4, CROWD_SPACE_STRIDE, at);
    return (crowd_motion){.v = {v.x, v.y, v.z}, .w = {w.x, w.y, w.z}};
}

LANE_INLINE void store(float *work, const uint32_t *at, const crowd_motion *m)
{
    lane none = lane_set(0);
    lane_write_table(work, CROWD_SPACE_STRIDE, at, (lane_row){m->v[0], m->v[1], m->v[2], none});
    lane_write_table(work + 4, CROWD_SPACE_STRIDE, at, (lane_row){m->w[0], m->w[1], m->w[2], none});
}

/* One half, eighth or the whole of a batch. */
typedef struct crowd_part {
    const crowd_problem *p;
    const crowd_batch *batch;
    int from; /* first lane */
    crowd_motion a, b;
    lane mass_a, mass_b, friction;
} crowd_part;

LANE_INLINE const float *entries_of(const crowd_part *c, size_t row)
{
    return c->p->entries + CROWD_LANES * CROWD_SPACE_ENTRIES * row + (size_t)c->from;
}

LANE_INLINE lane entry(const float *entries, int k)
{
    return lane_load(entries + CROWD_LANES * k);
}

/* What the impulse of a row must do yet, in units of it. */
LANE_INLINE lane wanted(const crowd_part *c, size_t row)
{
    const float *e = entries_of(c, row);
    size_t at = CROWD_LANES * row + (size_t)c->from;
    lane along = entry(e, 0) * (c->a.v[0] - c->b.v[0]) + entry(e, 1) * (c->a.v[1] - c->b.v[1]);
    lane round = entry(e, 3) * c->a.w[0] - entry(e, 6) * c->b.w[0];
    along += entry(e, 2) * (c->a.v[2] - c->b.v[2]);
    round += (entry(e, 4) * c->a.w[1] - entry(e, 7) * c->b.w[1]) +
             (entry(e, 5) * c->a.w[2] - entry(e, 8) * c->b.w[2]);
    /* What does not wait for the rows before comes first: sweeps are bound by that wait. */
    lane inverse = lane_load(c->p->inverse + at);
    lane start = lane_load(c->p->nu + at) + lane_load(c->p->rhs + at) * inverse;
    return start - (along + round) * inverse;
}

LANE_INLINE void push(crowd_part *c, size_t row, lane change)
{
    const float *e = entries_of(c, row);
    for (int k = 0; k < 3; k++) {
        c->a.v[k] += entry(e, k) * c->mass_a * change;
        c->b.v[k] -= entry(e, k) * c->mass_b * change;
        c->a.w[k] += entry(e, 9 + k) * change;
        c->b.w[k] -= entry(e, 12 + k) * change;
    }
}

LANE_INLINE void set(crowd_part *c, size_t row, lane value)
{
    float *nu = c->p->nu + CROWD_LANES * row + (size_t)c->from;
    lane change = value - lane_load(nu);
    lane_store(nu, value);
    push(c, row, change);
}

LANE_INLINE void meet_point(crowd_part *c, size_t row, bool normals_only)
{
    lane normal = lane_max(wanted(c, row), lane_set(0));
    set(c, row, normal);
    if (normals_only)
        return;
    lane most = c->friction * normal;
    lane x = wanted(c, row + 1);
    lane y = wanted(c, row + 2);
    lane length = lane_sqrt(x * x + y * y);
    lane scale = lane_select(length > most, most / length, lane_set(1));
    set(c, row + 1, scale * x);
    set(c, row + 2, scale * y);
}

LANE_INLINE crowd_part open(const crowd_problem *p, const crowd_batch *batch, int from)
{
    return (crowd_part){.p = p,
                        .batch = batch,
                        .from = from,
                        .a = load(p->work, batch->a + from),
                        .b = load(p->work, batch->b + from),
                        .mass_a = lane_load(batch->mass_a + from),
                        .mass_b = lane_load(batch->mass_b + from),
                        .friction = lane_load(batch->friction + from)};
}

LANE_INLINE void close(const crowd_part *c)
{
    store(c->p->work, c->batch->a + c->from, &c->a);
    store(c->p->work, c->batch->b + c->from, &c->b);
}

LANE_INLINE void meet_batch(const crowd_problem *p, const crowd_batch *batch, bool normals_only)
{
    for (int from = 0; from < CROWD_LANES; from += WEIR_LANES) {
        crowd_part c = open(p, batch, from);
        for (uint32_t k = 0; k < batch->points; k++)
            meet_point(&c, batch->row + 3 * k, normals_only);
        close(&c);
    }
}

LANE_INLINE void sweep_all(const crowd_problem *p, bool normals_only)
{
    for (size_t k = 0; k < p->batch_count; k++)
        meet_batch(p, &p->batches[k], normals_only);
    for (size_t k = p->batch_count; k-- > 0;)
        meet_batch(p, &p->batches[k], normals_only);
}

static void start(const crowd_problem *p)
{
    for (size_t k = 0; k < p->batch_count; k++)
        for (int from = 0; from < CROWD_LANES; from += WEIR_LANES) {
            const crowd_batch *batch = &p->batches[k];
            crowd_part c = open(p, batch, from);
            for (uint32_t r = 0; r < 3 * batch->points; r++) {
                size_t row = batch->row + r;
                push(&c, row, lane_load(p->nu + CROWD_LANES * row + (size_t)from));
            }
            close(&c);
        }
}

/* Squares of the changes since `before`, in units of energy, summed lane by lane. */
static void measure(const crowd_problem *p, size_t rows, const float *before,
                    float sums[CROWD_LANES])
{
    for (int from = 0; from < CROWD_LANES; from += WEIR_LANES) {
        lane sum = lane_set(0);
        for (size_t k = (size_t)from; k < CROWD_LANES * rows; k += CROWD_LANES) {
            lane change = lane_load(p->nu + k) - lane_load(before + k);
            sum += change * change * lane_load(p->answer + k);
        }
        lane_store(sums + from, sum);
    }
}

static void step_on(float *x, float *before, float *along, size_t count, float share)
{
    lane by = lane_set(share);
    for (size_t k = 0; share == 0 && k < count; k += WEIR_LANES) {
        lane now = lane_load(x + k);
        lane_store(along + k, now - lane_load(before + k));
        lane_store(before + k, now);
    }
    for (size_t k = 0; share != 0 && k < count; k += WEIR_LANES) {
        lane now = lane_load(x + k), way = by * lane_load(along + k);
        lane_store(along + k, way + (now - lane_load(before + k)));
        lane_store(x + k, now + way);
        lane_store(before + k, now + way);
    }
}

static void sweep(const crowd_problem *p, bool normals_only)
{
    if (normals_only)
        sweep_all(p, true);
    else
        sweep_all(p, false);
}

extern const crowd_sweeps LANE_SYMBOL(crowd_space_);
const crowd_sweeps LANE_SYMBOL(crowd_space_) = {.start = start, .sweep = sweep};
extern const crowd_steps LANE_SYMBOL(crowd_steps_);
const crowd_steps LANE_SYMBOL(crowd_steps_) = {.measure = measure, .step_on = step_on};
