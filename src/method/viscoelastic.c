#include "method/viscoelastic.h"

#include "base/error.h"
#include "method/viscoelastic_work.h"
#include "par/parallel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const weir_field fields[VISCO_PUBLIC_FIELDS] = {
    [VISCO_DENSITY] = {"density", "kg/m3", "mass per volume, solids counted as fluid"},
    [VISCO_PRESSURE] = {"pressure", "Pa", "pressure from both densities; negative where they pull"},
};

/* ------------------------------------------------------------------- set-up */

/* Takes the memory that states need. */
static bool make_ready(flow *f)
{
    visco_data *data = f->method_data;
    data->ready = data->ready || springs_init(&data->springs, f->mem, f->threads);
    return data->ready && visco_reserve_bodies(f);
}

static bool prepare(flow *f, weir_error *error)
{
    if (!make_ready(f))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for springs");
    return visco_derive(f, error);
}

static void release(flow *f)
{
    visco_data *data = f->method_data;
    if (data->ready)
        springs_free(&data->springs);
    visco_free_bodies(f);
    visco_free_order(f);
}

/* Settled particles lie closer to a solid than half a spacing, because its volume does not press on
 * them as neighbours would. Measured: between what makes the level of pools right (0.014 h) and
 * what makes the lift of bodies right (0.005 h). */
static boundary_growth solid_growth(const flow *f)
{
    return (boundary_growth){.faces = 0.01 * f->h};
}

/* ------------------------------------------------------------ the time step */

/* σ of a fluid. */
static double drag_of(const flow *f, const fluid *liquid)
{
    const visco_data *data = f->method_data;
    double given = f->parameters[VISCO_VISCOSITY];
    return (given > 0 ? given : liquid->viscosity) / (liquid->density * data->rest.shear);
}

/* With forces at predicted positions an oscillation of frequency ω is stable for ω² Δt² <= 4/3
 * (the appendix's scheme: trace 2 − 2z, determinant 1 − z). The stiffest mode of the pressures has
 * ω = c/(C h); of springs ω² <= k Σ(1 − L/h), as neighbours move against each other. */
static weir_step_limit limit(const flow *f)
{
    const visco_data *data = f->method_data;
    const double *p = f->parameters;
    double courant = p[VISCO_COURANT];
    weir_step_limit found = {.seconds = INFINITY,
                             .cause = "none",
                             .sound_speed = p[VISCO_SOUND_SPEED],
                             .speed = f->speed_max};
    /* C found by experiment: pools heat above 0.7 without cohesion and above 0.4 with all of it. */
    double cohesion = 0;
    for (int k = 0; k < f->fluid_count; k++)
        cohesion = fmax(cohesion, data->pressure[k].stretch / data->pressure[k].compress);
    step_limit_tighten(&found, courant * (0.5 - 0.2 * cohesion) * f->h / p[VISCO_SOUND_SPEED],
                       "sound");
    if (data->law.stiffness > 0)
        step_limit_tighten(&found, courant * 0.8 / sqrt(data->law.stiffness * data->rest.reach),
                           "springs");
    double rate = fmax(data->law.stretch_rate, data->law.compress_rate);
    if (data->law.stiffness > 0 && rate > 0)
        step_limit_tighten(&found, courant * 0.5 / rate, "plasticity");
    for (int k = 0; k < f->fluid_count; k++) {
        double drag = drag_of(f, &f->fluids[k]) +
                      data->constants.quadratic * fmin(f->speed_max, f->reference_speed);
        if (drag > 0)
            step_limit_tighten(&found, courant * f->dim / (drag * data->rest.reach), "viscosity");
    }
    if (f->speed_max > 0)
        step_limit_tighten(&found, courant * 0.4 * f->spacing / f->speed_max, "speed");
    return found;
}

/* ------------------------------------------------------------------- motion */

typedef struct visco_job {
    flow *f;
    visco_data *data;
    double dt;
} visco_job;

static const visco_passes *passes(const flow *f)
{
    static const visco_passes *const levels[] = LANE_TABLE(visco_passes_);
    return levels[f->level];
}

static void for_particles(visco_job *job, parallel_body work)
{
    parallel_for(job->f->threads, job->f->p.count, PARTICLE_GRAIN, work, job);
}

static void for_clusters(visco_job *job, parallel_body work)
{
    parallel_for(job->f->threads, job->f->near.cluster_count, CLUSTER_GRAIN, work, job);
}

