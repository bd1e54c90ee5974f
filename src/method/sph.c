#include "method/sph.h"

#include "base/error.h"
#include "matter/reactions.h"
#include "method/sph_work.h"
#include "par/parallel.h"

#include <assert.h>
#include <math.h>

static const double PI = 3.14159265358979323846;

/* -------------------------------------------------------------------- tables */

static const char *const eos_names[] = {"linear", "tait1", "tait7", NULL};
static const char *const switch_names[] = {"off", "on", NULL};
static const char *const form_names[] = {"mueller", "symmetric", NULL};
static const char *const gradient_names[] = {"same", "spiky", NULL};
static const char *const viscosity_names[] = {"derivative", "mueller", NULL};
static const char *const wall_names[] = {"volume", "projection", NULL};

static const weir_parameter parameters[SPH_PARAMETER_COUNT] = {
    [SPH_SOUND_SPEED] = {"sound_speed", "m/s", 0, 0, 1e5, NULL,
                         "ten times the speed that the fluid can reach by falling",
                         "Speed of sound: density varies by about (speed / sound speed)^2."},
    [SPH_STIFFNESS] = {"stiffness", "m2/s2", 0, 0, 1e10, NULL, "sound_speed squared",
                       "Mueller's k in p = k (density - rest density)."},
    [SPH_EQUATION_OF_STATE] = {"equation_of_state", "1", SPH_EOS_TAIT_7, 0, 2, eos_names, NULL,
                               "Pressure from density: linear, or Tait with exponent 1 or 7."},
    [SPH_NEGATIVE_PRESSURE] = {"negative_pressure", "1", 0, 0, 1, switch_names, NULL,
                               "Whether stretched fluid pulls; it clumps where it does."},
    [SPH_PRESSURE_FORM] = {"pressure_form", "1", SPH_FORM_SYMMETRIC, 0, 1, form_names, NULL,
                           "Pair force: Mueller's mean pressure, or p/density^2 summed."},
    [SPH_PRESSURE_KERNEL] = {"pressure_kernel", "1", SPH_GRADIENT_SAME, 0, 1, gradient_names, NULL,
                             "Kernel of the pressure gradient: the density's own, or spiky."},
    [SPH_VISCOSITY_FORM] = {"viscosity_form", "1", SPH_VISCOSITY_DERIVATIVE, 0, 1, viscosity_names,
                            NULL,
                            "Laplacian of viscosity: from the kernel's derivative, or "
                            "Mueller's viscosity kernel."},
    [SPH_SOUND_DAMPING] = {"sound_damping", "1", 0.2, 0, 1, NULL, NULL,
                           "Bulk viscosity over (sound speed x h): damps sound, not shear."},
    [SPH_WALLS] = {"walls", "1", SPH_WALLS_VOLUME, 0, 1, wall_names, NULL,
                   "Solids by their boundary volume, or by projecting particles out of them."},
    [SPH_WALL_DISTANCE] = {"wall_distance", "spacings", 0, 0, 2, NULL,
                           "the surface; with projected walls half a spacing from it",
                           "How close particles may come to a solid."},
    [SPH_COURANT] = {"courant", "1", 0.4, 0.01, 1, NULL, NULL,
                     "Stable time step times sound speed over h."},
};

static const weir_field fields[SPH_PUBLIC_FIELDS] = {
    [SPH_DENSITY] = {"density", "kg/m3", "mass per volume, solids counted as fluid"},
    [SPH_PRESSURE] = {"pressure", "Pa", "pressure from the equation of state"},
};

/* ------------------------------------------------------------------- set-up */

static double sound_speed(const flow *f)
{
    return f->parameters[SPH_SOUND_SPEED];
}

/* The viscous weight of all but the particle itself, whose velocity is its own. */
static double weigh_others(const void *context, double r)
{
    const drag_laplacian *l = context;
    if (r == 0)
        return 0;
    return l->mueller ? kernel_viscosity_laplacian(l->dim, r, l->h)
                      : -2 * kernel_derivative(l->kernel, l->dim, r, l->h) / r;
}

static void find_viscous_rates(const flow *f, sph_data *data)
{
    const drag_data *drag = &data->drag;
    double s = 0.25 * f->spacing / f->h; /* drag_wall_rate goes no closer */
    data->viscous_rate =
        f->kappa * f->volume * drag->scale *
        kernel_lattice_sum(f->dim, f->spacing, f->h, weigh_others, &drag->laplacian);
    data->wall_viscous_rate = wall_moment(&drag->no_slip, s) / (f->h * f->h * s);
}

