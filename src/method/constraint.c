#include "method/constraint.h"

#include "base/error.h"
#include "method/constraint_rows.h"
#include "method/constraint_surface.h"
#include "method/constraint_twins.h"
#include "method/constraint_walls.h"
#include "method/constraint_weigh.h"
#include "method/support_table.h"
#include "par/parallel.h"

#include <math.h>
#include <string.h>

/* -------------------------------------------------------------------- tables */

static const char *const stepping_names[] = {"split", "spook", NULL};
static const char *const solver_names[] = {"accelerated", "mprgp", "gauss-seidel", NULL};
static const char *const wall_names[] = {"volume", "field", "contact", NULL};
static const char *const switch_names[] = {"off", "on", NULL};

static const weir_parameter parameters[CONSTRAINT_PARAMETER_COUNT] = {
    [CONSTRAINT_STEPPING] =
        {"stepping", "1", CONSTRAINT_STEPPING_SPLIT, 0, 1, stepping_names, NULL,
         "Velocities and positions solved apart (quiet), or SPOOK's one solve."},
    [CONSTRAINT_SOLVER] = {"solver", "1", SOLVER_ACCELERATED, 0, 2, solver_names, NULL,
                           "Accelerated gradients, which reach a loose tolerance soonest, bounded "
                           "conjugate gradients, or the paper's Gauss-Seidel sweeps."},
    [CONSTRAINT_WALLS] = {"walls", "1", CONSTRAINT_WALLS_VOLUME, 0, 2, wall_names, NULL,
                          "Solids by their volume; as the paper has them: by one particle's field "
                          "(2D), or by contact alone, half a kernel radius away (3D)."},
    [CONSTRAINT_CALIBRATION] = {"calibration", "1", 1, 0, 1, switch_names, NULL,
                                "Whether volumes are scaled so that particles at rest have the "
                                "rest density; the paper's are not."},
    [CONSTRAINT_COHESION] = {"cohesion", "1", 0, 0, 1, switch_names, NULL,
                             "Whether stretched fluid pulls together, as the paper's equality."},
    [CONSTRAINT_SOUND_SPEED] = {"sound_speed", "m/s", 0, 0, 1e6, NULL,
                                "seventy times the speed that the fluid can reach by falling",
                                "Stiffness of the density rows (SPOOK stepping)."},
    [CONSTRAINT_RELAXATION] = {"relaxation", "steps", 2, 0, 100, NULL, NULL,
                               "Time in which a density error decays (SPOOK stepping)."},
    [CONSTRAINT_ITERATIONS] = {"iterations", "1", 400, 1, 10000, NULL, NULL,
                               "Most iterations per solve."},
    [CONSTRAINT_MIN_ITERATIONS] = {"min_iterations", "1", 2, 1, 10000, NULL, NULL,
                                   "Fewest iterations per solve."},
    [CONSTRAINT_TOLERANCE] = {"tolerance", "1", 1e-3, 0, 1, NULL, NULL,
                              "Residual of the velocities, over what drives them, that always "
                              "ends a solve."},
    [CONSTRAINT_DENSITY_TOLERANCE] =
        {"density_tolerance", "1", CONSTRAINT_CALM_TOLERANCE, 0, 1, NULL, NULL,
         "Density error, rms, that a step of fast fluid may leave; of "
         "one particle 4.5 times as much, 5 where it is looser than the default. Calm fluid keeps "
         "the default, and less where it is deeper than 52 spacings. Games "
         "take 0.02 to 0.06: steps are longer, too, and fluid in motion takes one solve."},
    [CONSTRAINT_WARM_START] = {"warm_start", "1", 0.95, 0, 1, NULL, NULL,
                               "Share of the last step's multipliers that a solve starts from; "
                               "nearer to 1 in fluid deeper than 22 spacings."},
    [CONSTRAINT_XSPH] = {"xsph", "1", 0.01, 0, 0.5, NULL, NULL,
                         "Share of the neighbours' mean velocity that a particle takes on."},
    [CONSTRAINT_SURFACE_BALANCE] = {"surface_balance", "1", 1, 0, 2, NULL, NULL,
                                    "How much of the energy that particles lose at a free surface "
                                    "is made up for, so that bodies which lean at the waterline "
                                    "float right."},
    [CONSTRAINT_COURANT] = {"courant", "1", 1, 0.01, 4, NULL, NULL,
                            "Stable time step, as a multiple of the limit that Weir derives."},
};

