/* A piston that fits its bore exactly and touches both walls, on oil: the solve ends, the piston
 * neither sinks nor jams askew, and hardly any oil enters the seams. */
#include "support/worlds.h"

#include "world/state.h"

static const double GRAVITY = 9.81, SPACING = 0.02, WIDTH = 0.8, DEPTH = 0.4;

static weir_body_id add_piston(weir_world *w, double mass)
{
    weir_body_def def = weir_body_def_default();
    def.kind = WEIR_BODY_DYNAMIC;
    def.shape.kind = WEIR_SHAPE_BOX;
    def.shape.half_extents = v3(WIDTH / 2, 0.1, 1);
    def.pose.position = v3(WIDTH / 2, DEPTH + 0.1, 0);
    def.mass = mass;
    return make_body(w, &def);
}

static void piston_rests_on_oil(void **state)
{
    (void)state;
    static const double masses[] = {64, 320};
    for (size_t n = 0; n < COUNT_OF(masses); n++) {
        weir_world_def def = small_world_def(2, SPACING);
        weir_world_def_use_method(&def, WEIR_METHOD_CONSTRAINT);
        def.gravity = v3(0, -GRAVITY, 0);
        weir_world *w = make_world(&def);
        weir_fluid_id oil = make_fluid(w, 900, 0.1);
        make_tank(w, v3(0, 0, 0), v3(WIDTH, 2, 0));
        weir_body_id piston = add_piston(w, masses[n]);
        fill_box(w, oil, 2, SPACING, v3(0, 0, 0), v3(WIDTH, DEPTH, 0), 0, v3(0, 0, 0));
        double most = 0;
        for (int k = 0; k < 60; k++) {
            step_world(w, 1.0 / 60);
            most = fmax(most, w->system.velocity_result.residual);
        }
        weir_body_state s;
        weir_body_get_state(w, piston, &s);
        weir_particle_view p = weir_world_get_particles(w);
        int above = 0; /* in the seam beside the piston */
        for (size_t i = 0; i < p.count; i++)
            above += p.position[1][i] > s.pose.position.y - 0.1;
        print_message("%g kg: at %.4f m, turned by %.4f, %d particles beside it, residual %.3f\n",
                      masses[n], s.pose.position.y - 0.1, 2 * s.pose.rotation.z, above, most);
        assert_true(fabs(s.pose.position.y - 0.1 - DEPTH) < 0.25 * SPACING);
        assert_true(fabs(s.pose.rotation.z) < 0.01);
        assert_true(above <= 4);
        assert_true(most < 0.1);
        weir_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(piston_rests_on_oil)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
