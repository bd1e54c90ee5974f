#include "couple/contact_list.h"

#include "base/error.h"
#include "couple/manifold.h"
#include "couple/mending.h"
#include "couple/rest.h"

void contact_memory_free(contact_memory *c, memory *m)
{
    memory_give(m, c->kept, c->capacity * sizeof *c->kept);
    memory_give(m, c->touches.items, c->touches.capacity * sizeof *c->touches.items);
    memory_give(m, c->touches.placed, c->touches.placed_capacity * sizeof *c->touches.placed);
    memory_give(m, c->list.items, c->list.capacity * sizeof *c->list.items);
    memory_give(m, c->list.pairs, c->list.pair_capacity * sizeof *c->list.pairs);
    memory_give(m, c->list.poses, c->list.pose_capacity * sizeof *c->list.poses);
    memory_give(m, c->sleepers, c->sleeper_capacity * sizeof *c->sleepers);
    broad_phase_free(&c->near, m);
    *c = (contact_memory){0};
}

static bool reserve_bodies(contact_memory *c, memory *m, size_t count)
{
    return manifold_reserve(&c->touches, m, count) &&
           memory_grow(m, (void **)&c->list.poses, &c->list.pose_capacity, count,
                       c->list.pose_capacity, sizeof *c->list.poses);
}

bool contacts_reserve(contact_memory *c, memory *m, int dim, size_t bodies)
{
    size_t pairs = CONTACT_PAIRS_EACH * bodies, contacts = contacts_expected(dim, bodies);
    return broad_phase_reserve(&c->near, m, bodies, 2 * pairs) && reserve_bodies(c, m, bodies) &&
           memory_grow(m, (void **)&c->list.pairs, &c->list.pair_capacity, pairs,
                       c->list.pair_count, sizeof *c->list.pairs) &&
           memory_grow(m, (void **)&c->list.items, &c->list.capacity, contacts, c->list.count,
                       sizeof *c->list.items) &&
           memory_grow(m, (void **)&c->kept, &c->capacity, contacts * (size_t)dim, c->count,
                       sizeof *c->kept);
}

/* -------------------------------------------------------------- last substep */

/* Names a contact across steps: two bodies of up to 2^20, and 2^19 samples. */
static uint64_t touch_key(const touch_pair *p, const touch *t)
{
    return ((uint64_t)p->first << 44 | (uint64_t)p->second << 24 |
            (uint64_t)(t->sample & 0x7ffff) << 5 | (uint64_t)t->side << 4 |
            (uint64_t)t->order << 2) +
           1;
}

/* Pairs come in order, so that what was kept of one follows what was kept of those before. */
static void seek_pair(contact_memory *c, const touch_pair *p)
{
    uint64_t begin = (uint64_t)p->first << 44 | (uint64_t)p->second << 24;
    while (c->cursor < c->count && c->kept[c->cursor].key <= begin)
        c->cursor++;
}

/* The place of a key, or that of the next larger one. */
static size_t seek_key(const contact_memory *c, uint64_t key)
{
    size_t k = c->cursor;
    while (k < c->count && c->kept[k].key < key)
        k++;
    return k;
}

static bool was_pressed(const contact_memory *c, uint64_t key)
{
    size_t k = seek_key(c, key);
    return k < c->count && c->kept[k].key == key && c->kept[k].nu > 0;
}

/* The multipliers of the normal and of friction lie side by side. */
static void recall(const contact_memory *c, contact *at)
{
    for (size_t k = seek_key(c, at->key); k < c->count && c->kept[k].key - at->key < 3; k++)
        at->nu[c->kept[k].key - at->key] = (float)c->kept[k].nu;
}

bool contacts_keep_begin(contact_memory *c, memory *m, size_t count, weir_error *error)
{
    c->count = 0;
    return memory_grow(m, (void **)&c->kept, &c->capacity, count, 0, sizeof *c->kept) ||
           fail(error, WEIR_OUT_OF_MEMORY, "no memory to keep %zu contacts", count);
}

void contacts_sort_kept(contact_memory *c)
{
    for (size_t k = 1; k < c->count; k++) {
        struct kept_contact placed = c->kept[k];
        size_t to = k;
        for (; to > 0 && c->kept[to - 1].key > placed.key; to--)
            c->kept[to] = c->kept[to - 1];
        c->kept[to] = placed;
    }
}

