/* Emitters and sinks: creation and what they did. */
#include "base/error.h"
#include "base/notice.h"
#include "world/state.h"

weir_emitter_def weir_emitter_def_default(void)
{
    return (weir_emitter_def){.radius = 0.05,
                              .half_width = 0.05,
                              .half_height = 0.05,
                              .direction = {1, 0, 0},
                              .up = {0, 1, 0},
                              .speed = 1};
}

weir_emitter_id weir_emitter_create(weir_world *w, const weir_emitter_def *def, weir_error *error)
{
    weir_emitter_id none = {0, 0};
    int fluid_index = 0;
    if (!REQUIRE(&w->def.hooks, error, def != NULL) ||
        !world_find_fluid(w, def->fluid, &fluid_index, error))
        return none;
    if (!memory_grow(&w->mem, (void **)&w->emitters, &w->emitter_capacity, w->emitter_count + 1,
                     w->emitter_count, sizeof *w->emitters)) {
        fail(error, WEIR_OUT_OF_MEMORY, "no memory for an emitter");
        return none;
    }
    emitter *e = &w->emitters[w->emitter_count];
    if (!emitter_init(e, &w->flow, def, fluid_index, error)) {
        fail_in(error, "emitter %s", def->name ? def->name : "");
        return none;
    }
    w->emitter_count++;
    const double numbers[] = {fluid_index,    e->position.x,  e->position.y,  e->position.z,
                              e->direction.x, e->direction.y, e->direction.z, e->speed,
                              e->layer_rate,  e->max_volume};
    world_note_definition(w, numbers, sizeof numbers);
    world_note_definition(w, e->sites, e->site_count * sizeof *e->sites);
    world_note_definition(w, e->schedule.intervals,
                          e->schedule.count * sizeof *e->schedule.intervals);
    return (weir_emitter_id){(uint32_t)w->emitter_count, 1};
}

weir_sink_def weir_sink_def_default(void)
{
    return (weir_sink_def){.shape = weir_shape_def_default()};
}

weir_sink_id weir_sink_create(weir_world *w, const weir_sink_def *def, weir_error *error)
{
    weir_sink_id none = {0, 0};
    if (!REQUIRE(&w->def.hooks, error, def != NULL))
        return none;
    if (!memory_grow(&w->mem, (void **)&w->sinks, &w->sink_capacity, w->sink_count + 1,
                     w->sink_count, sizeof *w->sinks)) {
        fail(error, WEIR_OUT_OF_MEMORY, "no memory for a sink");
        return none;
    }
    if (!sink_init(&w->sinks[w->sink_count], &w->flow, def, error)) {
        fail_in(error, "sink %s", def->name ? def->name : "");
        return none;
    }
    const sink *s = &w->sinks[w->sink_count++];
    world_note_shape(w, &def->shape);
    world_note_definition(w, &s->max_volume, sizeof s->max_volume);
    world_note_definition(w, s->schedule.intervals,
                          s->schedule.count * sizeof *s->schedule.intervals);
    return (weir_sink_id){(uint32_t)w->sink_count, 1};
}

int weir_world_emitter_count(const weir_world *w)
{
    return (int)w->emitter_count;
}

int weir_world_sink_count(const weir_world *w)
{
    return (int)w->sink_count;
}

weir_flow_state weir_world_emitter_state(const weir_world *w, int index)
{
    if (index < 0 || (size_t)index >= w->emitter_count)
        return (weir_flow_state){0};
    const emitter *e = &w->emitters[index];
    return (weir_flow_state){e->name, e->emitted, (double)e->emitted * w->flow.volume};
}

size_t weir_world_emitter_covered(const weir_world *w, int index, weir_nozzle_cover *deepest)
{
    emitter_cover found = {.body = -1};
    size_t count = 0;
    if (index >= 0 && (size_t)index < w->emitter_count)
        count = emitter_covered(&w->emitters[index], &w->flow, &found);
    weir_body_id by = {0, 0};
    if (found.body >= 0)
        by = (weir_body_id){(uint32_t)found.body + 1, w->flow.bodies[found.body].generation};
    if (deepest)
        *deepest = (weir_nozzle_cover){by, found.place, found.depth};
    return count;
}

weir_flow_state weir_world_sink_state(const weir_world *w, int index)
{
    if (index < 0 || (size_t)index >= w->sink_count)
        return (weir_flow_state){0};
    const sink *s = &w->sinks[index];
    return (weir_flow_state){s->name, s->removed, (double)s->removed * w->flow.volume};
}
