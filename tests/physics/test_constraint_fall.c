/* A block of constraint fluid and a ball beside it fall together, also with steps of changing
 * length, and as far as Galilei says. */
#include "support/rigid.h"

static void fluid_and_bodies_fall_alike(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world_def def = small_world_def(dim, 0.1);
        weir_world_def_use_method(&def, WEIR_METHOD_CONSTRAINT);
        def.gravity = v3(0, -10, 0);
        def.substeps = 1;
        weir_world *world = make_world(&def);
        weir_fluid_id water = make_fluid(world, 1000, 0);
        weir_vec3 grid[8];
        for (int i = 0; i < 8; i++)
            grid[i] = v3(0.12 * (i % 2), 1 + 0.12 * (i / 2 % 2), dim == 3 ? 0.12 * (i / 4) : 0);
        assert_true(
            weir_world_add_particles(world, water, grid, dim == 3 ? 8 : 4, v3(0, 0, 0), NULL));
        weir_body_def ball = ball_def(v3(2, 1, 0), 0.2);
        weir_body_id id = make_body(world, &ball);
        double time = 0, last = 0;
        for (int k = 0; k < 40; k++) {
            last = k % 3 == 0 ? 0.005 : 0.002;
            step_world(world, last);
            time += last;
        }
        const flow *f = &world->flow;
        double fallen = 1 - centre_of(world, id).y, low = INFINITY;
        for (size_t i = 0; i < f->p.count; i++) {
            assert_near(f->p.v[1][i], body_at(world, id)->velocity.y, 1e-4);
            low = fmin(low, f->p.x[1][i]);
        }
        assert_near(body_at(world, id)->velocity.y, -10 * (time - last / 2), 1e-9);
        assert_near(fallen, 5 * time * time, 1e-9);
        assert_near(1 - low, 5 * time * time, 1e-4);
        weir_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fluid_and_bodies_fall_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