/* The pull between pairs that gives a surface tension of 1 N/m: half the work that parts two half
 * spaces, n² ∫ F r³ dr/3 in 2D and π n² ∫ F r⁴ dr/8 in 3D for particles n per volume (the
 * Kirkwood-Buff formula for a sharp surface). */
static double surface_cohesion(const flow *f)
{
    enum { STEPS = 1000 };
    double moment = 0;
    for (int k = 0; k < STEPS; k++) {
        double q = (k + 0.5) / STEPS, t = 1 - q;
        double hill = 64 * t * t * t * q * q * q, pull = q > 0.5 ? hill : 2 * hill - 1;
        moment += pull * (f->dim == 2 ? q * q * q / 3 : PI * q * q * q * q / 8) / STEPS;
    }
    moment *= pow(f->h, f->dim + 2) / (f->volume * f->volume);
    return 1 / moment;
}

static bool has_tension(const flow *f)
{
    for (int k = 0; k < f->fluid_count; k++)
        if (f->fluids[k].surface_tension > 0)
            return true;
    return false;
}

static sph_constants make_constants(const flow *f, const drag_data *drag)
{
    const double *p = f->parameters;
    weir_kernel pressure_kernel = drag->laplacian.kernel;
    return (sph_constants){
        .density_kernel = f->kernel,
        .pressure_kernel = pressure_kernel,
        .density = kernel_constants_make(f->kernel, f->dim, f->h),
        .pressure = kernel_constants_make(pressure_kernel, f->dim, f->h),
        .volume = (float)(f->kappa * f->volume),
        .viscosity_scale = (float)drag->scale,
        .mueller_form = p[SPH_PRESSURE_FORM] == SPH_FORM_MUELLER,
        .mueller_viscosity = drag->laplacian.mueller,
        .has_tension = has_tension(f),
        /* The mean of both fluids, per rest volume; the sums are multiplied by `volume` later. */
        .cohesion = (float)(0.5 * surface_cohesion(f) / (f->volume * f->kappa * f->volume)),
        .tiny = (float)(1e-6 * f->h),
    };
}

static bool prepare(flow *f, weir_error *error)
{
    double *p = f->parameters;
    if (p[SPH_STIFFNESS] > 0 && p[SPH_SOUND_SPEED] > 0 &&
        fabs(p[SPH_SOUND_SPEED] * p[SPH_SOUND_SPEED] - p[SPH_STIFFNESS]) > 1e-6 * p[SPH_STIFFNESS])
        return fail(error, WEIR_INVALID,
                    "stiffness %g and sound_speed %g contradict each other: give one of them "
                    "(stiffness is sound_speed squared)",
                    p[SPH_STIFFNESS], p[SPH_SOUND_SPEED]);
    if (p[SPH_STIFFNESS] > 0)
        p[SPH_SOUND_SPEED] = sqrt(p[SPH_STIFFNESS]);
    else if (p[SPH_SOUND_SPEED] == 0)
        p[SPH_SOUND_SPEED] = 10 * f->reference_speed;
    p[SPH_STIFFNESS] = p[SPH_SOUND_SPEED] * p[SPH_SOUND_SPEED];

    sph_data *data = f->method_data;
    weir_kernel pressure_kernel =
        p[SPH_PRESSURE_KERNEL] == SPH_GRADIENT_SPIKY ? WEIR_KERNEL_SPIKY : f->kernel;
    drag_prepare(&data->drag, f, pressure_kernel, p[SPH_VISCOSITY_FORM] == SPH_VISCOSITY_MUELLER);
    data->constants = make_constants(f, &data->drag);
    find_viscous_rates(f, data);
    return true;
}

/* ------------------------------------------------------------ the time step */

/* An explicit step of viscosity is stable while no difference of velocities is overshot: with
 * weights w its fastest mode decays at no more than 2 Σw + w_wall, times ν dt, which must stay
 * below 2. The factor leaves room for packings denser than the lattice. */
static double viscous_limit(const flow *f, const fluid *liquid)
{
    const sph_data *data = f->method_data;
    double rate = data->viscous_rate;
    for (size_t b = 0; b < f->body_count; b++)
        if (f->bodies[b].alive && f->bodies[b].wall == WEIR_WALL_NO_SLIP) {
            rate += 0.5 * data->wall_viscous_rate;
            break;
        }
    return 0.8 * liquid->density / (liquid->viscosity * rate);
}

