/* Points that may touch: on edges and curves, none on flat faces, as balls inside of the solid. */
#include "space/contact_samples.h"
#include "support/unit.h"

typedef struct sampled {
    memory mem;
    shape *solid;
    contact_samples samples;
} sampled;

static void find(sampled *s, const weir_shape_def *def, int dim, double spacing)
{
    weir_error error = {0};
    memset(s, 0, sizeof *s);
    s->mem = memory_with_hooks(NULL);
    s->solid = shape_create(&s->mem, def, dim, &error);
    if (!s->solid || !contact_samples_find(&s->mem, s->solid, spacing, &s->samples, &error))
        fail_msg("%s", error.text);
}

/* Every ball lies inside and touches the surface. */
static void release(sampled *s)
{
    for (size_t k = 0; k < s->samples.count; k++) {
        const contact_sample *c = &s->samples.points[k];
        assert_near(shape_distance(s->solid, c->point, NULL), -c->radius, 1e-9);
    }
    contact_samples_free(&s->mem, &s->samples);
    shape_destroy(&s->mem, s->solid);
    assert_int_equal(s->mem.bytes, 0);
}

static weir_shape_def shape_def(weir_shape_kind kind)
{
    weir_shape_def def = weir_shape_def_default();
    def.kind = kind;
    def.half_extents = (vec3){0.5, 0.3, 0.2};
    def.radius = 0.25;
    def.half_length = 0.5;
    return def;
}

static void test_box_has_edges_only(void **state)
{
    (void)state;
    sampled s;
    weir_shape_def def = shape_def(WEIR_SHAPE_BOX);
    find(&s, &def, 2, 0.05);
    assert_int_equal(s.samples.count, 4);
    release(&s);
    find(&s, &def, 3, 0.05);
    size_t corners = 0;
    for (size_t k = 0; k < s.samples.count; k++) {
        vec3 p = s.samples.points[k].point;
        int faces = (fabs(p.x) > 0.49) + (fabs(p.y) > 0.29) + (fabs(p.z) > 0.19);
        assert_true(faces >= 2);
        corners += faces == 3;
    }
    assert_int_equal(corners, 8);
    /* 12 edges of 8 m in all, 5 cm apart. */
    assert_between((double)s.samples.count, 120, 200);
    release(&s);
}

static void test_round_shapes_have_few(void **state)
{
    (void)state;
    sampled s;
    for (int dim = 2; dim <= 3; dim++) {
        weir_shape_def def = shape_def(WEIR_SHAPE_SPHERE);
        def.pose.position = (vec3){1, 2, 0};
        find(&s, &def, dim, 0.01);
        assert_int_equal(s.samples.count, 1);
        assert_near(s.samples.points[0].radius, 0.25, 0);
        assert_near(s.samples.points[0].point.y, 2, 0);
        release(&s);
        def = shape_def(WEIR_SHAPE_CAPSULE);
        def.rounding = 0.05;
        find(&s, &def, dim, 0.1);
        assert_int_equal(s.samples.count, 11);
        assert_near(s.samples.points[0].radius, 0.3, 1e-12);
        assert_near(fabs(s.samples.points[0].point.y), 0.5, 1e-12);
        release(&s);
    }
}

static void test_union_of_balls(void **state)
{
    (void)state;
    sampled s;
    weir_shape_def parts[2] = {shape_def(WEIR_SHAPE_SPHERE), shape_def(WEIR_SHAPE_SPHERE)};
    parts[1].pose.position = (vec3){1, 0, 0};
    weir_shape_def def = shape_def(WEIR_SHAPE_UNION);
    def.children = parts;
    def.child_count = 2;
    def.pose.position = (vec3){0, 3, 0};
    find(&s, &def, 3, 0.01);
    assert_int_equal(s.samples.count, 2);
    assert_near(s.samples.points[1].point.x, 1, 1e-12);
    assert_near(s.samples.points[1].point.y, 3, 1e-12);
    release(&s);
}

/* A cylinder has its rims and its round side, but no lids. */
static void test_cylinder(void **state)
{
    (void)state;
    sampled s;
    weir_shape_def def = shape_def(WEIR_SHAPE_CYLINDER);
    find(&s, &def, 3, 0.05);
    assert_true(s.samples.count > 100);
    for (size_t k = 0; k < s.samples.count; k++) {
        vec3 p = s.samples.points[k].point;
        assert_true(hypot(p.x, p.z) > 0.22);
    }
    release(&s);
}

static void test_shapes_without_an_end_are_refused(void **state)
{
    (void)state;
    memory mem = memory_with_hooks(NULL);
    weir_error error = {0};
    weir_shape_def def = shape_def(WEIR_SHAPE_BOX);
    def.complement = true;
    shape *solid = shape_create(&mem, &def, 3, &error);
    contact_samples samples = {0};
    assert_false(contact_samples_find(&mem, solid, 0.1, &samples, &error));
    assert_error(error, WEIR_INVALID, "does not end");
    contact_samples_free(&mem, &samples);
    shape_destroy(&mem, solid);
    assert_int_equal(mem.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_has_edges_only),
        cmocka_unit_test(test_round_shapes_have_few),
        cmocka_unit_test(test_union_of_balls),
        cmocka_unit_test(test_cylinder),
        cmocka_unit_test(test_shapes_without_an_end_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
