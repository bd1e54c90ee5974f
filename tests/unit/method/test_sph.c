/* SPH against a plain twin: every pair in double precision, straight from the equations. Then what
 * the equations promise: momentum is kept, and the step that is called stable is stable. */
#include "method/sph.h"
#include "support/worlds.h"
#include "world/state.h"

enum { MOST = 400, FLUIDS = 2 };

static const double rest_density[FLUIDS] = {1000, 700};
static const double viscosity[FLUIDS] = {5000, 800}; /* as strong as pressure here */

/* One particle of the twin, by id. */
typedef struct twin {
    double x[3], v[3], ratio, rate, pressure, acceleration[3];
    int fluid;
} twin;

typedef struct setting {
    int dim;
    weir_kernel kernel;
    double support;
    bool periodic; /* along x */
    int eos, form, gradient, laplacian;
    double damping;
    bool pulls; /* negative pressures are kept */
} setting;

static const double SPACING = 0.1, GRAVITY = -3, SOUND = 20;

/* ---------------------------------------------------------------- the twin */

static weir_kernel gradient_kernel(const setting *s)
{
    return s->gradient == SPH_GRADIENT_SPIKY ? WEIR_KERNEL_SPIKY : s->kernel;
}

/* −2 W'/r or Müller's Laplacian, both before the scale that makes a parabola right. */
static double viscous_weight(const setting *s, double r, double h)
{
    return s->laplacian == SPH_VISCOSITY_MUELLER
               ? kernel_viscosity_laplacian(s->dim, r, h)
               : -2 * kernel_derivative(gradient_kernel(s), s->dim, r, h) / r;
}

static double parabola(const void *context, double r)
{
    const setting *s = context;
    return r > 0 ? r * r * viscous_weight(s, r, s->support * SPACING) : 0;
}

/* Vector from j to the nearest image of i, and its length. */
static double separation(const setting *s, const twin *i, const twin *j, double r[3])
{
    double r2 = 0;
    for (int a = 0; a < s->dim; a++) {
        r[a] = i->x[a] - j->x[a];
        if (s->periodic && a == 0)
            r[a] -= floor(r[a] + 0.5); /* the period is 1 m */
        r2 += r[a] * r[a];
    }
    return sqrt(r2);
}

static double pressure_of(const setting *s, const twin *t)
{
    double stiffness = rest_density[t->fluid] * SOUND * SOUND, h = s->support * SPACING;
    double p = s->eos == SPH_EOS_TAIT_7 ? stiffness / 7 * (pow(t->ratio, 7) - 1)
                                        : stiffness * (t->ratio - 1);
    p += s->damping * SOUND * h * rest_density[t->fluid] * t->rate;
    return p > 0 || s->pulls ? p : 0;
}

static void compute_twin(const setting *s, twin *twins, size_t count)
{
    double h = s->support * SPACING, volume = pow(SPACING, s->dim), r[3];
    double kappa_volume = volume * kernel_volume_factor(s->kernel, s->dim, SPACING, h);
    double scale =
        2 * s->dim / (kappa_volume * kernel_lattice_sum(s->dim, SPACING, h, parabola, s));
    for (size_t i = 0; i < count; i++) {
        twin *me = &twins[i];
        me->ratio = kappa_volume * kernel_value(s->kernel, s->dim, 0, h);
        me->rate = 0;
        for (size_t j = 0; j < count; j++) {
            double length = separation(s, me, &twins[j], r);
            if (j == i || length >= h)
                continue;
            me->ratio += kappa_volume * kernel_value(s->kernel, s->dim, length, h);
            for (int a = 0; a < s->dim; a++)
                me->rate += kappa_volume * kernel_derivative(s->kernel, s->dim, length, h) *
                            (me->v[a] - twins[j].v[a]) * r[a] / length;
        }
        me->pressure = pressure_of(s, me);
    }
    for (size_t i = 0; i < count; i++) {
        twin *me = &twins[i];
        memset(me->acceleration, 0, sizeof me->acceleration);
        me->acceleration[1] = GRAVITY;
        for (size_t j = 0; j < count; j++) {
            const twin *other = &twins[j];
            double length = separation(s, me, other, r);
            if (j == i || length >= h)
                continue;
            /* Densities ρ = ratio ρ0 and masses m = V ρ0, so that V/ρ0 is left of m/ρ². */
            double push = s->form == SPH_FORM_MUELLER
                              ? (me->pressure + other->pressure) / (2 * me->ratio * other->ratio)
                              : me->pressure / (me->ratio * me->ratio) +
                                    other->pressure / (other->ratio * other->ratio);
            double drag = scale * (viscosity[me->fluid] + viscosity[other->fluid]) / 2 *
                          viscous_weight(s, length, h) / (me->ratio * other->ratio);
            double slope = kernel_derivative(gradient_kernel(s), s->dim, length, h);
            for (int a = 0; a < s->dim; a++)
                me->acceleration[a] +=
                    kappa_volume / rest_density[me->fluid] *
                    (drag * (other->v[a] - me->v[a]) - push * slope * r[a] / length);
        }
    }
}

