/* Fluid at rest sleeps: pools as a whole fall asleep at the end of a step, and wake at the begin of
 * a substep, before anything that is awake can act on them. */
#include "world/sleep.h"

#include "base/error.h"
#include "world/free_surface.h"
#include "world/stages.h"

#include <string.h>

void sleep_memory_free(sleep_memory *s, memory *m)
{
    asleep_free(&s->asleep, m);
    pools_free(&s->pools, m);
    calm_memory_free(&s->calm, m);
    memory_give(m, s->loads, s->load_capacity * sizeof *s->loads);
    memory_give(m, s->order, s->order_capacity * sizeof *s->order);
    memory_give(m, s->weights, s->weight_capacity * sizeof *s->weights);
    memory_give(m, s->surface, s->surface_capacity);
    *s = (sleep_memory){0};
}

static bool any_asleep(const weir_world *w)
{
    return w->flow.p.total > w->flow.p.count;
}

/* -------------------------------------------------------------------- waking */

/* The particles of pools that wake come first among those that sleep, and are awake then. */
static void wake_particles(sleep_memory *s, flow *f)
{
    particles *p = &f->p;
    size_t begin = p->count, asleep = p->total - begin, woken = 0, left = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = begin; i < p->total; i++)
            if (atomic_load(&s->asleep.pools[p->pool[i] - 1].wakes) == (pass == 0))
                s->order[pass == 0 ? woken++ : woken + left++] = (uint32_t)i;
    particles_rearrange(p, begin, begin + asleep, s->order);
    p->count += woken;
    for (size_t i = begin; i < p->count; i++) {
        p->pool[i] = 0;
        p->still_time[i] = 0;
        for (int a = 0; a < f->dim; a++)
            p->still[a][i] = p->x[a][i];
    }
}

/* Wakes the pools that were marked, with the bodies that sleep with them. */
static void wake_marked(weir_world *w)
{
    sleep_memory *s = &w->sleep;
    flow *f = &w->flow;
    size_t marked = 0;
    for (size_t k = 0; k < s->asleep.pool_count; k++)
        marked += s->asleep.pools[k].asleep && atomic_load(&s->asleep.pools[k].wakes);
    if (marked == 0)
        return;
    wake_particles(s, f);
    sleep_loads_drop(s, f, w->stepping ? w->time - s->step_begun : 0);
    for (size_t k = 0; k < f->body_count; k++) {
        body *b = &f->bodies[k];
        if (b->pool == 0 || !atomic_load(&s->asleep.pools[b->pool - 1].wakes))
            continue;
        b->pool = 0;
        b->calm_time = 0;
        b->calm_at = b->pose;
        rest_wake(f, k, 0);
    }
    for (size_t k = 0; k < s->asleep.pool_count; k++)
        if (s->asleep.pools[k].asleep && atomic_load(&s->asleep.pools[k].wakes))
            asleep_forget(&s->asleep, (uint32_t)k + 1);
    f->asleep_depth = asleep_depth(&s->asleep, f);
    s->woken += marked;
}

void world_wake_fluid(weir_world *w)
{
    if (!any_asleep(w))
        return;
    for (size_t k = 0; k < w->sleep.asleep.pool_count; k++)
        atomic_store(&w->sleep.asleep.pools[k].wakes, w->sleep.asleep.pools[k].asleep);
    wake_marked(w);
}

typedef struct body_visit {
    const flow *f;
    const body *b;
} body_visit;

static double distance_to_body(const void *context, vec3 place)
{
    const body_visit *v = context;
    return shape_distance(v->b->shape, walls_local_point(&v->f->near, v->b, place), NULL);
}

/* Fluid within the reach of a solid that moves, and bodies that sleep in fluid. */
static void mark_near_body(weir_world *w, const body *b, double dt)
{
    const flow *f = &w->flow;
    body_visit visit = {f, b};
    double within = f->walls.h + body_travel(b, dt);
    asleep_visitor visitor = {distance_to_body, &visit, body_world_bounds(b), within};
    asleep_mark_near(&w->sleep.asleep, f, &visitor);
}

