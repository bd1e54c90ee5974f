/* A run that is saved and goes on in another world gives the same bits as one that never stopped.
 */
#include "support/busy_world.h"

/* A copy of all sections, as a file would hold it. */
typedef struct saved {
    weir_section sections[WEIR_MAX_SECTIONS];
    int count;
} saved;

static size_t bytes_of(const weir_section *s)
{
    static const size_t bytes[] = {
        [WEIR_SECTION_F32] = 4, [WEIR_SECTION_F64] = 8, [WEIR_SECTION_U8] = 1,
        [WEIR_SECTION_U32] = 4, [WEIR_SECTION_U64] = 8,
    };
    return s->count * bytes[s->type];
}

static saved save(weir_world *world)
{
    saved copy;
    copy.count = weir_world_get_sections(world, copy.sections);
    assert_true(copy.count > 0);
    for (int k = 0; k < copy.count; k++) {
        weir_section *s = &copy.sections[k];
        void *data = malloc(bytes_of(s) + 1);
        if (s->count > 0)
            memcpy(data, s->data, bytes_of(s));
        s->data = data;
    }
    return copy;
}

static void forget(saved *copy)
{
    for (int k = 0; k < copy->count; k++)
        free(copy->sections[k].data);
}

static size_t count_of(const saved *copy, const char *name)
{
    for (int k = 0; k < copy->count; k++)
        if (strcmp(copy->sections[k].name, name) == 0)
            return copy->sections[k].count;
    return 0;
}

static bool restore(weir_world *world, const saved *copy, weir_error *error)
{
    weir_section into[WEIR_MAX_SECTIONS];
    assert_true(
        weir_world_restore_begin(world, count_of(copy, "id"), count_of(copy, "contacts"), error));
    int count = weir_world_get_sections(world, into);
    assert_int_equal(count, copy->count);
    for (int k = 0; k < count; k++) {
        assert_string_equal(into[k].name, copy->sections[k].name);
        assert_int_equal(into[k].type, copy->sections[k].type);
        assert_int_equal(into[k].count, copy->sections[k].count);
        if (into[k].count > 0)
            memcpy(into[k].data, copy->sections[k].data, bytes_of(&into[k]));
    }
    return weir_world_restore_finish(world, error);
}

static weir_world *make(int dim)
{
    return make_busy_world(dim, dim == 2 ? 0.02 : 0.05, 1, NULL);
}

static void a_restored_run_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world *unbroken = make(dim), *fresh = make(dim), *used = make(dim);
        step_many(unbroken, 0.017, 4);
        saved copy = save(unbroken);
        weir_error error = {0};
        assert_true(restore(fresh, &copy, &error));
        step_many(used, 0.02, 7); /* whatever it did before */
        assert_true(restore(used, &copy, &error));
        forget(&copy);
        for (int k = 0; k < 3; k++) {
            assert_true(weir_world_hash(fresh) == weir_world_hash(unbroken));
            assert_true(weir_world_hash(used) == weir_world_hash(unbroken));
            step_world(unbroken, 0.017);
            step_world(fresh, 0.017);
            step_world(used, 0.017);
        }
        assert_true(weir_world_hash(fresh) == weir_world_hash(unbroken));
        assert_true(weir_world_hash(used) == weir_world_hash(unbroken));
        assert_near(weir_world_get_time(fresh), 7 * 0.017, 1e-12);
        for (int p = 0; p < weir_world_probe_count(fresh); p++)
            assert_memory_equal(weir_world_read_probe(fresh, p).value,
                                weir_world_read_probe(unbroken, p).value, 3 * sizeof(double));
        weir_world_destroy(unbroken);
        weir_world_destroy(fresh);
        weir_world_destroy(used);
    }
}

