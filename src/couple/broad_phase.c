#include "couple/broad_phase.h"

/* Distances of a Shell sort (Ciura 2001). It needs no memory, and these lists are short. */
static const size_t GAPS[] = {19903, 8929, 3905, 1750, 701, 301, 132, 57, 23, 10, 4, 1};
enum { GAP_COUNT = sizeof GAPS / sizeof GAPS[0] };

void broad_phase_free(broad_phase *p, memory *m)
{
    memory_give(m, p->boxes, p->box_capacity * sizeof *p->boxes);
    memory_give(m, p->order, p->order_capacity * sizeof *p->order);
    memory_give(m, p->pairs, p->pair_capacity * sizeof *p->pairs);
    *p = (broad_phase){0};
}

/* Boxes of everything that ends, grown by what may be travelled and by a margin to see neighbours
 * that lie close. */
static void list_boxes(broad_phase *p, const flow *f, double dt)
{
    p->box_count = 0;
    for (size_t k = 0; k < f->body_count; k++) {
        const body *b = &f->bodies[k];
        if (!b->alive || !b->bounded)
            continue;
        bounds around = body_world_bounds(b);
        double grow = 1.5 * body_travel(b, dt) + 0.05 * b->size;
        body_box *box = &p->boxes[p->box_count++];
        *box = (body_box){.body = (uint32_t)k,
                          .lo = {around.lo.x - grow, around.lo.y - grow, around.lo.z - grow},
                          .hi = {around.hi.x + grow, around.hi.y + grow, around.hi.z + grow}};
    }
}

/* The axis along which the boxes are spread most. */
static int widest_axis(const broad_phase *p, int dim)
{
    double widest = -1;
    int axis = 0;
    for (int a = 0; a < dim; a++) {
        double sum = 0, squares = 0;
        for (size_t k = 0; k < p->box_count; k++) {
            double middle = p->boxes[k].lo[a] + p->boxes[k].hi[a];
            sum += middle;
            squares += middle * middle;
        }
        double spread = squares - sum * sum / fmax((double)p->box_count, 1);
        if (spread > widest) {
            widest = spread;
            axis = a;
        }
    }
    return axis;
}

static bool lies_before(const broad_phase *p, uint32_t a, uint32_t b, int axis)
{
    double x = p->boxes[a].lo[axis], y = p->boxes[b].lo[axis];
    return x < y || (x == y && a < b);
}

static void sort_boxes(broad_phase *p, int axis)
{
    for (size_t k = 0; k < p->box_count; k++)
        p->order[k] = (uint32_t)k;
    for (int g = 0; g < GAP_COUNT; g++)
        for (size_t k = GAPS[g]; k < p->box_count; k++) {
            uint32_t placed = p->order[k];
            size_t to = k;
            for (; to >= GAPS[g] && lies_before(p, placed, p->order[to - GAPS[g]], axis);
                 to -= GAPS[g])
                p->order[to] = p->order[to - GAPS[g]];
            p->order[to] = placed;
        }
}

static bool comes_before(body_pair x, body_pair y)
{
    return x.a < y.a || (x.a == y.a && x.b < y.b);
}

static void sort_pairs(broad_phase *p)
{
    for (int g = 0; g < GAP_COUNT; g++)
        for (size_t k = GAPS[g]; k < p->pair_count; k++) {
            body_pair placed = p->pairs[k];
            size_t to = k;
            for (; to >= GAPS[g] && comes_before(placed, p->pairs[to - GAPS[g]]); to -= GAPS[g])
                p->pairs[to] = p->pairs[to - GAPS[g]];
            p->pairs[to] = placed;
        }
}

static bool is_moving(const body *b)
{
    return vec3_length(b->velocity) > 0 || vec3_length(b->spin) > 0;
}

static bool may_meet(const body *a, const body *b)
{
    if (!(a->group & b->collides) || !(b->group & a->collides))
        return false;
    if (body_is_moved(a) || body_is_moved(b))
        return true;
    return (a->asleep && is_moving(b)) || (b->asleep && is_moving(a));
}

static bool add_pair(broad_phase *p, memory *m, const flow *f, uint32_t a, uint32_t b)
{
    if (!may_meet(&f->bodies[a], &f->bodies[b]))
        return true;
    if (!memory_grow(m, (void **)&p->pairs, &p->pair_capacity, p->pair_count + 1, p->pair_count,
                     sizeof *p->pairs))
        return false;
    p->pairs[p->pair_count++] = a < b ? (body_pair){a, b} : (body_pair){b, a};
    return true;
}

static bool sweep(broad_phase *p, memory *m, const flow *f, int axis)
{
    for (size_t i = 0; i < p->box_count; i++)
        for (size_t k = i + 1; k < p->box_count; k++) {
            const body_box *a = &p->boxes[p->order[i]], *b = &p->boxes[p->order[k]];
            if (b->lo[axis] > a->hi[axis])
                break;
            bool apart = false;
            for (int d = 0; d < f->dim; d++)
                apart = apart || a->lo[d] > b->hi[d] || b->lo[d] > a->hi[d];
            if (!apart && !add_pair(p, m, f, a->body, b->body))
                return false;
        }
    return true;
}

/* What does not end may meet everything. */
static bool pair_unbounded(broad_phase *p, memory *m, const flow *f)
{
    for (size_t k = 0; k < f->body_count; k++) {
        if (!f->bodies[k].alive || f->bodies[k].bounded)
            continue;
        for (size_t n = 0; n < p->box_count; n++)
            if (!add_pair(p, m, f, (uint32_t)k, p->boxes[n].body))
                return false;
    }
    return true;
}

bool broad_phase_find(broad_phase *p, memory *m, const flow *f, double dt)
{
    p->pair_count = p->box_count = 0;
    if (!memory_grow(m, (void **)&p->boxes, &p->box_capacity, f->body_count, 0, sizeof *p->boxes) ||
        !memory_grow(m, (void **)&p->order, &p->order_capacity, f->body_count, 0, sizeof *p->order))
        return false;
    list_boxes(p, f, dt);
    int axis = widest_axis(p, f->dim);
    sort_boxes(p, axis);
    if (!sweep(p, m, f, axis) || !pair_unbounded(p, m, f))
        return false;
    sort_pairs(p);
    return true;
}
