/* Springs: who gets one, how they give way, that they stay with their particles through sorting,
 * threads and restarts, and that a hundred thousand of them come and go in a step without a trace.
 */
#include "support/counting_memory.h"
#include "support/viscoelastic_worlds.h"

static const springs *springs_of(const weir_world *world)
{
    return &((const visco_data *)world->flow.method_data)->springs;
}

static spring_span list_of(const springs *s, uint32_t id)
{
    return s->spans[id - s->base];
}

/* The spring from a to b as a's list has it; NULL: there is none. */
static const spring *find_spring(const springs *s, uint32_t a, uint32_t b)
{
    spring_span list = list_of(s, a);
    for (uint32_t k = 0; k < list.count; k++)
        if (list.items[k].partner == b)
            return &list.items[k];
    return NULL;
}

static weir_world_def spring_def(int dim, double spacing)
{
    weir_world_def def = visco_def(dim, spacing);
    def.gravity = v3(0, 0, 0);
    def.support = 2.5;
    set_parameter(&def, "sound_speed", 5);
    set_parameter(&def, "shear_modulus", 1000);
    return def;
}

static double distance_by_id(const weir_world *world, uint32_t a, uint32_t b)
{
    const particles *p = &world->flow.p;
    double x[2][3] = {{0}};
    for (size_t i = 0; i < p->count; i++)
        for (int k = 0; k < p->dim; k++)
            if (p->id[i] == a || p->id[i] == b)
                x[p->id[i] == b][k] = p->x[k][i];
    return hypot(hypot(x[0][0] - x[1][0], x[0][1] - x[1][1]), x[0][2] - x[1][2]);
}

/* -------------------------------------------------------------------- lists */

/* Both ends of every spring agree, bit for bit. */
static void check_symmetry(const weir_world *world)
{
    const springs *s = springs_of(world);
    const particles *p = &world->flow.p;
    size_t ends = 0;
    for (size_t i = 0; i < p->count; i++) {
        spring_span list = list_of(s, p->id[i]);
        ends += list.count;
        for (uint32_t k = 0; k < list.count; k++) {
            const spring *back = find_spring(s, list.items[k].partner, p->id[i]);
            assert_non_null(back);
            assert_memory_equal(&back->length, &list.items[k].length, sizeof(float));
        }
    }
    assert_int_equal(ends, s->ends);
}

static void test_every_near_pair_gets_a_spring(void **state)
{
    (void)state;
    weir_world_def def = spring_def(2, 0.1);
    weir_world *world = make_world(&def);
    fill_box(world, make_plain_fluid(world, 0), 2, 0.1, v3(0, 0, 0), v3(1, 1, 0), 0.1, v3(0, 0, 0));
    step_world(world, 1e-4);
    const springs *s = springs_of(world);
    for (uint32_t a = 0; a < 100; a++)
        for (uint32_t b = 0; b < 100; b++) {
            double r = distance_by_id(world, a, b);
            if (a == b || fabs(r - 0.25) < 1e-4)
                continue;
            const spring *one = find_spring(s, a, b);
            assert_int_equal(one != NULL, r < 0.25);
            if (one)
                assert_near(one->length, r, 1e-4); /* they start at rest */
        }
    check_symmetry(world);
    weir_counters counters = weir_world_get_counters(world);
    assert_int_equal(counters.springs, s->ends / 2);
    assert_true(counters.spring_bytes > 8 * s->ends && counters.spring_bytes < 2000000);
    weir_world_destroy(world);
}

static void test_switched_off_and_on(void **state)
{
    (void)state;
    weir_world_def def = spring_def(2, 0.1);
    weir_world *world = make_world(&def);
    fill_box(world, make_plain_fluid(world, 0), 2, 0.1, v3(0, 0, 0), v3(1, 1, 0), 0, v3(0, 0, 0));
    schedule_change(world, 0.2, "shear_modulus", 0);
    schedule_change(world, 0.3, "shear_modulus", 500);
    schedule_change(world, 0.3, "spring_start", VISCO_START_RANGE);
    step_world(world, 0.1);
    assert_true(weir_world_get_counters(world).springs > 100);
    step_many(world, 0.05, 3);
    assert_int_equal(weir_world_get_counters(world).springs, 0);
    step_many(world, 0.05, 4);
    assert_true(weir_world_get_counters(world).springs > 100);
    assert_near(weir_world_get_parameter(world, "shear_modulus"), 500, 1e-9);
    assert_near(list_of(springs_of(world), 0).items[0].length, 0.25, 1e-6);
    weir_world_destroy(world);
}

