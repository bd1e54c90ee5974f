/* Mechanisms that hold too much or too little, bad starts, bad numbers: an error that says what is
 * wrong, or motion that stays gentle. */
#include "support/rigid.h"

static const double GRAVITY = 9.81;

static void refuse_joint(weir_world *world, const weir_joint_def *def, weir_code code,
                         const char *part)
{
    weir_error error = {0};
    int before = weir_world_joint_count(world);
    weir_joint_id id = weir_joint_create(world, def, &error);
    assert_int_equal(id.slot, 0);
    assert_error(error, code, part);
    assert_int_equal(weir_world_joint_count(world), before);
}

static void test_bad_joints_are_refused(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, GRAVITY);
    weir_body_def box = box_def(v3(0, 0, 0), v3(0.1, 0.1, 0.1)), wall = box;
    wall.kind = WEIR_BODY_STATIC;
    weir_body_id a = make_body(world, &box), fixed = make_body(world, &wall);
    weir_body_id also_fixed = make_body(world, &wall);
    weir_joint_def def = joint_def(WEIR_JOINT_BALL, a, a, v3(0, 0, 0));
    refuse_joint(world, &def, WEIR_INVALID, "two different bodies");
    def = joint_def(WEIR_JOINT_BALL, fixed, also_fixed, v3(0, 0, 0));
    refuse_joint(world, &def, WEIR_INVALID, "must be dynamic");
    def = joint_def(WEIR_JOINT_BALL, NOTHING, a, v3(0, 0, 0));
    refuse_joint(world, &def, WEIR_INVALID, "body a is missing");
    def = joint_def(WEIR_JOINT_BALL, a, (weir_body_id){9, 1}, v3(0, 0, 0));
    refuse_joint(world, &def, WEIR_STALE_ID, "does not exist");
    def = joint_def(WEIR_JOINT_BALL, a, NOTHING, v3(NAN, 0, 0));
    refuse_joint(world, &def, WEIR_INVALID, "finite");
    def = joint_def(WEIR_JOINT_HINGE, a, NOTHING, v3(0, 0, 0));
    def.axis = v3(0, 0, 0);
    refuse_joint(world, &def, WEIR_INVALID, "axis");
    def = joint_def(WEIR_JOINT_HINGE, a, NOTHING, v3(0, 0, 0));
    def.limited = true;
    def.lo = 1;
    def.hi = -1;
    refuse_joint(world, &def, WEIR_INVALID, "lo must be <= hi");
    def = joint_def(WEIR_JOINT_HINGE, a, NOTHING, v3(0, 0, 0));
    def.motor = WEIR_MOTOR_SPEED;
    def.max_effort = 0;
    refuse_joint(world, &def, WEIR_INVALID, "max_effort");
    def.max_effort = 1;
    def.target = INFINITY;
    refuse_joint(world, &def, WEIR_INVALID, "finite target");
    def = joint_def(WEIR_JOINT_BALL, a, NOTHING, v3(0, 0, 0));
    def.motor = WEIR_MOTOR_SPEED;
    refuse_joint(world, &def, WEIR_INVALID, "only hinges and sliders have motors");
    def.motor = WEIR_MOTOR_NONE;
    def.limited = true;
    refuse_joint(world, &def, WEIR_INVALID, "only hinges and sliders have limits");
    def = joint_def(WEIR_JOINT_SPRING, a, NOTHING, v3(0, 0, 0));
    refuse_joint(world, &def, WEIR_INVALID, "stiffness > 0");
    def = joint_def(WEIR_JOINT_DISTANCE, a, NOTHING, v3(0, 0, 0));
    refuse_joint(world, &def, WEIR_INVALID, "use a ball joint");
    def.length = NAN;
    refuse_joint(world, &def, WEIR_INVALID, "length");
    weir_world_destroy(world);
}

