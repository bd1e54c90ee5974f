/* Events: what differs between the end of a step and that of the one before. They are no part of
 * the state: a world that was restored begins with what it has as news. */
#ifndef WEIR_WORLD_EVENTS_H
#define WEIR_WORLD_EVENTS_H

#include "base/memory.h"
#include "weir/weir.h"

typedef struct event_log {
    uint64_t *touching, *touched; /* pairs of bodies, sorted: now, and a step ago */
    size_t touching_count, touched_count, touching_capacity, touched_capacity;
    uint8_t *was; /* bits of a step ago: of body k at 2 k, of joint k behind it */
    size_t was_capacity;
    weir_event *items;
    size_t count, capacity;
} event_log;

/* Compares; at the end of a step. */
bool events_collect(weir_world *w, weir_error *error);
void events_free(event_log *log, memory *m);

#endif
