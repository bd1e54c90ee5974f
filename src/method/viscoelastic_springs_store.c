/* The memory of springs: two arenas per thread, and a window of lists by the ids of particles. */
#include "method/viscoelastic_springs_store.h"

#include <string.h>

bool springs_init(springs *s, memory *m, int threads)
{
    *s = (springs){.mem = m, .threads = threads};
    arena_pool_init(&s->pool, m);
    s->arenas = memory_take(m, 2 * (size_t)threads * sizeof *s->arenas);
    if (!s->arenas)
        return false;
    for (int k = 0; k < 2 * threads; k++)
        arena_init(&s->arenas[k], &s->pool);
    return true;
}

void springs_free(springs *s)
{
    if (!s->mem)
        return;
    memory_give(s->mem, s->spans, s->span_capacity * sizeof *s->spans);
    memory_give(s->mem, s->place, s->place_capacity * sizeof *s->place);
    memory_give(s->mem, s->points, s->point_capacity * sizeof *s->points);
    memory_give(s->mem, s->arenas, 2 * (size_t)s->threads * sizeof *s->arenas);
    memory_give(s->mem, s->marks, s->mark_capacity);
    memory_give(s->mem, s->saved.counts, s->saved.count_capacity * sizeof *s->saved.counts);
    memory_give(s->mem, s->saved.partners, s->saved.partner_capacity * sizeof *s->saved.partners);
    memory_give(s->mem, s->saved.lengths, s->saved.length_capacity * sizeof *s->saved.lengths);
    arena_pool_free(&s->pool);
    *s = (springs){0};
}

void springs_reset_side(springs *s, int side)
{
    for (int t = 0; t < s->threads; t++)
        arena_reset(springs_side_arena(s, side, t));
}

void springs_clear(springs *s)
{
    if (!s->started)
        return;
    springs_reset_side(s, 0);
    springs_reset_side(s, 1);
    if (s->range > 0)
        memset(s->spans, 0, s->range * sizeof *s->spans);
    s->range = 0;
    s->started = false;
    s->ends = s->changed = 0;
}

size_t springs_bytes(const springs *s)
{
    return s->pool.bytes + s->span_capacity * sizeof *s->spans +
           s->place_capacity * sizeof *s->place + s->point_capacity * sizeof *s->points +
           s->mark_capacity;
}

bool springs_fit_window(springs *s, const flow *f)
{
    const particles *p = &f->p;
    uint32_t oldest = p->next_id;
    for (size_t i = 0; i < p->count; i++)
        oldest = p->id[i] < oldest ? p->id[i] : oldest;
    size_t range = p->next_id - oldest;
    if (!memory_grow(s->mem, (void **)&s->spans, &s->span_capacity, range, s->range,
                     sizeof *s->spans) ||
        !memory_grow(s->mem, (void **)&s->place, &s->place_capacity, range, 0, sizeof *s->place))
        return false;
    size_t gone = oldest - s->base, kept = gone < s->range ? s->range - gone : 0;
    if (s->range > 0 && gone > 0)
        memmove(s->spans, s->spans + (kept > 0 ? gone : 0), kept * sizeof *s->spans);
    if (range > kept)
        memset(s->spans + kept, 0, (range - kept) * sizeof *s->spans);
    s->base = oldest;
    s->range = range;
    if (range > 0)
        memset(s->place, 0xff, range * sizeof *s->place);
    for (size_t i = 0; i < p->count; i++)
        s->place[p->id[i] - oldest] = (uint32_t)i;
    return true;
}