static void test_slider_in_2d_needs_an_axis_in_the_plane(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(2, GRAVITY);
    weir_body_def box = box_def(v3(0, 0, 0), v3(0.1, 0.1, 0));
    weir_joint_def def = joint_def(WEIR_JOINT_SLIDER, make_body(world, &box), NOTHING, v3(0, 0, 0));
    refuse_joint(world, &def, WEIR_INVALID, "in x and y");
    weir_world_destroy(world);
}

static void test_bad_masses_are_refused(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, GRAVITY);
    weir_error error = {0};
    weir_body_def def = box_def(v3(0, 0, 0), v3(0.1, 0.1, 0.1));
    def.density = 0;
    assert_int_equal(weir_body_create(world, &def, &error).slot, 0);
    assert_error(error, WEIR_INVALID, "density of 0");
    def.mass = -1;
    assert_int_equal(weir_body_create(world, &def, &error).slot, 0);
    assert_error(error, WEIR_INVALID, "mass of -1");
    def = plane_def(v3(0, 0, 0), v3(0, 1, 0), WEIR_WALL_SLIP);
    def.kind = WEIR_BODY_DYNAMIC;
    assert_int_equal(weir_body_create(world, &def, &error).slot, 0);
    assert_int_equal(error.code, WEIR_INVALID);
    weir_world_destroy(world);
}

/* ------------------------------------------------------- holding too much */

/* A door on three hinges where one would do: 15 rows for 5. */
static void test_door_on_many_hinges(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, GRAVITY);
    weir_body_def def = box_def(v3(0.5, 1, 0), v3(0.45, 0.9, 0.02));
    def.velocity = v3(0, 0, 1);
    def.spin = v3(0, -2, 0);
    weir_body_id door = make_body(world, &def);
    for (int k = 0; k < 3; k++) {
        weir_joint_def hinge = joint_def(WEIR_JOINT_HINGE, door, NOTHING, v3(0, 0.2 + 0.8 * k, 0));
        hinge.axis = v3(0, 1, 0);
        make_joint(world, &hinge);
    }
    double begin = 0;
    for (int k = 0; k < 240; k++) {
        step_world(world, 1.0 / 60);
        double spin = vec3_length(body_at(world, door)->spin);
        begin = k == 0 ? spin : begin;
        assert_near(spin, begin, 1e-4);
    }
    assert_between(largest_drift(world), 0, 1e-6);
    weir_world_destroy(world);
}

/* A body locked to the world twice, at points that do not agree once it is placed otherwise. */
static void test_locked_body_stays(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, GRAVITY);
    make_floor(world, 0, 0.5, 0);
    weir_body_def def = box_def(v3(0, 0.09, 0), v3(0.1, 0.1, 0.1)); /* in the floor by 1 cm */
    weir_body_id box = make_body(world, &def);
    for (int k = 0; k < 2; k++) {
        weir_joint_def lock = joint_def(WEIR_JOINT_LOCK, box, NOTHING, v3(0.1 * k, 0.1, 0));
        make_joint(world, &lock);
    }
    for (int k = 0; k < 120; k++) {
        step_world(world, 1.0 / 60);
        assert_between(largest_speed(world), 0, 1e-3);
    }
    assert_near(centre_of(world, box).y, 0.09, 1e-3);
    weir_world_destroy(world);
}

