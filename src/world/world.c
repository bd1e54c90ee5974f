/* Worlds: their definition, creation and end. */
#include "base/error.h"
#include "base/notice.h"
#include "par/parallel.h"
#include "world/state.h"

#include <math.h>
#include <string.h>

/* -------------------------------------------------------------- definitions */

weir_world_def weir_world_def_default(void)
{
    weir_world_def def = {
        .dim = 3,
        .spacing = 0.02,
        .kernel = WEIR_KERNEL_WENDLAND_C2,
        .gravity = {0, -9.81, 0},
    };
    weir_world_def_use_method(&def, WEIR_METHOD_SPH);
    return def;
}

void weir_world_def_use_method(weir_world_def *def, weir_method id)
{
    const weir_method_info *info = weir_method_get_info(id);
    def->method = id;
    for (int k = 0; k < WEIR_MAX_PARAMETERS; k++)
        def->parameters[k] = info && k < info->parameter_count ? info->parameters[k].initial : 0;
}

double weir_world_def_support(const weir_world_def *def)
{
    const method *m = method_get(def->method);
    if (def->support != 0 || !m)
        return def->support;
    return m->support[def->dim == 3] > 0 ? m->support[def->dim == 3] : 2.5;
}

static bool check_parameter(const weir_parameter *p, double value, weir_error *error)
{
    if (value >= p->min && value <= p->max && (!p->choices || value == floor(value)))
        return true;
    return fail(error, WEIR_INVALID, "%s: %g is not allowed: must be between %g and %g %s", p->name,
                value, p->min, p->max, strcmp(p->unit, "1") == 0 ? "" : p->unit);
}

bool weir_world_def_set(weir_world_def *def, const char *name, double value, weir_error *error)
{
    const weir_method_info *info = weir_method_get_info(def->method);
    for (int k = 0; info && k < info->parameter_count; k++)
        if (strcmp(info->parameters[k].name, name) == 0) {
            if (!check_parameter(&info->parameters[k], value, error))
                return false;
            def->parameters[k] = value;
            return true;
        }
    return fail(error, WEIR_NOT_FOUND, "method %s has no parameter '%s'", info ? info->name : "?",
                name);
}

static bool check_periods(const weir_world_def *def, weir_error *error)
{
    double h = weir_world_def_support(def) * def->spacing;
    for (int a = 0; a < def->dim; a++) {
        const weir_axis_period *p = &def->period[a];
        if (!p->enabled)
            continue;
        if (!isfinite(p->lo) || !isfinite(p->hi) || !(p->hi - p->lo >= 2 * h))
            return fail(error, WEIR_INVALID,
                        "a period from %g to %g m along %c is not allowed: it must be at least two "
                        "kernel radii (%g m) long",
                        p->lo, p->hi, "xyz"[a], 2 * h);
    }
    return true;
}

static bool check_coupling(const weir_world_def *def, weir_error *error)
{
    const weir_coupling_def *c = &def->coupling;
    if ((unsigned)c->mode > WEIR_COUPLING_PENALTY || (unsigned)c->solver > WEIR_LCP_MPRGP)
        return fail(error, WEIR_INVALID, "coupling: mode %d or solver %d is not one of them",
                    (int)c->mode, (int)c->solver);
    if (!(c->restitution >= 0 && c->restitution <= 1))
        return fail(error, WEIR_INVALID,
                    "coupling: a restitution of %g is not allowed: must be between 0 and 1",
                    c->restitution);
    const double sizes[] = {c->radius, c->stiffness, c->damping};
    static const char *const names[] = {"radius", "stiffness", "damping"};
    for (int k = 0; k < 3; k++)
        if (!(sizes[k] >= 0) || !isfinite(sizes[k]))
            return fail(error, WEIR_INVALID, "coupling: a %s of %g is not allowed: must be >= 0",
                        names[k], sizes[k]);
    if (c->radius > def->spacing)
        return fail(error, WEIR_INVALID,
                    "coupling: a radius of %g m is not allowed: must be at most the spacing, %g m",
                    c->radius, def->spacing);
    if (c->mode != WEIR_COUPLING_BOUNDARY_VOLUME && method_get(def->method)->rows)
        return fail(error, WEIR_INVALID,
                    "coupling: the %s method has contacts as rows of its own system; use "
                    "boundary-volume with it, or another method",
                    method_get(def->method)->info.name);
    return true;
}

