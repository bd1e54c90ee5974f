#include "method/pbf.h"

#include "base/error.h"
#include "method/pbf_work.h"
#include "par/parallel.h"

#include <assert.h>
#include <math.h>

/* -------------------------------------------------------------------- tables */

static const char *const switch_names[] = {"off", "on", NULL};
static const char *const solver_names[] = {"auto", "jacobi", "chebyshev", NULL};
static const char *const gradient_names[] = {"same", "spiky", NULL};
static const char *const wall_names[] = {"volume", "projection", NULL};

static const weir_parameter parameters[PBF_PARAMETER_COUNT] = {
    [PBF_ITERATIONS] = {"iterations", "1", 6, 1, 10000, NULL, NULL,
                        "Iterations per substep; the most of them where there is a tolerance."},
    [PBF_MIN_ITERATIONS] = {"min_iterations", "1", 2, 1, 10000, NULL, NULL,
                            "Fewest iterations per substep."},
    [PBF_DENSITY_TOLERANCE] = {"density_tolerance", "1", 0, 0, 1, NULL,
                               "a fixed number of iterations",
                               "Density error, rms, that ends the iterations."},
    [PBF_SOLVER] = {"solver", "1", PBF_SOLVER_AUTO, 0, 2, solver_names, NULL,
                    "Iterations: the paper's Jacobi, with Chebyshev's momentum, or (auto) with it "
                    "where nothing pulls."},
    [PBF_RELAXATION] = {"relaxation", "1", 0, 0, 2, NULL, "the fastest that is stable",
                        "Share of a row's correction that an iteration makes."},
    [PBF_SOFTNESS] = {"softness", "1", 0.1, 0, 1000, NULL, NULL,
                      "The paper's epsilon, over a row's diagonal at rest."},
    [PBF_WARM_START] = {"warm_start", "1", 0, 0, 1, NULL, NULL,
                        "Share of the last substep's multipliers that a solve starts from."},
    [PBF_COHESION] = {"cohesion", "1", 0, 0, 1, NULL, NULL,
                      "How strongly stretched fluid pulls together: 0 never, 1 as in the paper."},
    [PBF_ARTIFICIAL_PRESSURE] = {"artificial_pressure", "1", 0, 0, 10, NULL, NULL,
                                 "The paper's k: push at the artificial radius, as a density "
                                 "error."},
    [PBF_ARTIFICIAL_EXPONENT] = {"artificial_exponent", "1", 4, 1, 16, NULL, NULL,
                                 "The paper's n, a whole number."},
    [PBF_ARTIFICIAL_RADIUS] = {"artificial_radius", "1", 0.3, 0, 0.9, NULL, NULL,
                               "The paper's |dq| over the support."},
    [PBF_GRADIENT_KERNEL] = {"gradient_kernel", "1", PBF_GRADIENT_SAME, 0, 1, gradient_names, NULL,
                             "Kernel of the gradients: the density's own, or spiky."},
    [PBF_WALLS] = {"walls", "1", PBF_WALLS_VOLUME, 0, 1, wall_names, NULL,
                   "Solids by their boundary volume, or by pushing particles out alone."},
    [PBF_WALL_DISTANCE] = {"wall_distance", "spacings", 0, 0, 2, NULL,
                           "the surface; with projected walls half a spacing from it",
                           "How close particles come to a solid."},
    [PBF_WALL_FRICTION] = {"wall_friction", "1", 0, 0, 10, NULL, NULL,
                           "Coulomb friction of particles at solids."},
    [PBF_VORTICITY] = {"vorticity", "1/s", 0, 0, 1000, NULL, NULL,
                       "Strength of vorticity confinement."},
    [PBF_XSPH] =
        {"xsph", "1", 0.01, 0, 0.5, NULL, NULL,
         "Share of the neighbours' mean velocity that a particle takes on; more in steps so "
         "long that the fluid would boil, unless it is 0."},
    [PBF_KEEP_SPIN] = {"keep_spin", "1", 1, 0, 1, switch_names, NULL,
                       "Whether the angular momentum that moving positions loses is given back."},
    [PBF_MAX_MOVE] = {"max_move", "spacings", 0.5, 0.01, 10, NULL, NULL,
                      "Farthest that a row moves its particle in one iteration."},
    [PBF_COURANT] = {"courant", "1", 1, 0, 100, NULL, "no limit: the method is stable at any step",
                     "Substep, as a multiple of the one that Weir derives for accuracy."},
};