void world_wake_near_body(weir_world *w, const body *b)
{
    if (!any_asleep(w) || !b->shape)
        return;
    mark_near_body(w, b, 0);
    if (b->pool > 0)
        atomic_store(&w->sleep.asleep.pools[b->pool - 1].wakes, true);
    wake_marked(w);
}

/* Whether the time of a body came with this substep. */
static bool has_vanished(const weir_world *w, const body *b)
{
    return b->shape && !b->alive && b->until > 0 && w->time - 2 * w->last_substep <= b->until;
}

static void mark_near_bodies(weir_world *w, double dt)
{
    flow *f = &w->flow;
    for (size_t k = 0; k < f->body_count; k++) {
        const body *b = &f->bodies[k];
        if ((b->alive && (body_is_moved(b) || body_has_speed(b))) || has_vanished(w, b))
            mark_near_body(w, b, dt);
        if (b->pool > 0 && (!b->asleep || !b->alive))
            atomic_store(&w->sleep.asleep.pools[b->pool - 1].wakes, true);
    }
}

static double distance_to_sink(const void *context, vec3 place)
{
    const sink *s = context;
    return shape_distance(s->shape, place, NULL);
}

/* m from the space before a nozzle that a layer may lie in; the nozzle's own frame. */
static double distance_to_nozzle(const void *context, vec3 place)
{
    const emitter *e = context;
    vec3 from = vec3_sub(place, e->position);
    double u = fmax(fabs(vec3_dot(from, e->side)) - e->half_width, 0);
    double w = fmax(fabs(vec3_dot(from, e->up)) - e->half_height, 0);
    return sqrt(u * u + w * w + pow(vec3_dot(from, e->direction), 2));
}

static asleep_visitor visit_emitter(const flow *f, const emitter *e, double dt)
{
    double wide = e->half_width + e->half_height;
    vec3 half = {wide, wide, wide};
    bounds box = {vec3_sub(e->position, half), vec3_add(e->position, half)};
    double within = f->near.h + f->spacing + e->speed * (dt + 1 / e->layer_rate);
    return (asleep_visitor){distance_to_nozzle, e, box, within};
}

static asleep_visitor visit_sink(const flow *f, const sink *s)
{
    return (asleep_visitor){distance_to_sink, s, shape_bounds(s->shape), f->near.h};
}

/* Calls `meet` for emitters and sinks that are open. */
static void visit_flows(weir_world *w, double dt,
                        void (*meet)(weir_world *w, const asleep_visitor *visitor))
{
    for (size_t k = 0; k < w->emitter_count; k++)
        if (emitter_step_limit(&w->emitters[k], &w->flow, w->time) < INFINITY) {
            asleep_visitor visitor = visit_emitter(&w->flow, &w->emitters[k], dt);
            meet(w, &visitor);
        }
    for (size_t k = 0; k < w->sink_count; k++)
        if (sink_takes(&w->sinks[k], &w->flow, w->time)) {
            asleep_visitor visitor = visit_sink(&w->flow, &w->sinks[k]);
            meet(w, &visitor);
        }
}

static void wake_at_flow(weir_world *w, const asleep_visitor *visitor)
{
    asleep_mark_near(&w->sleep.asleep, &w->flow, visitor);
}

/* What drips into a sink, particle by particle, rests in between. */
static void keep_awake_at_flow(weir_world *w, const asleep_visitor *v)
{
    flow *f = &w->flow;
    for (size_t i = 0; i < f->p.count; i++) {
        vec3 at = flow_position(f, i);
        if (bounds_distance2(&v->box, at) < v->within * v->within &&
            v->distance(v->context, at) < v->within)
            w->sleep.pools.awake[w->sleep.pools.parent[i]] = 1;
    }
}

void stage_wake(weir_world *w, double dt)
{
    if (!any_asleep(w))
        return;
    double since = profile_now();
    rest_note_joints(&w->flow, w->joints, w->joint_count, 0);
    mark_near_bodies(w, dt);
    visit_flows(w, dt, wake_at_flow);
    asleep_mark_near_fluid(&w->sleep.asleep, &w->flow, dt);
    wake_marked(w);
    profile_add(&w->profile, STAGE_SLEEP, since);
}

