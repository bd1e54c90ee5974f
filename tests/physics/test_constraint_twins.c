/* Two particles at the very same place, in the middle of a pool, part. */
#include "support/worlds.h"
#include "world/state.h"

static weir_world *make_pool(int dim, int threads)
{
    weir_world_def def = small_world_def(dim, 0.1);
    weir_world_def_use_method(&def, WEIR_METHOD_CONSTRAINT);
    def.threads = threads;
    weir_world *world = make_world(&def);
    weir_fluid_id water = make_fluid(world, 1000, 0.001);
    make_tank(world, v3(0, 0, 0), v3(1, 3, 1));
    fill_box(world, water, dim, 0.1, v3(0, 0, 0), v3(1, 1, 1), 0, v3(0, 0, 0));
    weir_vec3 place = v3(0.45, 0.35, dim == 3 ? 0.45 : 0);
    assert_true(weir_world_add_particles(world, water, &place, 1, v3(0, 0, 0), NULL));
    return world;
}

static vec3 place_of(const weir_world *world, uint32_t id)
{
    for (size_t i = 0; i < world->flow.p.count; i++)
        if (world->flow.p.id[i] == id)
            return flow_position(&world->flow, i);
    fail_msg("particle %u is gone", id);
    return (vec3){0, 0, 0};
}

/* The particle that the added one was put on. */
static uint32_t find_twin(const weir_world *world)
{
    size_t last = world->flow.p.count - 1;
    vec3 place = place_of(world, (uint32_t)last);
    for (uint32_t id = 0; id < last; id++)
        if (vec3_length(vec3_sub(place_of(world, id), place)) < 1e-5)
            return id;
    fail_msg("no particle lies there");
    return 0;
}

static void twins_part(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        uint64_t first = 0;
        for (int threads = 1; threads <= 3; threads += 2) {
            weir_world *world = make_pool(dim, threads);
            uint32_t added = (uint32_t)world->flow.p.count - 1, twin = find_twin(world);
            step_many(world, 1.0 / 60, 60);
            double apart =
                vec3_length(vec3_sub(place_of(world, added), place_of(world, twin))) / 0.1;
            print_message("%dD, %d threads: %.2f spacings apart, fastest %.2f m/s\n", dim, threads,
                          apart, world->flow.speed_max);
            assert_true(apart > 0.7);
            assert_true(world->flow.speed_max < 1); /* and not by a bang */
            uint64_t hash = weir_world_hash(world);
            assert_true(first == 0 || hash == first);
            first = hash;
            weir_world_destroy(world);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twins_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
