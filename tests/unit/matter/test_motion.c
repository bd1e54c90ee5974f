/* Prescribed motion: poses at known times, and rates that lead from one to the next. */
#include "matter/motion.h"
#include "support/unit.h"

static const double PI = 3.14159265358979323846;

static pose at_origin(void)
{
    return pose_identity();
}

static void assert_vector(vec3 v, double x, double y, double z)
{
    assert_near(v.x, x, 1e-12);
    assert_near(v.y, y, 1e-12);
    assert_near(v.z, z, 1e-12);
}

/* Where a rotation takes the x axis. */
static void assert_x_axis(pose p, double x, double y, double z)
{
    assert_vector(quat_rotate(p.rotation, (vec3){1, 0, 0}), x, y, z);
}

static void constant_velocity(void **state)
{
    (void)state;
    weir_motion m = {.velocity = {1, -2, 3}};
    pose start = {{5, 5, 5}, quat_identity()};
    assert_vector(motion_pose(&m, start, 0).position, 5, 5, 5);
    assert_vector(motion_pose(&m, start, 1.5).position, 6.5, 2, 9.5);
}

static void constant_spin(void **state)
{
    (void)state;
    weir_motion m = {.spin = {0, 0, 2 * PI}};
    assert_x_axis(motion_pose(&m, at_origin(), 0.25), 0, 1, 0);
    assert_x_axis(motion_pose(&m, at_origin(), 0.5), -1, 0, 0);
    assert_x_axis(motion_pose(&m, at_origin(), 1), 1, 0, 0);
}

static void spin_turns_about_world_axes(void **state)
{
    (void)state;
    pose lying = {{0, 0, 0}, quat_from_rotation_vector((vec3){PI / 2, 0, 0})};
    weir_motion m = {.spin = {0, PI / 2, 0}};
    pose p = motion_pose(&m, lying, 1);
    /* First lying: local y points along z; then the turn about y takes z to x. */
    assert_vector(quat_rotate(p.rotation, (vec3){0, 1, 0}), 1, 0, 0);
}

static void oscillation_and_rocking(void **state)
{
    (void)state;
    weir_motion m = {.oscillation = {0.2, 0, 0}, .rocking = {0, 0, PI / 2}, .frequency = 0.5};
    assert_vector(motion_pose(&m, at_origin(), 0).position, 0, 0, 0);
    assert_vector(motion_pose(&m, at_origin(), 0.5).position, 0.2, 0, 0);
    assert_x_axis(motion_pose(&m, at_origin(), 0.5), 0, 1, 0);
    assert_vector(motion_pose(&m, at_origin(), 1.5).position, -0.2, 0, 0);
    assert_x_axis(motion_pose(&m, at_origin(), 1.5), 0, -1, 0);
    m.phase = PI / 2;
    assert_vector(motion_pose(&m, at_origin(), 0).position, 0.2, 0, 0);
}

static void parts_add_up(void **state)
{
    (void)state;
    weir_motion m = {.velocity = {1, 0, 0}, .oscillation = {0, 0.5, 0}, .frequency = 1};
    assert_vector(motion_pose(&m, at_origin(), 2.25).position, 2.25, 0.5, 0);
}

static void start_and_end_bound_the_motion(void **state)
{
    (void)state;
    weir_motion m = {.velocity = {2, 0, 0}, .start = 1, .end = 3};
    assert_vector(motion_pose(&m, at_origin(), 0.5).position, 0, 0, 0);
    assert_vector(motion_pose(&m, at_origin(), 2).position, 2, 0, 0);
    assert_vector(motion_pose(&m, at_origin(), 30).position, 4, 0, 0);
}

static const weir_keyframe keys[] = {
    {1, {{0, 0, 0}, {0, 0, 0, 1}}},
    {2, {{4, 0, 0}, {0, 0, 0.70710678118654752, 0.70710678118654752}}}, /* 90 degrees about z */
    {4, {{4, 2, 0}, {0, 0, 0, 1}}},
};