/* ------------------------------------------------------------------ sleeping */

/* Numbers for the pools that fall asleep; how many there are. */
static size_t number_pools(sleep_memory *s, const flow *f)
{
    uint32_t next = 1;
    size_t count = 0, nodes = f->p.count + f->body_count;
    for (size_t k = 0; k < nodes; k++) {
        if (s->pools.parent[k] != k || !s->pools.wet[k] || s->pools.awake[k])
            continue;
        next = asleep_next_number(&s->asleep, next);
        s->pools.number[k] = next++;
        count++;
    }
    return count;
}

/* What statistics will want to know when the lists are gone. */
static bool note_sights(sleep_memory *s, flow *f)
{
    size_t count = f->p.count;
    if (!memory_grow(f->mem, (void **)&s->surface, &s->surface_capacity, 2 * count, 0, 1))
        return false;
    memset(s->surface, 0, 2 * count);
    uint8_t *surface = s->surface + count;
    surface_find(f, s->pools.number, s->pools.parent, s->surface, surface);
    for (size_t i = 0; i < count; i++) {
        uint32_t pool = s->pools.number[s->pools.parent[i]];
        if (pool > 0)
            f->p.sight[i] = (f->walls.spans[i].count > 0 ? PARTICLE_SEES_WALL : 0u) |
                            (surface[i] ? PARTICLE_SEES_SURFACE : 0u);
    }
    return true;
}

/* The island of a pool's bodies: as that of the first of them. */
static uint32_t find_island(const flow *f, size_t index)
{
    for (size_t k = 0; k < index; k++)
        if (f->bodies[k].pool == f->bodies[index].pool)
            return f->bodies[k].island;
    return (uint32_t)index + 1;
}

/* Bodies sleep as they do without fluid. */
static void lay_bodies(const sleep_memory *s, flow *f)
{
    for (size_t k = 0; k < f->body_count; k++) {
        body *b = &f->bodies[k];
        uint32_t root = s->pools.parent[pools_body_node(f, k)];
        if (!body_is_moved(b) || s->pools.number[root] == 0)
            continue;
        b->pool = s->pools.number[root];
        b->island = find_island(f, k);
        b->asleep = true;
        b->velocity = b->spin = (vec3){0, 0, 0};
    }
}

/* Behind those that stay awake. */
static void lay_particles(sleep_memory *s, flow *f)
{
    particles *p = &f->p;
    size_t awake = 0, laid = 0, count = p->count;
    for (size_t i = 0; i < count; i++)
        p->pool[i] = s->pools.number[s->pools.parent[i]];
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++)
            if ((p->pool[i] == 0) == (pass == 0))
                s->order[pass == 0 ? awake++ : awake + laid++] = (uint32_t)i;
    particles_rearrange(p, 0, count, s->order);
    for (int a = 0; a < f->dim; a++)
        memset(p->v[a] + awake, 0, laid * sizeof(float));
    p->count = awake;
}

/* Particles up to `before` and bodies that fell asleep now. */
static bool add_sleepers(sleep_memory *s, flow *f, size_t before)
{
    uint32_t older = s->asleep.stamp;
    bool ok = asleep_add(&s->asleep, f, f->p.count, before);
    for (size_t k = 0; ok && k < f->body_count; k++) {
        const body *b = &f->bodies[k];
        if (b->pool > 0 && s->asleep.pools[b->pool - 1].stamp > older)
            ok = asleep_add_body(&s->asleep, f, b);
    }
    return ok;
}

