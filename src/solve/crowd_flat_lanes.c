/* Sweeps in the plane. They are bound by the wait of each row for the one before. So the rows of
 * two points are all computed from the bodies' motion as it is when their turn begins, and what a
 * row changes goes on to the next ones by a factor found before (their coupling), not through the
 * bodies, which are moved once at the end. But for rounding that is one row after the other. */
#include "lanes/lane_table.h"
#include "solve/crowd_sweep.h"

enum { NORMAL_X, NORMAL_Y, NORMAL_ON_A, NORMAL_ON_B, FRICTION_ON_A, FRICTION_ON_B };

typedef struct flat_motion {
    lane x, y, spin;
} flat_motion;

LANE_INLINE flat_motion load(const float *work, const uint32_t *at)
{
    lane_row r = lane_read_table(work, CROWD_FLAT_STRIDE, at);
    return (flat_motion){r.x, r.y, r.z};
}

LANE_INLINE void store(float *work, const uint32_t *at, const flat_motion *m)
{
    lane_write_table(work, CROWD_FLAT_STRIDE, at, (lane_row){m->x, m->y, m->spin, lane_set(0)});
}

/* One half, eighth or the whole of a batch. */
typedef struct flat_part {
    const crowd_problem *p;
    const crowd_batch *batch;
    int from; /* first lane */
    flat_motion a, b;
    lane mass_a, mass_b, turn_a, turn_b, friction;
} flat_part;

LANE_INLINE flat_part open(const crowd_problem *p, const crowd_batch *batch, int from)
{
    return (flat_part){.p = p,
                       .batch = batch,
                       .from = from,
                       .a = load(p->work, batch->a + from),
                       .b = load(p->work, batch->b + from),
                       .mass_a = lane_load(batch->mass_a + from),
                       .mass_b = lane_load(batch->mass_b + from),
                       .turn_a = lane_load(batch->turn_a + from),
                       .turn_b = lane_load(batch->turn_b + from),
                       .friction = lane_load(batch->friction + from)};
}

LANE_INLINE void close(const flat_part *c)
{
    store(c->p->work, c->batch->a + c->from, &c->a);
    store(c->p->work, c->batch->b + c->from, &c->b);
}

/* ---------------------------------------------------------------------- points */

/* Two rows. */
typedef struct flat_point {
    lane x, y;             /* the normal; friction acts along (−y, x) */
    lane on_a[2], on_b[2]; /* arms of the normal and of friction */
    size_t at;             /* of the first row, in arrays of rows */
} flat_point;

LANE_INLINE flat_point point_of(const flat_part *c, size_t row)
{
    size_t at = CROWD_LANES * row + (size_t)c->from;
    const float *e = c->p->entries + CROWD_LANES * CROWD_FLAT_ENTRIES * row + c->from;
    return (flat_point){.x = lane_load(e + CROWD_LANES * NORMAL_X),
                        .y = lane_load(e + CROWD_LANES * NORMAL_Y),
                        .on_a = {lane_load(e + CROWD_LANES * NORMAL_ON_A),
                                 lane_load(e + CROWD_LANES * FRICTION_ON_A)},
                        .on_b = {lane_load(e + CROWD_LANES * NORMAL_ON_B),
                                 lane_load(e + CROWD_LANES * FRICTION_ON_B)},
                        .at = at};
}

/* What the impulse of the normal or of friction must do yet, in units of it. */
LANE_INLINE lane wanted(const flat_part *c, const flat_point *p, int part)
{
    size_t at = p->at + (size_t)(CROWD_LANES * part);
    lane x = c->a.x - c->b.x, y = c->a.y - c->b.y;
    lane along = part == 0 ? p->x * x + p->y * y : p->x * y - p->y * x;
    lane round = p->on_a[part] * c->a.spin - p->on_b[part] * c->b.spin;
    lane inverse = lane_load(c->p->inverse + at);
    lane start = lane_load(c->p->nu + at) + lane_load(c->p->rhs + at) * inverse;
    return start - (along + round) * inverse;
}

/* Impulses along x and y, and angular ones, that have yet to move the bodies. */
typedef struct flat_push {
    lane x, y, on_a, on_b;
} flat_push;

LANE_INLINE void add_push(flat_push *sum, const flat_point *p, const lane change[2],
                          bool normals_only)
{
    sum->x += p->x * change[0];
    sum->y += p->y * change[0];
    sum->on_a += p->on_a[0] * change[0];
    sum->on_b += p->on_b[0] * change[0];
    if (normals_only)
        return;
    sum->x -= p->y * change[1];
    sum->y += p->x * change[1];
    sum->on_a += p->on_a[1] * change[1];
    sum->on_b += p->on_b[1] * change[1];
}

LANE_INLINE void push_bodies(flat_part *c, const flat_push *sum)
{
    c->a.x += c->mass_a * sum->x;
    c->a.y += c->mass_a * sum->y;
    c->a.spin += c->turn_a * sum->on_a;
    c->b.x -= c->mass_b * sum->x;
    c->b.y -= c->mass_b * sum->y;
    c->b.spin -= c->turn_b * sum->on_b;
}

/* ------------------------------------------------------------------- couplings */

/* Of a row with those before it, of two points in order; the first one alone where there is but one
 * point. */
enum { ONTO_1, ONTO_2, ONTO_3 = ONTO_2 + 2 };

LANE_INLINE float *couplings_of(const flat_part *c, size_t row)
{
    return c->p->couplings + CROWD_LANES * CROWD_FLAT_COUPLINGS * row / 2 + c->from;
}

