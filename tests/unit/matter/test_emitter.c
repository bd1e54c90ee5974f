/* Emitters give the flow that was asked for, in layers that keep their distance; sinks take away.
 * Without gravity a jet moves on as it was emitted, so that its places are known exactly. */
#include "support/worlds.h"

static const double SPACING = 0.02;

static weir_world *quiet_world(int dim, weir_world_def *def, weir_fluid_id *fluid)
{
    weir_world_def own = small_world_def(dim, SPACING);
    if (!def)
        def = &own;
    def->gravity = v3(0, 0, 0);
    weir_world *world = make_world(def);
    *fluid = make_fluid(world, 1000, 0);
    return world;
}

static weir_emitter_def slot_def(weir_fluid_id fluid, double speed)
{
    weir_emitter_def def = weir_emitter_def_default();
    def.name = "slot";
    def.fluid = fluid;
    def.nozzle = WEIR_NOZZLE_RECTANGLE;
    def.half_width = def.half_height = 2 * SPACING; /* four by four sites */
    def.speed = speed;
    return def;
}

static void make_emitter(weir_world *world, const weir_emitter_def *def)
{
    weir_error error = {0};
    if (weir_emitter_create(world, def, &error).slot == 0)
        fail_msg("%s", error.text);
}

static void make_sink(weir_world *world, const weir_sink_def *def)
{
    weir_error error = {0};
    if (weir_sink_create(world, def, &error).slot == 0)
        fail_msg("%s", error.text);
}

/* Steps of uneven length, as a program with frames of uneven length takes them. */
static void run_unevenly(weir_world *world, double seconds)
{
    double end = weir_world_get_time(world) + seconds;
    for (uint64_t k = 0; weir_world_get_time(world) < end - 1e-9; k++)
        step_world(world, fmin(0.001 + 0.03 * random_unit(3, k), end - weir_world_get_time(world)));
}

/* -------------------------------------------------------------------- flow */

/* The volume is right to a layer at any time; `sites` is how many particles a layer has. */
static void check_flow(int dim, weir_emitter_def def, double expected, double sites)
{
    weir_fluid_id fluid;
    weir_world *world = quiet_world(dim, NULL, &fluid);
    def.fluid = fluid;
    make_emitter(world, &def);
    double particle = pow(SPACING, dim);
    for (int k = 1; k <= 4; k++) {
        run_unevenly(world, 0.25);
        weir_flow_state flow = weir_world_emitter_state(world, 0);
        assert_near(flow.volume, expected * 0.25 * k, 1.2 * sites * particle);
        assert_near(flow.volume, (double)flow.particles * particle, 1e-12);
        assert_int_equal(flow.particles, weir_world_get_particles(world).count);
    }
    weir_world_destroy(world);
}

static void the_flow_is_speed_times_area(void **state)
{
    (void)state;
    weir_fluid_id none = {0, 0};
    weir_emitter_def def = slot_def(none, 1.7);
    check_flow(2, def, 1.7 * 0.08, 4);
    check_flow(3, def, 1.7 * 0.08 * 0.08, 16);
    /* The lattice does not fill these exactly; the flow is right all the same. */
    def.nozzle = WEIR_NOZZLE_CIRCLE;
    def.radius = 0.067;
    check_flow(2, def, 1.7 * 2 * 0.067, 6);
    check_flow(3, def, 1.7 * 3.14159265358979 * 0.067 * 0.067, 32);
}

static void the_flow_rate_is_what_was_given(void **state)
{
    (void)state;
    weir_fluid_id none = {0, 0};
    weir_emitter_def def = slot_def(none, 0);
    def.flow_rate = 0.0051;
    check_flow(3, def, 0.0051, 16);
    def.speed = 1.1;
    check_flow(3, def, 0.0051, 16);
}

/* -------------------------------------------------------------------- layers */

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

static void layers_keep_the_rest_spacing(void **state)
{
    (void)state;
    weir_fluid_id fluid;
    weir_world *world = quiet_world(2, NULL, &fluid);
    weir_emitter_def def = slot_def(fluid, 1.3);
    make_emitter(world, &def);
    run_unevenly(world, 0.5);
    weir_particle_view view = weir_world_get_particles(world);
    float *x = malloc(view.count * sizeof *x);
    memcpy(x, view.position[0], view.count * sizeof *x);
    qsort(x, view.count, sizeof *x, compare_floats);
    assert_int_equal(view.count % 4, 0);
    /* What left the nozzle first has travelled the whole time. */
    assert_near(x[view.count - 1], 1.3 * 0.5, 0.02 * SPACING);
    for (size_t i = 0; i + 4 < view.count; i += 4) {
        assert_near(x[i + 3], x[i], 1e-3 * SPACING);
        assert_near(x[i + 4] - x[i], SPACING, 0.02 * SPACING);
    }
    free(x);
    weir_world_destroy(world);
}