/* Loops: a four-bar linkage in the plane, whose rows repeat each other in 3D, driven round. */
static void check_four_bar(int dim)
{
    weir_world *world = make_rigid_world(dim, GRAVITY);
    const weir_vec3 corner[4] = {{0, 0, 0}, {0, 0.2, 0}, {0.6, 0.5, 0}, {0.7, 0, 0}};
    weir_body_id bars[3];
    for (int k = 0; k < 3; k++) {
        vec3 way = vec3_sub(corner[k + 1], corner[k]);
        vec3 middle = vec3_madd(corner[k], 0.5, way);
        weir_body_def def = box_def(middle, v3(vec3_length(way) / 2, 0.01, 0.01));
        def.pose.rotation = turn_about(v3(0, 0, 1), atan2(way.y, way.x));
        def.collides = 0;
        bars[k] = make_body(world, &def);
    }
    for (int k = 0; k < 4; k++) {
        weir_joint_def hinge = joint_def(WEIR_JOINT_HINGE, k < 3 ? bars[k] : bars[2],
                                         k == 0 || k == 3 ? NOTHING : bars[k - 1], corner[k]);
        if (k == 0) {
            hinge.motor = WEIR_MOTOR_SPEED;
            hinge.target = 5;
            hinge.max_effort = 50;
        }
        make_joint(world, &hinge);
    }
    double drift = 0, spin = 0;
    for (int k = 0; k < 300; k++) {
        step_world(world, 1.0 / 120);
        drift = fmax(drift, largest_drift(world));
        spin = fmax(spin, vec3_length(body_at(world, bars[2])->spin));
    }
    assert_between(drift, 0, 1e-6);
    assert_near(body_at(world, bars[0])->spin.z, 5, 0.05);
    assert_between(spin, 0.5, 15);
    /* It goes round: 12.5 rad in 2.5 s. */
    assert_near(weir_world_joint_state(world, 0).position, 12.4, 0.3);
    weir_world_destroy(world);
}

static void test_four_bar_linkage(void **state)
{
    (void)state;
    check_four_bar(2);
    check_four_bar(3);
}

/* A ring of balls held by distances: more distances than the ring needs. */
static void test_ring_of_joints(void **state)
{
    (void)state;
    enum { COUNT = 12 };
    weir_world *world = make_rigid_world(3, GRAVITY);
    make_floor(world, 0, 0.5, 0);
    weir_body_id balls[COUNT];
    for (int k = 0; k < COUNT; k++) {
        double angle = 2 * PI * k / COUNT;
        weir_body_def def = ball_def(v3(0.3 * cos(angle), 0.5 + 0.3 * sin(angle), 0), 0.05);
        balls[k] = make_body(world, &def);
    }
    for (int k = 0; k < COUNT; k++)
        for (int n = 1; n <= 3; n++) {
            weir_body_id other = balls[(k + n) % COUNT];
            weir_joint_def rod =
                joint_def(WEIR_JOINT_DISTANCE, balls[k], other, centre_of(world, balls[k]));
            rod.anchor_b = centre_of(world, other);
            make_joint(world, &rod);
        }
    for (int k = 0; k < 180; k++) {
        step_world(world, 1.0 / 60);
        assert_between(largest_speed(world), 0, 4);
    }
    assert_between(largest_drift(world), 0, 1e-3);
    assert_between(largest_speed(world), 0, 2);
    weir_world_destroy(world);
}

/* A motor without limit against a wall: it stops, and nothing is thrown. */
static void test_endless_motor_against_a_wall(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(2, GRAVITY);
    weir_body_def wall = box_def(v3(0.5, 0, 0), v3(0.1, 0.5, 0));
    wall.kind = WEIR_BODY_STATIC;
    make_body(world, &wall);
    weir_body_def def = box_def(v3(0, 0, 0), v3(0.05, 0.05, 0));
    weir_body_id box = make_body(world, &def);
    weir_joint_def slider = joint_def(WEIR_JOINT_SLIDER, box, NOTHING, v3(0, 0, 0));
    slider.axis = v3(1, 0, 0);
    slider.motor = WEIR_MOTOR_SPEED;
    slider.target = 1;
    make_joint(world, &slider);
    for (int k = 0; k < 180; k++) {
        step_world(world, 1.0 / 60);
        assert_between(largest_speed(world), 0, 1.01);
    }
    assert_between(centre_of(world, box).x, 0.34, 0.37);
    assert_near(centre_of(world, box).y, 0, 1e-3);
    weir_world_destroy(world);
}

/* -------------------------------------------------------------- bad starts */