/* Sound must not cross more than a part of h in a step; capillary waves have the usual explicit
 * limit (Morris 2000); nothing may move more than 0.4 spacings. */
static weir_step_limit limit(const flow *f)
{
    double c = sound_speed(f), h = f->h;
    weir_step_limit found = {
        .seconds = INFINITY, .cause = "none", .sound_speed = c, .speed = f->speed_max};
    step_limit_tighten(&found, f->parameters[SPH_COURANT] * h / c, "sound");
    double bulk = f->parameters[SPH_SOUND_DAMPING] * c * h;
    if (bulk > 0)
        step_limit_tighten(&found, 0.25 * h * h / bulk, "sound damping");
    for (int k = 0; k < f->fluid_count; k++) {
        const fluid *liquid = &f->fluids[k];
        if (liquid->viscosity > 0)
            step_limit_tighten(&found, viscous_limit(f, liquid), "viscosity");
        if (liquid->surface_tension > 0)
            step_limit_tighten(
                &found,
                0.25 * sqrt(liquid->density * h * h * h / (2 * PI * liquid->surface_tension)),
                "surface tension");
    }
    if (f->speed_max > 0)
        step_limit_tighten(&found, 0.4 * f->spacing / f->speed_max, "speed");
    return found;
}

static double wall_distance(const flow *f)
{
    const double *p = f->parameters;
    if (p[SPH_WALL_DISTANCE] == 0 && p[SPH_WALLS] == SPH_WALLS_PROJECTION)
        return 0.5 * f->spacing;
    return p[SPH_WALL_DISTANCE] * f->spacing;
}

/* ------------------------------------------------------------ accelerations */

typedef struct sph_job {
    flow *f;
    const sph_data *data;
    double dt;
} sph_job;

static const sph_passes *passes(const flow *f)
{
    static const sph_passes *const levels[] = LANE_TABLE(sph_passes_);
    return levels[f->level];
}

static float pressure_of(const flow *f, const fluid *liquid, double ratio, double rate)
{
    const double *p = f->parameters;
    double c2 = p[SPH_STIFFNESS], rho = liquid->density;
    double r2 = ratio * ratio;
    double pressure = p[SPH_EQUATION_OF_STATE] == SPH_EOS_TAIT_7
                          ? rho * c2 / 7 * (r2 * r2 * r2 * ratio - 1)
                          : rho * c2 * (ratio - 1);
    pressure += p[SPH_SOUND_DAMPING] * sound_speed(f) * f->h * rho * rate;
    if (pressure < 0 && p[SPH_NEGATIVE_PRESSURE] == 0)
        pressure = 0;
    return (float)pressure;
}

/* Adds the solids to the densities, and finds the pressures. */
static void complete_density(flow *f, size_t first, size_t count)
{
    bool by_volume = f->parameters[SPH_WALLS] == SPH_WALLS_VOLUME;
    float **field = f->p.field;
    for (size_t i = first; i < first + count; i++) {
        const wall_span *solids = &f->walls.spans[i];
        if (by_volume) {
            field[SPH_RATIO][i] += solids->volume;
            for (uint32_t w = 0; w < solids->count; w++)
                for (int a = 0; a < f->dim; a++)
                    field[SPH_RATE][i] += solids->contacts[w].gradient[a] *
                                          (f->p.v[a][i] - solids->contacts[w].velocity[a]);
        }
        const fluid *liquid = &f->fluids[f->p.fluid[i]];
        float ratio = field[SPH_RATIO][i];
        field[SPH_DENSITY][i] = (float)liquid->density * ratio;
        field[SPH_INVERSE][i] = 1 / ratio;
        field[SPH_VISCOSITY][i] = (float)liquid->viscosity;
        field[SPH_TENSION][i] = (float)liquid->surface_tension;
        field[SPH_PRESSURE][i] = pressure_of(f, liquid, ratio, field[SPH_RATE][i]);
    }
}

static void density_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sph_job *job = context;
    passes(job->f)->density(job->f, &job->data->constants, begin, end);
    size_t first, last;
    flow_chunk_range(job->f, begin, end, &first, &last);
    complete_density(job->f, first, last - first);
}

/* Accelerations by one solid. Pressure: the derivative of the particle's own energy by its boundary
 * volume. Counting the solid as fluid of the same pressure would push twice as hard, but such a
 * force has no energy and heats the fluid (measured: a dam break gained its own energy again
 * within a second). */