static void the_jet_is_centred_and_aligned(void **state)
{
    (void)state;
    weir_fluid_id fluid;
    weir_world *world = quiet_world(3, NULL, &fluid);
    weir_emitter_def def = slot_def(fluid, 2);
    def.position = v3(1, 2, 3);
    def.direction = v3(0, 3, 4);
    def.up = v3(1, 1, 1);
    def.half_height = SPACING;
    make_emitter(world, &def);
    step_many(world, 0.01, 20);
    weir_particle_view view = weir_world_get_particles(world);
    /* Across the jet: the sideways direction is at right angles to up and to the jet. */
    double up[3] = {1, 1 - 0.6 * 1.4, 1 - 0.8 * 1.4}, length = sqrt(1 + 0.16 * 0.16 + 0.12 * 0.12);
    double sum[2] = {0, 0}, most[2] = {0, 0};
    for (size_t i = 0; i < view.count; i++) {
        double y = view.position[1][i] - 2.0, z = view.position[2][i] - 3.0,
               x = view.position[0][i] - 1.0;
        double along = 0.6 * y + 0.8 * z, across[2];
        assert_between(along, -1e-5, 2 * 0.2 + 2 * SPACING);
        across[0] = (x * up[0] + y * up[1] + z * up[2]) / length;
        across[1] = sqrt(fmax(0, x * x + y * y + z * z - along * along - across[0] * across[0]));
        for (int k = 0; k < 2; k++) {
            sum[k] += across[k];
            most[k] = fmax(most[k], fabs(across[k]));
        }
        assert_near(view.velocity[1][i], 1.2, 1e-5);
        assert_near(view.velocity[2][i], 1.6, 1e-5);
    }
    assert_near(sum[0] / (double)view.count, 0, 1e-5);
    assert_near(most[0], 0.5 * SPACING, 1e-4 * SPACING);
    assert_near(most[1], 1.5 * SPACING, 1e-3 * SPACING);
    weir_world_destroy(world);
}

/* ------------------------------------------------------------- what stops it */

static void the_schedule_opens_and_closes(void **state)
{
    (void)state;
    static const weir_interval open[] = {{0.1, 0.2}, {0.3, 0.35}};
    weir_fluid_id fluid;
    weir_world *world = quiet_world(2, NULL, &fluid);
    weir_emitter_def def = slot_def(fluid, 2);
    def.schedule = open;
    def.schedule_count = 2;
    make_emitter(world, &def);
    double rate = 2 * 0.08, layer = 4 * SPACING * SPACING;
    step_many(world, 0.01, 10);
    assert_int_equal(weir_world_emitter_state(world, 0).particles, 0);
    step_many(world, 0.01, 15);
    assert_near(weir_world_emitter_state(world, 0).volume, 0.1 * rate, 1.5 * layer);
    step_many(world, 0.01, 50);
    assert_near(weir_world_emitter_state(world, 0).volume, 0.15 * rate, 1.5 * layer);
    weir_world_destroy(world);
}

static void the_largest_volume_is_kept(void **state)
{
    (void)state;
    weir_fluid_id fluid;
    weir_world *world = quiet_world(2, NULL, &fluid);
    weir_emitter_def def = slot_def(fluid, 2);
    double layer = 4 * SPACING * SPACING;
    def.max_volume = 10 * layer;
    make_emitter(world, &def);
    step_many(world, 0.02, 50);
    assert_near(weir_world_emitter_state(world, 0).volume, 10 * layer, 1e-12);
    weir_world_destroy(world);
}