/* --------------------------------------------------------------- the engine */

static weir_world *make_case(const setting *s, const char *simd, twin *twins, size_t count)
{
    weir_world_def def = small_world_def(s->dim, SPACING);
    def.support = s->support;
    def.kernel = s->kernel;
    def.gravity = v3(0, GRAVITY, 0);
    def.simd = simd;
    if (s->periodic)
        def.period[0] = (weir_axis_period){true, 0, 1};
    set_parameter(&def, "sound_speed", SOUND);
    set_parameter(&def, "equation_of_state", s->eos);
    set_parameter(&def, "pressure_form", s->form);
    set_parameter(&def, "pressure_kernel", s->gradient);
    set_parameter(&def, "viscosity_form", s->laplacian);
    set_parameter(&def, "sound_damping", s->damping);
    set_parameter(&def, "negative_pressure", s->pulls);
    weir_world *world = make_world(&def);
    weir_fluid_id fluids[FLUIDS];
    for (int k = 0; k < FLUIDS; k++)
        fluids[k] = make_fluid(world, rest_density[k], viscosity[k]);
    for (size_t i = 0; i < count; i++) {
        twin *t = &twins[i];
        for (int a = 0; a < 3; a++) {
            t->x[a] = (float)t->x[a]; /* as the engine stores it */
            t->v[a] = (float)t->v[a];
        }
        weir_vec3 x = v3(t->x[0], t->x[1], t->x[2]);
        assert_true(weir_world_add_particles(world, fluids[t->fluid], &x, 1,
                                             v3(t->v[0], t->v[1], t->v[2]), NULL));
    }
    return world;
}

/* A jittered block, denser and thinner in places, of two fluids side by side, with eddies. */
static size_t make_block(int dim, twin *twins)
{
    size_t side = dim == 2 ? 10 : 7, count = dim == 2 ? 100 : 343;
    for (size_t i = 0; i < count; i++) {
        const size_t at[3] = {i % side, i / side % side, i / side / side};
        for (size_t a = 0; a < 3; a++) {
            double jitter = 0.4 * (random_unit(a, i) - 0.5);
            twins[i].x[a] = (int)a < dim ? SPACING * 0.97 * ((double)at[a] + 0.5 + jitter) : 0;
            twins[i].v[a] = (int)a < dim ? sin(7 * (double)at[(a + 1) % 3]) : 0;
        }
        twins[i].fluid = at[1] < side / 2 ? 0 : 1;
    }
    return count;
}

static void check_against_twin(const setting *s)
{
    static twin twins[MOST];
    size_t count = make_block(s->dim, twins);
    weir_world *world = make_case(s, NULL, twins, count);
    compute_twin(s, twins, count);
    double largest = 0, largest_pressure = 0;
    for (size_t i = 0; i < count; i++) {
        largest_pressure = fmax(largest_pressure, fabs(twins[i].pressure));
        for (int a = 0; a < s->dim; a++)
            largest = fmax(largest, fabs(twins[i].acceleration[a]));
    }
    step_world(world, 1e-7); /* fields are of the positions before the step */
    const flow *f = &world->flow;
    for (size_t i = 0; i < count; i++) {
        const twin *t = &twins[f->p.id[i]];
        assert_near(f->p.field[SPH_DENSITY][i], t->ratio * rest_density[t->fluid],
                    2e-6 * rest_density[t->fluid]);
        assert_near(f->p.field[SPH_PRESSURE][i], t->pressure, 2e-5 * largest_pressure);
        for (int a = 0; a < s->dim; a++)
            assert_near(f->p.field[SPH_ACCELERATION_X + a][i], t->acceleration[a], 5e-5 * largest);
    }
    weir_world_destroy(world);
}

static void every_kernel_and_form_agrees_with_brute_force(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int kernel = WEIR_KERNEL_WENDLAND_C2; kernel <= WEIR_KERNEL_SPIKY; kernel++)
            for (int form = 0; form < 2; form++)
                for (int gradient = 0; gradient < 2; gradient++)
                    for (int laplacian = 0; laplacian < 2; laplacian++)
                        check_against_twin(&(setting){.dim = dim,
                                                      .kernel = (weir_kernel)kernel,
                                                      .support = 2.5,
                                                      .eos = SPH_EOS_TAIT_7,
                                                      .form = form,
                                                      .gradient = gradient,
                                                      .laplacian = laplacian,
                                                      .damping = 0.2});
}