static void test_schedule_refuses(void **state)
{
    (void)state;
    weir_world_def def = spring_def(2, 0.1);
    weir_world *world = make_world(&def);
    weir_error error = {0};
    assert_false(weir_world_schedule_parameter(world, 1, "shear_modulos", 0, &error));
    assert_error(error, WEIR_NOT_FOUND, "shear_modulos");
    assert_false(weir_world_schedule_parameter(world, 1, "shear_modulus", -5, &error));
    assert_error(error, WEIR_INVALID, "shear_modulus");
    assert_false(weir_world_schedule_parameter(world, -1, "shear_modulus", 5, &error));
    assert_error(error, WEIR_INVALID, "-1 s");
    weir_world_destroy(world);
}

/* --------------------------------------------------------------- plasticity */

/* One spring pulled to 1.3 of its length: what is left of it after dt, by the formula. */
static void test_plastic_law(void **state)
{
    (void)state;
    weir_world_def def = spring_def(2, 0.1);
    set_parameter(&def, "stretch_rate", 50);
    set_parameter(&def, "stretch_yield", 0.1);
    set_parameter(&def, "compress_rate", 30);
    set_parameter(&def, "compress_yield", 0.2);
    set_parameter(&def, "spring_stiffness", 1e-6);
    set_parameter(&def, "shear_modulus", 0);
    set_parameter(&def, "spring_growth", VISCO_GROWTH_OFF);
    set_parameter(&def, "stiffness", 1e-6);
    set_parameter(&def, "sound_speed", 0);
    def.substeps = 1;
    weir_world *world = make_world(&def);
    const weir_vec3 pair[] = {{0, 0, 0}, {0.12, 0, 0}};
    weir_error error = {0};
    assert_true(
        weir_world_add_particles(world, make_plain_fluid(world, 0), pair, 2, v3(0, 0, 0), &error));
    step_world(world, 0.001);
    particles *p = &world->flow.p;
    const springs *s = springs_of(world);
    const double lengths[] = {0.156, 0.09, 0.125}; /* beyond both yields, and between them */
    double rest = 0.12;
    for (size_t k = 0; k < COUNT_OF(lengths); k++) {
        p->x[0][p->id[0] == 0 ? 1 : 0] = (float)lengths[k];
        p->x[0][p->id[0] == 0 ? 0 : 1] = 0;
        double stretch = lengths[k] - 1.1 * rest, squeeze = 0.8 * rest - lengths[k];
        rest += 0.001 * (stretch > 0 ? 50 * stretch : squeeze > 0 ? -30 * squeeze : 0);
        step_world(world, 0.001);
        assert_near(find_spring(s, 0, 1)->length, rest, 1e-6);
    }
    weir_world_destroy(world);
}

/* ------------------------------------------------------- identity and bits */

