#include "world/stages.h"

#include "base/error.h"
#include "couple/backstop.h"
#include "couple/host.h"
#include "couple/impact.h"
#include "couple/wall_rows.h"
#include "par/parallel.h"

#include <math.h>
#include <string.h>

/* A world of bodies alone skips what the method does. */
static bool has_fluid(const weir_world *w)
{
    return w->flow.fluid_count > 0;
}

void stage_step_begin(weir_world *w)
{
    w->sleep.step_begun = w->time;
    for (size_t k = 0; k < w->flow.body_count; k++) {
        body *b = &w->flow.bodies[k];
        b->contact_impulse = b->joint_impulse = (vec3){0, 0, 0};
        if (has_fluid(w))
            b->pressure_impulse = b->viscous_impulse = b->angular_impulse = (vec3){0, 0, 0};
    }
    hosts_begin(&w->flow);
    for (size_t k = 0; k < w->probe_count; k++)
        w->probes[k].crossed = 0;
}

void stage_bodies_animate(weir_world *w, double dt)
{
    for (size_t k = 0; k < w->flow.body_count; k++)
        body_animate(&w->flow.bodies[k], w->time, dt);
}

bool stage_emit(weir_world *w, double dt, uint32_t *flags, weir_error *error)
{
    double since = profile_now();
    bool ok = true;
    emitter_trouble trouble = {false, false};
    for (size_t k = 0; k < w->emitter_count && ok; k++)
        ok = emitter_run(&w->emitters[k], &w->flow, w->time, dt, w->def.max_particles, &trouble,
                         error);
    *flags |= trouble.full ? WEIR_STEP_FULL : 0;
    *flags |= trouble.covered ? WEIR_STEP_COVERED : 0;
    if (ok && w->sink_count > 0) {
        ok = memory_grow(&w->mem, (void **)&w->marks, &w->mark_capacity, w->flow.p.count, 0, 1);
        if (ok)
            sinks_run(w->sinks, (int)w->sink_count, &w->flow, w->time, w->marks);
        else
            fail(error, WEIR_OUT_OF_MEMORY, "no memory to mark %zu particles", w->flow.p.count);
    }
    profile_add(&w->profile, STAGE_EMIT, since);
    return ok;
}

void stage_predict(weir_world *w, double dt)
{
    if (!w->method->predict || !has_fluid(w))
        return;
    double since = profile_now();
    w->method->predict(&w->flow, dt);
    profile_add(&w->profile, STAGE_PREDICT, since);
}

bool stage_search(weir_world *w, weir_error *error)
{
    double since = profile_now();
    bool ok = !has_fluid(w) || neighbours_build(&w->flow.near, &w->flow.p, error);
    profile_add(&w->profile, STAGE_SEARCH, since);
    return ok;
}

static void look(weir_world *w, double dt, double direction)
{
    if (!has_fluid(w) || !w->method->look_ahead)
        return;
    double since = profile_now(), ahead = w->method->look_ahead(&w->flow, dt);
    if (ahead > 0)
        method_move(&w->flow, direction * ahead);
    profile_add(&w->profile, STAGE_SEARCH, since);
}

/* Lists of the present miss pairs that meet within the substep. */
void stage_look_ahead(weir_world *w, double dt)
{
    look(w, dt, 1);
}

void stage_look_back(weir_world *w, double dt)
{
    look(w, dt, -1);
}

/* Now and then: fluid does not go far within a few substeps. */
bool stage_depth(weir_world *w, weir_error *error)
{
    enum { SUBSTEPS = 8 };
    if (!w->method->limited_by_depth || w->substeps == 0 || w->substeps % SUBSTEPS != 0)
        return true;
    double since = profile_now();
    bool ok = depth_update(&w->depth, &w->flow);
    profile_add(&w->profile, STAGE_SEARCH, since);
    return ok || fail(error, WEIR_OUT_OF_MEMORY, "no memory for the depth of %zu particles",
                      w->flow.p.count);
}

/* Positions read, spans and contacts written; distances to solids are not counted. */
static const pass_work walls_work = {
    .name = "walls", .particle_bytes = 2 * sizeof(wall_span), .particle_axis_bytes = 4};

