#include "couple/contact_rows.h"

#include "base/error.h"
#include "couple/mending.h"
#include "couple/rest.h"

#include <math.h>
#include <stdlib.h>

void contact_memory_free(contact_memory *c, memory *m)
{
    memory_give(m, c->kept, c->capacity * sizeof *c->kept);
    memory_give(m, c->touches.items, c->touches.capacity * sizeof *c->touches.items);
    contact_points_free(&c->points, m);
    broad_phase_free(&c->near, m);
    *c = (contact_memory){0};
}

/* The pair at hand. Rows push the first body along a touch's normal, the second against it. */
typedef struct pairing {
    row_system *s;
    flow *f;
    contact_memory *c;
    touch_pair pair;
    double mend; /* m, most that is mended in this step */
} pairing;

/* -------------------------------------------------------------- last substep */

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = ((const struct kept_contact *)a)->key, y = ((const struct kept_contact *)b)->key;
    return x < y ? -1 : x > y;
}

static float recall(const contact_memory *last, uint64_t key)
{
    struct kept_contact wanted = {key, 0};
    const struct kept_contact *found =
        last->count > 0 ? bsearch(&wanted, last->kept, last->count, sizeof wanted, compare_keys)
                        : NULL;
    return found ? (float)found->nu : 0;
}

/* Names a row across steps: two bodies of up to 2^20, and 2^19 samples. */
static uint64_t touch_key(const pairing *p, const touch *t, int part)
{
    return ((uint64_t)p->pair.first << 44 | (uint64_t)p->pair.second << 24 |
            (uint64_t)(t->sample & 0x7ffff) << 5 | (uint64_t)t->side << 4 |
            (uint64_t)t->order << 2 | (uint64_t)part) +
           1;
}

/* ---------------------------------------------------------------------- rows */

static double compliance(const body *b, const double entries[6])
{
    double change[6], sum = 0;
    body_apply_impulse(b, entries, change);
    for (int k = 0; k < 6; k++)
        sum += entries[k] * change[k];
    return sum;
}

/* Entries of a row along `direction`: J v = −direction · (v_first − v_second) at the point. */
static void set_entries(row *r, const pairing *p, vec3 point, vec3 direction)
{
    const uint32_t index[2] = {p->pair.first, p->pair.second};
    double *on[2] = {r->on_a, r->on_b};
    for (int k = 0; k < 2; k++) {
        const body *b = &p->f->bodies[index[k]];
        double sign = k == 0 ? -1 : 1;
        if (!body_is_moved(b)) {
            /* What moves as it likes goes to the other side. */
            double speed = sign * vec3_dot(direction, body_velocity_at(b, point));
            r->prescribed += speed;
            r->bound -= speed;
            r->ground = (int32_t)index[k];
            continue;
        }
        vec3 turn = vec3_cross(vec3_sub(point, body_centre(b)), direction);
        const double entries[6] = {direction.x, direction.y, direction.z, turn.x, turn.y, turn.z};
        for (int e = 0; e < 6; e++)
            on[k][e] = sign * entries[e];
        *(k == 0 ? &r->body_a : &r->body_b) = (int32_t)index[k];
        /* Bodies that joints hold fast would otherwise leave a row without an answer. */
        if (b->jointed)
            r->softness += 1e-6 * compliance(b, on[k]);
    }
}

static bool add_friction(const pairing *p, const touch *t, int32_t normal, vec3 along, int part)
{
    row *r = row_system_add_row(p->s);
    if (!r)
        return false;
    r->normal = normal;
    r->friction =
        (p->f->bodies[p->pair.first].friction + p->f->bodies[p->pair.second].friction) / 2;
    r->key = touch_key(p, t, part);
    r->nu = recall(p->c, r->key);
    set_entries(r, p, t->point, along);
    return true;
}

/* Directions of friction in 3D: the first one along the sliding, where there is some, so that
 * sliding is braked alike in every direction. */
static void find_tangents(const touch *t, vec3 relative, double slow, vec3 *u, vec3 *w)
{
    vec3 n = t->normal, other = fabs(n.x) < 0.7 ? (vec3){1, 0, 0} : (vec3){0, 1, 0};
    vec3 sliding = vec3_madd(relative, -vec3_dot(relative, n), n);
    vec3 along = vec3_length(sliding) > slow ? sliding : vec3_cross(n, other);
    *u = vec3_unit(along, (vec3){0, 0, 1});
    *w = vec3_cross(n, *u);
}

static bool add_rows(const pairing *p, touch *t)
{
    const body *first = &p->f->bodies[p->pair.first], *second = &p->f->bodies[p->pair.second];
    if (t->order == 0 && !touch_look_ahead(&p->pair, t))
        return true;
    int32_t index = (int32_t)p->s->row_count;
    row *r = row_system_add_row(p->s);
    if (!r)
        return false;
    r->bound = t->gap > 0 ? t->gap / p->pair.dt : 0;
    r->violation = t->gap + p->pair.slop > 0 ? -(t->gap + p->pair.slop)
                                             : mending_share(-(t->gap + p->pair.slop), p->mend);
    r->restitution = (first->restitution + second->restitution) / 2;
    r->key = touch_key(p, t, 0);
    r->nu = recall(p->c, r->key);
    set_entries(r, p, t->point, t->normal);
    if (!contact_points_add(&p->c->points, p->s->mem, &p->pair, t, (size_t)index))
        return false;
    if (first->friction + second->friction == 0)
        return true;
    vec3 n = t->normal;
    if (p->f->dim == 2)
        return add_friction(p, t, index, (vec3){-n.y, n.x, 0}, 1);
    vec3 relative = vec3_sub(body_velocity_at(first, t->point), body_velocity_at(second, t->point));
    vec3 u, w;
    find_tangents(t, relative, 2 * vec3_length(p->f->force) * p->pair.dt, &u, &w);
    return add_friction(p, t, index, u, 1) && add_friction(p, t, index, w, 2);
}