static bool fall_asleep(weir_world *w, weir_error *error)
{
    sleep_memory *s = &w->sleep;
    flow *f = &w->flow;
    size_t count = number_pools(s, f);
    if (count == 0)
        return true;
    if (!memory_grow(f->mem, (void **)&s->order, &s->order_capacity, f->p.total, 0,
                     sizeof *s->order) ||
        !note_sights(s, f) || !sleep_loads_take(s, f, weir_world_get_field(w, "pressure")))
        return false;
    size_t before = f->p.count;
    lay_bodies(s, f);
    lay_particles(s, f);
    bool ok =
        asleep_is_stale(&s->asleep) ? asleep_rebuild(&s->asleep, f) : add_sleepers(s, f, before);
    f->asleep_depth = asleep_depth(&s->asleep, f);
    s->slept += count;
    world_measure_speed(w);
    /* The lists are of the order that was. */
    return ok && stage_search(w, error) && stage_walls(w, error);
}

bool stage_sleep(weir_world *w, double dt, weir_error *error)
{
    /* Within the time of rest: checks, and windows that ways are measured in. What a first window
     * has of an end of motion hides what creeps; a second shows it. */
    enum { CHECKS = 20, WINDOWS = 2 };
    sleep_memory *s = &w->sleep;
    flow *f = &w->flow;
    double rest_time = w->def.sleep_time;
    s->since_check += dt;
    if (rest_time == 0 || s->since_check < rest_time / CHECKS * (1 - 1e-9) || f->p.count == 0)
        return true;
    double since = profile_now();
    bool ok = pools_find(&s->pools, f, &w->contacts.list, w->joints, w->joint_count) &&
              calm_update(&s->calm, f, s->pools.parent, s->since_check, rest_time / WINDOWS);
    if (ok) {
        pools_measure_bodies(f, s->since_check);
        s->since_check = 0;
        pools_mark_awake(&s->pools, f, w->joints, w->joint_count, rest_time);
        visit_flows(w, w->last_substep, keep_awake_at_flow);
    }
    bool stays = w->method->stays_awake && w->method->stays_awake(f);
    ok = ok && (stays || fall_asleep(w, error));
    profile_add(&w->profile, STAGE_SLEEP, since);
    return ok ||
           fail(error, WEIR_OUT_OF_MEMORY, "no memory to let %zu particles sleep", f->p.count);
}

/* What a file may hold that no world does. */
static bool check_pools(const weir_world *w, weir_error *error)
{
    const sleep_memory *s = &w->sleep;
    double pools = (double)s->asleep.pool_count, bodies = (double)w->flow.body_count;
    for (size_t k = 0; k < s->load_count; k++)
        if (!(s->loads[k].pool >= 1 && s->loads[k].pool <= pools) ||
            !(s->loads[k].body >= 0 && s->loads[k].body < bodies))
            return fail(error, WEIR_FORMAT, "sleeping fluid of pool %g presses on solid %g",
                        s->loads[k].pool, s->loads[k].body);
    for (size_t k = 0; k < w->flow.body_count; k++) {
        uint32_t pool = w->flow.bodies[k].pool;
        if (pool > s->asleep.pool_count || (pool > 0 && !s->asleep.pools[pool - 1].asleep))
            return fail(error, WEIR_FORMAT, "solid %s sleeps in pool %u, which there is not",
                        w->flow.bodies[k].name, pool);
    }
    return true;
}

bool sleep_restore(weir_world *w, weir_error *error)
{
    particles *p = &w->flow.p;
    sleep_memory *s = &w->sleep;
    if (!p->may_sleep)
        return true;
    size_t awake = 0;
    while (awake < p->total && p->pool[awake] == 0)
        awake++;
    p->count = awake;
    for (size_t i = awake; i < p->total; i++)
        if (p->pool[i] == 0 || p->pool[i] > p->total)
            return fail(error, WEIR_FORMAT, "particle %zu sleeps in pool %u, which there is not", i,
                        p->pool[i]);
    if (!asleep_rebuild(&s->asleep, &w->flow) ||
        !memory_grow(&w->mem, (void **)&s->order, &s->order_capacity, p->total, 0,
                     sizeof *s->order))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for %zu particles that sleep",
                    p->total - awake);
    if (!check_pools(w, error))
        return false;
    sleep_loads_sum(s, &w->flow);
    w->flow.asleep_depth = asleep_depth(&s->asleep, &w->flow);
    return true;
}
