/* A wave throws a small teapot against a wall (Kurose and Takahashi 2009, figure 8): with contacts
 * nothing enters anything, with springs and dampers everything does. */
#include "support/rigid.h"

static const double SPACING = 0.05;

/* A belly, a spout and a handle. */
static weir_body_def teapot_def(weir_shape_def parts[3])
{
    for (int k = 0; k < 3; k++) {
        parts[k] = weir_shape_def_default();
        parts[k].kind = k == 0 ? WEIR_SHAPE_SPHERE : WEIR_SHAPE_CAPSULE;
    }
    parts[0].radius = 0.13;
    parts[1].radius = 0.035;
    parts[1].half_length = 0.09;
    parts[1].pose.position = v3(0.15, 0.03, 0);
    parts[1].pose.rotation = turn_about(v3(0, 0, 1), -0.9);
    parts[2].radius = 0.03;
    parts[2].half_length = 0.08;
    parts[2].pose.position = v3(-0.17, 0.02, 0);
    weir_body_def def = weir_body_def_default();
    def.kind = WEIR_BODY_DYNAMIC;
    def.name = "teapot";
    def.density = 700;
    def.shape.kind = WEIR_SHAPE_UNION;
    def.shape.children = parts;
    def.shape.child_count = 3;
    def.pose.position = v3(0.85, 0.131, 0.21);
    return def;
}

static weir_world *make_wave(weir_method how, weir_coupling_mode mode)
{
    weir_world_def def = small_world_def(3, SPACING);
    weir_world_def_use_method(&def, how);
    def.coupling.mode = mode;
    def.gravity = v3(0, -9.81, 0);
    weir_world *w = make_world(&def);
    weir_fluid_id water = make_fluid(w, 1000, 0);
    make_tank(w, v3(0, 0, 0), v3(1.4, 2, 0.4));
    weir_shape_def parts[3];
    weir_body_def teapot = teapot_def(parts);
    make_body(w, &teapot);
    fill_box(w, water, 3, SPACING, v3(0, 0, 0), v3(0.5, 0.9, 0.4), 0, v3(0, 0, 0));
    return w;
}

typedef struct penetration {
    double bodies; /* deepest sphere of the teapot in the tank, in radii */
    double fluid;  /* closest particle to the teapot, in radii: 0 touches, 1 lies on its surface */
    bool arrived;  /* the teapot touched the far wall */
    bool pulled;
} penetration;

static void look(const weir_world *w, penetration *p)
{
    const body *pot = &w->flow.bodies[1], *tank = &w->flow.bodies[0];
    double radius = w->coupling.def.radius;
    for (size_t k = 0; k < pot->skin.count; k++) {
        vec3 at = pose_point(pot->pose, pot->skin.points[k].position);
        double d = shape_distance(tank->shape, pose_local_point(tank->pose, at), NULL);
        p->bodies = fmax(p->bodies, -d / radius);
        p->arrived = p->arrived || at.x > 1.4 - 0.05 * radius;
    }
    for (size_t i = 0; i < w->flow.p.count; i++) {
        vec3 local = pose_local_point(pot->pose, flow_position(&w->flow, i));
        p->fluid = fmax(p->fluid, 1 - shape_distance(pot->shape, local, NULL) / radius);
    }
    for (size_t k = 0; k < w->coupling.meetings.count; k++)
        p->pulled = p->pulled || w->coupling.meetings.items[k].impulse < 0;
}

static penetration throw_teapot(weir_method how, weir_coupling_mode mode)
{
    weir_world *w = make_wave(how, mode);
    penetration p = {0};
    for (int k = 0; k < 240; k++) {
        step_world(w, 1.0 / 240);
        look(w, &p);
    }
    /* What the report says, found before it is mended, is not less than what is left. */
    weir_solve_info info = weir_world_get_solve_info(w);
    double radius = w->coupling.def.radius;
    assert_true(info.overlap_bodies >= (p.bodies - 1e-6) * radius);
    if (mode == WEIR_COUPLING_CONTACT_LCP)
        assert_true(info.overlap_bodies < 0.05 * radius);
    weir_world_destroy(w);
    return p;
}

static void nothing_enters_anything(void **state)
{
    (void)state;
    const weir_method methods[] = {WEIR_METHOD_VISCOELASTIC, WEIR_METHOD_SPH, WEIR_METHOD_PBF};
    for (size_t m = 0; m < COUNT_OF(methods); m++) {
        penetration p = throw_teapot(methods[m], WEIR_COUPLING_CONTACT_LCP);
        print_message("%s: bodies %.4f, fluid %.4f of a radius deep\n",
                      weir_method_get_info(methods[m])->name, p.bodies, p.fluid);
        assert_true(p.arrived);
        assert_false(p.pulled);
        assert_true(p.bodies < 0.05);
        assert_true(p.fluid < 0.05);
    }
}

static void springs_give_way(void **state)
{
    (void)state;
    penetration p = throw_teapot(WEIR_METHOD_VISCOELASTIC, WEIR_COUPLING_PENALTY);
    assert_true(p.arrived);
    assert_false(p.pulled);
    assert_true(p.bodies > 0.05);
    assert_true(p.fluid > 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_enters_anything),
        cmocka_unit_test(springs_give_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