static weir_world *make_coupled(weir_coupling_mode mode)
{
    weir_world_def def = small_world_def(2, 0.04);
    def.coupling.mode = mode;
    weir_world *world = make_world(&def);
    weir_fluid_id water = make_fluid(world, 1000, 0);
    make_tank(world, v3(0, 0, 0), v3(1, 1, 1));
    weir_body_def ball = weir_body_def_default();
    ball.kind = WEIR_BODY_DYNAMIC;
    ball.density = 500;
    ball.shape.kind = WEIR_SHAPE_SPHERE;
    ball.shape.radius = 0.15;
    ball.pose.position = v3(0.5, 0.56, 0);
    make_body(world, &ball);
    fill_box(world, water, 2, 0.04, v3(0, 0, 0), v3(1, 0.4, 0), 0, v3(0, 0, 0));
    return world;
}

/* Contacts hold no state, but what finds them must be there again. */
static void bodies_that_couple_by_contacts_go_on(void **state)
{
    (void)state;
    const weir_coupling_mode modes[] = {WEIR_COUPLING_CONTACT_LCP, WEIR_COUPLING_PENALTY};
    for (int m = 0; m < 2; m++) {
        weir_world *unbroken = make_coupled(modes[m]), *other = make_coupled(modes[m]);
        weir_world *used = make_coupled(modes[m]);
        weir_error error = {0};
        step_many(unbroken, 0.01, 20);
        saved copy = save(unbroken);
        assert_true(restore(other, &copy, &error));
        step_many(used, 0.01, 3);
        assert_true(restore(used, &copy, &error));
        forget(&copy);
        step_many(unbroken, 0.01, 10);
        step_many(other, 0.01, 10);
        step_many(used, 0.01, 10);
        assert_true(weir_world_get_contacts(other, NULL, 0) > 0);
        assert_true(weir_world_hash(other) == weir_world_hash(unbroken));
        assert_true(weir_world_hash(used) == weir_world_hash(unbroken));
        weir_world_destroy(unbroken);
        weir_world_destroy(other);
        weir_world_destroy(used);
    }
}

/* Before the first step, too, and with another number of threads. */
static void a_state_can_be_restored_at_any_time(void **state)
{
    (void)state;
    weir_world *unbroken = make(2), *other = make_busy_world(2, 0.02, 3, "scalar");
    saved copy = save(unbroken);
    weir_error error = {0};
    assert_true(restore(other, &copy, &error));
    forget(&copy);
    step_many(unbroken, 0.01, 3);
    step_many(other, 0.01, 3);
    assert_true(weir_world_hash(other) == weir_world_hash(unbroken));
    weir_world_destroy(unbroken);
    weir_world_destroy(other);
}

static weir_world *make_world_with_jet(void)
{
    weir_world_def def = small_world_def(2, 0.05);
    weir_world *world = make_world(&def);
    weir_emitter_def jet = weir_emitter_def_default();
    jet.fluid = make_fluid(world, 1000, 0);
    assert_true(weir_emitter_create(world, &jet, NULL).slot > 0);
    return world;
}

static void a_state_with_unknown_fluids_is_refused(void **state)
{
    (void)state;
    weir_world *world = make(2);
    saved copy = save(world);
    for (int k = 0; k < copy.count; k++)
        if (strcmp(copy.sections[k].name, "fluid") == 0)
            ((uint8_t *)copy.sections[k].data)[3] = 9;
    weir_error error = {0};
    assert_false(restore(world, &copy, &error));
    assert_error(error, WEIR_FORMAT, "particle 3");
    forget(&copy);
    weir_world_destroy(world);
}

/* What an emitter owes is given at once: a number without bounds would fill the memory. */
static void a_state_in_which_an_emitter_owes_too_much_is_refused(void **state)
{
    (void)state;
    weir_world *world = make_world_with_jet();
    saved copy = save(world);
    weir_error error = {0};
    const double owed[] = {-1, 1e4, 1e300, INFINITY, NAN};
    for (int k = 0; k < 5; k++) {
        assert_string_equal(copy.sections[0].name, "world");
        /* The emitter's numbers are the last: layers, particles. */
        ((double *)copy.sections[0].data)[copy.sections[0].count - 2] = owed[k];
        assert_false(restore(world, &copy, &error));
        assert_error(error, WEIR_FORMAT, "none that a world can have");
    }
    forget(&copy);
    weir_world_destroy(world);
}

