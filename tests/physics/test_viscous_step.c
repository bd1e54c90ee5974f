/* Viscosity is explicit in all methods that share drag.c: the step that they derive must keep a
 * very viscous flow smooth. Poiseuille flow of Reynolds number 1 against its parabola, 20 particles
 * across: at longer steps neighbouring layers run against each other. */
#include "support/worlds.h"

static weir_world *make_flow(weir_method method, double spacing)
{
    double length = 16 * spacing;
    weir_world_def def = weir_world_def_default();
    weir_world_def_use_method(&def, method);
    def.dim = 2;
    def.spacing = spacing;
    def.threads = 1;
    def.gravity = v3(0, 0, 0);
    def.acceleration = v3(8, 0, 0);
    def.period[0] = (weir_axis_period){true, 0, length};
    weir_world *world = make_world(&def);
    weir_fluid_id liquid = make_fluid(world, 1000, 1000);
    weir_body_def lower = plane_def(v3(0, 0, 0), v3(0, 1, 0), WEIR_WALL_NO_SLIP);
    weir_body_def upper = plane_def(v3(0, 1, 0), v3(0, -1, 0), WEIR_WALL_NO_SLIP);
    make_body(world, &lower);
    make_body(world, &upper);
    fill_box(world, liquid, 2, spacing, v3(0, 0, 0), v3(length, 1, length), 0, v3(0, 0, 0));
    return world;
}

/* The rms difference to the steady flow, u = 4 y (1 − y) m/s. */
static double profile_difference(const weir_world *world)
{
    weir_particle_view view = weir_world_get_particles(world);
    double squares = 0;
    for (size_t i = 0; i < view.count; i++) {
        double y = (double)view.position[1][i], u = (double)view.velocity[0][i];
        squares += (u - 4 * y * (1 - y)) * (u - 4 * y * (1 - y)) / (double)view.count;
    }
    return sqrt(squares);
}

static void check_flow(weir_method method)
{
    weir_world *world = make_flow(method, 0.05);
    step_world(world, 0.5);
    print_message("rms difference %g m/s\n", profile_difference(world));
    assert_between(profile_difference(world), 0, 0.08);
    weir_world_destroy(world);
}

static void constraint_stays_smooth(void **state)
{
    (void)state;
    check_flow(WEIR_METHOD_CONSTRAINT);
}

static void pbf_stays_smooth(void **state)
{
    (void)state;
    check_flow(WEIR_METHOD_PBF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constraint_stays_smooth),
        cmocka_unit_test(pbf_stays_smooth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