static void wall_accelerations(const sph_job *job, size_t i, const wall_contact *contact,
                               double pressure[3], double viscous[3])
{
    const flow *f = job->f;
    const fluid *liquid = &f->fluids[f->p.fluid[i]];
    double inverse = f->p.field[SPH_INVERSE][i];
    double weight = 0;
    if (f->parameters[SPH_WALLS] == SPH_WALLS_VOLUME)
        weight = -f->p.field[SPH_PRESSURE][i] * inverse * inverse / liquid->density;
    double drag = drag_wall_rate(&job->data->drag, f, i, contact, inverse);
    for (int a = 0; a < f->dim; a++) {
        pressure[a] = weight * contact->gradient[a];
        viscous[a] = drag * ((double)contact->velocity[a] - f->p.v[a][i]);
    }
}

static void complete_force(const sph_job *job, size_t first, size_t count)
{
    flow *f = job->f;
    const double uniform[3] = {f->force.x, f->force.y, f->force.z};
    assert(f->dim <= 3);
    for (size_t i = first; i < first + count; i++) {
        const wall_span *solids = &f->walls.spans[i];
        float inverse_density = (float)(1 / f->fluids[f->p.fluid[i]].density);
        double sum[3] = {uniform[0], uniform[1], uniform[2]};
        for (uint32_t w = 0; w < solids->count; w++) {
            double pressure[3], viscous[3];
            wall_accelerations(job, i, &solids->contacts[w], pressure, viscous);
            for (int a = 0; a < f->dim; a++)
                sum[a] += pressure[a] + viscous[a];
        }
        for (int a = 0; a < f->dim; a++) {
            float *acceleration = &f->p.field[SPH_ACCELERATION_X + a][i];
            *acceleration = *acceleration * inverse_density + (float)sum[a];
        }
    }
}

static void force_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sph_job *job = context;
    passes(job->f)->force(job->f, &job->data->constants, begin, end);
    size_t first, last;
    flow_chunk_range(job->f, begin, end, &first, &last);
    complete_force(job, first, last - first);
}

/* What a solid feels: the opposite of what it gave. */
static void find_reaction(const void *context, size_t i, uint32_t w, reaction *out)
{
    const sph_job *job = context;
    const flow *f = job->f;
    double pressure[3] = {0}, viscous[3] = {0};
    wall_accelerations(job, i, &f->walls.spans[i].contacts[w], pressure, viscous);
    double scale = -f->fluids[f->p.fluid[i]].mass * job->dt;
    out->point = flow_nearest(f, flow_position(f, i), &f->bodies[out->body]);
    out->pressure = vec3_scale((vec3){pressure[0], pressure[1], pressure[2]}, scale);
    out->viscous = vec3_scale((vec3){viscous[0], viscous[1], viscous[2]}, scale);
}

static void accelerate(flow *f, double dt)
{
    sph_data *data = f->method_data;
    sph_job job = {.f = f, .data = data, .dt = dt};
    double since = pass_now();
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, density_chunk, &job);
    flow_note_pass(f, &density_work, since);
    since = pass_now();
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, force_chunk, &job);
    flow_note_pass(f, &force_work, since);
    if (!reactions_push(f, find_reaction, &job))
        f->exhausted = true;
}

/* -------------------------------------------------------------------- motion */

static void move_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sph_job *job = context;
    flow *f = job->f;
    float dt = (float)job->dt;
    for (int a = 0; a < f->dim; a++) {
        float *x = f->p.x[a], *v = f->p.v[a];
        const float *acceleration = f->p.field[SPH_ACCELERATION_X + a];
        for (size_t i = begin; i < end; i++) {
            v[i] += dt * acceleration[i];
            x[i] += dt * v[i];
        }
    }
}

static void finish(flow *f, double dt)
{
    sph_job job = {.f = f, .dt = dt};
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, move_chunk, &job);
}

const method method_sph = {
    .info = {"sph", "Smoothed particle hydrodynamics (Mueller et al. 2003; Tait pressure)",
             parameters, SPH_PARAMETER_COUNT, fields, SPH_PUBLIC_FIELDS},
    .all_fields = SPH_FIELD_COUNT,
    .kept_fields = 0,
    .data_bytes = sizeof(sph_data),
    .uses_wall_volume = true,
    .prepare = prepare,
    .limit = limit,
    .wall_distance = wall_distance,
    .accelerate = accelerate,
    .finish = finish,
};