/* Boxes that begin within each other part, slower than they would fall. */
static void test_overlapping_boxes_part_gently(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world *world = make_rigid_world(dim, GRAVITY);
        make_floor(world, 0, 0.5, 0);
        weir_body_id boxes[6];
        for (int k = 0; k < 6; k++) {
            weir_body_def def =
                box_def(v3(0.03 * k, 0.05 + 0.01 * k, dim == 3 ? 0.02 * k : 0), v3(0.1, 0.1, 0.1));
            boxes[k] = make_body(world, &def);
        }
        double fastest = 0;
        for (int k = 0; k < 300; k++) {
            step_world(world, 1.0 / 60);
            fastest = fmax(fastest, largest_speed(world));
        }
        assert_between(fastest, 0, sqrt(2 * GRAVITY * 0.6));
        assert_between(largest_speed(world), 0, 0.05);
        for (int k = 0; k < 6; k++)
            assert_between(centre_of(world, boxes[k]).y, 0.09, 1.3);
        weir_world_destroy(world);
    }
}

/* Balls at the very same place. */
static void test_equal_places(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, GRAVITY);
    make_floor(world, 0, 0.5, 0);
    weir_body_def def = ball_def(v3(0, 0.1, 0), 0.1);
    make_body(world, &def);
    make_body(world, &def);
    for (int k = 0; k < 300; k++) {
        step_world(world, 1.0 / 60);
        assert_between(largest_speed(world), 0, 2);
    }
    double apart = vec3_length(
        vec3_sub(body_centre(&world->flow.bodies[1]), body_centre(&world->flow.bodies[2])));
    assert_between(apart, 0.19, 10);
    weir_world_destroy(world);
}

/* A rod that is created shorter than it shall be is pushed apart, not shot. */
static void test_wrong_length_is_mended_gently(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, 0);
    weir_body_id balls[2];
    for (int k = 0; k < 2; k++) {
        weir_body_def def = ball_def(v3(0.5 * k, 0, 0), 0.05);
        balls[k] = make_body(world, &def);
    }
    weir_joint_def rod = joint_def(WEIR_JOINT_DISTANCE, balls[0], balls[1], v3(0, 0, 0));
    rod.anchor_b = v3(0.5, 0, 0);
    rod.length = 1;
    make_joint(world, &rod);
    for (int k = 0; k < 600; k++) {
        step_world(world, 1.0 / 60);
        assert_between(largest_speed(world), 0, 1e-6);
    }
    assert_near(weir_world_joint_state(world, 0).position, 1, 1e-6);
    weir_world_destroy(world);
}

/* A hinge that begins beyond its limits comes back slowly. */
static void test_start_beyond_a_limit(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, 0);
    weir_body_def def = box_def(v3(0.2, 0, 0), v3(0.2, 0.05, 0.05));
    weir_body_id arm = make_body(world, &def);
    weir_joint_def hinge = joint_def(WEIR_JOINT_HINGE, arm, NOTHING, v3(0, 0, 0));
    hinge.limited = true;
    hinge.lo = 0.5;
    hinge.hi = 1;
    make_joint(world, &hinge);
    for (int k = 0; k < 300; k++) {
        step_world(world, 1.0 / 60);
        assert_between(vec3_length(body_at(world, arm)->spin), 0, 1e-3);
    }
    assert_near(weir_world_joint_state(world, 0).position, 0.5, 1e-3);
    weir_world_destroy(world);
}