bool stage_walls(weir_world *w, weir_error *error)
{
    double since = profile_now();
    flow *f = &w->flow;
    bool ok =
        !has_fluid(w) || walls_find(&f->walls, &f->p, &f->near, f->bodies, f->body_count, error);
    double contact_bytes = 2.0 * (double)(f->walls.contact_count * sizeof(wall_contact));
    pass_log_add(&f->passes, &walls_work, &(pass_size){f->dim, f->p.count, 0, 0, contact_bytes},
                 since);
    if (ok)
        rest_note_fluid(f);
    profile_add(&w->profile, STAGE_WALLS, since);
    return ok;
}

/* One round of settling; whether another is needed. */
static bool settle_more(weir_world *w, double dt, bool *ok, weir_error *error)
{
    flow *f = &w->flow;
    bool settled = false;
    stage_wrap(w);
    *ok = stage_search(w, error) && stage_walls(w, error);
    if (!*ok || f->walls.touching_count == 0)
        return false;
    w->method->settle(f, dt);
    if (!w->method->rows)
        return true;
    system_options options = w->method->options(f);
    *ok = row_system_settle(&w->system, f, w->method->rows, &options, &settled, error);
    return *ok && !settled;
}

/* Bodies take part in the method's solve, but must not be pushed by a lattice that does not fit
 * them: they are put back. */
bool stage_settle(weir_world *w, weir_error *error)
{
    enum { ROUNDS = 8, ROUNDS_BY_ROWS = 24 };
    flow *f = &w->flow;
    if (!w->method->settle || !has_fluid(w) || world_is_by_contact(w))
        return true;
    if (w->method->rows && !w->method->options(f).split)
        return true;
    size_t bytes = f->body_count * sizeof *f->bodies;
    body *kept = bytes > 0 ? memory_take(&w->mem, bytes) : NULL;
    if (bytes > 0 && !kept)
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory to settle %zu particles", f->p.count);
    if (kept)
        memcpy(kept, f->bodies, bytes);
    double dt = fmin(world_find_limit(w).seconds, 1.0 / 60);
    int rounds = w->method->rows ? ROUNDS_BY_ROWS : ROUNDS;
    bool ok = true, more = true;
    for (int k = 0; more && k < rounds; k++)
        more = settle_more(w, dt, &ok, error);
    if (kept)
        memcpy(f->bodies, kept, bytes);
    memory_give(&w->mem, kept, bytes);
    return ok && (!f->exhausted ||
                  fail(error, WEIR_OUT_OF_MEMORY, "no memory to settle %zu particles", f->p.count));
}

bool stage_forces(weir_world *w, double dt, weir_error *error)
{
    double since = profile_now();
    flow *f = &w->flow;
    /* Velocities of bodies belong to the middle of a substep, as in leap-frog: gravity acts from
     * the middle of the last one to that of this, and steps of changing length lose no order. */
    f->gravity_time = (w->last_substep + dt) / 2;
    if (w->method->accelerate && has_fluid(w))
        w->method->accelerate(f, dt);
    for (size_t k = 0; k < f->body_count; k++)
        body_accelerate(&f->bodies[k], f->force, f->gravity_time);
    const float *pressure = weir_world_get_field(w, "pressure");
    bool ok = !pressure || world_is_by_contact(w) || film_push(&w->film, f, pressure, dt, error);
    profile_add(&w->profile, STAGE_FORCES, since);
    return ok;
}

void stage_project(weir_world *w, double dt)
{
    if (!w->method->project || !has_fluid(w))
        return;
    double since = profile_now();
    w->method->project(&w->flow, dt);
    profile_add(&w->profile, STAGE_PROJECT, since);
}

/* Whether a joint holds two bodies together that shall not collide. */
static bool are_joined(const void *context, size_t a, size_t b)
{
    const weir_world *w = context;
    for (size_t k = 0; k < w->joint_count; k++) {
        const joint *j = &w->joints[k];
        if (!j->collide && !j->broken && j->b >= 0 &&
            (((size_t)j->a == a && (size_t)j->b == b) || ((size_t)j->a == b && (size_t)j->b == a)))
            return true;
    }
    return false;
}