static void keyframes_are_interpolated_and_held(void **state)
{
    (void)state;
    weir_motion m = {.keyframes = keys, .keyframe_count = 3};
    pose elsewhere = {{9, 9, 9}, quat_identity()};
    assert_vector(motion_pose(&m, elsewhere, 0).position, 0, 0, 0);
    assert_vector(motion_pose(&m, elsewhere, 1.25).position, 1, 0, 0);
    assert_x_axis(motion_pose(&m, elsewhere, 1.5), cos(PI / 4), sin(PI / 4), 0);
    assert_vector(motion_pose(&m, elsewhere, 3).position, 4, 1, 0);
    assert_vector(motion_pose(&m, elsewhere, 9).position, 4, 2, 0);
}

static void keyframes_repeat_when_they_loop(void **state)
{
    (void)state;
    weir_keyframe round_trip[] = {keys[0], keys[1], keys[2], {6, keys[0].pose}};
    weir_motion m = {.keyframes = round_trip, .keyframe_count = 4, .loop = true};
    assert_vector(motion_pose(&m, at_origin(), 1.25 + 5).position, 1, 0, 0);
    assert_vector(motion_pose(&m, at_origin(), 3 + 50).position, 4, 1, 0);
    /* Nowhere faster than between keyframes, where it begins again either. */
    const double dt = 1e-3;
    for (double time = 1; time < 12; time += dt) {
        vec3 velocity, spin;
        motion_rates(motion_pose(&m, at_origin(), time), motion_pose(&m, at_origin(), time + dt),
                     dt, &velocity, &spin);
        assert_true(vec3_length(velocity) < 4 + 1e-6);
        assert_true(vec3_length(spin) < PI / 2 + 1e-6);
    }
}

static void check_refused(const weir_motion *motion, int dim, const char *part)
{
    memory mem = memory_with_hooks(NULL);
    weir_motion copy;
    weir_error error = {0};
    assert_false(motion_copy(&copy, &mem, motion, dim, &error));
    assert_error(error, WEIR_INVALID, part);
    motion_free(&copy, &mem);
    assert_int_equal(mem.bytes, 0);
}

static void a_path_that_repeats_must_return(void **state)
{
    (void)state;
    weir_keyframe away[] = {{0, pose_identity()}, {1, {{1, 0, 0}, {0, 0, 0, 1}}}};
    weir_keyframe turned[] = {{0, pose_identity()}, {1, {{0, 0, 0}, {0, 0, 1, 1}}}};
    check_refused(&(weir_motion){.keyframes = away, .keyframe_count = 2, .loop = true}, 3,
                  "keyframe 1 must have the pose of keyframe 0");
    check_refused(&(weir_motion){.keyframes = turned, .keyframe_count = 2, .loop = true}, 3,
                  "keyframe 1 must have the pose of keyframe 0");
    /* A circle about the origin as programs compute it, and a whole turn in quarters. */
    weir_keyframe circle[5];
    for (int k = 0; k < 5; k++)
        circle[k] = (weir_keyframe){
            k, {{sin(k * PI / 2), 0, 0}, quat_from_rotation_vector((vec3){0, 0, k * PI / 2})}};
    assert_true(motion_returns(circle, 5));
    assert_false(motion_returns(circle, 4));
}

static void rotations_take_the_short_way(void **state)
{
    (void)state;
    /* The same rotation with both signs of its quaternion: nothing turns between them. */
    weir_keyframe two[] = {{0, {{0, 0, 0}, {0, 0, 0.1, sqrt(0.99)}}},
                           {1, {{0, 0, 0}, {0, 0, -0.1, -sqrt(0.99)}}}};
    weir_motion m = {.keyframes = two, .keyframe_count = 2};
    pose p = motion_pose(&m, at_origin(), 0.5);
    assert_near(fabs(p.rotation.z), 0.1, 1e-12);
}