static const weir_field fields[CONSTRAINT_PUBLIC_FIELDS] = {
    [CONSTRAINT_DENSITY] = {"density", "kg/m3", "mass per volume, solids counted as fluid"},
    [CONSTRAINT_PRESSURE] = {"pressure", "Pa", "pressure from the multipliers of the density"},
};

/* ------------------------------------------------------------------- set-up */

static bool prepare(flow *f, weir_error *error)
{
    (void)error;
    double *p = f->parameters;
    if (p[CONSTRAINT_SOUND_SPEED] == 0)
        p[CONSTRAINT_SOUND_SPEED] = 70 * f->reference_speed;
    f->kappa = p[CONSTRAINT_CALIBRATION] == 0
                   ? 1
                   : kernel_settled_factor(f->kernel, f->dim, f->spacing, f->h);
    constraint_data *data = f->method_data;
    double squares = kernel_lattice_squares(f->kernel, f->dim, f->spacing, f->h);
    double volume = f->kappa * f->volume;
    double moment = volume * kernel_lattice_moment(f->kernel, f->dim, f->spacing, f->h);
    constraint_weight *weights = data->constants.weights;
    constraint_point *points = data->constants.points;
    constraint_moment *moments = data->constants.moments;
    /* In units of h: 1 for two of the kernels; the spiky one has no largest value, and is cut off
     * where particles are a sixth of a spacing apart. */
    double largest = f->kernel == WEIR_KERNEL_CUBIC ? 2 : f->kernel == WEIR_KERNEL_SPIKY ? 16 : 1;
    double units = UINT16_MAX / largest;
    data->constants = (constraint_constants){
        .kernel = f->kernel,
        .value = (float)(volume * f->kernel_factors.value),
        .gradient = (float)(volume / moment * f->kernel_factors.gradient * f->h / units),
        .weight_units = (float)units,
        .reach2 = (float)(f->near.h * f->near.h / (f->h * f->h)),
        .weights = weights,
        .points = points,
        .moments = moments,
        .fetch_far = lane_fetches_far(),
    };
    data->gradient_volume = (float)(volume / moment);
    drag_prepare(&data->drag, f, f->kernel, false);
    f->density_scale = sqrt(f->fluids[0].mass / (volume * volume * squares));
    return true;
}

/* Towards its end Wendland's kernel is next to nothing: W' falls with the third power. The last
 * tenth of h has 0.6 % of the first moment of the gradient, but a fifth of all candidates;
 * pressures and floating depths are as right without it. */
static double reach(const flow *f)
{
    return f->kernel == WEIR_KERNEL_WENDLAND_C2 ? 0.90 * f->h : f->h;
}

/* Settled fluid lies closer to a wall than half a spacing: particles of the first layer count the
 * wall's volume as their neighbours', but it does not press on them as neighbours would. What a
 * pool has too much beside its walls was measured for Wendland C2 in tanks of 24 spacings' depth,
 * in spacings; grown by it, solids displace what their shape says. Sharp edges displace less: a
 * prism with edges of 53 degrees lay 0.9 % too deep in 2D, and lies right with this share. */
static boundary_growth solid_growth(const flow *f)
{
    static const support_value measured[] = {
        {2, {-0.024, -0.024}}, {2.5, {0.010, 0.024}}, {3, {0.022, 0.03}}, {3.5, {0.032, 0.03}}};
    enum { COUNT = sizeof measured / sizeof measured[0] };
    static const double EDGES[2] = {0.1, 0.15}; /* 2D, 3D */
    if (f->kernel != WEIR_KERNEL_WENDLAND_C2)
        return (boundary_growth){0, 0};
    double faces = f->spacing * support_find(measured, COUNT, f->h / f->spacing, f->dim);
    return (boundary_growth){faces, EDGES[f->dim - 2]};
}

/* How much more error is allowed than by default, to the fourth root. */
static double find_slack(const flow *f)
{
    double times = f->parameters[CONSTRAINT_DENSITY_TOLERANCE] / CONSTRAINT_CALM_TOLERANCE;
    return sqrt(sqrt(fmax(times, 1)));
}

