/* Bodies between a floor and a press that leaves them no room: no velocity and no place fulfils
 * all contacts, so some must give way, and nothing may be thrown by that. */
#include "support/worlds.h"

enum { MOST_BODIES = 8 };

typedef struct press_world {
    weir_world *world;
    weir_body_id bodies[MOST_BODIES];
    int count;
} press_world;

static void add_tank(weir_world *world)
{
    make_tank(world, v3(0, 0, -1), v3(1, 1.5, 1));
}

/* Comes down to 3 cm above the floor and goes up again, while it tilts from side to side. */
static void add_press(weir_world *world, double tilt)
{
    double c = cos(tilt / 2), s = sin(tilt / 2);
    const weir_keyframe frames[3] = {{0, {{0.5, 0.6, 0}, {0, 0, s, c}}},
                                     {2, {{0.5, 0.13, 0}, {0, 0, -s, c}}},
                                     {4, {{0.5, 0.6, 0}, {0, 0, s, c}}}};
    weir_body_def press = weir_body_def_default();
    press.kind = WEIR_BODY_ANIMATED;
    press.shape.kind = WEIR_SHAPE_BOX;
    press.shape.half_extents = v3(0.45, 0.1, 1);
    press.motion.keyframes = frames;
    press.motion.keyframe_count = 3;
    make_body(world, &press);
}

static void add_boxes(press_world *p, int count)
{
    p->count = count;
    for (int k = 0; k < count; k++) {
        weir_body_def box = weir_body_def_default();
        box.kind = WEIR_BODY_DYNAMIC;
        box.density = 500;
        box.restitution = 0.2;
        box.shape.kind = WEIR_SHAPE_BOX;
        box.shape.half_extents = k % 2 ? v3(0.05, 0.04, 1) : v3(0.1, 0.05, 1);
        box.pose.position = v3(0.2 + 0.25 * (k % 3), 0.08 + 0.15 * (k / 3), 0);
        p->bodies[k] = make_body(p->world, &box);
    }
}

static void add_hinge(press_world *p)
{
    weir_error error = {0};
    weir_joint_def hinge = weir_joint_def_default();
    hinge.kind = WEIR_JOINT_HINGE;
    hinge.a = p->bodies[0];
    hinge.b = p->bodies[1];
    hinge.anchor = v3(0.3, 0.1, 0);
    if (weir_joint_create(p->world, &hinge, &error).slot == 0)
        fail_msg("%s", error.text);
}

static press_world make_press_world(int boxes, double tilt, bool hinged)
{
    weir_world_def def = small_world_def(2, 0.05);
    press_world p = {.world = make_world(&def)};
    add_tank(p.world);
    add_press(p.world, tilt);
    add_boxes(&p, boxes);
    if (hinged)
        add_hinge(&p);
    return p;
}

/* The boxes can fall by 0.4 m, which gives 2.8 m/s, and the press goes at 0.24 m/s. In a step of
 * 1/120 s that is 4 cm, and mending adds a part of a box. */
static void check_calm(press_world *p)
{
    weir_vec3 before[MOST_BODIES];
    for (int step = 0; step < 360; step++) {
        for (int k = 0; k < p->count; k++) {
            weir_body_state b;
            assert_true(weir_body_get_state(p->world, p->bodies[k], &b));
            before[k] = b.pose.position;
        }
        step_world(p->world, 1.0 / 120);
        for (int k = 0; k < p->count; k++) {
            weir_body_state b;
            assert_true(weir_body_get_state(p->world, p->bodies[k], &b));
            assert_true(hypot(b.velocity.x, b.velocity.y) < 3);
            assert_true(fabs(b.spin.z) < 30);
            assert_true(hypot(b.pose.position.x - before[k].x, b.pose.position.y - before[k].y) <
                        0.12);
        }
    }
    weir_world_destroy(p->world);
}

static void squeezed_boxes_are_not_thrown(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        press_world p = make_press_world(3 + k, 0.03 * k, false);
        check_calm(&p);
    }
}

static void squeezed_boxes_on_a_hinge_are_not_thrown(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        press_world p = make_press_world(6 + k, 0.09 + 0.03 * k, true);
        check_calm(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squeezed_boxes_are_not_thrown),
        cmocka_unit_test(squeezed_boxes_on_a_hinge_are_not_thrown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
