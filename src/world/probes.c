/* Probes: what an instrument at a place would read. */
#include "base/error.h"
#include "base/notice.h"
#include "kernel/kernel.h"
#include "world/stages.h"

#include <assert.h>
#include <string.h>

weir_probe_def weir_probe_def_default(void)
{
    return (weir_probe_def){.normal = {1, 0, 0}};
}

/* In 2D probes lie in the plane, too. */
static vec3 flatten(const weir_world *w, vec3 v)
{
    return (vec3){v.x, v.y, w->flow.dim == 3 ? v.z : 0};
}

static bool check_probe(const weir_world *w, const weir_probe_def *def, weir_error *error)
{
    if (!vec3_is_finite(def->position) || !(def->radius >= 0) || !isfinite(def->radius))
        return fail(error, WEIR_INVALID,
                    "a probe needs a finite position and a radius >= 0, not %g m", def->radius);
    if ((unsigned)def->kind > WEIR_PROBE_FLOW)
        return fail(error, WEIR_INVALID, "kind: %d is not one of the probes", (int)def->kind);
    if (def->kind == WEIR_PROBE_FLOW &&
        (!vec3_is_finite(def->normal) || !(vec3_length(flatten(w, def->normal)) > 0)))
        return fail(error, WEIR_INVALID, "the normal of a flow probe must have a length");
    return true;
}

weir_probe_id weir_probe_create(weir_world *w, const weir_probe_def *def, weir_error *error)
{
    weir_probe_id none = {0, 0};
    if (!REQUIRE(&w->def.hooks, error, def != NULL) || !check_probe(w, def, error))
        return none;
    if (!memory_grow(&w->mem, (void **)&w->probes, &w->probe_capacity, w->probe_count + 1,
                     w->probe_count, sizeof *w->probes)) {
        fail(error, WEIR_OUT_OF_MEMORY, "no memory for a probe");
        return none;
    }
    probe *p = &w->probes[w->probe_count++];
    memset(p, 0, sizeof *p); /* padding too: its bytes are hashed */
    p->kind = def->kind;
    p->position = flatten(w, def->position);
    p->radius = def->radius;
    strncpy(p->name, def->name ? def->name : "probe", NAME_LENGTH - 1);
    p->normal = vec3_unit(flatten(w, def->normal), (vec3){1, 0, 0});
    if (p->kind == WEIR_PROBE_HEIGHT && p->radius == 0)
        p->radius = 2 * w->flow.spacing;
    world_note_definition(w, p, sizeof *p);
    return (weir_probe_id){(uint32_t)w->probe_count, 1};
}

int weir_world_probe_count(const weir_world *w)
{
    return (int)w->probe_count;
}

/* ---------------------------------------------------------- flow through a disc */

bool stage_probes_begin(weir_world *w, weir_error *error)
{
    bool needed = false;
    for (size_t k = 0; k < w->probe_count; k++)
        needed = needed || w->probes[k].kind == WEIR_PROBE_FLOW;
    if (!needed)
        return true;
    size_t count = w->flow.p.count;
    const memory_array arrays[] = {{(void **)&w->before[0], sizeof(float)},
                                   {(void **)&w->before[1], sizeof(float)},
                                   {(void **)&w->before[2], sizeof(float)}};
    if (!memory_grow_together(&w->mem, arrays, w->flow.dim, &w->before_capacity, count))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for flow probes");
    for (int a = 0; a < w->flow.dim && count > 0; a++)
        memcpy(w->before[a], w->flow.p.x[a], count * sizeof(float));
    return true;
}

/* A way, shortened by whole periods: to the nearest image of where it leads. */
static vec3 shorten(const flow *f, vec3 way)
{
    double *along[3] = {&way.x, &way.y, &way.z};
    assert(f->dim <= 3);
    for (int a = 0; a < f->dim; a++)
        if (f->period[a].enabled) {
            double length = f->period[a].hi - f->period[a].lo;
            *along[a] -= length * floor(*along[a] / length + 0.5);
        }
    return way;
}

