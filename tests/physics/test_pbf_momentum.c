/* Position based fluids in free space: linear and angular momentum stay, whatever the step; a rigid
 * rotation has the vorticity 2Ω; a body takes what the fluid gives. */
#include "support/pbf_worlds.h"

typedef struct totals {
    vec3 linear, angular;
    double scale; /* kg m/s: mass times rms speed */
} totals;

static totals measure(weir_world *world)
{
    weir_statistics s = weir_world_get_statistics(world);
    totals sum = {s.momentum, s.angular_momentum, sqrt(2 * s.kinetic_energy * s.mass)};
    for (size_t k = 0; k < world->flow.body_count; k++) {
        const body *b = &world->flow.bodies[k];
        vec3 momentum = vec3_scale(b->velocity, b->mass);
        sum.linear = vec3_add(sum.linear, momentum);
        sum.angular = vec3_add(sum.angular, vec3_cross(body_centre(b), momentum));
        sum.angular = vec3_add(sum.angular, body_inertia(b, b->spin));
    }
    return sum;
}

static void check_kept(weir_world *world, double dt, int steps, double linear, double angular)
{
    totals before = measure(world);
    step_many(world, dt, steps);
    totals after = measure(world);
    vec3 lost = vec3_sub(after.linear, before.linear);
    vec3 turned = vec3_sub(after.angular, before.angular);
    double arm = 0.3;
    assert_near(vec3_length(lost) / before.scale, 0, linear);
    assert_near(vec3_length(turned) / (before.scale * arm), 0, angular);
}

/* Two drops that collide off their centres. XSPH is off: it acts along velocity differences, which
 * is not central. */
static weir_world *make_drops(int dim, double spacing, double keep_spin)
{
    weir_world_def def = pbf_def(dim, spacing, 1);
    def.gravity = v3(0, 0, 0);
    set_parameter(&def, "xsph", 0);
    set_parameter(&def, "keep_spin", keep_spin);
    weir_world *world = make_world(&def);
    weir_fluid_id water = make_water(world);
    fill_ball(world, water, v3(-0.25, -0.05, 0), 0.2, v3(2, 0, 0));
    fill_ball(world, water, v3(0.25, 0.05, 0), 0.2, v3(-2, 0, 0));
    return world;
}

static void test_colliding_drops(void **state)
{
    (void)state;
    const double rates[] = {60, 240};
    for (int dim = 2; dim <= 3; dim++)
        for (size_t k = 0; k < COUNT_OF(rates); k++) {
            weir_world *world = make_drops(dim, dim == 2 ? 0.02 : 0.04, 1);
            check_kept(world, 1 / rates[k], (int)(rates[k] / 4), 1e-6, 1e-5);
            weir_world_destroy(world);
        }
}

/* Without giving back what positions lose, as in the paper, the angular momentum changes. */
static void test_spin_is_lost_without(void **state)
{
    (void)state;
    weir_world *world = make_drops(2, 0.02, 0);
    totals before = measure(world);
    step_many(world, 1.0 / 60, 15);
    totals after = measure(world);
    assert_true(fabs(after.angular.z / before.angular.z - 1) > 0.01);
    weir_world_destroy(world);
}

/* A square patch that turns, held together by cohesion as in the paper. */
static void test_rotating_patch(void **state)
{
    (void)state;
    const double omega = 5;
    weir_world_def def = pbf_def(2, 0.025, 1);
    def.gravity = v3(0, 0, 0);
    set_parameter(&def, "xsph", 0);
    set_parameter(&def, "cohesion", 1);
    set_parameter(&def, "artificial_pressure", 0.1);
    weir_world *world = make_world(&def);
    fill_box(world, make_water(world), 2, 0.025, v3(-0.5, -0.5, 0), v3(0.5, 0.5, 0), 0,
             v3(0, 0, 0));
    particles *p = &world->flow.p;
    for (size_t i = 0; i < p->count; i++) {
        p->v[0][i] = (float)-omega * p->x[1][i];
        p->v[1][i] = (float)omega * p->x[0][i];
    }
    totals before = measure(world);
    step_many(world, 1.0 / 240, 120);
    totals after = measure(world);
    assert_near(after.angular.z / before.angular.z, 1, 2e-6);
    assert_near(vec3_length(after.linear) / before.scale, 0, 1e-6);
    weir_world_destroy(world);
}

/* Disordered particles that turn as one, away from their surface. */
static void test_vorticity_of_a_rotation(void **state)
{
    (void)state;
    const double omega = 2;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world_def def = pbf_def(dim, 0.05, 1);
        def.gravity = v3(0, 0, 0);
        weir_world *world = make_world(&def);
        fill_box(world, make_water(world), dim, 0.05, v3(-0.5, -0.5, -0.3), v3(0.5, 0.5, 0.3), 0.1,
                 v3(0, 0, 0));
        step_world(world, 1e-3);
        flow *f = &world->flow;
        for (size_t i = 0; i < f->p.count; i++) {
            f->p.v[0][i] = (float)-omega * f->p.x[1][i];
            f->p.v[1][i] = (float)omega * f->p.x[0][i];
            if (dim == 3)
                f->p.v[2][i] = 0;
        }
        pbf_confine_vorticity(f, 1e-3);
        const float *curl = weir_world_get_field(world, "vorticity");
        double sum = 0;
        int count = 0;
        for (size_t i = 0; i < f->p.count; i++) {
            vec3 x = flow_position(f, i);
            if (fabs(x.x) > 0.3 || fabs(x.y) > 0.3 || fabs(x.z) > 0.1)
                continue;
            sum += curl[i];
            count++;
        }
        assert_near(sum / count / (2 * omega), 1, 0.02);
        weir_world_destroy(world);
    }
}

/* A drop hits a box that floats in space; both turn and fly apart. */
static void test_drop_and_body(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world_def def = pbf_def(dim, 0.03, 1);
        def.gravity = v3(0, 0, 0);
        set_parameter(&def, "xsph", 0);
        weir_world *world = make_world(&def);
        weir_body_def box = weir_body_def_default();
        box.kind = WEIR_BODY_DYNAMIC;
        box.shape.kind = WEIR_SHAPE_BOX;
        box.shape.half_extents = v3(0.05, 0.2, dim == 3 ? 0.2 : 1);
        box.density = 500;
        box.pose.position = v3(0.25, 0.1, 0);
        weir_body_id id = make_body(world, &box);
        fill_ball(world, make_water(world), v3(-0.05, 0, 0), 0.15, v3(2, 0, 0));
        check_kept(world, 1.0 / 120, 30, 1e-6, 0.02);
        weir_body_state pushed;
        weir_body_get_state(world, id, &pushed);
        assert_between(pushed.velocity.x, 0.3, 4);
        assert_true(fabs(pushed.spin.z) > 0.1);
        weir_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_colliding_drops),         cmocka_unit_test(test_spin_is_lost_without),
        cmocka_unit_test(test_rotating_patch),          cmocka_unit_test(test_drop_and_body),
        cmocka_unit_test(test_vorticity_of_a_rotation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