static bool add_patches(const pairing *p)
{
    enum { MOST_PATCHES = 8 };
    touch *taken[PATCH_TOUCHES];
    for (int n = 0; n < MOST_PATCHES; n++) {
        size_t count = touches_take_patch(&p->c->touches, &p->pair, taken);
        for (size_t k = 0; k < count; k++)
            if (!add_rows(p, taken[k]))
                return false;
    }
    return true;
}

/* --------------------------------------------------------------------- pairs */

/* Whether a sleeping body of the pair is touched by what is awake. Wakes it and its island. */
static bool wake_touched(const pairing *p)
{
    body *first = &p->f->bodies[p->pair.first], *second = &p->f->bodies[p->pair.second];
    if (!first->asleep && !second->asleep)
        return false;
    for (size_t k = 0; k < p->c->touches.count; k++) {
        const touch *t = &p->c->touches.items[k];
        vec3 relative =
            vec3_sub(body_velocity_at(first, t->point), body_velocity_at(second, t->point));
        if (t->gap > p->pair.slop + fmax(-vec3_dot(relative, t->normal), 0) * p->pair.dt)
            continue;
        rest_wake(p->f, p->pair.first, p->f->gravity_time);
        rest_wake(p->f, p->pair.second, p->f->gravity_time);
        return true;
    }
    return false;
}

static bool find_touches(const pairing *p)
{
    touch_list *list = &p->c->touches;
    if (!touches_find(list, p->s->mem, &p->pair))
        return false;
    for (size_t k = 0; k < list->count; k++)
        list->items[k].known = recall(p->c, touch_key(p, &list->items[k], 0)) > 0;
    return true;
}

/* `woke` tells that a body woke up, so that all rows must be written anew. */
static bool add_all(row_system *s, flow *f, contact_memory *c, contact_filter joined,
                    const void *context, double dt, bool *woke)
{
    *woke = false;
    if (!broad_phase_find(&c->near, s->mem, f, dt))
        return false;
    for (size_t k = 0; k < c->near.pair_count; k++) {
        body_pair pair = c->near.pairs[k];
        if (f->bodies[pair.a].jointed && f->bodies[pair.b].jointed &&
            joined(context, pair.a, pair.b))
            continue;
        pairing p = {s, f, c, touch_pair_make(f, pair, dt), 0};
        p.mend = (mending_speed(f, p.pair.size) + touch_pair_speed(&p.pair)) * dt;
        if (!find_touches(&p))
            return false;
        *woke = wake_touched(&p) || *woke;
        bool moved = body_is_moved(&f->bodies[pair.a]) || body_is_moved(&f->bodies[pair.b]);
        if (moved && !*woke && !add_patches(&p))
            return false;
    }
    return true;
}

bool contact_rows_add(row_system *s, flow *f, contact_memory *c, contact_filter joined,
                      const void *context, double dt, weir_error *error)
{
    size_t before = s->row_count;
    bool woke;
    contact_points_begin(&c->points, f);
    do {
        s->row_count = before;
        contact_points_again(&c->points, f);
        if (!add_all(s, f, c, joined, context, dt, &woke))
            return fail(error, WEIR_OUT_OF_MEMORY, "no memory for contacts between bodies");
    } while (woke);
    return true;
}

/* -------------------------------------------------------------------- memory */

static void note_contact(flow *f, const row *r)
{
    const int32_t bodies[2] = {r->body_a, r->body_b};
    const double *on[2] = {r->on_a, r->on_b};
    double impulse = r->nu + r->impact;
    for (int k = 0; k < 2; k++)
        if (bodies[k] >= 0) {
            body *b = &f->bodies[bodies[k]];
            b->contact_impulse =
                vec3_madd(b->contact_impulse, -impulse, (vec3){on[k][0], on[k][1], on[k][2]});
        }
}

/* Pairs come in order, so that little is out of place. */
static void sort_kept(contact_memory *c)
{
    for (size_t k = 1; k < c->count; k++) {
        struct kept_contact placed = c->kept[k];
        size_t to = k;
        for (; to > 0 && c->kept[to - 1].key > placed.key; to--)
            c->kept[to] = c->kept[to - 1];
        c->kept[to] = placed;
    }
}

bool contact_rows_keep(const row_system *s, flow *f, contact_memory *next, weir_error *error)
{
    next->count = 0;
    for (size_t k = 0; k < s->row_count; k++) {
        const row *r = &s->rows[k];
        if (r->particle >= 0 || r->key == 0)
            continue;
        if (!memory_grow(s->mem, (void **)&next->kept, &next->capacity, next->count + 1,
                         next->count, sizeof *next->kept))
            return fail(error, WEIR_OUT_OF_MEMORY, "no memory to keep contacts");
        next->kept[next->count++] = (struct kept_contact){r->key, r->nu};
        note_contact(f, r);
    }
    sort_kept(next);
    contact_points_note(&next->points, s);
    return true;
}
