/* From what the user says in SI to the paper's numbers, before the first step and after every
 * change of a parameter. What was left open is filled in, so that reports show it. */
#include "method/viscoelastic.h"

#include "base/error.h"

#include <math.h>

/* Surface tension of a fluid, N/m. */
static double tension_of(const flow *f, const fluid *liquid)
{
    double given = f->parameters[VISCO_SURFACE_TENSION];
    return given > 0 ? given : liquid->surface_tension;
}

/* Finds k from the speed of sound, or the other way round. Left open, sound is ten times as fast as
 * anything in the scene, and fast enough for the surface tension that was asked for. `unit` is c²
 * for k = 1/s². */
static bool find_stiffness(flow *f, double unit, weir_error *error)
{
    double *p = f->parameters;
    if (p[VISCO_STIFFNESS] == 0) {
        double c2 = 100 * f->reference_speed * f->reference_speed;
        for (int k = 0; k < f->fluid_count && p[VISCO_COHESION] == 0; k++)
            c2 = fmax(c2, tension_of(f, &f->fluids[k]) /
                              (f->fluids[k].density * f->h * visco_unit_tension(f->dim)));
        if (p[VISCO_SOUND_SPEED] > 0)
            c2 = p[VISCO_SOUND_SPEED] * p[VISCO_SOUND_SPEED];
        p[VISCO_STIFFNESS] = c2 / unit;
    }
    double c = sqrt(p[VISCO_STIFFNESS] * unit), given = p[VISCO_SOUND_SPEED];
    if (given > 0 && fabs(given - c) > 1e-6 * c)
        return fail(error, WEIR_INVALID,
                    "sound_speed %g and stiffness %g contradict each other, which means %g m/s: "
                    "give one of them",
                    given, p[VISCO_STIFFNESS], c);
    p[VISCO_SOUND_SPEED] = c;
    return true;
}

/* The share of the paper's cohesion that brings about the surface tension of a fluid. */
static bool find_cohesion(const flow *f, const fluid *liquid, double *share, weir_error *error)
{
    const double *p = f->parameters;
    double c = p[VISCO_SOUND_SPEED], tension = tension_of(f, liquid);
    double most = visco_unit_tension(f->dim) * liquid->density * c * c * f->h;
    *share = p[VISCO_COHESION] > 0 ? p[VISCO_COHESION] : tension / most;
    if (*share > 1 + 1e-6)
        return fail(error, WEIR_INVALID,
                    "a surface tension of %g N/m is more than a speed of sound of %g m/s can "
                    "hold at this spacing: at most %g N/m",
                    tension, c, most);
    *share = fmin(*share, 1);
    return true;
}

/* Cohesion comes from two parts: the pull of stretched fluid, and the constant pull that balances
 * the near pressure at rest. Both are scaled, and the near pressure with them; what compression
 * meets stays as stiff as before. Each part is the derivative of an energy of ρ or ρ_near. */
static bool find_pressures(flow *f, visco_data *data, weir_error *error)
{
    const double *p = f->parameters;
    double far, near, ratio = p[VISCO_NEAR_RATIO];
    visco_find_sounds(f, data->constants.kernels, &far, &near);
    if (!find_stiffness(f, (far + ratio * near) * f->h, error))
        return false;
    double k = p[VISCO_STIFFNESS] * f->h;
    for (int n = 0; n < f->fluid_count; n++) {
        double share;
        if (!find_cohesion(f, &f->fluids[n], &share, error))
            return false;
        data->pressure[n] = (visco_law){
            .compress = k * (far + ratio * near * (1 - share)) / far,
            .stretch = k * share,
            .bias = k * share * (data->rest.density - data->rest_density),
            .near = k * share * ratio,
        };
    }
    return true;
}

/* G/ρ is twice what `rest.shear` says, because all pairs pull and not only those that close. */
static bool find_springs(flow *f, visco_data *data, weir_error *error)
{
    double *p = f->parameters;
    double unit = 2 * f->fluids[0].density * data->rest.shear;
    if (p[VISCO_SPRING_STIFFNESS] == 0)
        p[VISCO_SPRING_STIFFNESS] = p[VISCO_SHEAR_MODULUS] / unit;
    double means = unit * p[VISCO_SPRING_STIFFNESS], given = p[VISCO_SHEAR_MODULUS];
    if (given > 0 && fabs(given - means) > 1e-6 * means)
        return fail(error, WEIR_INVALID,
                    "shear_modulus %g and spring_stiffness %g contradict each other, which means "
                    "%g Pa: give one of them",
                    given, p[VISCO_SPRING_STIFFNESS], means);
    p[VISCO_SHEAR_MODULUS] = means;
    data->law = (spring_law){
        .stiffness = p[VISCO_SPRING_STIFFNESS],
        .stretch_rate = p[VISCO_STRETCH_RATE],
        .compress_rate = p[VISCO_COMPRESS_RATE],
        .stretch_yield = p[VISCO_STRETCH_YIELD],
        .compress_yield = p[VISCO_COMPRESS_YIELD],
        .start_at_range = p[VISCO_SPRING_START] == VISCO_START_RANGE,
        .growth = p[VISCO_SPRING_GROWTH] == VISCO_GROWTH_ON,
    };
    return true;
}

bool visco_derive(flow *f, weir_error *error)
{
    double *p = f->parameters;
    visco_data *data = f->method_data;
    visco_apply_material(p);
    data->constants = (visco_constants){
        .kernels = (visco_kernels)p[VISCO_KERNELS],
        .h = (float)f->h,
        .inv_h = (float)(1 / f->h),
        .quadratic = (float)(p[VISCO_QUADRATIC] / f->h),
    };
    for (int k = 1; k < f->fluid_count; k++)
        if (f->fluids[k].mass != f->fluids[0].mass)
            data->constants.mixed = true;
    data->rest = visco_find_rest(f, data->constants.kernels, f->spacing);
    visco_find_shares(&data->shares, f, data->constants.kernels);
    if (p[VISCO_REST_DENSITY] == 0)
        p[VISCO_REST_DENSITY] = visco_balanced_density(&data->rest, p[VISCO_NEAR_RATIO]);
    data->rest_density = p[VISCO_REST_DENSITY];
    return find_springs(f, data, error) && find_pressures(f, data, error);
}
