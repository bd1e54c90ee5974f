/* Constraint fluids in steps that take particles most of a spacing: who will meet is looked for
 * where they will be, and rates and gradients are those of the way. */
#include "support/worlds.h"

#include <math.h>

static const double FRAME = 1.0 / 60, PI = 3.14159265358979;
/* Of the drops. */
static const double SPEED = 4;

/* The mean way of the fastest particle within the substeps of a frame, in spacings. */
static double step_far(weir_world *w, double spacing)
{
    weir_statistics before = weir_world_get_statistics(w);
    step_world(w, FRAME);
    weir_statistics now = weir_world_get_statistics(w);
    return now.speed_max * FRAME / (double)(now.substeps - before.substeps) / spacing;
}

/* Two drops that meet; their middles are `from` and (1.2, 0.4) further. */
static weir_world *make_drops(weir_world_def *def, weir_vec3 from)
{
    const double d = def->spacing, radius = 0.5;
    weir_world_def_use_method(def, WEIR_METHOD_CONSTRAINT);
    def->gravity = v3(0, 0, 0);
    weir_world *w = make_world(def);
    weir_fluid_id water = make_fluid(w, 1000, 0);
    int side = (int)(radius / d);
    for (int drop = 0; drop < 2; drop++)
        for (int i = -side; i <= side; i++)
            for (int j = -side; j <= side; j++) {
                weir_vec3 x = {from.x + 1.2 * drop + i * d, from.y + 0.4 * drop + j * d, 0};
                x.x -= def->period[0].enabled && x.x >= 1.5 ? 3 : 0;
                x.y -= def->period[1].enabled && x.y >= 1.5 ? 3 : 0;
                weir_error error = {0};
                if (hypot(i * d, j * d) <= radius)
                    assert_true(weir_world_add_particles(w, water, &x, 1,
                                                         v3(drop ? -SPEED : SPEED, 0, 0), &error));
            }
    return w;
}

/* Lists are those of where particles will be, and forces act where they are: a pair that only one
 * of the two has in its list would be a force without its opposite (1.6e-3 of the momentum). What
 * corrections of positions do to the spin is not made up for. */
static void drops_keep_momentum(void **state)
{
    (void)state;
    for (int periodic = 0; periodic <= 1; periodic++) {
        weir_world_def def = small_world_def(2, 0.05);
        for (int a = 0; a < 2 && periodic; a++)
            def.period[a] = (weir_axis_period){true, -1.5, 1.5};
        /* In the second world they meet across the seam. */
        weir_world *w = make_drops(&def, periodic ? v3(0.8, 0.9, 0) : v3(-0.6, 0, 0));
        weir_statistics before = weir_world_get_statistics(w);
        double far = 0;
        for (int k = 0; k < 24; k++)
            far += step_far(w, def.spacing) / 24;
        weir_statistics now = weir_world_get_statistics(w);
        double unit = now.mass * SPEED;
        double change =
            hypot(now.momentum.x - before.momentum.x, now.momentum.y - before.momentum.y) / unit;
        double turn = now.angular_momentum.z / before.angular_momentum.z - 1;
        print_message("steps of %.2f spacings: momentum changes by %.1e, spin by %.1e; compression "
                      "%.4f %%\n",
                      far, change, turn, 100 * now.compression_max);
        assert_true(far > 0.5);
        assert_true(change < 1e-6);
        assert_true(periodic || fabs(turn) < 2e-3);
        assert_true(now.compression_max < 0.005);
        weir_world_destroy(w);
    }
}

/* Water that turns as a whole in a round tank goes on turning: v = Ω r and p = ρ Ω² r²/2 solve
 * Euler's equations, and a smooth wall takes neither energy nor spin. Rates of the moment see no
 * compression in v, though each step along it leads away from the middle: with them 0.77 of the
 * energy and 0.88 of the spin are left. Speed that corrections leave along gradients of the end,
 * but before the move, makes 1.15 and 1.07 of them. */
static void water_turns_in_a_round_tank(void **state)
{
    (void)state;
    const double d = 0.02, radius = 0.5, spin = 12;
    weir_world_def def = small_world_def(2, d);
    weir_world_def_use_method(&def, WEIR_METHOD_CONSTRAINT);
    def.gravity = v3(0, 0, 0);
    set_parameter(&def, "xsph", 0);
    set_parameter(&def, "density_tolerance", 5e-5); /* what a solver leaves takes energy, too */
    weir_world *w = make_world(&def);
    weir_body_def tank = weir_body_def_default();
    tank.shape.kind = WEIR_SHAPE_SPHERE;
    tank.shape.complement = true;
    tank.shape.radius = radius;
    make_body(w, &tank);
    weir_fluid_id water = make_fluid(w, 1000, 0);
    for (int ring = 0; ring < (int)(radius / d); ring++) {
        double r = (ring + 0.5) * d;
        int count = (int)lround(2 * PI * r / d);
        for (int n = 0; n < count; n++) {
            double at = 2 * PI * (n + 0.5 * (ring % 2)) / count;
            weir_vec3 x = {r * cos(at), r * sin(at), 0};
            weir_error error = {0};
            assert_true(
                weir_world_add_particles(w, water, &x, 1, v3(-spin * x.y, spin * x.x, 0), &error));
        }
    }
    weir_statistics before = weir_world_get_statistics(w);
    double far = 0, compression = 0;
    int frames = (int)(2 * 2 * PI / spin / FRAME); /* two turns */
    for (int k = 0; k < frames; k++) {
        far += step_far(w, d) / frames;
        weir_statistics s = weir_world_get_statistics(w);
        compression += s.compression_mean / frames;
    }
    weir_statistics now = weir_world_get_statistics(w);
    double energy = now.kinetic_energy / before.kinetic_energy;
    double turn = now.angular_momentum.z / before.angular_momentum.z;
    print_message("steps of %.2f spacings: after two turns %.4f of the energy, %.6f of the spin, "
                  "compression %.4f %%\n",
                  far, energy, turn, 100 * compression);
    assert_true(far > 0.5);
    assert_true(energy > 0.97 && energy < 1.002);
    assert_true(turn > 0.985 && turn < 1.001);
    weir_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(drops_keep_momentum),
                                       cmocka_unit_test(water_turns_in_a_round_tank)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