static void a_full_world_holds_the_emitter_back_until_there_is_room(void **state)
{
    (void)state;
    weir_fluid_id fluid;
    weir_world_def def = small_world_def(2, SPACING);
    def.max_particles = 42;
    weir_world *world = quiet_world(2, &def, &fluid);
    weir_emitter_def jet = slot_def(fluid, 2);
    make_emitter(world, &jet);
    static const weir_interval late = {0.4, 10};
    weir_sink_def sink = weir_sink_def_default();
    sink.shape.kind = WEIR_SHAPE_HALF_SPACE;
    sink.shape.normal = v3(-1, 0, 0); /* everything at x > 0.3 */
    sink.shape.pose.position = v3(0.3, 0, 0);
    sink.schedule = &late;
    sink.schedule_count = 1;
    make_sink(world, &sink);
    uint32_t flags = 0;
    for (int k = 0; k < 35; k++)
        flags |= step_world(world, 0.01);
    assert_true(flags & WEIR_STEP_FULL);
    assert_int_equal(weir_world_get_particles(world).count, 40);
    step_many(world, 0.01, 35);
    assert_true(weir_world_emitter_state(world, 0).particles > 40);
    assert_true(weir_world_get_particles(world).count <= 42);
    weir_world_destroy(world);
}

/* No step is so long that an emitter fills the memory at once: it is cut, or refused. */
static void a_step_that_is_far_too_long_is_refused(void **state)
{
    (void)state;
    weir_world_def def = small_world_def(2, SPACING);
    weir_world_def_use_method(&def, WEIR_METHOD_PBF); /* no sound that would limit the step */
    weir_world_def rash = def;
    rash.substeps = 1;
    rash.allow_unstable = true;
    weir_world_def *const defs[] = {&def, &rash};
    for (int k = 0; k < 2; k++) {
        weir_fluid_id fluid;
        weir_world *world = quiet_world(2, defs[k], &fluid);
        weir_emitter_def jet = slot_def(fluid, 2);
        make_emitter(world, &jet);
        assert_near(weir_world_get_step_limit(world, NULL).seconds, 4 * SPACING / 2, 1e-9);
        weir_error error = {0};
        assert_true(weir_world_step(world, 1e9, &error) & WEIR_STEP_FAILED);
        assert_error(error, WEIR_UNSTABLE, k == 0 ? "(emitter)" : "slot would give 1e+11 layers");
        assert_true(weir_world_get_particles(world).count <= 4);
        weir_world_destroy(world);
    }
}

static void jets_cross_the_ends_of_a_period(void **state)
{
    (void)state;
    weir_fluid_id fluid;
    weir_world_def def = small_world_def(2, SPACING);
    def.period[0] = (weir_axis_period){true, 0, 1};
    weir_world *world = quiet_world(2, &def, &fluid);
    weir_emitter_def jet = slot_def(fluid, 5);
    jet.position = v3(0.999, 0.5, 0);
    make_emitter(world, &jet);
    step_many(world, 0.01, 10);
    weir_particle_view view = weir_world_get_particles(world);
    assert_true(view.count > 0);
    for (size_t i = 0; i < view.count; i++) {
        assert_between(view.position[0][i], 0, 1);
        assert_near(view.velocity[0][i], 5, 1e-4);
    }
    weir_world_destroy(world);
}

/* -------------------------------------------------------------------- sinks */

static void sinks_take_what_is_inside_and_count_it(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_fluid_id fluid;
        weir_world *world = quiet_world(dim, NULL, &fluid);
        size_t count =
            fill_box(world, fluid, dim, SPACING, v3(0, 0, 0), v3(0.2, 0.2, 0.2), 0, v3(0, 0, 0));
        weir_sink_def sink = weir_sink_def_default();
        sink.shape.kind = WEIR_SHAPE_HALF_SPACE;
        sink.shape.normal = v3(1, 0, 0); /* the half below x = 0.1 */
        sink.shape.pose.position = v3(0.1, 0, 0);
        make_sink(world, &sink);
        step_world(world, 1e-4);
        weir_flow_state flow = weir_world_sink_state(world, 0);
        assert_int_equal(flow.particles, count / 2);
        assert_near(flow.volume, (double)count / 2 * pow(SPACING, dim), 1e-12);
        weir_particle_view view = weir_world_get_particles(world);
        assert_int_equal(view.count, count / 2);
        for (size_t i = 0; i < view.count; i++)
            assert_true(view.position[0][i] > 0.1f);
        weir_world_destroy(world);
    }
}

