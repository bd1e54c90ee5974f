/* Parameters of the method that change while a world runs: a material that sets, softens, melts.
 * What happens is part of the definition; how much of it has happened is part of the state. */
#include "base/error.h"
#include "world/state.h"

#include <string.h>

bool weir_world_schedule_parameter(weir_world *w, double time, const char *name, double value,
                                   weir_error *error)
{
    /* Finds and checks the parameter on a copy. */
    weir_world_def def = w->def;
    if (!(time >= w->time) || !isfinite(time))
        return fail(error, WEIR_INVALID,
                    "a change of %s at %g s is not allowed: must not lie before the present, %g s",
                    name, time, w->time);
    if (!weir_world_def_set(&def, name, value, error))
        return false;
    if (!memory_grow(&w->mem, (void **)&w->schedule, &w->schedule_capacity, w->schedule_count + 1,
                     w->schedule_count, sizeof *w->schedule))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for a change of %s", name);
    scheduled_change change = {.time = time, .value = value};
    const weir_method_info *info = &w->method->info;
    while (strcmp(info->parameters[change.parameter].name, name) != 0)
        change.parameter++;
    /* In order of time; equal times in the order of the calls. */
    size_t at = w->schedule_count++;
    for (; at > 0 && w->schedule[at - 1].time > time; at--)
        w->schedule[at] = w->schedule[at - 1];
    w->schedule[at] = change;
    const double numbers[] = {time, change.parameter, value};
    world_note_definition(w, numbers, sizeof numbers);
    return true;
}

bool world_apply_schedule(weir_world *w, weir_error *error)
{
    uint64_t done = w->schedule_done;
    /* A margin for times that are sums of steps. */
    while (done < w->schedule_count && w->schedule[done].time <= w->time + 1e-9 * (1 + w->time))
        done++;
    if (done == w->schedule_done)
        return true;
    /* From what was asked, not from what was derived: values left open follow the change. */
    memcpy(w->flow.parameters, w->def.parameters, sizeof w->flow.parameters);
    for (uint64_t k = 0; k < done; k++)
        w->flow.parameters[w->schedule[k].parameter] = w->schedule[k].value;
    w->schedule_done = done;
    world_wake_fluid(w);
    return w->method->prepare(&w->flow, error) ||
           fail_in(error, "changes of parameters at %g s", w->schedule[done - 1].time);
}