static const weir_field fields[PBF_PUBLIC_FIELDS] = {
    [PBF_DENSITY] = {"density", "kg/m3", "mass per volume, solids counted as fluid"},
    [PBF_PRESSURE] = {"pressure", "Pa", "pressure from the multipliers of the density"},
    [PBF_CURL] = {"vorticity", "1/s", "length of the vorticity; in 2D its component along z"},
};

/* ------------------------------------------------------------------- set-up */

/* A wave of density on the square or cubic lattice, of q radians per spacing along the first
 * `axes` axes: its eigenvalue, the product of Σ ∇W sin(q·r) with both kernels, over the diagonal.
 */
static double find_eigenvalue(const flow *f, weir_kernel density, weir_kernel gradient, int axes,
                              double q)
{
    int reach = (int)ceil(f->h / f->spacing), depth = f->dim == 3 ? reach : 0;
    double squares = 0, by_value[3] = {0}, by_gradient[3] = {0};
    assert(f->dim <= 3);
    for (int z = -depth; z <= depth; z++)
        for (int y = -reach; y <= reach; y++)
            for (int x = -reach; x <= reach; x++) {
                const int at[3] = {x, y, z};
                double length = sqrt(x * x + y * y + z * z), r = f->spacing * length;
                if (r == 0 || r >= f->h)
                    continue;
                double phase = q * (x + (axes > 1 ? y : 0) + (axes > 2 ? z : 0));
                double value = kernel_derivative(density, f->dim, r, f->h);
                double slope = kernel_derivative(gradient, f->dim, r, f->h);
                squares += slope * slope;
                for (int a = 0; a < f->dim; a++) {
                    by_value[a] += value * at[a] / length * sin(phase);
                    by_gradient[a] += slope * at[a] / length * sin(phase);
                }
            }
    double product = 0;
    for (int a = 0; a < f->dim; a++)
        product += by_value[a] * by_gradient[a];
    return squares > 0 ? product / squares : 1;
}

/* The largest eigenvalue of the rows over their diagonal: it lies on an axis or a diagonal. */
static double find_spectrum(const flow *f, weir_kernel density, weir_kernel gradient)
{
    enum { WAVES = 64 };
    double largest = 0;
    for (int axes = 1; axes <= f->dim; axes++)
        for (int n = 1; n <= WAVES; n++)
            largest = fmax(largest, find_eigenvalue(f, density, gradient, axes,
                                                    3.14159265358979323846 * n / WAVES));
    return largest;
}

/* A density wave of eigenvalue λ is left as a part p(λ) by the iterations of a substep, and the
 * substeps obey c⁺ = p (2 c − c⁻): stable for −1/3 <= p <= 1. Chebyshev's polynomials swing between
 * ±1/T_k(1/radius), Jacobi's end at (1 − relaxation λ)^k: both are kept above −1/5. Long Chebyshev
 * iterations trust the spectrum too much for a fluid that moves: they start anew after a while. */
static void choose_pace(flow *f, pbf_data *data)
{
    double *p = f->parameters;
    const double swing = 0.2, margin = 1.2, longest = 6;
    double top = margin * data->spectrum;
    double count = p[PBF_DENSITY_TOLERANCE] > 0 ? p[PBF_MIN_ITERATIONS] : p[PBF_ITERATIONS];
    bool chebyshev = p[PBF_SOLVER] == PBF_SOLVER_CHEBYSHEV;
    data->cycle = chebyshev ? (int)ceil(count / ceil(count / longest)) : 1;
    data->radius = chebyshev && count > 1 ? 1 / cosh(acosh(1 / swing) / data->cycle) : 0;
    if (p[PBF_RELAXATION] == 0)
        p[PBF_RELAXATION] = (1 + (data->radius > 0 ? data->radius : pow(swing, 1 / count))) / top;
}

static double smallest_mass(const flow *f)
{
    double smallest = f->fluids[0].mass;
    for (int k = 1; k < f->fluid_count; k++)
        smallest = fmin(smallest, f->fluids[k].mass);
    return smallest;
}

