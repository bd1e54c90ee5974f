/* What the multipliers of a crowd mean: impulses on its bodies, or displacements. Each pair adds to
 * its two bodies once, in order, after all of its contacts. */
#include "couple/crowd_parts.h"

typedef struct pair_multipliers {
    crowd_body *a, *b;
    const float *nu; /* of the pair's lane, from its first row on */
} pair_multipliers;

static pair_multipliers open_pair(const crowd *c, const contact_list *list, const crowd_member *at)
{
    const contact_pair *pair = &list->pairs[at->pair];
    return (pair_multipliers){.a = &c->bodies[pair->first],
                              .b = &c->bodies[pair->second],
                              .nu = c->nu + CROWD_LANES * (size_t)c->batches[at->batch].row +
                                    at->lane};
}

/* ----------------------------------------------------------------------- plane */

/* What a body has got, and where its centre is. */
typedef struct flat_sum {
    double x, y, push_x, push_y, turn;
} flat_sum;

static inline flat_sum open_flat(const crowd_body *b)
{
    return (flat_sum){b->centre.x, b->centre.y, b->push.x, b->push.y, b->turn.z};
}

static inline void close_flat(crowd_body *b, const flat_sum *s)
{
    b->push.x = s->push_x;
    b->push.y = s->push_y;
    b->turn.z = s->turn;
}

static inline void add_flat(flat_sum *s, vec3 point, double x, double y)
{
    s->push_x += x;
    s->push_y += y;
    s->turn += (point.x - s->x) * y - (point.y - s->y) * x;
}

static void unpack_flat(const pair_multipliers *p, contact *begin, const contact *end)
{
    flat_sum a = open_flat(p->a), b = open_flat(p->b);
    const float *nu = p->nu;
    for (contact *at = begin; at < end; at++, nu += 2 * CROWD_LANES) {
        double along = nu[0], across = nu[CROWD_LANES];
        double x = at->normal.x * along - at->normal.y * across;
        double y = at->normal.y * along + at->normal.x * across;
        at->nu[0] = nu[0];
        at->nu[1] = nu[CROWD_LANES];
        at->impulse = along;
        add_flat(&a, at->point, x, y);
        add_flat(&b, at->point, -x, -y);
    }
    close_flat(p->a, &a);
    close_flat(p->b, &b);
}

/* Adding nothing is quicker than a branch that cannot be guessed. */
static double above_zero(float nu)
{
    return nu > 0 ? nu : 0;
}

static void sum_flat(const pair_multipliers *p, const contact *begin, const contact *end)
{
    flat_sum a = open_flat(p->a), b = open_flat(p->b);
    const float *nu = p->nu;
    for (const contact *at = begin; at < end; at++, nu += 2 * CROWD_LANES) {
        double by = above_zero(*nu), x = by * at->normal.x, y = by * at->normal.y;
        add_flat(&a, at->point, x, y);
        add_flat(&b, at->point, -x, -y);
    }
    close_flat(p->a, &a);
    close_flat(p->b, &b);
}

/* ----------------------------------------------------------------------- space */

static void add_impulse(crowd_body *b, vec3 point, vec3 impulse)
{
    b->push = vec3_add(b->push, impulse);
    b->turn = vec3_add(b->turn, vec3_cross(vec3_sub(point, b->centre), impulse));
}

static void unpack_space(const pair_multipliers *p, contact *begin, const contact *end)
{
    const float *nu = p->nu;
    for (contact *at = begin; at < end; at++, nu += 3 * CROWD_LANES) {
        for (int part = 0; part < 3; part++)
            at->nu[part] = nu[CROWD_LANES * part];
        at->impulse = at->nu[0];
        vec3 v = at->normal, u = at->along;
        vec3 impulse = vec3_madd(vec3_scale(v, at->nu[0]), at->nu[1], u);
        impulse = vec3_madd(impulse, at->nu[2], vec3_cross(v, u));
        add_impulse(p->a, at->point, impulse);
        add_impulse(p->b, at->point, vec3_scale(impulse, -1));
    }
}

static void sum_space(const pair_multipliers *p, const contact *begin, const contact *end)
{
    const float *nu = p->nu;
    for (const contact *at = begin; at < end; at++, nu += 3 * CROWD_LANES) {
        vec3 impulse = vec3_scale(at->normal, above_zero(*nu));
        add_impulse(p->a, at->point, impulse);
        add_impulse(p->b, at->point, vec3_scale(impulse, -1));
    }
}

/* ------------------------------------------------------------------------- all */

void crowd_unpack(crowd *c, const flow *f, contact_list *list)
{
    for (size_t n = 0; n < c->member_count; n++) {
        const crowd_member *at = &c->members[n];
        pair_multipliers p = open_pair(c, list, at);
        if (f->dim == 2)
            unpack_flat(&p, list->items + at->begin, list->items + at->end);
        else
            unpack_space(&p, list->items + at->begin, list->items + at->end);
    }
}

void crowd_sum_mending(crowd *c, const flow *f, const contact_list *list)
{
    for (size_t n = 0; n < c->member_count; n++) {
        const crowd_member *at = &c->members[n];
        pair_multipliers p = open_pair(c, list, at);
        if (f->dim == 2)
            sum_flat(&p, list->items + at->begin, list->items + at->end);
        else
            sum_space(&p, list->items + at->begin, list->items + at->end);
    }
}
