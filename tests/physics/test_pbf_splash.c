/* Position based fluids that splash, in 2D: a drop into a pool (figures 3 and 4), clumping at the
 * surface (figure 2), and vorticity confinement in a dam break (figure 5). */
#include "support/pbf_worlds.h"

/* A disc falls into a pool. */
static weir_world *make_drop(const weir_world_def *def)
{
    weir_world *world = make_world(def);
    weir_fluid_id water = make_water(world);
    make_tank(world, v3(0, 0, -1), v3(1, 2, 1));
    fill_box(world, water, 2, def->spacing, v3(0, 0, 0), v3(1, 0.24, 0), 0, v3(0, 0, 0));
    fill_ball(world, water, v3(0.5, 0.55, 0), 0.14, v3(0, -1, 0));
    return world;
}

/* Four substeps of ten iterations keep the mean density within 1 %, during and after the impact. */
static void test_density_of_a_drop(void **state)
{
    (void)state;
    weir_world_def def = pbf_def(2, 0.02, 4);
    set_parameter(&def, "iterations", 10);
    weir_world *world = make_drop(&def);
    for (int k = 0; k < 60; k++) {
        step_world(world, 0.016);
        weir_statistics s = weir_world_get_statistics(world);
        assert_true(s.compression_mean < 0.01);
    }
    weir_world_destroy(world);
}

/* One step of 16 ms a frame: the energy falls, and no particle outruns the fall. */
static void test_single_step(void **state)
{
    (void)state;
    weir_world_def def = pbf_def(2, 0.02, 1);
    set_parameter(&def, "iterations", 10);
    weir_world *world = make_drop(&def);
    weir_statistics s = weir_world_get_statistics(world);
    double start = s.kinetic_energy + s.potential_energy;
    for (int k = 0; k < 120; k++) {
        step_world(world, 0.016);
        s = weir_world_get_statistics(world);
        assert_true(s.kinetic_energy + s.potential_energy < 1.01 * start);
        assert_true(s.speed_max < 8);
    }
    assert_true(s.kinetic_energy < 0.05 * start);
    weir_world_destroy(world);
}

/* ----------------------------------------------------------------- clumping */

/* Distance to the nearest particle, and the mean direction to those within h. */
static double look_around(const flow *f, size_t i, vec3 *inside)
{
    double nearest = INFINITY;
    *inside = (vec3){0, 0, 0};
    for (size_t j = 0; j < f->p.count; j++) {
        if (j == i)
            continue;
        vec3 r = vec3_sub(flow_position(f, j), flow_position(f, i));
        double length = vec3_length(r);
        nearest = fmin(nearest, length);
        if (length < f->h)
            *inside = vec3_add(*inside, r);
    }
    return nearest;
}

/* At the surface: nothing is within a spacing of a point 1.2 spacings out. */
static bool is_open(const flow *f, size_t i, vec3 inside)
{
    vec3 out = vec3_madd(flow_position(f, i), -1.2 * f->spacing, vec3_unit(inside, v3(0, -1, 0)));
    for (size_t j = 0; j < f->p.count; j++)
        if (vec3_length(vec3_sub(flow_position(f, j), out)) < f->spacing)
            return false;
    return true;
}

/* Mean distance of particles at the surface to their nearest neighbour, in spacings. */
static double surface_distance(const weir_world *world)
{
    const flow *f = &world->flow;
    double sum = 0;
    int count = 0;
    for (size_t i = 0; i < f->p.count; i++) {
        vec3 inside;
        double nearest = look_around(f, i, &inside);
        if (f->walls.spans[i].count > 0 || nearest > f->h || !is_open(f, i, inside))
            continue;
        sum += nearest / f->spacing;
        count++;
    }
    assert_true(count > 20);
    return sum / count;
}

/* The paper's settings: rows that pull, three Jacobi iterations. */
static double distance_with(double artificial_pressure)
{
    weir_world_def def = pbf_def(2, 0.02, 2);
    set_parameter(&def, "solver", PBF_SOLVER_JACOBI);
    set_parameter(&def, "iterations", 3);
    set_parameter(&def, "cohesion", 1);
    set_parameter(&def, "artificial_pressure", artificial_pressure);
    weir_world *world = make_drop(&def);
    step_many(world, 0.016, 45);
    double distance = surface_distance(world);
    weir_world_destroy(world);
    return distance;
}

static void test_artificial_pressure_parts_particles(void **state)
{
    (void)state;
    double with = distance_with(0.1), without = distance_with(0);
    assert_true(with >= 0.8);
    assert_true(without < 0.6);
}

/* ---------------------------------------------------------------- vorticity */

typedef struct splash {
    double
        highest; /* largest potential energy after the wave hit the wall, over the start's energy */
    double largest; /* largest energy ever, over that of the start */
    double last;    /* energy at the end, over that of the start */
} splash;

static splash break_dam(double vorticity, double seconds)
{
    weir_world_def def = pbf_def(2, 0.03, 4);
    set_parameter(&def, "solver", PBF_SOLVER_JACOBI);
    set_parameter(&def, "iterations", 3);
    set_parameter(&def, "vorticity", vorticity);
    weir_world *world = make_world(&def);
    make_tank(world, v3(0, 0, -1), v3(1.8, 4, 1));
    fill_box(world, make_water(world), 2, 0.03, v3(0, 0, 0), v3(0.6, 0.6, 0), 0, v3(0, 0, 0));
    weir_statistics s = weir_world_get_statistics(world);
    double start = s.kinetic_energy + s.potential_energy;
    splash found = {0, 0, 0};
    for (int k = 0; k < (int)(60 * seconds); k++) {
        step_world(world, 1.0 / 60);
        s = weir_world_get_statistics(world);
        if (k > 40)
            found.highest = fmax(found.highest, s.potential_energy / start);
        found.last = (s.kinetic_energy + s.potential_energy) / start;
        found.largest = fmax(found.largest, found.last);
    }
    weir_world_destroy(world);
    return found;
}

static void test_confinement_raises_the_splash(void **state)
{
    (void)state;
    splash without = break_dam(0, 2), with = break_dam(5, 10);
    assert_true(with.highest > 1.05 * without.highest);
    /* It gives back no more than was lost, and the fluid comes to rest. */
    assert_true(with.largest < 1.05);
    assert_true(with.last < 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_density_of_a_drop),
        cmocka_unit_test(test_single_step),
        cmocka_unit_test(test_artificial_pressure_parts_particles),
        cmocka_unit_test(test_confinement_raises_the_splash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