static void begin_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const visco_job *job = context;
    flow *f = job->f;
    float dt = (float)job->dt, **field = f->p.field;
    for (int a = 0; a < f->dim; a++)
        for (size_t i = begin; i < end; i++)
            field[VISCO_START_X + a][i] = f->p.x[a][i] - dt * f->p.v[a][i];
    float drag[MAX_FLUIDS], mass[MAX_FLUIDS];
    for (int k = 0; k < f->fluid_count; k++) {
        drag[k] = (float)drag_of(f, &f->fluids[k]);
        mass[k] = (float)f->fluids[k].mass;
    }
    for (size_t i = begin; i < end; i++) {
        field[VISCO_DRAG][i] = drag[f->p.fluid[i]];
        field[VISCO_MASS][i] = mass[f->p.fluid[i]];
    }
}

static void drag_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const visco_job *job = context;
    passes(job->f)->drag(job->f, &job->data->constants, (float)job->dt, begin, end);
}

/* Velocity changes move the predicted positions along. */
static void apply_drag_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const visco_job *job = context;
    flow *f = job->f;
    float dt = (float)job->dt;
    for (int a = 0; a < f->dim; a++)
        for (size_t i = begin; i < end; i++) {
            float change = f->p.field[VISCO_SHIFT_X + a][i];
            f->p.v[a][i] += change;
            f->p.x[a][i] += dt * change;
        }
}

/* Displacements are velocity changes, too (line 20). */
static void apply_shift_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const visco_job *job = context;
    flow *f = job->f;
    float per_second = (float)(1 / job->dt);
    for (int a = 0; a < f->dim; a++)
        for (size_t i = begin; i < end; i++) {
            float shift = f->p.field[VISCO_SHIFT_X + a][i];
            f->p.x[a][i] += shift;
            f->p.v[a][i] += per_second * shift;
        }
}

/* Viscosity (Algorithm 5). Particles stay where the search found them until the springs know who is
 * near whom; what they lose is in SHIFT. */
static void accelerate(flow *f, double dt)
{
    visco_job job = {f, f->method_data, dt};
    if (!visco_reserve_bodies(f)) {
        f->exhausted = true;
        return;
    }
    visco_settle_bodies(f);
    for_particles(&job, begin_chunk);
    if (f->parameters[VISCO_ORDER] == VISCO_ORDER_SEQUENTIAL) {
        visco_drag_sequential(f, dt);
        return;
    }
    double since = pass_now();
    for_clusters(&job, drag_chunk);
    flow_note_pass(f, &drag_work, since);
}

/* --------------------------------------------------------------- relaxation */

void visco_find_pressures(flow *f, size_t i, double density, double near, double *push,
                          double *near_push)
{
    const visco_data *data = f->method_data;
    const visco_rest *rest = &data->rest;
    if (f->parameters[VISCO_WALLS] == VISCO_WALLS_VOLUME) {
        /* A solid counts as fluid at rest; the whole sum has the particle itself in it. */
        double covered = f->walls.spans[i].volume;
        density += visco_share(data->shares.far, covered, NULL) * (1 + rest->density);
        near += visco_share(data->shares.near, covered, NULL) * (1 + rest->near);
    }
    const visco_law *law = &data->pressure[f->p.fluid[i]];
    double excess = density - rest->density;
    *push = (excess > 0 ? law->compress : law->stretch) * excess + law->bias;
    *near_push = law->near * near;
    double pressure = (*push * rest->far_virial + *near_push * rest->near_virial) / (2 * f->dim);
    double ratio = (1 + density) / (1 + rest->density);
    double mass_density = f->fluids[f->p.fluid[i]].density * ratio;
    f->p.field[VISCO_DENSITY][i] = (float)mass_density;
    f->p.field[VISCO_PRESSURE][i] = (float)(mass_density * pressure);
}

/* Turns densities into pushes (Algorithm 2, lines 10 to 12). */
static void press_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const visco_job *job = context;
    flow *f = job->f;
    double dt2 = job->dt * job->dt;
    float *far = f->p.field[VISCO_FAR_PUSH], *near = f->p.field[VISCO_NEAR_PUSH];
    passes(f)->density(f, &job->data->constants, begin, end);
    size_t first, last;
    flow_chunk_range(f, begin, end, &first, &last);
    for (size_t i = first; i < last; i++) {
        double push, near_push;
        visco_find_pressures(f, i, (double)far[i] - 1, (double)near[i] - 1, &push, &near_push);
        far[i] = (float)(dt2 * push);
        near[i] = (float)(dt2 * near_push);
    }
}

static void displace_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const visco_job *job = context;
    passes(job->f)->displace(job->f, &job->data->constants, begin, end);
}