/* `from` is relative to the probe, `way` what was moved from there. */
static void count_crossing(probe *p, vec3 from, vec3 way, double volume)
{
    double a = vec3_dot(from, p->normal), b = a + vec3_dot(way, p->normal);
    if ((a < 0) == (b < 0))
        return;
    vec3 off = vec3_madd(from, a / (a - b), way);
    off = vec3_madd(off, -vec3_dot(off, p->normal), p->normal);
    if (p->radius == 0 || vec3_length(off) <= p->radius)
        p->crossed += b > a ? volume : -volume;
}

void stage_probes_end(weir_world *w)
{
    const flow *f = &w->flow;
    for (size_t k = 0; k < w->probe_count; k++) {
        probe *p = &w->probes[k];
        if (p->kind != WEIR_PROBE_FLOW)
            continue;
        for (size_t i = 0; i < f->p.count; i++) {
            vec3 before = {w->before[0][i], w->before[1][i], f->dim == 3 ? w->before[2][i] : 0};
            vec3 from = shorten(f, vec3_sub(before, p->position));
            vec3 way = shorten(f, vec3_sub(flow_position(f, i), before));
            count_crossing(p, from, way, f->volume);
        }
    }
}

/* ------------------------------------------------------------------ readings */

/* Heights are measured by volume: the fluid in a column over its cross-section. The topmost
 * particle would read up to half a spacing low. */
static double read_height(const weir_world *w, const probe *p)
{
    const flow *f = &w->flow;
    vec3 up =
        vec3_length(f->force) > 0 ? vec3_unit(vec3_scale(f->force, -1), f->force) : (vec3){0, 1, 0};
    double volume = 0, r = p->radius;
    for (size_t i = 0; i < f->p.total; i++) {
        vec3 off = shorten(f, vec3_sub(flow_position(f, i), p->position));
        double high = vec3_dot(off, up);
        double away = vec3_length(vec3_madd(off, -high, up));
        if (high > 0 && away < r)
            volume += f->volume;
    }
    return volume / (f->dim == 2 ? 2 * r : 3.14159265358979323846 * r * r);
}

/* Kernel mean of a value around a point; `values` per component. */
static void read_mean(const weir_world *w, const probe *p, const float *const values[3],
                      int components, double result[3])
{
    const flow *f = &w->flow;
    double weight = 0;
    for (int c = 0; c < 3; c++)
        result[c] = 0;
    for (size_t i = 0; i < f->p.total; i++) {
        double r = vec3_length(shorten(f, vec3_sub(flow_position(f, i), p->position)));
        if (r >= f->h)
            continue;
        double here = kernel_value(f->kernel, f->dim, r, f->h);
        weight += here;
        for (int c = 0; c < components; c++)
            result[c] += here * values[c][i];
    }
    for (int c = 0; c < components && weight > 0; c++)
        result[c] /= weight;
}

weir_probe_reading weir_world_read_probe(const weir_world *w, int index)
{
    weir_probe_reading reading = {.name = NULL, .components = 1};
    if (index < 0 || (size_t)index >= w->probe_count)
        return reading;
    const probe *p = &w->probes[index];
    reading.name = p->name;
    reading.kind = p->kind;
    const particles *all = &w->flow.p;
    const float *pressure = weir_world_get_field(w, "pressure");
    switch (p->kind) {
    case WEIR_PROBE_HEIGHT:
        reading.value[0] = read_height(w, p);
        break;
    case WEIR_PROBE_PRESSURE:
        if (pressure && all->total > 0)
            read_mean(w, p, (const float *const[3]){pressure, NULL, NULL}, 1, reading.value);
        break;
    case WEIR_PROBE_VELOCITY:
        reading.components = 3;
        if (all->total > 0)
            read_mean(w, p, (const float *const[3]){all->v[0], all->v[1], all->v[2]}, w->flow.dim,
                      reading.value);
        break;
    case WEIR_PROBE_FLOW:
        reading.value[0] = p->rate;
        break;
    }
    return reading;
}