/* ------------------------------------------------------------------- sleepers */

contact_point contact_make_point(const contact_list *list, const contact_pair *pair,
                                 const contact *c)
{
    pose first = list->poses[pair->first], second = list->poses[pair->second];
    pose mover = c->side == 0 ? first : second, ground = c->side == 0 ? second : first;
    vec3 out = c->side == 0 ? c->normal : vec3_scale(c->normal, -1);
    vec3 centre = vec3_madd(c->point, c->gap + c->radius, out);
    return (contact_point){.first = pair->first,
                           .second = pair->second,
                           .side = c->side,
                           .sample = pose_local_point(mover, centre),
                           .radius = c->radius,
                           .point = pose_local_point(ground, c->point),
                           .normal = quat_unrotate(ground.rotation, c->normal),
                           .impulse = c->impulse};
}

static bool is_sleeping(const flow *f, uint32_t first, uint32_t second)
{
    const body *a = &f->bodies[first], *b = &f->bodies[second];
    return a->alive && b->alive && (a->asleep || b->asleep) && !body_is_moved(a) &&
           !body_is_moved(b);
}

/* Drops what was kept of pairs that woke up. */
static void forget_woken(contact_memory *c, const flow *f)
{
    size_t count = c->sleeper_count;
    c->sleeper_count = 0;
    for (size_t k = 0; k < count; k++)
        if (is_sleeping(f, c->sleepers[k].first, c->sleepers[k].second))
            c->sleepers[c->sleeper_count++] = c->sleepers[k];
}

/* What pairs bore that fell asleep in the last substep they bear still. */
static bool keep_sleepers(contact_memory *c, memory *m, const flow *f)
{
    forget_woken(c, f);
    for (size_t n = 0; n < c->list.pair_count; n++) {
        const contact_pair *pair = &c->list.pairs[n];
        if (!is_sleeping(f, pair->first, pair->second))
            continue;
        size_t needed = c->sleeper_count + (pair->end - pair->begin);
        if (!memory_grow(m, (void **)&c->sleepers, &c->sleeper_capacity, needed, c->sleeper_count,
                         sizeof *c->sleepers))
            return false;
        for (uint32_t k = pair->begin; k < pair->end; k++)
            c->sleepers[c->sleeper_count++] = contact_make_point(&c->list, pair, &c->list.items[k]);
    }
    return true;
}

/* -------------------------------------------------------------------- contacts */

enum { SOME = 64 }; /* by which lists grow at least */

typedef struct contact_search {
    contact_memory *c;
    memory *m;
    flow *f;
    double weight;        /* m/s², as of mending_speed */
    double size, mending; /* m, of the pair that it was last found for, and that speed in m/s */
    touch_pair pair;
} contact_search;

/* Most pairs are as large as the one before. */
static double find_mending(contact_search *s)
{
    if (s->pair.size != s->size) {
        s->size = s->pair.size;
        s->mending = mending_speed(s->weight, s->size);
    }
    return s->mending;
}

/* Member by member: to clear the whole of it before takes longer than all the rest. */
static void start_contact(contact *at, uint64_t key, const touch *t)
{
    at->key = key;
    at->point = t->point;
    at->normal = t->normal;
    at->gap = t->gap;
    at->radius = t->radius;
    at->impulse = 0;
    at->along = (vec3){0, 0, 0};
    at->nu[0] = at->nu[1] = at->nu[2] = 0;
    at->row = -1;
    at->side = t->side;
    at->struck = false;
}

static bool add_contact(const contact_search *s, touch *t)
{
    contact_list *list = &s->c->list;
    if (t->order == 0 && !t->plane && !touch_look_ahead(&s->pair, t))
        return true;
    if (list->count == list->capacity &&
        !memory_grow(s->m, (void **)&list->items, &list->capacity, list->count + SOME, list->count,
                     sizeof *list->items))
        return false;
    start_contact(&list->items[list->count++], touch_key(&s->pair, t), t);
    recall(s->c, &list->items[list->count - 1]);
    return true;
}