/* m²/s², what the weight of the fluid can press with, over its density. */
static double find_head(const flow *f)
{
    return vec3_length(f->force) * f->fluid_depth;
}

/* Where more error is allowed and the fluid as a whole is in motion, one solve serves velocities
 * and positions: all that positions are off by becomes speed, which is nothing next to the speed
 * that there is. Water at rest boils with it, at up to a tenth of the root of the head, and single
 * drops are fast over water at rest; so it is the mean speed that counts. */
static bool is_at_once(const flow *f)
{
    static const double FAST = 0.25;
    const double *p = f->parameters;
    double head = find_head(f);
    return find_slack(f) > 1 && p[CONSTRAINT_SOLVER] == SOLVER_ACCELERATED &&
           p[CONSTRAINT_STEPPING] == CONSTRAINT_STEPPING_SPLIT && p[CONSTRAINT_COHESION] == 0 &&
           p[CONSTRAINT_WALLS] == CONSTRAINT_WALLS_VOLUME && head > 0 &&
           f->speed_rms > FAST * sqrt(head);
}

/* How much longer steps are than by default. */
static double find_stretch(const flow *f)
{
    double slack = find_slack(f);
    return is_at_once(f) ? slack * sqrt(slack) : slack;
}

/* In steps that take anything far the search finds the pairs of their end, velocities are solved
 * for the mean rates of the way, and positions with the gradients of its end. Less far, rows of the
 * present are as good, and cheaper. Neither the papers' steps nor those of games gain by it, and
 * the links of sweeps are those of the present. */
double constraint_look_ahead(const flow *f, double dt)
{
    static const double FAR = 0.5; /* spacings */
    const double *p = f->parameters;
    bool can = p[CONSTRAINT_STEPPING] == CONSTRAINT_STEPPING_SPLIT &&
               p[CONSTRAINT_SOLVER] != SOLVER_GAUSS_SEIDEL &&
               p[CONSTRAINT_WALLS] == CONSTRAINT_WALLS_VOLUME && find_slack(f) <= 1;
    return can && f->speed_max * dt > FAR * f->spacing ? dt : 0;
}

/* Spacings that anything may move within a step. */
static double find_most_way(const flow *f)
{
    return fmax(1, 0.65 * find_stretch(f));
}

/* Under pressure particles buckle when a step is too long, whatever the solver: the step stays
 * below k d0/sqrt(p/ρ). Measured for Wendland C2 and a support of 2.5 spacings: 0.58 holds, 0.78
 * boils; larger supports bear more. A tower of water that comes down on a floor is compressed by
 * 0.33 % inside with 0.5, and by 0.26 % with 0.45. Without weight there is no limit. */
static double find_pressure_step(const flow *f)
{
    double support = f->h / f->spacing, head = find_head(f);
    double k = fmax(0.45 + 0.4 * (support - 2.5), 0.2);
    if (is_at_once(f))
        k *= sqrt(find_stretch(f));
    return head > 0 ? k * f->spacing / sqrt(head) : INFINITY;
}

static weir_step_limit limit(const flow *f)
{
    const constraint_data *data = f->method_data;
    double courant = f->parameters[CONSTRAINT_COURANT];
    weir_step_limit found = {.seconds = INFINITY,
                             .cause = "none",
                             .sound_speed = f->parameters[CONSTRAINT_SOUND_SPEED],
                             .speed = f->speed_max};
    step_limit_tighten(&found, courant * find_pressure_step(f), "pressure");
    for (int n = 0; n < f->fluid_count; n++)
        if (f->fluids[n].viscosity > 0)
            step_limit_tighten(&found, drag_step_limit(&data->drag, &f->fluids[n]), "viscosity");
    if (f->speed_max > 0)
        step_limit_tighten(&found, courant * find_most_way(f) * f->spacing / f->speed_max, "speed");
    return found;
}

/* -------------------------------------------------------------------- motion */

/* Over the same time as on bodies: what falls side by side stays side by side. */
static void pull_down_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    flow *f = context;
    const double force[3] = {f->force.x, f->force.y, f->force.z};
    for (int a = 0; a < f->dim; a++)
        for (size_t i = begin; i < end; i++)
            f->p.v[a][i] += (float)(f->gravity_time * force[a]);
}