static double wall_distance(const weir_world *w)
{
    return has_fluid(w) && w->method->wall_distance ? w->method->wall_distance(&w->flow) : 0;
}

/* Rows of the densities; NULL where there are none to be solved. */
static const density_rows *find_densities(const weir_world *w)
{
    return w->flow.p.count > 0 ? w->method->rows : NULL;
}

bool stage_rows(weir_world *w, double dt, weir_error *error)
{
    double since = profile_now();
    flow *f = &w->flow;
    row_system_clear(&w->system);
    mechanism_clear(&w->mechanism, f->bodies, f->body_count, w->time, dt);
    rest_note_joints(f, w->joints, w->joint_count, f->gravity_time);
    bool ok = (!w->method->rows || wall_rows_add(&w->system, f, wall_distance(w), dt, error)) &&
              (world_is_by_contact(w) ||
               contacts_find(&w->contacts, &w->mem, f, are_joined, w, dt, error));
    ok = ok && crowd_choose(&w->crowd, f, &w->contacts.list, find_densities(w) != NULL, error) &&
         contact_rows_add(&w->system, f, &w->contacts, dt, error) &&
         joints_add_rows(w->joints, w->joint_count, &w->mechanism, &w->system, f, error);
    profile_add(&w->profile, STAGE_ROWS, since);
    return ok;
}

static bool solve_crowd(weir_world *w, double dt, weir_error *error)
{
    double since = profile_now();
    bool ok = crowd_solve(&w->crowd, &w->flow, &w->contacts.list, dt, error);
    w->system.velocity_result = w->crowd.velocity_result; /* for those who ask */
    w->system.position_result = w->crowd.position_result;
    w->iterations +=
        (uint64_t)(w->crowd.velocity_result.iterations + w->crowd.position_result.iterations);
    profile_add(&w->profile, STAGE_SOLVE, since);
    return ok;
}

bool stage_solve(weir_world *w, double dt, weir_error *error)
{
    const density_rows *densities = find_densities(w);
    if (w->crowd.active && !solve_crowd(w, dt, error))
        return false;
    if (!densities && w->system.row_count == 0 && w->mechanism.row_count == 0)
        return true;
    double since = profile_now();
    static const system_options for_bodies = {.split = true,
                                              .gauss_seidel = true,
                                              .tolerance = 1e-5,
                                              .density_tolerance = 1e-6,
                                              .min_iterations = 4,
                                              .max_iterations = 100,
                                              .warm_start = 1};
    system_options options =
        densities && w->method->options ? w->method->options(&w->flow) : for_bodies;
    bool ok = mechanism_factor(&w->mechanism, error) &&
              impacts_run(&w->system, &w->mechanism, &w->flow, dt, error) &&
              row_system_solve(&w->system, &w->flow, densities, &w->mechanism, &options, dt, error);
    if (ok)
        wall_rows_note(&w->system, &w->flow);
    w->iterations +=
        (uint64_t)(w->system.velocity_result.iterations + w->system.position_result.iterations);
    profile_add(&w->profile, STAGE_SOLVE, since);
    return ok;
}

void stage_move(weir_world *w, double dt)
{
    if (!has_fluid(w))
        return;
    double since = profile_now();
    w->method->finish(&w->flow, dt);
    profile_add(&w->profile, STAGE_MOVE, since);
}

bool stage_contacts(weir_world *w, double dt, weir_error *error)
{
    if (!world_is_by_contact(w))
        return true;
    double since = profile_now();
    bool ok = contact_lcp_solve(&w->coupling, &w->flow, wall_distance(w), w->time, dt, error);
    profile_add(&w->profile, STAGE_CONTACTS, since);
    return ok;
}

bool stage_bodies_advance(weir_world *w, double dt, weir_error *error)
{
    flow *f = &w->flow;
    for (size_t k = 0; k < f->body_count; k++)
        body_advance(&f->bodies[k], w->time, dt);
    joints_finish(w->joints, w->joint_count, &w->mechanism, &w->system, f, dt);
    return contact_rows_keep(&w->system, f, &w->contacts, error) &&
           (world_is_by_contact(w) || /* the bodies stay awake */
            rest_update(&w->rest, f, &w->contacts.list, w->joints, w->joint_count, dt, error));
}

