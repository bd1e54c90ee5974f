/* A fill flush with walls starts with no more energy than falling gives it, though a lattice half a
 * spacing from walls is too dense there; a deep one in a narrow tank stays what it is; and so does
 * one that comes in later. */
#include "support/worlds.h"

static const double GRAVITY = 9.81;

/* A fill of `size` flush with the floor and two walls, or all four, of a tank. */
static weir_world *make_fill(weir_method method, int dim, double d, weir_vec3 tank, weir_vec3 size,
                             weir_fluid_id *water)
{
    weir_world_def def = small_world_def(dim, d);
    weir_world_def_use_method(&def, method);
    def.gravity = v3(0, -GRAVITY, 0);
    weir_world *w = make_world(&def);
    *water = make_fluid(w, 1000, 0.001);
    make_tank(w, v3(0, 0, 0), tank);
    fill_box(w, *water, dim, d, v3(0, 0, 0), size, 0, v3(0, 0, 0));
    return w;
}

static void check_start(weir_method method, int dim)
{
    double time = 0.01;
    weir_fluid_id water;
    weir_world *w = make_fill(method, dim, 0.02, v3(0.6, 0.6, 0.2), v3(0.2, 0.3, 0.2), &water);
    double before = weir_world_get_statistics(w).potential_energy;
    for (int k = 0; k < 10; k++)
        step_world(w, time / 10);
    weir_statistics s = weir_world_get_statistics(w);
    double fallen = 0.5 * s.mass * (GRAVITY * time) * (GRAVITY * time);
    print_message("%dD: %g J, falling freely %g J\n", dim, s.kinetic_energy, fallen);
    assert_true(s.kinetic_energy < fallen);
    assert_between(s.kinetic_energy + s.potential_energy, 0.99 * before, 1.01 * before);
    weir_world_destroy(w);
}

static void pbf_starts_calm(void **state)
{
    (void)state;
    check_start(WEIR_METHOD_PBF, 2);
    check_start(WEIR_METHOD_PBF, 3);
}

static void constraints_start_calm(void **state)
{
    (void)state;
    check_start(WEIR_METHOD_CONSTRAINT, 2);
    check_start(WEIR_METHOD_CONSTRAINT, 3);
}

/* Steps as long as the limit allows. What walls have too much lifts the whole column: solved while
 * it stands under its weight, that was compressed by 7 % after 0.3 s. */
static void check_column(int dim, int deep, int across)
{
    double d = 0.01, seconds = 0.35, side = across * d, height = deep * d;
    weir_fluid_id water;
    weir_world *w = make_fill(WEIR_METHOD_CONSTRAINT, dim, d, v3(side, 2 * height, side),
                              v3(side, height, side), &water);
    double before = weir_world_get_statistics(w).potential_energy;
    while (weir_world_get_time(w) < seconds)
        step_world(w, weir_world_get_step_limit(w, NULL).seconds);
    weir_statistics s = weir_world_get_statistics(w);
    double speed = sqrt(2 * s.kinetic_energy / s.mass);
    print_message("%dD: compression %.5f, rms speed %.3f m/s, potential %+.4f\n", dim,
                  s.compression_mean, speed, s.potential_energy / before - 1);
    assert_true(s.compression_mean < 0.0005);
    assert_true(speed < sqrt(2 * GRAVITY * 0.1 * d)); /* a tenth of a spacing's fall */
    assert_between(s.potential_energy, 0.99 * before, 1.03 * before);
    weir_world_destroy(w);
}

static void deep_columns_keep_standing(void **state)
{
    (void)state;
    check_column(2, 200, 20);
    check_column(3, 60, 8);
}

/* Steps that were right for the two layers that a world begins with made it boil: it moved at
 * 0.3 m/s. */
static void fluid_that_is_added_stands(void **state)
{
    (void)state;
    double d = 0.02, side = 30 * d, height = 60 * d;
    weir_fluid_id water;
    weir_world *w = make_fill(WEIR_METHOD_CONSTRAINT, 2, d, v3(side, 2 * height, 0),
                              v3(side, 2 * d, 0), &water);
    step_world(w, 1.0 / 60);
    fill_box(w, water, 2, d, v3(0, 2 * d, 0), v3(side, height, 0), 0, v3(0, 0, 0));
    for (int k = 0; k < 30; k++)
        step_world(w, 1.0 / 60);
    weir_statistics s = weir_world_get_statistics(w);
    double speed = sqrt(2 * s.kinetic_energy / s.mass);
    print_message("compression %.5f, rms speed %.3f m/s\n", s.compression_mean, speed);
    assert_true(s.compression_mean < 0.0005);
    assert_true(speed < sqrt(2 * GRAVITY * 0.1 * d));
    weir_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pbf_starts_calm),
        cmocka_unit_test(constraints_start_calm),
        cmocka_unit_test(deep_columns_keep_standing),
        cmocka_unit_test(fluid_that_is_added_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
