#include "couple/broad_phase.h"

/* Distances of a Shell sort (Ciura 2001). It needs no memory, and these lists are short. */
static const size_t GAPS[] = {19903, 8929, 3905, 1750, 701, 301, 132, 57, 23, 10, 4, 1};
enum { GAP_COUNT = sizeof GAPS / sizeof GAPS[0] };

void broad_phase_free(broad_phase *p, memory *m)
{
    memory_give(m, p->boxes, p->body_capacity * sizeof *p->boxes);
    memory_give(m, p->wide, p->body_capacity * sizeof *p->wide);
    memory_give(m, p->balls, p->body_capacity * sizeof *p->balls);
    memory_give(m, p->extents, p->body_capacity * sizeof *p->extents);
    memory_give(m, p->order, p->order_capacity * sizeof *p->order);
    memory_give(m, p->candidates, p->candidate_capacity * sizeof *p->candidates);
    memory_give(m, p->unsorted, p->unsorted_capacity * sizeof *p->unsorted);
    memory_give(m, p->starts, p->start_capacity * sizeof *p->starts);
    memory_give(m, p->pairs, p->pair_capacity * sizeof *p->pairs);
    *p = (broad_phase){0};
}

/* ----------------------------------------------------------------------- boxes */

static body_extent extent_of(const body *b)
{
    return !b->alive ? EXTENT_NONE : b->bounded ? EXTENT_ENDS : EXTENT_ENDLESS;
}

static body_box grow(bounds around, double by)
{
    return (body_box){.lo = {around.lo.x - by, around.lo.y - by, around.lo.z - by},
                      .hi = {around.hi.x + by, around.hi.y + by, around.hi.z + by}};
}

static bool is_within(const body_box *inner, const body_box *outer)
{
    bool within = true;
    for (int d = 0; d < 3; d++)
        within = within && inner->lo[d] >= outer->lo[d] && inner->hi[d] <= outer->hi[d];
    return within;
}

static bool overlap(const body_box *a, const body_box *b)
{
    return a->lo[0] <= b->hi[0] && b->lo[0] <= a->hi[0] && a->lo[1] <= b->hi[1] &&
           b->lo[1] <= a->hi[1] && a->lo[2] <= b->hi[2] && b->lo[2] <= a->hi[2];
}

/* Bodies that move alike do not come closer: unlike boxes, balls are told by the difference of the
 * ways. */
static bool balls_meet(const body_ball *a, const body_ball *b)
{
    vec3 apart = vec3_sub(a->centre, b->centre);
    double distance2 = vec3_dot(apart, apart), reach = a->radius + b->radius;
    if (distance2 <= reach * reach) /* most that touch need no root */
        return true;
    reach += vec3_length(vec3_sub(a->way, b->way));
    return distance2 <= reach * reach;
}

static vec3 find_centre(const body *b)
{
    bool central = b->centre.x == 0 && b->centre.y == 0 && b->centre.z == 0;
    return central ? b->pose.position : body_centre(b);
}

/* Boxes and balls of everything that ends, grown so that all that comes within the reach of
 * touch_pair_make overlaps. Returns whether all are within those of the last sweep. */
static bool list_boxes(broad_phase *p, const flow *f, double dt)
{
    bool good = p->body_count == f->body_count;
    for (size_t k = 0; k < f->body_count; k++) {
        const body *b = &f->bodies[k];
        double spin = vec3_length(b->spin);
        good = good && p->extents[k] == extent_of(b);
        p->balls[k].rim_speed = spin * b->radius;
        if (extent_of(b) != EXTENT_ENDS)
            continue;
        double by = 1.5 * dt * spin * b->radius + (body_has_mass(b) ? 0.02 * b->size : 0);
        p->boxes[k] = grow(body_world_bounds(b), by + 1.5 * dt * vec3_length(b->velocity));
        p->balls[k].centre = find_centre(b);
        p->balls[k].way = vec3_scale(b->velocity, 1.5 * dt);
        p->balls[k].radius = b->ball_radius + by;
        good = good && is_within(&p->boxes[k], &p->wide[k]);
    }
    return good;
}

/* Wide enough for a few steps of what moves, and for many of what hardly does; ahead of it and not
 * behind, so that bodies that fall side by side are not paired for it. */
static void widen_boxes(broad_phase *p, const flow *f, double dt)
{
    enum { STEPS = 3 };
    p->body_count = f->body_count;
    for (size_t k = 0; k < f->body_count; k++) {
        const body *b = &f->bodies[k];
        double by = STEPS * dt * vec3_length(b->spin) * b->radius + 0.1 * b->size;
        const double way[3] = {STEPS * dt * b->velocity.x, STEPS * dt * b->velocity.y,
                               STEPS * dt * b->velocity.z};
        p->extents[k] = (uint8_t)extent_of(b);
        for (int d = 0; d < 3; d++) {
            p->wide[k].lo[d] = p->boxes[k].lo[d] - by + (way[d] < 0 ? way[d] : 0);
            p->wide[k].hi[d] = p->boxes[k].hi[d] + by + (way[d] > 0 ? way[d] : 0);
        }
    }
}