bool stage_collide(weir_world *w, weir_error *error)
{
    double since = profile_now();
    bool ok = !world_is_by_contact(w) || contact_lcp_mend(&w->coupling, &w->flow, error);
    if (has_fluid(w))
        backstop_run(&w->flow, wall_distance(w));
    profile_add(&w->profile, STAGE_COLLIDE, since);
    return ok;
}

static void wrap_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    flow *f = context;
    for (int a = 0; a < f->dim; a++) {
        if (!f->period[a].enabled)
            continue;
        float lo = (float)f->period[a].lo, hi = (float)f->period[a].hi, length = hi - lo;
        for (size_t i = begin; i < end; i++) {
            float x = f->p.x[a][i];
            if (x < lo || x >= hi) {
                x -= length * floorf((x - lo) / length);
                f->p.x[a][i] = x >= lo && x < hi ? x : lo; /* rounding may end on hi */
            }
        }
    }
}

void stage_wrap(weir_world *w)
{
    if (w->flow.near.periodic)
        parallel_for(w->flow.threads, w->flow.p.count, PARTICLE_GRAIN, wrap_chunk, &w->flow);
}

static const body *find_lost_body(const flow *f)
{
    for (size_t k = 0; k < f->body_count; k++) {
        const body *b = &f->bodies[k];
        if (body_has_mass(b) && (!vec3_is_finite(b->pose.position) ||
                                 !vec3_is_finite(b->velocity) || !vec3_is_finite(b->spin)))
            return b;
    }
    return NULL;
}

bool stage_check(weir_world *w, uint32_t *flags, weir_error *error)
{
    if (w->flow.exhausted)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out in method %s in substep %llu",
                    w->method->info.name, (unsigned long long)w->substeps);
    world_measure_speed(w);
    const body *lost = find_lost_body(&w->flow);
    if (isfinite(w->flow.speed_max) && !lost)
        return true;
    *flags |= WEIR_STEP_NOT_FINITE;
    if (lost)
        return fail(error, WEIR_NOT_FINITE,
                    "body %s is not finite in step %llu (substep %llu, %g s); use a smaller time "
                    "step or check the scene",
                    lost->name, (unsigned long long)w->steps + 1, (unsigned long long)w->substeps,
                    w->time);
    size_t worst = world_find_not_finite(w);
    if (worst == SIZE_MAX)
        return fail(error, WEIR_NOT_FINITE, "a speed overflowed in substep %llu at %g s",
                    (unsigned long long)w->substeps, w->time);
    vec3 x = flow_position(&w->flow, worst), v = flow_velocity(&w->flow, worst);
    return fail(error, WEIR_NOT_FINITE,
                "particle %u is not finite in step %llu (substep %llu, %g s): position (%g, %g, "
                "%g) m, velocity (%g, %g, %g) m/s; use a smaller time step or check the scene",
                w->flow.p.id[worst], (unsigned long long)w->steps + 1,
                (unsigned long long)w->substeps, w->time, x.x, x.y, x.z, v.x, v.y, v.z);
}

void stage_step_end(weir_world *w, double dt)
{
    for (size_t k = 0; k < w->flow.body_count; k++) {
        body *b = &w->flow.bodies[k];
        if (b->asleep) /* what held it when it fell asleep holds it still */
            continue;
        b->contact_force = vec3_scale(b->contact_impulse, 1 / dt);
        b->joint_force = vec3_scale(b->joint_impulse, 1 / dt);
        if (!has_fluid(w))
            continue;
        b->pressure_force = vec3_scale(b->pressure_impulse, 1 / dt);
        b->viscous_force = vec3_scale(b->viscous_impulse, 1 / dt);
        b->torque = vec3_scale(b->angular_impulse, 1 / dt);
        if (w->sleep.load_count > 0) { /* what sleeps presses as it did */
            b->pressure_force = vec3_add(b->pressure_force, b->held[0]);
            b->viscous_force = vec3_add(b->viscous_force, b->held[1]);
            b->torque = vec3_add(b->torque, b->held[2]);
        }
    }
    hosts_end(&w->flow, dt);
    for (size_t k = 0; k < w->probe_count; k++)
        w->probes[k].rate = w->probes[k].crossed / dt;
}