static void every_equation_of_state_agrees_with_brute_force(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int eos = SPH_EOS_LINEAR; eos <= SPH_EOS_TAIT_7; eos++)
            for (int pulls = 0; pulls < 2; pulls++)
                check_against_twin(&(setting){
                    .dim = dim, .support = 2, .eos = eos, .form = 1, .pulls = pulls != 0});
}

static void periods_agree_with_brute_force(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        check_against_twin(&(setting){
            .dim = dim, .support = 2.5, .eos = SPH_EOS_TAIT_7, .form = 1, .periodic = true});
}

static void instruction_sets_give_the_same_bits(void **state)
{
    (void)state;
    static twin twins[MOST];
    for (int dim = 2; dim <= 3; dim++)
        for (int kernel = WEIR_KERNEL_WENDLAND_C2; kernel <= WEIR_KERNEL_SPIKY; kernel++) {
            setting s = {.dim = dim,
                         .kernel = (weir_kernel)kernel,
                         .support = 2.5,
                         .eos = SPH_EOS_TAIT_7,
                         .laplacian = kernel % 2,
                         .damping = 0.2};
            size_t count = make_block(dim, twins);
            weir_world *first = make_case(&s, weir_simd_levels()[0], twins, count);
            step_world(first, 1e-7);
            for (int level = 1; weir_simd_levels()[level]; level++) {
                weir_world *other = make_case(&s, weir_simd_levels()[level], twins, count);
                step_world(other, 1e-7);
                for (int k = 0; k < SPH_ACCELERATION_X + dim; k++)
                    assert_memory_equal(first->flow.p.field[k], other->flow.p.field[k],
                                        count * sizeof(float));
                weir_world_destroy(other);
            }
            weir_world_destroy(first);
        }
}

/* ----------------------------------------------------------------- momentum */

/* A block of two fluids that collides with itself in free space, over 200 steps. */
static void run_free(int dim, double friction, weir_statistics *before, weir_statistics *after)
{
    weir_world_def def = small_world_def(dim, SPACING);
    def.gravity = v3(0, 0, 0);
    weir_world *world = make_world(&def);
    weir_fluid_id heavy = make_fluid(world, 1000, friction),
                  light = make_fluid(world, 600, friction);
    double side = dim == 2 ? 0.8 : 0.5;
    fill_box(world, heavy, dim, SPACING, v3(0, 0, 0), v3(side, side, side), 0, v3(1, 0.3, 0));
    fill_box(world, light, dim, SPACING, v3(side, 0.2, 0), v3(2 * side, 0.2 + side, side), 0,
             v3(-1, 0, dim == 3 ? 0.5 : 0));
    *before = weir_world_get_statistics(world);
    for (int k = 0; k < 200; k++)
        step_world(world, weir_world_get_step_limit(world, NULL).seconds);
    *after = weir_world_get_statistics(world);
    weir_world_destroy(world);
}

static void check_momentum(const weir_statistics *before, const weir_statistics *after)
{
    /* Round-off of single precision, next to the momentum that went to and fro. */
    double scale = before->mass * 1e-6;
    assert_near(after->momentum.x, before->momentum.x, scale);
    assert_near(after->momentum.y, before->momentum.y, scale);
    assert_near(after->momentum.z, before->momentum.z, scale);
    assert_true(after->kinetic_energy < 0.95 * before->kinetic_energy); /* they did collide */
}

static void pressure_keeps_linear_and_angular_momentum(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_statistics before, after;
        run_free(dim, 0, &before, &after);
        check_momentum(&before, &after);
        double scale = before.mass * 1e-6;
        assert_near(after.angular_momentum.x, before.angular_momentum.x, scale);
        assert_near(after.angular_momentum.y, before.angular_momentum.y, scale);
        assert_near(after.angular_momentum.z, before.angular_momentum.z, scale);
    }
}

/* Pairs exchange momentum along their difference of velocity, not along the line between them:
 * linear momentum is kept to round-off, angular momentum is not (Müller's form). */
static void viscosity_keeps_linear_momentum(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_statistics before, after;
        run_free(dim, 5, &before, &after);
        check_momentum(&before, &after);
    }
}

/* ---------------------------------------------------------------- stability */

/* Kinetic energy of a periodic box of noise, after many of the largest stable steps, over that of
 * the start. Pressure noise of a jittered lattice adds a little at first. */