/* ----------------------------------------------------------------------- sweep */

/* The axis along which the boxes are spread most. */
static int widest_axis(const broad_phase *p, int dim)
{
    double widest = -1;
    int axis = 0;
    for (int a = 0; a < dim; a++) {
        double sum = 0, squares = 0, count = 0;
        for (size_t k = 0; k < p->body_count; k++) {
            if (p->extents[k] != EXTENT_ENDS)
                continue;
            double middle = p->wide[k].lo[a] + p->wide[k].hi[a];
            sum += middle;
            squares += middle * middle;
            count++;
        }
        double spread = squares - sum * sum / fmax(count, 1);
        if (spread > widest) {
            widest = spread;
            axis = a;
        }
    }
    return axis;
}

static bool lies_before(const broad_phase *p, uint32_t a, uint32_t b, int axis)
{
    double x = p->wide[a].lo[axis], y = p->wide[b].lo[axis];
    return x < y || (x == y && a < b);
}

static void sort_boxes(broad_phase *p, int axis)
{
    p->order_count = 0;
    for (size_t k = 0; k < p->body_count; k++)
        if (p->extents[k] == EXTENT_ENDS)
            p->order[p->order_count++] = (uint32_t)k;
    for (int g = 0; g < GAP_COUNT; g++)
        for (size_t k = GAPS[g]; k < p->order_count; k++) {
            uint32_t placed = p->order[k];
            size_t to = k;
            for (; to >= GAPS[g] && lies_before(p, placed, p->order[to - GAPS[g]], axis);
                 to -= GAPS[g])
                p->order[to] = p->order[to - GAPS[g]];
            p->order[to] = placed;
        }
}

/* Whether they may ever meet. */
static bool may_collide(const body *a, const body *b)
{
    return (a->group & b->collides) && (b->group & a->collides) &&
           (body_has_mass(a) || body_has_mass(b));
}

static bool add_candidate(broad_phase *p, memory *m, const flow *f, uint32_t a, uint32_t b)
{
    if (!may_collide(&f->bodies[a], &f->bodies[b]))
        return true;
    enum { SOME = 64 };
    if (p->candidate_count == p->unsorted_capacity &&
        !memory_grow(m, (void **)&p->unsorted, &p->unsorted_capacity, p->candidate_count + SOME,
                     p->candidate_count, sizeof *p->unsorted))
        return false;
    p->unsorted[p->candidate_count++] = a < b ? (body_pair){a, b} : (body_pair){b, a};
    return true;
}

static bool sweep(broad_phase *p, memory *m, const flow *f, int axis)
{
    for (size_t i = 0; i < p->order_count; i++) {
        const body_box *a = &p->wide[p->order[i]];
        for (size_t k = i + 1; k < p->order_count; k++) {
            const body_box *b = &p->wide[p->order[k]];
            if (b->lo[axis] > a->hi[axis])
                break;
            if (overlap(a, b) && !add_candidate(p, m, f, p->order[i], p->order[k]))
                return false;
        }
    }
    return true;
}

/* What does not end may meet everything. */
static bool pair_endless(broad_phase *p, memory *m, const flow *f)
{
    for (size_t k = 0; k < p->body_count; k++)
        for (size_t n = 0; p->extents[k] == EXTENT_ENDLESS && n < p->body_count; n++)
            if (p->extents[n] == EXTENT_ENDS && !add_candidate(p, m, f, (uint32_t)k, (uint32_t)n))
                return false;
    return true;
}

/* In order of a by counting, then of b, of which each has few. */
static void sort_candidates(broad_phase *p)
{
    for (size_t k = 0; k <= p->body_count; k++)
        p->starts[k] = 0;
    for (size_t k = 0; k < p->candidate_count; k++)
        p->starts[p->unsorted[k].a + 1]++;
    for (size_t k = 0; k < p->body_count; k++)
        p->starts[k + 1] += p->starts[k];
    for (size_t k = 0; k < p->candidate_count; k++)
        p->candidates[p->starts[p->unsorted[k].a]++] = p->unsorted[k];
    for (size_t k = 1; k < p->candidate_count; k++) {
        body_pair placed = p->candidates[k];
        size_t to = k;
        for (; to > 0 && p->candidates[to - 1].a == placed.a && p->candidates[to - 1].b > placed.b;
             to--)
            p->candidates[to] = p->candidates[to - 1];
        p->candidates[to] = placed;
    }
}

