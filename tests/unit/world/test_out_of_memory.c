/* Memory that runs out at each allocation of a world with everything in it: the call that needed it
 * fails with a reason, nothing crashes and nothing is left behind. */
#include "support/counting_memory.h"
#include "support/mixed_world.h"
#include "support/unit.h"

enum { STEPS = 2 };

/* Builds, steps, saves and ends a world; whether all of it went well. */
static bool live(mixed_options options, counting_memory *memory, size_t calls, weir_error *error)
{
    weir_section sections[WEIR_MAX_SECTIONS];
    options.hooks = counting_hooks(memory);
    memory->calls_left = calls;
    weir_world *world = mixed_world_create(&options, error);
    bool ok = world != NULL;
    for (int k = 0; ok && k < STEPS; k++)
        ok = !(weir_world_step(world, 1.0 / 120, error) & WEIR_STEP_FAILED);
    if (ok && weir_world_get_sections(world, sections) == 0) {
        error->code = WEIR_OUT_OF_MEMORY; /* the only reason that it can have */
        ok = false;
    }
    /* A world that has failed can still be asked and ended. */
    if (world) {
        weir_world_get_statistics(world);
        weir_world_hash(world);
    }
    weir_world_destroy(world);
    return ok;
}

/* Of each `stride` allocations the first. */
static void check_allocations(int dim, weir_method method, weir_coupling_mode coupling,
                              size_t stride)
{
    mixed_options options = mixed_options_default(dim, method);
    counting_memory memory;
    weir_error error = {0};
    options.spacing = 0.125;
    options.coupling = coupling;
    if (!live(options, &memory, SIZE_MAX, &error))
        fail_msg("%s", error.text);
    assert_int_equal(memory.live_blocks, 0);
    size_t calls = memory.calls;
    for (size_t n = 0; n < calls; n += stride) {
        error = (weir_error){0};
        bool ok = live(options, &memory, n, &error);
        if (memory.live_blocks != 0 || memory.live_bytes != 0)
            fail_msg("allocation %zu of %zu: %zu blocks of %zu bytes stay: %s", n, calls,
                     memory.live_blocks, memory.live_bytes, error.text);
        if (!ok && error.code != WEIR_OUT_OF_MEMORY)
            fail_msg("allocation %zu of %zu: code %d: %s", n, calls, error.code, error.text);
    }
    print_message("%s %dD: %zu allocations\n", weir_method_get_info(method)->name, dim, calls);
}

static void test_sph(void **state)
{
    (void)state;
    check_allocations(2, WEIR_METHOD_SPH, WEIR_COUPLING_BOUNDARY_VOLUME, 4);
}

static void test_constraint(void **state)
{
    (void)state;
    check_allocations(2, WEIR_METHOD_CONSTRAINT, WEIR_COUPLING_BOUNDARY_VOLUME, 1);
    check_allocations(3, WEIR_METHOD_CONSTRAINT, WEIR_COUPLING_BOUNDARY_VOLUME, 7);
}

static void test_pbf(void **state)
{
    (void)state;
    check_allocations(2, WEIR_METHOD_PBF, WEIR_COUPLING_BOUNDARY_VOLUME, 1);
}

static void test_viscoelastic(void **state)
{
    (void)state;
    check_allocations(2, WEIR_METHOD_VISCOELASTIC, WEIR_COUPLING_BOUNDARY_VOLUME, 1);
}

static void test_contact_lcp(void **state)
{
    (void)state;
    check_allocations(2, WEIR_METHOD_PBF, WEIR_COUPLING_CONTACT_LCP, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sph),         cmocka_unit_test(test_constraint),
        cmocka_unit_test(test_pbf),         cmocka_unit_test(test_viscoelastic),
        cmocka_unit_test(test_contact_lcp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