static bool add_patches(const contact_search *s)
{
    enum { MOST_PATCHES = 8 };
    touch_list *touches = &s->c->touches;
    touch *taken[PATCH_TOUCHES];
    for (size_t k = 0; touches->whole && k < touches->count; k++)
        if (!add_contact(s, &touches->items[k]))
            return false;
    for (int n = 0; !touches->whole && n < MOST_PATCHES; n++) {
        size_t count = touches_take_patch(touches, &s->pair, taken);
        for (size_t k = 0; k < count; k++)
            if (!add_contact(s, taken[k]))
                return false;
    }
    return true;
}

static bool add_pair(contact_search *s)
{
    contact_list *list = &s->c->list;
    size_t begin = list->count;
    if (!add_patches(s))
        return false;
    if (list->count == begin)
        return true;
    if (list->pair_count == list->pair_capacity &&
        !memory_grow(s->m, (void **)&list->pairs, &list->pair_capacity, list->pair_count + SOME,
                     list->pair_count, sizeof *list->pairs))
        return false;
    list->pairs[list->pair_count++] =
        (contact_pair){.first = s->pair.first,
                       .second = s->pair.second,
                       .begin = (uint32_t)begin,
                       .end = (uint32_t)list->count,
                       .size = s->pair.size,
                       .slop = s->pair.slop,
                       .mend = find_mending(s) * s->pair.dt + s->pair.travel};
    return true;
}

/* ----------------------------------------------------------------------- pairs */

/* Whether a sleeping body of the pair is touched by what is awake. Wakes it and its island. */
static bool wake_touched(const contact_search *s)
{
    body *first = &s->f->bodies[s->pair.first], *second = &s->f->bodies[s->pair.second];
    if (!first->asleep && !second->asleep)
        return false;
    for (size_t k = 0; k < s->c->touches.count; k++) {
        const touch *t = &s->c->touches.items[k];
        vec3 relative =
            vec3_sub(body_velocity_at(first, t->point), body_velocity_at(second, t->point));
        if (t->gap > s->pair.slop + fmax(-vec3_dot(relative, t->normal), 0) * s->pair.dt)
            continue;
        rest_wake(s->f, s->pair.first, s->f->gravity_time);
        rest_wake(s->f, s->pair.second, s->f->gravity_time);
        return true;
    }
    return false;
}

static bool find_touches(const contact_search *s)
{
    touch_list *list = &s->c->touches;
    if (!touches_find(list, s->m, &s->pair))
        return false;
    seek_pair(s->c, &s->pair);
    for (size_t k = 0; !list->whole && k < list->count; k++)
        list->items[k].known = was_pressed(s->c, touch_key(&s->pair, &list->items[k]));
    return true;
}

/* `woke` tells that a body woke up, so that all must be found anew. */
static bool find_all(contact_memory *c, memory *m, flow *f, contact_filter joined,
                     const void *context, double dt, bool *woke)
{
    *woke = false;
    c->list.count = c->list.pair_count = c->cursor = 0;
    if (!broad_phase_find(&c->near, m, f, dt))
        return false;
    contact_search s = {.c = c, .m = m, .f = f, .weight = vec3_length(f->force)};
    for (size_t k = 0; k < c->near.pair_count; k++) {
        body_pair pair = c->near.pairs[k];
        const body *a = &f->bodies[pair.a], *b = &f->bodies[pair.b];
        if (a->jointed && b->jointed && joined(context, pair.a, pair.b))
            continue;
        s.pair = touch_pair_make(f, pair, c->near.balls[pair.a].rim_speed,
                                 c->near.balls[pair.b].rim_speed, dt);
        if (!find_touches(&s))
            return false;
        *woke = wake_touched(&s) || *woke;
        if ((body_is_moved(a) || body_is_moved(b)) && !*woke && !add_pair(&s))
            return false;
    }
    return true;
}

bool contacts_find(contact_memory *c, memory *m, flow *f, contact_filter joined,
                   const void *context, double dt, weir_error *error)
{
    bool woke = false;
    bool ok = keep_sleepers(c, m, f) && reserve_bodies(c, m, f->body_count);
    if (ok)
        manifold_place(&c->touches, f);
    for (size_t k = 0; ok && k < f->body_count; k++)
        c->list.poses[k] = f->bodies[k].pose;
    do {
        ok = ok && find_all(c, m, f, joined, context, dt, &woke);
        forget_woken(c, f);
    } while (ok && woke);
    return ok || fail(error, WEIR_OUT_OF_MEMORY, "no memory for contacts between bodies");
}