/* Springs, where there are any, and with them the displacements by viscosity. */
static bool run_springs(visco_job *job)
{
    flow *f = job->f;
    visco_data *data = job->data;
    bool any = data->law.stiffness > 0;
    double since = pass_now();
    if (!any)
        springs_clear(&data->springs);
    else if (!springs_run(&data->springs, f, &data->law, job->dt, &f->p.field[VISCO_START_X],
                          data->constants.mixed ? f->p.field[VISCO_MASS] : NULL,
                          &f->p.field[VISCO_SHIFT_X]))
        return false;
    if (any)
        pass_log_add(&f->passes, &springs_work,
                     &(pass_size){f->dim, f->p.count, data->springs.ends, 1, 0}, since);
    if (f->parameters[VISCO_ORDER] == VISCO_ORDER_SEQUENTIAL)
        visco_pull_sequential(f, job->dt);
    else
        for_particles(job, any ? apply_shift_chunk : apply_drag_chunk);
    return true;
}

/* Algorithm 1, lines 12 to 17. */
static void project(flow *f, double dt)
{
    visco_job job = {f, f->method_data, dt};
    if (f->exhausted || !run_springs(&job)) {
        f->exhausted = true;
        return;
    }
    if (f->parameters[VISCO_ORDER] == VISCO_ORDER_SEQUENTIAL)
        visco_relax_sequential(f, dt);
    else {
        double since = pass_now();
        for_clusters(&job, press_chunk);
        flow_note_pass(f, &density_work, since);
        since = pass_now();
        for_clusters(&job, displace_chunk);
        for_particles(&job, apply_shift_chunk);
        flow_note_pass(f, &displace_work, since);
    }
    visco_displace_by_all_solids(f, dt);
    visco_push_bodies(f, dt);
}

static void finish(flow *f, double dt)
{
    if (f->exhausted)
        return;
    visco_push_particles(f, dt);
}

/* -------------------------------------------------------------------- state */

static const char PENDING[] = "bodies/pending";

static int save(flow *f, weir_section *sections)
{
    visco_data *data = f->method_data;
    if (!make_ready(f) || !springs_save(&data->springs, f, sections))
        return -1;
    weir_section *pending = &sections[SPRING_SECTIONS];
    *pending =
        (weir_section){.type = WEIR_SECTION_F64, .count = 6 * f->body_count, .data = data->pending};
    snprintf(pending->name, sizeof pending->name, "%s", PENDING);
    return SPRING_SECTIONS + 1;
}

static bool reserve(flow *f, const char *section, size_t count, weir_error *error)
{
    visco_data *data = f->method_data;
    return (make_ready(f) && springs_reserve(&data->springs, section, count)) ||
           fail(error, WEIR_OUT_OF_MEMORY, "no memory for %zu values of %s", count, section);
}

static bool restore(flow *f, weir_error *error)
{
    visco_data *data = f->method_data;
    return springs_restore(&data->springs, f, error);
}

/* Springs are kept from step to step by all particles that have some. */
static bool stays_awake(const flow *f)
{
    const visco_data *data = f->method_data;
    return data->law.stiffness > 0;
}

static void count(const flow *f, weir_counters *counters)
{
    const visco_data *data = f->method_data;
    counters->springs = data->springs.ends / 2;
    counters->spring_bytes = springs_bytes(&data->springs);
    counters->springs_changed = data->springs.changed / 2;
}

const method method_viscoelastic = {
    .info = {"viscoelastic", "Viscoelastic fluids (Clavet, Beaudoin, Poulin 2005)",
             visco_parameters, VISCO_PARAMETER_COUNT, fields, VISCO_PUBLIC_FIELDS},
    .all_fields = VISCO_FIELD_COUNT,
    /* couple/film.h reads the pressure of the last substep. */
    .kept_fields = 1u << VISCO_PRESSURE,
    .data_bytes = sizeof(visco_data),
    .support = {4, 2.5}, /* in 2D fewer neighbours make a crystal that bears shear */
    .uses_wall_volume = true,
    .prepare = prepare,
    .limit = limit,
    .solid_growth = solid_growth,
    .wall_distance = visco_collision_radius,
    /* Algorithm 1, lines 1 to 3 and 6 to 10; viscosity follows when neighbours are known. */
    .predict = method_fall,
    .accelerate = accelerate,
    .project = project,
    .finish = finish,
    .save = save,
    .reserve = reserve,
    .restore = restore,
    .stays_awake = stays_awake,
    .count = count,
    .release = release,
};