/* Two blocks of clay that collide, fed by an emitter and drained by a sink. */
static weir_world *make_clay(int dim, int threads, const char *simd, weir_hooks hooks)
{
    weir_world_def def = visco_def(dim, 0.05);
    set_parameter(&def, "material", CLAY);
    set_parameter(&def, "sound_speed", 10);
    def.threads = threads;
    def.simd = simd;
    def.hooks = hooks;
    weir_world *world = make_world(&def);
    weir_fluid_id liquid = make_plain_fluid(world, 0.1);
    make_tank(world, v3(0, 0, 0), v3(2, 2, 0.5));
    weir_body_def box = weir_body_def_default();
    box.kind = WEIR_BODY_DYNAMIC;
    box.shape.kind = WEIR_SHAPE_BOX;
    box.shape.half_extents = v3(0.1, 0.1, 0.1);
    box.pose.position = v3(1, 0.2, 0.25);
    box.wet_friction = 0.5;
    box.stickiness = 50;
    make_body(world, &box);
    double depth = dim == 3 ? 0.4 : 0;
    fill_box(world, liquid, dim, 0.05, v3(0.1, 0.1, 0), v3(0.7, 0.7, depth), 0.1, v3(2, 0, 0));
    fill_box(world, liquid, dim, 0.05, v3(1.2, 0.1, 0), v3(1.8, 0.7, depth), 0.1, v3(-2, 0, 0));
    weir_emitter_def jet = weir_emitter_def_default();
    jet.fluid = liquid;
    jet.position = v3(1, 1.5, 0.25);
    jet.direction = v3(0, -1, 0);
    jet.radius = jet.half_width = 0.08;
    jet.speed = 2;
    weir_error error = {0};
    assert_true(weir_emitter_create(world, &jet, &error).slot > 0);
    weir_sink_def drain = weir_sink_def_default();
    drain.shape.kind = WEIR_SHAPE_BOX;
    drain.shape.half_extents = v3(0.2, 0.15, 1);
    drain.shape.pose.position = v3(0.2, 0.1, 0);
    assert_true(weir_sink_create(world, &drain, &error).slot > 0);
    schedule_change(world, 0.15, "stretch_rate", 60);
    return world;
}

static uint64_t run_clay(int dim, int threads, const char *simd)
{
    weir_world *world = make_clay(dim, threads, simd, (weir_hooks){0});
    step_many(world, 0.05, 4);
    check_symmetry(world);
    assert_true(weir_world_get_counters(world).springs > 500);
    uint64_t hash = weir_world_hash(world);
    weir_world_destroy(world);
    return hash;
}

static void test_same_bits(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        uint64_t hash = run_clay(dim, 1, "scalar");
        const int threads[] = {2, 3, 7};
        for (size_t k = dim == 2 ? 0 : 2; k < COUNT_OF(threads); k++)
            assert_true(run_clay(dim, threads[k], NULL) == hash);
        for (const char *const *level = weir_simd_levels() + 1; *level; level++)
            assert_true(run_clay(dim, 1, *level) == hash);
    }
}

/* Saves a state into plain memory and puts it into another world. */
static void copy_state(weir_world *from, weir_world *to)
{
    static const size_t bytes[] = {4, 8, 1, 4, 8};
    weir_section saved[WEIR_MAX_SECTIONS], into[WEIR_MAX_SECTIONS];
    weir_error error = {0};
    int count = weir_world_get_sections(from, saved);
    size_t contacts = 0;
    for (int k = 0; k < count; k++)
        if (strcmp(saved[k].name, "contacts") == 0)
            contacts = saved[k].count;
    assert_true(weir_world_restore_begin(to, from->flow.p.count, contacts, &error));
    for (int k = 0; k < count; k++)
        assert_true(weir_world_restore_reserve(to, saved[k].name, saved[k].count, &error));
    assert_int_equal(weir_world_get_sections(to, into), count);
    for (int k = 0; k < count; k++) {
        assert_string_equal(into[k].name, saved[k].name);
        assert_int_equal(into[k].count, saved[k].count);
        if (into[k].count > 0)
            memcpy(into[k].data, saved[k].data, saved[k].count * bytes[saved[k].type]);
    }
    if (!weir_world_restore_finish(to, &error))
        fail_msg("%s", error.text);
}

static void test_restart(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world *one = make_clay(dim, 1, NULL, (weir_hooks){0});
        weir_world *other = make_clay(dim, 2, NULL, (weir_hooks){0});
        step_many(one, 0.05, 2);
        copy_state(one, other);
        assert_true(weir_world_hash(one) == weir_world_hash(other));
        step_many(one, 0.05, 3); /* beyond the scheduled change */
        step_many(other, 0.05, 3);
        assert_true(weir_world_hash(one) == weir_world_hash(other));
        copy_state(one, other); /* into a world that has springs of its own */
        step_many(one, 0.05, 1);
        step_many(other, 0.05, 1);
        assert_true(weir_world_hash(one) == weir_world_hash(other));
        weir_world_destroy(one);
        weir_world_destroy(other);
    }
}