static bool check_sleep(const weir_world_def *def, weir_error *error)
{
    if (def->sleep_time == 0)
        return true;
    if (!(def->sleep_time >= 0.2 && def->sleep_time <= 1e6))
        return fail(error, WEIR_INVALID,
                    "sleep_time: %g s is not allowed: must be 0.2 s or more, or 0 for fluid that "
                    "never sleeps; 2 s suits most",
                    def->sleep_time);
    if (def->coupling.mode != WEIR_COUPLING_BOUNDARY_VOLUME)
        return fail(error, WEIR_UNSUPPORTED,
                    "sleep_time: bodies that couple by contacts stay awake, and the fluid with "
                    "them; use boundary-volume, or a sleep_time of 0");
    return true;
}

static bool check_world(const weir_world_def *def, weir_error *error)
{
    if (def->dim != 2 && def->dim != 3)
        return fail(error, WEIR_INVALID, "dim: %d is not allowed: must be 2 or 3", def->dim);
    if (!(def->spacing > 0) || !isfinite(def->spacing))
        return fail(error, WEIR_INVALID, "spacing: %g m is not allowed: must be > 0", def->spacing);
    if (def->support != 0 && !(def->support >= 1.1 && def->support <= 4))
        return fail(error, WEIR_INVALID,
                    "support: %g is not allowed: must be 1.1 to 4 spacings, or 0", def->support);
    if ((unsigned)def->kernel > WEIR_KERNEL_SPIKY)
        return fail(error, WEIR_INVALID, "kernel: %d is not one of the kernels", (int)def->kernel);
    if (!method_get(def->method))
        return fail(error, WEIR_INVALID, "method: %d is not one of the methods", (int)def->method);
    if (!vec3_is_finite(def->gravity) || !vec3_is_finite(def->acceleration))
        return fail(error, WEIR_INVALID, "gravity and acceleration must be finite");
    if (def->threads < 0 || def->threads > PARALLEL_MAX_THREADS)
        return fail(error, WEIR_INVALID, "threads: %d is not allowed: must be 0 (all) to %d",
                    def->threads, PARALLEL_MAX_THREADS);
    if (def->substeps < 0)
        return fail(error, WEIR_INVALID,
                    "substeps: %d is not allowed: must be >= 0 (0 = as many "
                    "as stability needs)",
                    def->substeps);
    if (lane_level_find(def->simd) == LANE_LEVEL_COUNT)
        return fail(error, WEIR_UNSUPPORTED, "simd: this CPU or build cannot run '%s'", def->simd);
    const weir_method_info *info = weir_method_get_info(def->method);
    for (int k = 0; k < info->parameter_count; k++)
        if (!check_parameter(&info->parameters[k], def->parameters[k], error))
            return false;
    return check_coupling(def, error) && check_periods(def, error) && check_sleep(def, error);
}

/* -------------------------------------------------------------------- worlds */

static void init_flow(flow *f, const weir_world_def *def, memory *m)
{
    f->mem = m;
    f->dim = def->dim;
    f->threads = def->threads > 0 ? def->threads : parallel_cores();
    f->level = lane_level_find(def->simd);
    f->kernel = def->kernel;
    f->spacing = def->spacing;
    f->h = weir_world_def_support(def) * def->spacing;
    f->volume = pow(def->spacing, def->dim);
    half_space_table_fill(&f->flat_wall, def->kernel, def->dim);
    f->kappa = kernel_volume_factor(def->kernel, def->dim, def->spacing, f->h);
    f->kernel_factors = kernel_constants_make(def->kernel, def->dim, f->h);
    f->force = vec3_add(def->gravity, def->acceleration);
    if (def->dim == 2)
        f->force.z = 0;
    memcpy(f->parameters, def->parameters, sizeof f->parameters);
    memcpy(f->period, def->period, sizeof f->period);
}