static void rates_carry_one_pose_to_the_next(void **state)
{
    (void)state;
    weir_motion m = {
        .velocity = {1, 2, 3}, .spin = {0.3, 0.2, 0.1}, .keyframes = keys, .keyframe_count = 3};
    double dt = 0.01;
    pose from = motion_pose(&m, at_origin(), 1.7), to = motion_pose(&m, at_origin(), 1.7 + dt);
    vec3 velocity, spin;
    motion_rates(from, to, dt, &velocity, &spin);
    vec3 x = vec3_madd(from.position, dt, velocity);
    quat q = quat_multiply(quat_from_rotation_vector(vec3_scale(spin, dt)), from.rotation);
    assert_vector(vec3_sub(x, to.position), 0, 0, 0);
    assert_vector(
        vec3_sub(quat_rotate(q, (vec3){1, 2, 3}), quat_rotate(to.rotation, (vec3){1, 2, 3})), 0, 0,
        0);
}

static void resting_bodies_have_no_spin(void **state)
{
    (void)state;
    vec3 velocity, spin;
    motion_rates(at_origin(), at_origin(), 0.01, &velocity, &spin);
    assert_vector(velocity, 0, 0, 0);
    assert_vector(spin, 0, 0, 0);
}

static void bad_motions_are_refused(void **state)
{
    (void)state;
    check_refused(&(weir_motion){.velocity = {NAN, 0, 0}}, 3, "finite");
    check_refused(&(weir_motion){.spin = {0, INFINITY, 0}}, 3, "finite");
    check_refused(&(weir_motion){.phase = NAN}, 3, "finite");
    check_refused(&(weir_motion){.start = NAN}, 3, "finite");
    check_refused(&(weir_motion){.end = NAN}, 3, "finite");
    check_refused(&(weir_motion){.frequency = -2}, 3, "-2 Hz");
    check_refused(&(weir_motion){.spin = {1, 0, 0}}, 2, "2D");
    check_refused(&(weir_motion){.velocity = {0, 0, 1}}, 2, "2D");
    weir_keyframe falling[] = {{1, pose_identity()}, {1, pose_identity()}};
    check_refused(&(weir_motion){.keyframes = falling, .keyframe_count = 2}, 3, "keyframe 1");
    weir_keyframe odd[] = {{1, {{0, NAN, 0}, {0, 0, 0, 1}}}};
    check_refused(&(weir_motion){.keyframes = odd, .keyframe_count = 1}, 3, "keyframe 0");
    weir_keyframe turned[] = {{1, {{0, 0, 0}, {0, 0, NAN, 1}}}};
    check_refused(&(weir_motion){.keyframes = turned, .keyframe_count = 1}, 3, "keyframe 0");
}

static void a_copy_owns_its_keyframes(void **state)
{
    (void)state;
    memory mem = memory_with_hooks(NULL);
    weir_keyframe mine[] = {{0, pose_identity()}, {1, {{1, 0, 0}, {0, 0, 0, 1}}}};
    weir_motion m = {.keyframes = mine, .keyframe_count = 2}, copy;
    assert_true(motion_copy(&copy, &mem, &m, 2, NULL));
    mine[1].pose.position.x = 77;
    assert_vector(motion_pose(&copy, at_origin(), 1).position, 1, 0, 0);
    motion_free(&copy, &mem);
    assert_int_equal(mem.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_velocity),
        cmocka_unit_test(constant_spin),
        cmocka_unit_test(spin_turns_about_world_axes),
        cmocka_unit_test(oscillation_and_rocking),
        cmocka_unit_test(parts_add_up),
        cmocka_unit_test(start_and_end_bound_the_motion),
        cmocka_unit_test(keyframes_are_interpolated_and_held),
        cmocka_unit_test(keyframes_repeat_when_they_loop),
        cmocka_unit_test(a_path_that_repeats_must_return),
        cmocka_unit_test(rotations_take_the_short_way),
        cmocka_unit_test(rates_carry_one_pose_to_the_next),
        cmocka_unit_test(resting_bodies_have_no_spin),
        cmocka_unit_test(bad_motions_are_refused),
        cmocka_unit_test(a_copy_owns_its_keyframes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