static void test_damaged_state_is_refused(void **state)
{
    (void)state;
    weir_world *one = make_clay(2, 1, NULL, (weir_hooks){0});
    step_many(one, 0.05, 2);
    weir_section saved[WEIR_MAX_SECTIONS];
    weir_error error = {0};
    int count = weir_world_get_sections(one, saved);
    for (int k = 0; k < count; k++)
        if (strcmp(saved[k].name, "springs/partner") == 0)
            ((uint32_t *)saved[k].data)[3] = 4000000000u;
    assert_false(weir_world_restore_finish(one, &error));
    assert_error(error, WEIR_FORMAT, "4000000000");
    weir_world_destroy(one);
}

/* ------------------------------------------------------------------- memory */

/* Particles are thrown to new places in every step: all springs tear and as many are made. */
static void test_churn(void **state)
{
    (void)state;
    counting_memory counter;
    weir_world_def def = visco_def(3, 0.05);
    def.gravity = v3(0, 0, 0);
    for (int a = 0; a < 3; a++)
        def.period[a] = (weir_axis_period){true, 0, 0.8};
    def.hooks = counting_hooks(&counter);
    def.substeps = 1;
    def.allow_unstable = true;
    set_parameter(&def, "sound_speed", 1);
    set_parameter(&def, "shear_modulus", 1);
    set_parameter(&def, "stretch_rate", 1e5);
    set_parameter(&def, "compress_rate", 1);
    weir_world *world = make_world(&def);
    fill_box(world, make_plain_fluid(world, 0), 3, 0.05, v3(0, 0, 0), v3(0.8, 0.8, 0.8), 0,
             v3(0, 0, 0));
    particles *p = &world->flow.p;
    size_t bytes = 0, calls = 0, least = SIZE_MAX;
    for (int s = 0; s < 10; s++) {
        for (int a = 0; a < 3; a++)
            for (size_t i = 0; i < p->count; i++) {
                p->x[a][i] = (float)(0.8 * random_unit((uint64_t)(3 * s + a), i));
                p->v[a][i] = 0;
            }
        step_world(world, 1e-3);
        weir_counters now = weir_world_get_counters(world);
        if (s > 0)
            least = now.springs_changed < least ? now.springs_changed : least;
        if (s == 5) {
            bytes = counter.live_bytes;
            calls = counter.calls;
        }
    }
    weir_counters end = weir_world_get_counters(world);
    print_message("%zu springs, at least %zu made or removed per step, %.1f MB\n", end.springs,
                  least, (double)end.spring_bytes / 1e6);
    assert_true(least >= 200000); /* 10⁵ made and 10⁵ removed */
    assert_int_equal(counter.live_bytes, bytes);
    assert_int_equal(counter.calls, calls);
    assert_true(end.spring_bytes < 64 * end.springs);
    weir_world_destroy(world);
    assert_int_equal(counter.live_blocks, 0);
}

/* Memory that runs out at any moment leaves an error, and nothing behind. */
static void test_memory_runs_out(void **state)
{
    (void)state;
    bool done = false;
    for (size_t left = 0; !done; left++) {
        counting_memory counter;
        weir_world_def def = spring_def(2, 0.1);
        set_parameter(&def, "compress_rate", 10);
        def.hooks = counting_hooks(&counter);
        weir_world *world = make_world(&def);
        weir_fluid_id liquid = make_plain_fluid(world, 0);
        weir_body_def floor = plane_def(v3(0, 0, 0), v3(0, 1, 0), WEIR_WALL_SLIP);
        make_body(world, &floor);
        fill_box(world, liquid, 2, 0.1, v3(0, 0, 0), v3(1, 1, 0), 0, v3(0, 0, 0));
        counter.calls_left = left;
        weir_error error = {0};
        done = !(weir_world_step(world, 0.01, &error) & WEIR_STEP_FAILED);
        if (!done)
            assert_int_equal(error.code, WEIR_OUT_OF_MEMORY);
        weir_world_destroy(world);
        assert_int_equal(counter.live_blocks, 0);
        assert_true(left < 200);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_near_pair_gets_a_spring),
        cmocka_unit_test(test_switched_off_and_on),
        cmocka_unit_test(test_schedule_refuses),
        cmocka_unit_test(test_plastic_law),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_damaged_state_is_refused),
        cmocka_unit_test(test_churn),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