/* Steps far too long for a chain are refused, or marked as unstable where the user insists. */
static void test_long_steps_are_marked(void **state)
{
    (void)state;
    for (int insist = 0; insist < 2; insist++) {
        weir_world_def def = small_world_def(3, 0.02);
        def.substeps = 1;
        def.allow_unstable = insist != 0;
        weir_world *world = make_world(&def);
        weir_body_id last = NOTHING;
        for (int k = 0; k < 10; k++) {
            weir_body_def link = box_def(v3(0.1 * k + 0.05, 0, 0), v3(0.04, 0.01, 0.01));
            link.mass = k == 9 ? 10 : 0.1;
            weir_body_id next = make_body(world, &link);
            weir_joint_def hold = joint_def(WEIR_JOINT_BALL, next, last, v3(0.1 * k, 0, 0));
            make_joint(world, &hold);
            last = next;
        }
        weir_error error = {0};
        uint32_t flags = weir_world_step(world, 1.0 / 20, &error);
        if (insist) {
            assert_int_equal(flags, WEIR_STEP_UNSTABLE);
            step_many(world, 1.0 / 20, 100);
            assert_true(isfinite(largest_speed(world)));
        } else {
            assert_true(flags & WEIR_STEP_FAILED);
            assert_error(error, WEIR_UNSTABLE, "of bodies");
        }
        weir_world_destroy(world);
    }
}

static void test_groups_choose_who_collides(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, GRAVITY);
    make_floor(world, 0, 0.5, 0);
    weir_body_id balls[3];
    for (int k = 0; k < 3; k++) {
        weir_body_def def = ball_def(v3(0, 0.1 + 0.3 * k, 0), 0.1);
        def.group = k == 2 ? 4 : 2;          /* the third is of another group */
        def.collides = k == 2 ? 1 : 1u | 2u; /* and meets the floor only */
        balls[k] = make_body(world, &def);
    }
    step_many(world, 1.0 / 120, 240);
    assert_near(centre_of(world, balls[2]).y, 0.1, 1e-3);
    assert_near(centre_of(world, balls[0]).y, 0.1, 1e-3);
    double apart = vec3_length(vec3_sub(centre_of(world, balls[0]), centre_of(world, balls[1])));
    assert_between(apart, 0.199, 10);
    weir_world_destroy(world);
}

/* Bodies that a joint holds do not collide unless it says so. */
static void test_jointed_bodies_pass_through_each_other(void **state)
{
    (void)state;
    for (int collide = 0; collide < 2; collide++) {
        weir_world *world = make_rigid_world(2, GRAVITY);
        weir_body_def wall = box_def(v3(0, 0, 0), v3(0.05, 0.5, 0));
        wall.kind = WEIR_BODY_STATIC;
        weir_body_def arm = box_def(v3(0.3, 0, 0), v3(0.24, 0.02, 0));
        weir_body_id fixed = make_body(world, &wall), swinging = make_body(world, &arm);
        weir_joint_def hinge = joint_def(WEIR_JOINT_HINGE, swinging, fixed, v3(0.06, 0, 0));
        hinge.collide = collide != 0;
        make_joint(world, &hinge);
        double lowest = 0;
        for (int k = 0; k < 120; k++) {
            step_world(world, 1.0 / 120);
            lowest = fmin(lowest, weir_world_joint_state(world, 0).position);
        }
        if (collide) /* the corner of the arm meets the wall at 30 degrees */
            assert_near(lowest, -PI / 6, 0.03);
        else
            assert_between(lowest, -3.2, -2.5);
        weir_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_joints_are_refused),
        cmocka_unit_test(test_slider_in_2d_needs_an_axis_in_the_plane),
        cmocka_unit_test(test_bad_masses_are_refused),
        cmocka_unit_test(test_door_on_many_hinges),
        cmocka_unit_test(test_locked_body_stays),
        cmocka_unit_test(test_four_bar_linkage),
        cmocka_unit_test(test_ring_of_joints),
        cmocka_unit_test(test_endless_motor_against_a_wall),
        cmocka_unit_test(test_overlapping_boxes_part_gently),
        cmocka_unit_test(test_equal_places),
        cmocka_unit_test(test_wrong_length_is_mended_gently),
        cmocka_unit_test(test_start_beyond_a_limit),
        cmocka_unit_test(test_long_steps_are_marked),
        cmocka_unit_test(test_groups_choose_who_collides),
        cmocka_unit_test(test_jointed_bodies_pass_through_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