/* What the gradients are scaled by, so that Σ V ∇W x is 1 at rest: then a pressure that grows with
 * depth as it should bears the weight of the fluid and of bodies (with h = 2.5 d it would be 3 %
 * too large otherwise, and bodies too light), and a rigid rotation has the vorticity 2Ω. */
static double find_gradient_scale(const flow *f, weir_kernel gradient)
{
    double volume = f->kappa * f->volume;
    return 1 / (volume * kernel_lattice_moment(gradient, f->dim, f->spacing, f->h));
}

static pbf_constants make_constants(const flow *f, weir_kernel gradient, double scale,
                                    double diagonal)
{
    const double *p = f->parameters;
    kernel_constants slope = kernel_constants_make(gradient, f->dim, f->h);
    slope.gradient *= (float)scale;
    return (pbf_constants){
        .density_kernel = f->kernel,
        .gradient_kernel = gradient,
        .density = f->kernel_factors,
        .gradient = slope,
        .volume = (float)(f->kappa * f->volume),
        /* As strong as a density error of k at the artificial radius. */
        .artificial = (float)(p[PBF_ARTIFICIAL_PRESSURE] / diagonal),
        .inverse_weight =
            (float)(1 / kernel_value(f->kernel, f->dim, p[PBF_ARTIFICIAL_RADIUS] * f->h, f->h)),
        .exponent = (int)p[PBF_ARTIFICIAL_EXPONENT],
        .unit_weight = (float)(1 / kernel_value(f->kernel, f->dim, 0, f->h)),
    };
}

static bool prepare(flow *f, weir_error *error)
{
    double *p = f->parameters;
    if (p[PBF_ARTIFICIAL_EXPONENT] != floor(p[PBF_ARTIFICIAL_EXPONENT]))
        return fail(error, WEIR_INVALID,
                    "artificial_exponent %g is not allowed: must be a whole number from 1 to 16",
                    p[PBF_ARTIFICIAL_EXPONENT]);
    if (p[PBF_ARTIFICIAL_PRESSURE] > 0 && p[PBF_COHESION] == 0)
        return fail(error, WEIR_INVALID,
                    "artificial_pressure %g needs cohesion: without it the fluid would swell; set "
                    "cohesion (1 in the paper), or artificial_pressure to 0",
                    p[PBF_ARTIFICIAL_PRESSURE]);
    if (p[PBF_SOLVER] == PBF_SOLVER_CHEBYSHEV && p[PBF_COHESION] > 0)
        return fail(error, WEIR_INVALID,
                    "solver chebyshev is not stable with cohesion %g: use jacobi, or set cohesion "
                    "to 0",
                    p[PBF_COHESION]);
    if (p[PBF_SOLVER] == PBF_SOLVER_AUTO)
        p[PBF_SOLVER] = p[PBF_COHESION] > 0 ? PBF_SOLVER_JACOBI : PBF_SOLVER_CHEBYSHEV;
    pbf_data *data = f->method_data;
    weir_kernel gradient =
        p[PBF_GRADIENT_KERNEL] == PBF_GRADIENT_SPIKY ? WEIR_KERNEL_SPIKY : f->kernel;
    double scale = find_gradient_scale(f, gradient), volume = scale * f->kappa * f->volume;
    double squares = kernel_lattice_squares(gradient, f->dim, f->spacing, f->h);
    data->diagonal = volume * volume * squares / smallest_mass(f);
    data->spectrum = find_spectrum(f, f->kernel, gradient) / scale;
    choose_pace(f, data);
    data->constants = make_constants(f, gradient, scale, data->diagonal);
    drag_prepare(&data->drag, f, f->kernel, false);
    return true;
}

/* Particles of the layer beside a wall count its volume as that of neighbours, but it does not
 * press on them as neighbours would, and they lie too close to it. Measured: the level of settled
 * pools is right with this, in 2D and 3D, with supports of 2 to 3.5 spacings. */
static boundary_growth solid_growth(const flow *f)
{
    return (boundary_growth){.faces = 0.015 * f->h};
}