static double run_noise(weir_world_def *def, double friction)
{
    double side = 12 * SPACING;
    def->gravity = v3(0, 0, 0);
    for (int a = 0; a < def->dim; a++)
        def->period[a] = (weir_axis_period){true, 0, side};
    set_parameter(def, "sound_speed", 1);
    weir_world *world = make_world(def);
    weir_fluid_id water = make_fluid(world, 1000, friction);
    size_t layers = def->dim == 3 ? 12 : 1;
    for (size_t i = 0; i < 144 * layers; i++) {
        const size_t at[3] = {i % 12, i / 12 % 12, i / 144};
        double x[3];
        for (size_t a = 0; a < 3; a++)
            x[a] = SPACING * ((double)at[a] + 0.5 + 0.2 * (random_unit(a, i) - 0.5));
        weir_vec3 position = v3(x[0], x[1], x[2]);
        double sign = (at[0] + at[1] + at[2]) % 2 ? 0.05 : -0.05; /* the fastest mode */
        weir_vec3 velocity = v3(sign, sign, 0);
        assert_true(weir_world_add_particles(world, water, &position, 1, velocity, NULL));
    }
    double start = weir_world_get_statistics(world).kinetic_energy;
    for (int k = 0; k < 300; k++)
        step_world(world, weir_world_get_step_limit(world, NULL).seconds);
    double ratio = weir_world_get_statistics(world).kinetic_energy / start;
    weir_world_destroy(world);
    return ratio;
}

static void noise_dies_at_the_limit_of_viscosity(void **state)
{
    (void)state;
    for (int kernel = WEIR_KERNEL_WENDLAND_C2; kernel <= WEIR_KERNEL_SPIKY; kernel++)
        for (int form = 0; form < 2; form++)
            for (double support = 1.6; support < 4; support *= 1.5) {
                weir_world_def def = small_world_def(2, SPACING);
                def.kernel = (weir_kernel)kernel;
                def.support = support;
                set_parameter(&def, "viscosity_form", form);
                assert_between(run_noise(&def, 1000), 0, 0.02);
            }
    weir_world_def def = small_world_def(3, SPACING);
    assert_between(run_noise(&def, 1000), 0, 0.02);
}

static void noise_dies_at_the_limit_of_sound(void **state)
{
    (void)state;
    for (int kernel = WEIR_KERNEL_WENDLAND_C2; kernel <= WEIR_KERNEL_SPIKY; kernel++)
        for (double damping = 0.2; damping <= 1; damping += 0.4) {
            weir_world_def def = small_world_def(2, SPACING);
            def.kernel = (weir_kernel)kernel;
            set_parameter(&def, "sound_damping", damping);
            assert_between(run_noise(&def, 0), 0, 0.5);
        }
    weir_world_def def = small_world_def(3, SPACING);
    assert_between(run_noise(&def, 0), 0, 0.5);
}

/* Derived from the scene: ten times the speed of free fall over the depth of the fluid. */
static void the_sound_speed_follows_from_the_scene(void **state)
{
    (void)state;
    weir_world_def def = small_world_def(2, SPACING);
    weir_world *world = make_world(&def);
    fill_box(world, make_fluid(world, 1000, 0), 2, SPACING, v3(0, 0, 0), v3(0.5, 1, 0), 0,
             v3(0, 0, 0));
    weir_step_limit limit = weir_world_get_step_limit(world, NULL);
    assert_near(limit.sound_speed, 10 * sqrt(2 * 9.81 * 1.0), 1e-6);
    assert_near(limit.seconds, 0.4 * 2.5 * SPACING / limit.sound_speed, 1e-9);
    assert_string_equal(limit.cause, "sound");
    assert_near(weir_world_get_parameter(world, "stiffness"), limit.sound_speed * limit.sound_speed,
                1e-6);
    weir_world_destroy(world);
}

static void stiffness_and_sound_speed_must_agree(void **state)
{
    (void)state;
    weir_world_def def = small_world_def(2, SPACING);
    set_parameter(&def, "sound_speed", 10);
    set_parameter(&def, "stiffness", 50);
    weir_world *world = make_world(&def);
    make_fluid(world, 1000, 0);
    weir_error error = {0};
    assert_true(weir_world_step(world, 0.01, &error) & WEIR_STEP_FAILED);
    assert_error(error, WEIR_INVALID, "stiffness 50");
    weir_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_and_form_agrees_with_brute_force),
        cmocka_unit_test(every_equation_of_state_agrees_with_brute_force),
        cmocka_unit_test(periods_agree_with_brute_force),
        cmocka_unit_test(instruction_sets_give_the_same_bits),
        cmocka_unit_test(pressure_keeps_linear_and_angular_momentum),
        cmocka_unit_test(viscosity_keeps_linear_momentum),
        cmocka_unit_test(noise_dies_at_the_limit_of_viscosity),
        cmocka_unit_test(noise_dies_at_the_limit_of_sound),
        cmocka_unit_test(the_sound_speed_follows_from_the_scene),
        cmocka_unit_test(stiffness_and_sound_speed_must_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