/* What positions are off by and becomes speed is noise, of which XSPH takes out as much more. */
static double find_xsph(const flow *f)
{
    static const double AT_ONCE = 10;
    return fmin(f->parameters[CONSTRAINT_XSPH] * (is_at_once(f) ? AT_ONCE : 1), 0.5);
}

static void accelerate(flow *f, double dt)
{
    constraint_part_twins(f);
    constraint_walls_replace(f);
    constraint_weigh_and_drag(f, dt, find_xsph(f));
    constraint_surface_balance(f, dt);
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, pull_down_chunk, f);
}

/* What the rows are made of, at the present places. */
static void settle(flow *f, double dt)
{
    (void)dt;
    constraint_part_twins(f);
    constraint_walls_replace(f);
    constraint_weigh(f);
}

static void note_pressure_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    flow *f = context;
    float per_second = (float)(1 / (f->volume * f->gravity_time));
    for (size_t i = begin; i < end; i++)
        f->p.field[CONSTRAINT_PRESSURE][i] = f->p.field[CONSTRAINT_IMPULSE][i] * per_second;
}

static void finish(flow *f, double dt)
{
    method_move(f, dt);
    parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, note_pressure_chunk, f);
}

/* In steps of the usual length a solve at once mends all that is too dense. In shorter ones, as a
 * single fast particle makes them, it takes as long: what a tolerance leaves of the densities would
 * come to more speed the shorter the step, and a dam break of 50,000 particles explode. */
static const double USUAL_STEP = 0.7; /* of the longest that the weight allows */

static system_options options(const flow *f)
{
    const double *p = f->parameters;
    /* The paper's walls let positions push particles into them, and speed must not follow. */
    bool by_volume = p[CONSTRAINT_WALLS] == CONSTRAINT_WALLS_VOLUME;
    double share = by_volume ? 0.1 * find_slack(f) : 0;
    return (system_options){
        .solver = (system_solver)p[CONSTRAINT_SOLVER],
        .split = p[CONSTRAINT_STEPPING] == CONSTRAINT_STEPPING_SPLIT,
        .cohesion = p[CONSTRAINT_COHESION] > 0,
        .sound_speed = p[CONSTRAINT_SOUND_SPEED],
        .relaxation = p[CONSTRAINT_RELAXATION],
        .tolerance = p[CONSTRAINT_TOLERANCE],
        .density_tolerance = p[CONSTRAINT_DENSITY_TOLERANCE],
        .density_peak = find_slack(f) > 1 ? 5 : 4.5,
        .calm_tolerance = CONSTRAINT_CALM_TOLERANCE,
        .most_way = find_most_way(f),
        .position_share = share,
        .weighs = find_head(f) > 0,
        .at_once = is_at_once(f),
        .mending = USUAL_STEP * find_pressure_step(f),
        .relinearize = by_volume,
        .min_iterations = (int)p[CONSTRAINT_MIN_ITERATIONS],
        .max_iterations = (int)p[CONSTRAINT_ITERATIONS],
        .warm_start = p[CONSTRAINT_WARM_START],
    };
}

const method method_constraint = {
    .info = {"constraint", "Constraint fluids (Bodin, Lacoursiere, Servin 2012)", parameters,
             CONSTRAINT_PARAMETER_COUNT, fields, CONSTRAINT_PUBLIC_FIELDS},
    .all_fields = CONSTRAINT_FIELD_COUNT,
    .kept_fields = 1u << CONSTRAINT_NU | 1u << CONSTRAINT_MU | 1u << CONSTRAINT_PRESSURE,
    .data_bytes = sizeof(constraint_data),
    .uses_wall_volume = true,
    .limited_by_depth = true,
    .support = {3, 2.5}, /* measured: floating depth is right to 1 % from 3 on in 2D */
    .reach = reach,
    .prepare = prepare,
    .release = constraint_weigh_free,
    .solid_growth = solid_growth,
    .wall_distance = constraint_wall_distance,
    .limit = limit,
    .settle = settle,
    .look_ahead = constraint_look_ahead,
    .accelerate = accelerate,
    .options = options,
    .rows = &constraint_rows,
    .finish = finish,
};