weir_world *weir_world_create(const weir_world_def *def, weir_error *error)
{
    if (!REQUIRE(NULL, error, def != NULL) || !check_world(def, error))
        return NULL;
    memory m = memory_with_hooks(&def->hooks);
    weir_world *w = memory_take(&m, sizeof *w);
    if (!w) {
        fail(error, WEIR_OUT_OF_MEMORY, "no memory for a world");
        return NULL;
    }
    w->mem = m;
    w->def = *def;
    w->method = method_get(def->method);
    flow *f = &w->flow;
    init_flow(f, def, &w->mem);
    row_system_init(&w->system, &w->mem);
    mechanism_init(&w->mechanism, &w->mem);
    /* Sleeping particles keep what others see of them. */
    uint32_t shown = def->sleep_time > 0 ? (1u << w->method->info.field_count) - 1 : 0;
    particles_init(&f->p, def->dim, w->method->all_fields, w->method->kept_fields | shown);
    f->p.may_sleep = def->sleep_time > 0;
    if (w->method->data_bytes > 0)
        f->method_data = memory_take(&w->mem, w->method->data_bytes);
    bool ok = w->method->data_bytes == 0 || f->method_data ||
              fail(error, WEIR_OUT_OF_MEMORY, "no memory for a world");
    double reach = w->method->reach ? w->method->reach(f) : f->h;
    ok = ok &&
         neighbours_init(&f->near, &w->mem, def->dim, reach, def->period, f->threads, error) &&
         walls_init(&f->walls, &w->mem, f->h, f->threads, error);
    if (!ok) {
        weir_world_destroy(w);
        return NULL;
    }
    f->near.level = f->level;
    f->near.passes = &f->passes;
    w->fingerprint = 0;
    world_note_world(w);
    return w;
}

void weir_world_destroy(weir_world *w)
{
    if (!w)
        return;
    flow *f = &w->flow;
    for (size_t k = 0; k < f->body_count; k++)
        world_free_body(w, &f->bodies[k]);
    memory_give(&w->mem, f->bodies, w->body_capacity * sizeof *f->bodies);
    for (size_t k = 0; k < w->emitter_count; k++)
        emitter_free(&w->emitters[k], &w->mem);
    memory_give(&w->mem, w->emitters, w->emitter_capacity * sizeof *w->emitters);
    for (size_t k = 0; k < w->sink_count; k++)
        sink_free(&w->sinks[k], &w->mem);
    memory_give(&w->mem, w->sinks, w->sink_capacity * sizeof *w->sinks);
    memory_give(&w->mem, w->probes, w->probe_capacity * sizeof *w->probes);
    memory_give(&w->mem, w->marks, w->mark_capacity);
    for (int a = 0; a < 3; a++)
        memory_give(&w->mem, w->before[a], w->before_capacity * sizeof(float));
    memory_give(&w->mem, w->packed, w->packed_capacity * sizeof *w->packed);
    if (f->method_data && w->method->release)
        w->method->release(f);
    memory_give(&w->mem, f->method_data, w->method->data_bytes);
    contact_sums_free(&f->sums, &w->mem);
    memory_give(&w->mem, w->schedule, w->schedule_capacity * sizeof *w->schedule);
    row_system_free(&w->system);
    film_free(&w->film, &w->mem);
    depth_memory_free(&w->depth, &w->mem);
    contact_memory_free(&w->contacts, &w->mem);
    crowd_free(&w->crowd, &w->mem);
    contact_lcp_free(&w->coupling);
    rest_memory_free(&w->rest, &w->mem);
    sleep_memory_free(&w->sleep, &w->mem);
    memory_give(&w->mem, w->joints, w->joint_capacity * sizeof *w->joints);
    mechanism_free(&w->mechanism);
    events_free(&w->events, &w->mem);
    particles_free(&f->p, &w->mem);
    neighbours_free(&f->near);
    walls_free(&f->walls);
    memory m = w->mem;
    memory_give(&m, w, sizeof *w);
}