/* ------------------------------------------------------------- fingerprints */

/* The fingerprint of a small world, with one thing changed. */
typedef struct variant {
    double spacing, density, radius, speed, emitter_end, sink_end, sink_volume, grid_origin, probe;
} variant;

static const variant plain = {0.05, 1000, 0.2, 1, 2, 2, 1, 0, 0};

static uint64_t fingerprint(const variant *v)
{
    weir_world_def def = small_world_def(2, v->spacing);
    weir_world *world = make_world(&def);
    weir_fluid_id water = make_fluid(world, v->density, 0);
    weir_body_def ball = weir_body_def_default();
    ball.shape.kind = WEIR_SHAPE_SPHERE;
    ball.shape.radius = v->radius;
    make_body(world, &ball);
    static const float distances[4] = {0.2f, 0.2f, -0.2f, -0.2f};
    weir_grid_def grid = {{v->grid_origin, 0, 0}, 0.5, {2, 2, 1}, distances};
    ball.shape.kind = WEIR_SHAPE_GRID;
    ball.shape.grid = &grid;
    make_body(world, &ball);
    weir_interval open = {0, v->emitter_end};
    weir_emitter_def jet = weir_emitter_def_default();
    jet.fluid = water;
    jet.speed = v->speed;
    jet.schedule = &open;
    jet.schedule_count = 1;
    weir_sink_def drain = weir_sink_def_default();
    weir_interval draining = {0, v->sink_end};
    drain.shape.kind = WEIR_SHAPE_SPHERE;
    drain.shape.radius = 1;
    drain.max_volume = v->sink_volume;
    drain.schedule = &draining;
    drain.schedule_count = 1;
    weir_probe_def gauge = weir_probe_def_default();
    gauge.position.x = v->probe;
    assert_true(weir_emitter_create(world, &jet, NULL).slot > 0);
    assert_true(weir_sink_create(world, &drain, NULL).slot > 0);
    assert_true(weir_probe_create(world, &gauge, NULL).slot > 0);
    uint64_t hash = weir_world_fingerprint(world);
    weir_world_destroy(world);
    return hash;
}

static void equal_worlds_have_equal_fingerprints(void **state)
{
    (void)state;
    assert_true(fingerprint(&plain) == fingerprint(&plain));
    weir_world *a = make(2), *b = make_busy_world(2, 0.02, 3, "scalar");
    assert_true(weir_world_fingerprint(a) == weir_world_fingerprint(b));
    step_world(a, 0.01); /* of the definition, not of the state */
    assert_true(weir_world_fingerprint(a) == weir_world_fingerprint(b));
    weir_world_destroy(a);
    weir_world_destroy(b);
}

static void every_definition_is_in_the_fingerprint(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof plain / sizeof(double); k++) {
        variant changed = plain;
        ((double *)&changed)[k] += 0.01;
        if (fingerprint(&changed) == fingerprint(&plain))
            fail_msg("the fingerprint misses number %zu of the variant", k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restored_run_goes_on_with_the_same_bits),
        cmocka_unit_test(bodies_that_couple_by_contacts_go_on),
        cmocka_unit_test(a_state_can_be_restored_at_any_time),
        cmocka_unit_test(a_state_with_unknown_fluids_is_refused),
        cmocka_unit_test(a_state_in_which_an_emitter_owes_too_much_is_refused),
        cmocka_unit_test(equal_worlds_have_equal_fingerprints),
        cmocka_unit_test(every_definition_is_in_the_fingerprint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