static void a_sink_stops_at_its_largest_volume(void **state)
{
    (void)state;
    weir_fluid_id fluid;
    weir_world *world = quiet_world(2, NULL, &fluid);
    fill_box(world, fluid, 2, SPACING, v3(0, 0, 0), v3(0.2, 0.2, 0), 0, v3(0, 0, 0));
    weir_sink_def sink = weir_sink_def_default();
    sink.shape.kind = WEIR_SHAPE_SPHERE;
    sink.shape.radius = 10;
    sink.max_volume = 7 * SPACING * SPACING;
    make_sink(world, &sink);
    step_many(world, 1e-4, 3);
    assert_int_equal(weir_world_sink_state(world, 0).particles, 7);
    assert_int_equal(weir_world_get_particles(world).count, 93);
    weir_world_destroy(world);
}

/* ---------------------------------------------------------------- bad input */

static void check_refused(int dim, weir_emitter_def def, weir_code code, const char *part)
{
    weir_fluid_id fluid;
    weir_world *world = quiet_world(dim, NULL, &fluid);
    if (def.fluid.slot == 1)
        def.fluid = fluid;
    weir_error error = {0};
    assert_int_equal(weir_emitter_create(world, &def, &error).slot, 0);
    assert_error(error, code, part);
    assert_int_equal(weir_world_emitter_count(world), 0);
    weir_world_destroy(world);
}

static void bad_emitters_are_refused(void **state)
{
    (void)state;
    weir_fluid_id fluid = {1, 1}, nobody = {9, 1}, null = {0, 0};
    weir_emitter_def good = slot_def(fluid, 1), def = good;
#define REFUSED(dim, change, code, part)                                                           \
    do {                                                                                           \
        def = good;                                                                                \
        change;                                                                                    \
        check_refused(dim, def, code, part);                                                       \
    } while (0)
    REFUSED(3, def.fluid = nobody, WEIR_STALE_ID, "fluid");
    REFUSED(3, def.fluid = null, WEIR_STALE_ID, "fluid");
    REFUSED(3, def.speed = 0, WEIR_INVALID, "speed");
    REFUSED(3, def.speed = -2, WEIR_INVALID, "-2");
    REFUSED(3, def.speed = NAN, WEIR_INVALID, "nan");
    REFUSED(3, def.flow_rate = -3, WEIR_INVALID, "-3");
    REFUSED(3, def.half_width = 0, WEIR_INVALID, "slot");
    REFUSED(3, def.half_height = -1, WEIR_INVALID, "-1");
    REFUSED(3, def.half_width = INFINITY, WEIR_INVALID, "inf");
    REFUSED(3, def.half_width = 1e12, WEIR_INVALID, "2e+12");
    REFUSED(3, (def.nozzle = WEIR_NOZZLE_CIRCLE, def.radius = -4), WEIR_INVALID, "-4");
    REFUSED(3, def.nozzle = (weir_nozzle)7, WEIR_INVALID, "7");
    REFUSED(3, def.direction = v3(0, 0, 0), WEIR_INVALID, "direction");
    REFUSED(2, def.direction = v3(0, 0, 1), WEIR_INVALID, "direction");
    REFUSED(3, def.direction = v3(NAN, 0, 0), WEIR_INVALID, "direction");
    REFUSED(3, def.position = v3(INFINITY, 0, 0), WEIR_INVALID, "position");
    REFUSED(3, def.up = v3(NAN, 0, 0), WEIR_INVALID, "up");
    REFUSED(3, def.max_volume = -1, WEIR_INVALID, "-1");
    weir_interval backwards = {2, 1}, odd = {NAN, 1};
    REFUSED(3, (def.schedule = &backwards, def.schedule_count = 1), WEIR_INVALID, "interval 0");
    REFUSED(3, (def.schedule = &odd, def.schedule_count = 1), WEIR_INVALID, "interval 0");
#undef REFUSED
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_flow_is_speed_times_area),
        cmocka_unit_test(the_flow_rate_is_what_was_given),
        cmocka_unit_test(layers_keep_the_rest_spacing),
        cmocka_unit_test(the_jet_is_centred_and_aligned),
        cmocka_unit_test(the_schedule_opens_and_closes),
        cmocka_unit_test(the_largest_volume_is_kept),
        cmocka_unit_test(a_full_world_holds_the_emitter_back_until_there_is_room),
        cmocka_unit_test(a_step_that_is_far_too_long_is_refused),
        cmocka_unit_test(jets_cross_the_ends_of_a_period),
        cmocka_unit_test(sinks_take_what_is_inside_and_count_it),
        cmocka_unit_test(a_sink_stops_at_its_largest_volume),
        cmocka_unit_test(bad_emitters_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
