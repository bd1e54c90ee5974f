#include "world/events.h"

#include "base/error.h"
#include "world/state.h"

#include <stdlib.h>

enum { WAS_WET = 1, WAS_ASLEEP = 2, WAS_THERE = 4, WAS_BROKEN = 8 };

void events_free(event_log *log, memory *m)
{
    memory_give(m, log->touching, log->touching_capacity * sizeof *log->touching);
    memory_give(m, log->touched, log->touched_capacity * sizeof *log->touched);
    memory_give(m, log->was, log->was_capacity);
    memory_give(m, log->items, log->capacity * sizeof *log->items);
    *log = (event_log){0};
}

static weir_body_id body_id(const weir_world *w, size_t index)
{
    return (weir_body_id){(uint32_t)index + 1, w->flow.bodies[index].generation};
}

static bool add(weir_world *w, weir_event event)
{
    event_log *log = &w->events;
    if (!memory_grow(&w->mem, (void **)&log->items, &log->capacity, log->count + 1, log->count,
                     sizeof *log->items))
        return false;
    log->items[log->count++] = event;
    return true;
}

static bool add_pair(weir_world *w, weir_event_kind kind, uint64_t pair)
{
    weir_event event = {kind, body_id(w, pair >> 32), body_id(w, pair & UINT32_MAX), -1};
    return add(w, event);
}

static int compare_pairs(const void *a, const void *b)
{
    uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

/* Pairs that push or overlap, each once. */
static bool find_touching(weir_world *w)
{
    event_log *log = &w->events;
    size_t count = weir_world_get_contacts(w, NULL, 0), kept = 0;
    log->touching_count = 0;
    if (count == 0)
        return true;
    weir_contact *all = memory_take(&w->mem, count * sizeof *all);
    if (!all || !memory_grow(&w->mem, (void **)&log->touching, &log->touching_capacity, count, 0,
                             sizeof *log->touching)) {
        memory_give(&w->mem, all, count * sizeof *all);
        return false;
    }
    weir_world_get_contacts(w, all, count);
    for (size_t k = 0; k < count; k++)
        if (all[k].a.slot && all[k].b.slot && (all[k].impulse > 0 || all[k].distance <= 0))
            log->touching[log->touching_count++] =
                (uint64_t)(all[k].a.slot - 1) << 32 | (all[k].b.slot - 1);
    memory_give(&w->mem, all, count * sizeof *all);
    qsort(log->touching, log->touching_count, sizeof *log->touching, compare_pairs);
    for (size_t k = 0; k < log->touching_count; k++)
        if (k == 0 || log->touching[k] != log->touching[k - 1])
            log->touching[kept++] = log->touching[k];
    log->touching_count = kept;
    return true;
}

static bool compare_touching(weir_world *w)
{
    event_log *log = &w->events;
    size_t now = 0, before = 0;
    while (now < log->touching_count || before < log->touched_count) {
        uint64_t next = now < log->touching_count ? log->touching[now] : UINT64_MAX;
        uint64_t last = before < log->touched_count ? log->touched[before] : UINT64_MAX;
        if (next < last && !add_pair(w, WEIR_EVENT_CONTACT_BEGIN, next))
            return false;
        if (last < next && !add_pair(w, WEIR_EVENT_CONTACT_END, last))
            return false;
        now += next <= last;
        before += last <= next;
    }
    return true;
}

static uint8_t body_bits(const body *b)
{
    bool wet = vec3_length(b->pressure_force) > 0 || vec3_length(b->viscous_force) > 0;
    return (uint8_t)((wet && body_has_mass(b) ? WAS_WET : 0) | (b->asleep ? WAS_ASLEEP : 0) |
                     (b->alive ? WAS_THERE : 0));
}

static bool compare_body(weir_world *w, size_t index)
{
    uint8_t now = body_bits(&w->flow.bodies[index]), before = w->events.was[2 * index];
    uint8_t changed = now ^ before;
    weir_event event = {.a = body_id(w, index), .joint = -1};
    w->events.was[2 * index] = now;
    bool ok = true;
    if (changed & WAS_WET) {
        event.kind = now & WAS_WET ? WEIR_EVENT_BODY_WET : WEIR_EVENT_BODY_DRY;
        ok = add(w, event);
    }
    if (ok && changed & WAS_ASLEEP) {
        event.kind = now & WAS_ASLEEP ? WEIR_EVENT_BODY_SLEEPS : WEIR_EVENT_BODY_WAKES;
        ok = add(w, event);
    }
    if (ok && before & WAS_THERE && !(now & WAS_THERE) && w->flow.bodies[index].shape) {
        event.kind = WEIR_EVENT_BODY_VANISHED;
        ok = add(w, event);
    }
    return ok;
}

static bool compare_joint(weir_world *w, size_t index)
{
    uint8_t *was = &w->events.was[2 * index + 1];
    bool breaks = w->joints[index].broken && !(*was & WAS_BROKEN);
    *was = w->joints[index].broken ? WAS_BROKEN : 0;
    weir_event event = {.kind = WEIR_EVENT_JOINT_BROKE, .joint = (int)index};
    return !breaks || add(w, event);
}

static void swap_touching(event_log *log)
{
    uint64_t *pairs = log->touched;
    size_t capacity = log->touched_capacity;
    log->touched = log->touching;
    log->touched_capacity = log->touching_capacity;
    log->touched_count = log->touching_count;
    log->touching = pairs;
    log->touching_capacity = capacity;
}

bool events_collect(weir_world *w, weir_error *error)
{
    event_log *log = &w->events;
    size_t bodies = w->flow.body_count, joints = w->joint_count;
    log->count = 0;
    bool ok = memory_grow(&w->mem, (void **)&log->was, &log->was_capacity,
                          2 * (bodies > joints ? bodies : joints), log->was_capacity, 1) &&
              find_touching(w) && compare_touching(w);
    for (size_t k = 0; ok && k < w->flow.body_count; k++)
        ok = compare_body(w, k);
    for (size_t k = 0; ok && k < w->joint_count; k++)
        ok = compare_joint(w, k);
    weir_event slept = {.kind = WEIR_EVENT_FLUID_SLEEPS, .joint = -1};
    weir_event woken = {.kind = WEIR_EVENT_FLUID_WAKES, .joint = -1};
    ok = ok && (w->sleep.slept == 0 || add(w, slept)) && (w->sleep.woken == 0 || add(w, woken));
    w->sleep.slept = w->sleep.woken = 0;
    swap_touching(log);
    return ok || fail(error, WEIR_OUT_OF_MEMORY, "no memory for the events of a step");
}

size_t weir_world_get_events(const weir_world *w, weir_event *events, size_t capacity)
{
    for (size_t k = 0; k < w->events.count && k < capacity; k++)
        events[k] = w->events.items[k];
    return w->events.count;
}