static weir_step_limit limit(const flow *f)
{
    const pbf_data *data = f->method_data;
    double courant = f->parameters[PBF_COURANT];
    weir_step_limit found = {.seconds = INFINITY, .cause = "none", .speed = f->speed_max};
    for (int k = 0; k < f->fluid_count; k++)
        if (f->fluids[k].viscosity > 0)
            step_limit_tighten(&found, drag_step_limit(&data->drag, &f->fluids[k]), "viscosity");
    if (courant == 0)
        return found;
    double head = vec3_length(f->force) * f->fluid_depth;
    if (head > 0)
        step_limit_tighten(&found, courant * 0.5 * f->spacing / sqrt(head), "pressure");
    if (f->speed_max > 0)
        step_limit_tighten(&found, courant * 0.4 * f->spacing / f->speed_max, "speed");
    return found;
}

static double wall_distance(const flow *f)
{
    const double *p = f->parameters;
    if (p[PBF_WALL_DISTANCE] == 0 && p[PBF_WALLS] == PBF_WALLS_PROJECTION)
        return 0.5 * f->spacing;
    return p[PBF_WALL_DISTANCE] * f->spacing;
}

/* ------------------------------------------------------------------- stages */

typedef struct pbf_step {
    flow *f;
    double dt;
} pbf_step;

static void predict(flow *f, double dt)
{
    method_fall(f, dt);
    pbf_solids_predict(f, dt);
}

/* A column boils when steps are longer than about d/√(gH) (as with every method that keeps the
 * density; Bodin's step was too long by this measure). Smoother velocities stop it, up to three
 * times that step and more. */
static double choose_xsph(const flow *f, double dt)
{
    double xsph = f->parameters[PBF_XSPH];
    double ratio = dt * sqrt(vec3_length(f->force) * f->fluid_depth) / (0.95 * f->spacing);
    return xsph > 0 && ratio > 1 ? fmin(fmax(xsph, 0.1 * (ratio - 1)), 0.4) : xsph;
}

static void settle(flow *f, double dt)
{
    predict(f, 0);
    pbf_solve(f, dt);
}

static void project(flow *f, double dt)
{
    const pbf_data *data = f->method_data;
    pbf_solve(f, dt);
    if (f->exhausted)
        return;
    pbf_update_velocities(f, dt);
    if (f->parameters[PBF_KEEP_SPIN] > 0)
        pbf_restore_spin(f, dt);
    pbf_confine_vorticity(f, dt);
    drag_apply(&data->drag, f, dt, choose_xsph(f, dt), &f->p.field[PBF_MOVE_X]);
}

/* Densities where the particles now are, and pressures. */
static void finish_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pbf_step *step = context;
    flow *f = step->f;
    const pbf_data *data = f->method_data;
    pbf_get_passes(f)->density(f, &data->constants, begin, end);
    float per_area = (float)(1 / (f->volume * step->dt * step->dt));
    size_t first, last;
    flow_chunk_range(f, begin, end, &first, &last);
    for (size_t i = first; i < last; i++) {
        float ratio = f->p.field[PBF_DENSITY][i] + f->walls.spans[i].volume;
        f->p.field[PBF_DENSITY][i] = (float)f->fluids[f->p.fluid[i]].density * ratio;
        f->p.field[PBF_PRESSURE][i] = f->p.field[PBF_NU][i] * per_area;
    }
}

static void finish(flow *f, double dt)
{
    pbf_step step = {f, dt};
    double since = pass_now();
    parallel_for(f->threads, f->near.cluster_count, CLUSTER_GRAIN, finish_chunk, &step);
    flow_note_pass(f, &density_work, since);
}

const method method_pbf = {
    .info = {"pbf", "Position Based Fluids (Macklin, Mueller 2013)", parameters,
             PBF_PARAMETER_COUNT, fields, PBF_PUBLIC_FIELDS},
    .all_fields = PBF_FIELD_COUNT,
    .kept_fields = 1u << PBF_PRESSURE,
    .data_bytes = sizeof(pbf_data),
    .support = {3, 2.5}, /* measured: the pressure is right to 0.1 % from 3 on in 2D */
    .uses_wall_volume = true,
    .limited_by_depth = true,
    .prepare = prepare,
    .limit = limit,
    .settle = settle,
    .solid_growth = solid_growth,
    .wall_distance = wall_distance,
    .predict = predict,
    .project = project,
    .finish = finish,
    .release = pbf_solids_release,
};