/* What a unit impulse of part `j` of q changes for part `i` of p, in units of the impulse there. */
LANE_INLINE lane couple(const flat_part *c, const flat_point *p, int i, const flat_point *q, int j)
{
    lane cosine = i == j  ? p->x * q->x + p->y * q->y
                  : i > j ? p->x * q->y - p->y * q->x
                          : p->y * q->x - p->x * q->y;
    lane round = c->turn_a * p->on_a[i] * q->on_a[j] + c->turn_b * p->on_b[i] * q->on_b[j];
    lane inverse = lane_load(c->p->inverse + p->at + CROWD_LANES * i);
    return (cosine * (c->mass_a + c->mass_b) + round) * inverse;
}

LANE_INLINE void find_couplings(const flat_part *c, size_t row, const flat_point *p,
                                const flat_point *q)
{
    float *to = couplings_of(c, row);
    lane_store(to + CROWD_LANES * ONTO_1, couple(c, p, 1, p, 0));
    if (!q)
        return;
    for (int part = 0; part < 2; part++) {
        lane_store(to + CROWD_LANES * (ONTO_2 + part), couple(c, q, 0, p, part));
        lane_store(to + CROWD_LANES * (ONTO_3 + part), couple(c, q, 1, p, part));
    }
    lane_store(to + CROWD_LANES * (ONTO_3 + 2), couple(c, q, 1, q, 0));
}

/* ---------------------------------------------------------------------- passes */

/* Sets a multiplier and returns the change. */
LANE_INLINE lane set(const flat_part *c, const flat_point *p, int part, lane value)
{
    float *nu = c->p->nu + p->at + CROWD_LANES * part;
    lane change = value - lane_load(nu);
    lane_store(nu, value);
    return change;
}

LANE_INLINE lane limit(lane x, lane most)
{
    return lane_min(lane_max(x, -most), most);
}

LANE_INLINE void meet_point(flat_part *c, size_t row, bool normals_only)
{
    flat_point p = point_of(c, row);
    flat_push sum = {0};
    lane normal = lane_max(wanted(c, &p, 0), lane_set(0)), change[2];
    change[0] = set(c, &p, 0, normal);
    if (!normals_only) {
        lane x = wanted(c, &p, 1) - lane_load(couplings_of(c, row)) * change[0];
        change[1] = set(c, &p, 1, limit(x, c->friction * normal));
    }
    add_push(&sum, &p, change, normals_only);
    push_bodies(c, &sum);
}

LANE_INLINE void meet_two(flat_part *c, size_t row, bool normals_only)
{
    const float *by = couplings_of(c, row);
    flat_point p = point_of(c, row), q = point_of(c, row + 2);
    lane first[2], second[2], none = lane_set(0);
    lane normal = lane_max(wanted(c, &p, 0), none), next = wanted(c, &q, 0);
    lane across = normals_only ? none : wanted(c, &p, 1);
    lane last = normals_only ? none : wanted(c, &q, 1);
    flat_push sum = {0};
    first[0] = set(c, &p, 0, normal);
    next -= lane_load(by + CROWD_LANES * ONTO_2) * first[0];
    if (!normals_only) {
        across -= lane_load(by + CROWD_LANES * ONTO_1) * first[0];
        first[1] = set(c, &p, 1, limit(across, c->friction * normal));
        next -= lane_load(by + CROWD_LANES * (ONTO_2 + 1)) * first[1];
    }
    add_push(&sum, &p, first, normals_only);
    normal = lane_max(next, none);
    second[0] = set(c, &q, 0, normal);
    if (!normals_only) {
        last -= lane_load(by + CROWD_LANES * ONTO_3) * first[0];
        last -= lane_load(by + CROWD_LANES * (ONTO_3 + 1)) * first[1];
        last -= lane_load(by + CROWD_LANES * (ONTO_3 + 2)) * second[0];
        second[1] = set(c, &q, 1, limit(last, c->friction * normal));
    }
    add_push(&sum, &q, second, normals_only);
    push_bodies(c, &sum);
}

LANE_INLINE void meet_batch(const crowd_problem *p, const crowd_batch *batch, bool normals_only)
{
    for (int from = 0; from < CROWD_LANES; from += WEIR_LANES) {
        flat_part c = open(p, batch, from);
        uint32_t k = 0;
        for (; k + 1 < batch->points; k += 2)
            meet_two(&c, batch->row + 2 * k, normals_only);
        if (k < batch->points)
            meet_point(&c, batch->row + 2 * k, normals_only);
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

static void sweep(const crowd_problem *p, bool normals_only)
{
    if (normals_only)
        sweep_all(p, true);
    else
        sweep_all(p, false);
}

LANE_INLINE void start_point(const flat_part *c, const flat_point *p, flat_push *sum)
{
    const float *nu = c->p->nu + p->at;
    const lane change[2] = {lane_load(nu), lane_load(nu + CROWD_LANES)};
    add_push(sum, p, change, false);
}

static void start(const crowd_problem *p)
{
    for (size_t k = 0; k < p->batch_count; k++)
        for (int from = 0; from < CROWD_LANES; from += WEIR_LANES) {
            const crowd_batch *batch = &p->batches[k];
            flat_part c = open(p, batch, from);
            flat_push sum = {0};
            for (uint32_t n = 0; n < batch->points; n += 2) {
                size_t row = batch->row + 2 * n;
                bool two = n + 1 < batch->points;
                flat_point first = point_of(&c, row), second = two ? point_of(&c, row + 2) : first;
                find_couplings(&c, row, &first, two ? &second : NULL);
                start_point(&c, &first, &sum);
                if (two)
                    start_point(&c, &second, &sum);
            }
            push_bodies(&c, &sum);
            close(&c);
        }
}

extern const crowd_sweeps LANE_SYMBOL(crowd_flat_);
const crowd_sweeps LANE_SYMBOL(crowd_flat_) = {.start = start, .sweep = sweep};
