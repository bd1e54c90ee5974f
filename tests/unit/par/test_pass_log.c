/* The log of passes: what it counts, and what a world counts with it. */
#include "par/pass_log.h"
#include "support/unit.h"

static const pass_work work = {.name = "work",
                               .pair_flops = 10,
                               .pair_axis_flops = 3,
                               .pair_roots = 2,
                               .candidate_bytes = 4,
                               .particle_bytes = 5,
                               .particle_axis_bytes = 7};

static void work_is_counted_from_sizes(void **state)
{
    (void)state;
    static const pass_work other = {.name = "other", .particle_bytes = 1};
    pass_log log = {0};
    pass_size size = {.dim = 3, .particles = 100, .candidates = 50, .lanes = 8, .further_bytes = 9};
    double since = pass_now();
    pass_log_add(&log, &work, &size, since);
    pass_log_add(&log, &other, &size, since);
    size.dim = 2;
    pass_log_add(&log, &work, &size, since);
    assert_int_equal(log.count, 2);
    const weir_pass *pass = &log.passes[0];
    assert_string_equal(pass->name, "work");
    assert_true(pass->runs == 2 && log.passes[1].runs == 1);
    assert_true(pass->pairs == 2 * 400);
    assert_true(pass->flops == 400 * (19 + 16));
    assert_true(pass->roots == 2 * 800);
    assert_true(pass->bytes == 2 * (50 * 4 + 9) + 100 * (26 + 19));
    assert_true(log.passes[1].bytes == 100 + 9);
    assert_true(pass->seconds >= log.passes[1].seconds && log.passes[1].seconds >= 0);
    assert_true(pass->least_seconds > 0 && 2 * pass->least_seconds <= pass->seconds);
}

static void a_full_log_takes_nothing_more(void **state)
{
    (void)state;
    static pass_work many[PASS_LOG_MAX + 2];
    pass_log log = {0};
    pass_size size = {.particles = 1};
    pass_log_add(NULL, &work, &size, 0);
    for (size_t k = 0; k < COUNT_OF(many); k++)
        pass_log_add(&log, &many[k], &size, pass_now());
    assert_int_equal(log.count, PASS_LOG_MAX);
    pass_log_add(&log, &many[3], &size, pass_now());
    assert_true(log.passes[3].runs == 2);
}

static const weir_pass *find(const weir_pass *passes, int count, const char *name)
{
    for (int k = 0; k < count; k++)
        if (strcmp(passes[k].name, name) == 0)
            return &passes[k];
    print_error("there is no pass %s\n", name);
    fail();
    return passes;
}

/* 8 × 8 particles: one substep, so that the lists that are left are those that were counted. */
static void a_world_counts_its_loops(void **state)
{
    (void)state;
    static const struct {
        weir_method method;
        const char *loop;
        double flops; /* of a pair in 2D */
    } cases[] = {{WEIR_METHOD_SPH, "sph density", 25},
                 {WEIR_METHOD_SPH, "sph force", 31},
                 {WEIR_METHOD_PBF, "pbf measure", 27},
                 {WEIR_METHOD_VISCOELASTIC, "visco density", 12},
                 {WEIR_METHOD_CONSTRAINT, "constraint push", 6}};
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        weir_error error = {0};
        weir_world_def def = weir_world_def_default();
        weir_world_def_use_method(&def, cases[k].method);
        def.dim = 2;
        def.spacing = 0.1;
        def.threads = 1;
        weir_world *world = weir_world_create(&def, &error);
        weir_fluid_def water = weir_fluid_def_default();
        water.name = "water";
        weir_fluid_id fluid = weir_fluid_create(world, &water, &error);
        weir_vec3 at[64];
        for (int i = 0; i < 64; i++)
            at[i] = (weir_vec3){0.1 * (i % 8), 0.1 * (i / 8), 0};
        assert_true(weir_world_add_particles(world, fluid, at, 64, (weir_vec3){0, 0, 0}, &error));
        assert_false(weir_world_step(world, 1e-5, &error) & WEIR_STEP_FAILED);
        weir_pass passes[PASS_LOG_MAX];
        int count = weir_world_get_passes(world, passes, PASS_LOG_MAX);
        assert_in_range(count, 4, PASS_LOG_MAX);
        const weir_pass *pass = find(passes, count, cases[k].loop);
        double pairs = 8 * (double)weir_world_get_counters(world).candidates;
        assert_true(pass->runs >= 1 && pairs > 64 * 8);
        assert_near(pass->pairs / pass->runs, pairs, 0);
        assert_near(pass->flops / pass->pairs, cases[k].flops, 1e-12);
        assert_true(find(passes, count, "search lists")->runs >= 1);
        assert_true(pass->bytes > 4 * pass->pairs / 8);
        weir_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_counted_from_sizes),
        cmocka_unit_test(a_full_log_takes_nothing_more),
        cmocka_unit_test(a_world_counts_its_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