static bool reserve_candidates(broad_phase *p, memory *m, size_t count)
{
    return memory_grow(m, (void **)&p->candidates, &p->candidate_capacity, count, 0,
                       sizeof *p->candidates) &&
           memory_grow(m, (void **)&p->pairs, &p->pair_capacity, count, 0, sizeof *p->pairs);
}

static bool find_candidates(broad_phase *p, memory *m, const flow *f, double dt)
{
    widen_boxes(p, f, dt);
    int axis = widest_axis(p, f->dim);
    sort_boxes(p, axis);
    p->candidate_count = 0;
    if (!sweep(p, m, f, axis) || !pair_endless(p, m, f) ||
        !reserve_candidates(p, m, p->candidate_count)) {
        p->body_count = 0; /* what there is now is good for nothing */
        return false;
    }
    sort_candidates(p);
    return true;
}

/* ----------------------------------------------------------------------- pairs */

static bool may_meet(const body *a, const body *b)
{
    if (body_is_moved(a) || body_is_moved(b))
        return true;
    return (a->asleep && body_has_speed(b)) || (b->asleep && body_has_speed(a));
}

/* The planes that bound a solid, in the world; those of the solid that was asked for last. */
typedef struct plane_set {
    const body *of;
    int count; /* 0: it is not bounded by planes */
    vec3 normals[CONVEX_MOST];
    double offsets[CONVEX_MOST];
} plane_set;

static void find_planes(plane_set *set, const body *b)
{
    if (set->of == b)
        return;
    set->of = b;
    set->count = b->form && b->form->kind == CONVEX_PLANES ? b->form->count : 0;
    for (int k = 0; k < set->count; k++) {
        set->normals[k] = quat_rotate(b->pose.rotation, b->form->normals[k]);
        set->offsets[k] = b->form->offsets[k] + vec3_dot(set->normals[k], b->pose.position);
    }
}

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

/* Whether a box may touch a solid that does not end. One that lies before all of its planes does
 * not. */
static bool may_touch(plane_set *set, const body *b, const body_box *box)
{
    find_planes(set, b);
    for (int k = 0; k < set->count; k++) {
        vec3 n = set->normals[k];
        double lowest = lesser(n.x * box->lo[0], n.x * box->hi[0]) +
                        lesser(n.y * box->lo[1], n.y * box->hi[1]) +
                        lesser(n.z * box->lo[2], n.z * box->hi[2]);
        if (lowest <= set->offsets[k])
            return true;
    }
    return set->count == 0;
}

static bool comes_near(const broad_phase *p, const flow *f, body_pair c, plane_set *set)
{
    if (p->extents[c.a] != EXTENT_ENDS)
        return may_touch(set, &f->bodies[c.a], &p->boxes[c.b]);
    if (p->extents[c.b] != EXTENT_ENDS)
        return may_touch(set, &f->bodies[c.b], &p->boxes[c.a]);
    return overlap(&p->boxes[c.a], &p->boxes[c.b]) && balls_meet(&p->balls[c.a], &p->balls[c.b]);
}

static bool reserve_bodies(broad_phase *p, memory *m, size_t count)
{
    const memory_array arrays[] = {{(void **)&p->boxes, sizeof *p->boxes},
                                   {(void **)&p->wide, sizeof *p->wide},
                                   {(void **)&p->balls, sizeof *p->balls},
                                   {(void **)&p->extents, sizeof *p->extents}};
    if (count > p->body_capacity)
        p->body_count = 0; /* growing forgets the last sweep */
    return memory_grow_together(m, arrays, 4, &p->body_capacity, count) &&
           memory_grow(m, (void **)&p->order, &p->order_capacity, count, 0, sizeof *p->order) &&
           memory_grow(m, (void **)&p->starts, &p->start_capacity, count + 1, 0, sizeof *p->starts);
}

bool broad_phase_reserve(broad_phase *p, memory *m, size_t bodies, size_t pairs)
{
    p->body_count = 0; /* growing forgets the last sweep */
    return reserve_bodies(p, m, bodies) && reserve_candidates(p, m, pairs) &&
           memory_grow(m, (void **)&p->unsorted, &p->unsorted_capacity, pairs, 0,
                       sizeof *p->unsorted);
}

bool broad_phase_find(broad_phase *p, memory *m, const flow *f, double dt)
{
    p->pair_count = 0;
    if (!reserve_bodies(p, m, f->body_count))
        return false;
    if (!list_boxes(p, f, dt) && !find_candidates(p, m, f, dt))
        return false;
    plane_set planes = {0};
    for (size_t k = 0; k < p->candidate_count; k++) {
        body_pair c = p->candidates[k];
        if (comes_near(p, f, c, &planes) && may_meet(&f->bodies[c.a], &f->bodies[c.b]))
            p->pairs[p->pair_count++] = c;
    }
    return true;
}
