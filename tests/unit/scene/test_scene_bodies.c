/* Bodies and joints from text to worlds: the numbers that arrive in the core, what is refused, what
 * is warned of, and how much of a floating body is under water. */
#include "out/submerged.h"
#include "scene/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/weir-bodies-XXXXXX";

static void write_text(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static weir_world *build(const char *text, scene **s)
{
    weir_error error = {0};
    write_text(text);
    *s = scene_load(path, NULL, 0, &error);
    weir_world *world =
        *s ? scene_build(*s, &(scene_build_options){.threads = 1}, NULL, &error) : NULL;
    if (!world)
        fail_msg("%s", error.text);
    return world;
}

static void discard(weir_world *world, scene *s)
{
    weir_world_destroy(world);
    scene_free(s);
}

static void assert_refused(const char *text, const char *part)
{
    weir_error error = {0};
    write_text(text);
    scene *s = scene_load(path, NULL, 0, &error);
    weir_world *world =
        s ? scene_build(s, &(scene_build_options){.threads = 1}, NULL, &error) : NULL;
    assert_null(world);
    if (!strstr(error.text, part))
        fail_msg("'%s' lacks '%s'", error.text, part);
    scene_free(s);
}

#define TANK                                                                                       \
    "dim: 2\n"                                                                                     \
    "spacing: 10 cm\n"                                                                             \
    "method: constraint\n"                                                                         \
    "fluids: {water: {density: 1000}}\n"                                                           \
    "fills: {pool: {shape: {box: {from: [0, 0], to: [4, 1]}}}}\n"                                  \
    "solids: {tank: {shape: {box: {from: [0, 0], to: [4, 3]}, inside: true}}}\n"
#define RAFT "  raft: {shape: {box: {size: [1, 0.4]}}, density: 500, position: [2, 2]}\n"
#define BALL "  ball: {shape: {circle: {radius: 0.2}}, mass: 3, position: [3, 2], rotation: 90 deg,"

static void test_bodies(void **state)
{
    (void)state;
    scene *s;
    weir_body_state body;
    weir_world *world = build(TANK "bodies:\n" RAFT BALL " velocity: [1, 2], spin: 60 rpm}\n", &s);
    assert_true(weir_body_get_state(world, weir_world_body_at(world, 1), &body));
    assert_string_equal(body.name, "raft");
    assert_int_equal(body.kind, WEIR_BODY_DYNAMIC);
    assert_float_equal(body.mass, 200, 1);
    assert_true(weir_body_get_state(world, weir_world_body_at(world, 2), &body));
    assert_true(fabs(body.mass - (3)) <= 1e-12);
    assert_true(fabs(body.velocity.y - (2)) <= 1e-12);
    assert_true(fabs(body.spin.z - (2 * 3.14159265358979)) <= 1e-9);
    assert_true(fabs(body.pose.rotation.z - (sqrt(0.5))) <= 1e-9);
    assert_int_equal(s->note_count, 0);
    discard(world, s);
}

static void test_fills_leave_room(void **state)
{
    (void)state;
    scene *s;
    weir_world *world = build(TANK, &s);
    size_t before = weir_world_get_particles(world).count;
    discard(world, s);
    world = build(TANK "bodies: {block: {shape: {box: {size: [1, 0.4]}}, density: 500, position: "
                       "[2, 0.6]}}\n",
                  &s);
    assert_int_equal(before - weir_world_get_particles(world).count, 40);
    discard(world, s);
}

static void test_joints(void **state)
{
    (void)state;
    scene *s;
    weir_world *world = build(
        TANK "bodies:\n" RAFT BALL " spin: 0}\n"
             "joints:\n"
             "  axle: {kind: hinge, a: ball, b: raft, anchor: [2.5, 2], limits: [-30 deg, 1], "
             "motor: {speed: 60 rpm, max_effort: 5}}\n"
             "  rope: {kind: distance, a: ball, anchor_b: [3, 3]}\n"
             "  rail: {kind: slider, a: raft, axis: [1, 0], motor: {position: 5 cm}}\n"
             "  coil: {kind: spring, a: ball, b: raft, stiffness: 2 kN/m, damping: 3}\n",
        &s);
    assert_int_equal(weir_world_joint_count(world), 4);
    weir_joint_state joint = weir_world_joint_state(world, 0);
    assert_string_equal(joint.name, "axle");
    assert_int_equal(joint.kind, WEIR_JOINT_HINGE);
    /* Without an anchor it is the position of the body. */
    assert_float_equal(weir_world_joint_state(world, 1).position, 1, 1e-12);
    assert_float_equal(weir_world_joint_state(world, 3).position, 1, 1e-12);
    discard(world, s);
}

static void test_groups(void **state)
{
    (void)state;
    scene *s;
    const char *inside = "  ball: {shape: {circle: {radius: 0.2}}, density: 1, position: [2, 2]";
    char text[2000];
    snprintf(text, sizeof text, "%sbodies:\n%s%s}\n", TANK, RAFT, inside);
    weir_world *world = build(text, &s);
    assert_int_equal(s->note_count, 1);
    assert_non_null(strstr(s->notes[0], "the body 'ball' starts 0.1"));
    discard(world, s);
    /* Groups that do not collide may overlap, and so may what a joint holds together. */
    snprintf(text, sizeof text, "%sbodies:\n%s%s, group: load, collides: [load]}\n", TANK, RAFT,
             inside);
    world = build(text, &s);
    assert_int_equal(s->note_count, 0);
    discard(world, s);
    snprintf(text, sizeof text, "%sbodies:\n%s%s}\njoints: {pin: {kind: ball, a: ball, b: raft}}\n",
             TANK, RAFT, inside);
    world = build(text, &s);
    assert_int_equal(s->note_count, 0);
    discard(world, s);
}

/* Keys of another mode would do nothing: each is named with its line and its mode. */
static void test_keys_of_other_coupling_modes_are_refused(void **state)
{
    (void)state;
#define COUPLED(keys)                                                                              \
    "dim: 2\nspacing: 10 cm\nmethod: pbf\nfluids: {water: {density: 1000}}\n"                      \
    "fills: {pool: {shape: {box: {from: [0, 0], to: [1, 1]}}}}\n"                                  \
    "coupling:\n" keys
    assert_refused(COUPLED("  solver: pgs\n"),
                   ":7: coupling.solver: is not used here: it needs 'mode' to be 'contact-lcp'");
    assert_refused(COUPLED("  mode: boundary-volume\n  radius: 5 cm\n"),
                   ":8: coupling.radius: is not used here: it needs 'mode' to be 'contact-lcp', "
                   "'penalty'");
    assert_refused(COUPLED("  mode: contact-lcp\n  stiffness: 300 N/m\n"),
                   ":8: coupling.stiffness: is not used here: it needs 'mode' to be 'penalty'");
    assert_refused(COUPLED("  mode: contact-lcp\n  damping: 3 N s/m\n"), "coupling.damping");
    assert_refused(COUPLED("  mode: penalty\n  solver: lemke\n"), "coupling.solver");
    assert_refused(COUPLED("  mode: penalty\n  restitution: 0\n"), "coupling.restitution");
    const char *right[] = {
        COUPLED("  mode: contact-lcp\n  solver: pgs\n  radius: 5 cm\n  restitution: 0.5\n"),
        COUPLED("  mode: penalty\n  radius: 5 cm\n  stiffness: 300\n  damping: 3\n"),
        COUPLED("  mode: boundary-volume\n"),
    };
#undef COUPLED
    for (int k = 0; k < 3; k++) {
        scene *s = NULL;
        weir_world *world = build(right[k], &s);
        discard(world, s);
    }
}

static void test_refused(void **state)
{
    (void)state;
    assert_refused(TANK "bodies: {a: {shape: {circle: {radius: 1}}}}\n", "needs a 'density'");
    assert_refused(TANK "bodies: {a: {shape: {circle: {radius: 1}}, density: 1, mass: 2}}\n",
                   "not both");
    assert_refused(TANK "bodies: {a: {shape: {circle: {radius: 1}}, density: 3e44}}\n",
                   "bodies.a.density: 3e44 is not allowed: must be from 0.001 to 1000000 kg/m3");
    assert_refused(TANK "bodies: {a: {shape: {circle: {radius: 1}}, mass: 3e44}}\n",
                   "bodies.a: solid a: a mass of 3e+44 kg is not allowed");
    assert_refused(TANK "bodies: {a: {shape: {half_space: {}}, mass: 2}}\n",
                   "bodies.a.shape.half_space: is not allowed for a body");
    assert_refused(TANK "bodies: {tank: {shape: {circle: {radius: 1}}, mass: 2}}\n",
                   "there is a solid of this name");
    assert_refused(TANK "bodies:\n" RAFT "joints: {j: {kind: lock, a: raft, b: rafd}}\n",
                   "joints.j.b: there is no body 'rafd'; there are: raft, tank");
    assert_refused(TANK "bodies:\n" RAFT "joints: {j: {kind: lock, a: raft, b: raft}}\n",
                   "to itself");
    assert_refused(TANK "joints: {j: {kind: lock, a: tank}}\n", "must be of 'bodies'");
    assert_refused(TANK "bodies:\n" RAFT "joints: {j: {kind: distance, a: raft}}\n",
                   "joints.j.anchor_b: is missing");
    assert_refused(TANK "bodies:\n" RAFT "joints: {j: {kind: ball, a: raft, limits: [0, 1]}}\n",
                   "it needs 'kind' to be 'hinge', 'slider'");
    assert_refused(TANK "bodies:\n" RAFT "joints: {j: {kind: hinge, a: raft, limits: [2, 1]}}\n",
                   "2 to 1 is not allowed");
    assert_refused(TANK "bodies:\n" RAFT "joints: {j: {kind: hinge, a: raft, axis: [1, 0]}}\n",
                   "not allowed in 2D");
    assert_refused(TANK "bodies:\n" RAFT "joints: {j: {kind: slider, a: raft, axis: [0, 0]}}\n",
                   "must have a length above 0");
    assert_refused(TANK "bodies:\n" RAFT
                        "joints: {j: {kind: hinge, a: raft, motor: {max_effort: 2}}}\n",
                   "speed, position");
    assert_refused(TANK "bodies: {a: {shape: {circle: {radius: 1}}, mass: 2, collides: [b]}}\n",
                   "there is no group 'b'");
}

/* The level counts volume: a box half in the water of a lattice is half submerged, whether upright
 * or tilted; one outside is dry, one on the floor covered, and one that fills its shaft unknown. */
static void test_submerged(void **state)
{
    (void)state;
    scene *s;
    weir_world *world =
        build(TANK "bodies:\n"
                   "  half: {shape: {box: {size: [0.6, 0.4]}}, density: 500, position: [1, 1]}\n"
                   "  tilted: {shape: {box: {size: [0.4, 0.4]}}, density: 500, position: [2.5, 1], "
                   "rotation: 45 deg}\n"
                   "  dry: {shape: {circle: {radius: 0.3}}, density: 500, position: [2, 2]}\n"
                   "  deep: {shape: {circle: {radius: 0.2}}, density: 500, position: [3.4, 0.3]}\n"
                   "  lid: {shape: {box: {size: [4, 0.2]}}, density: 500, position: [2, 2.7]}\n",
              &s);
    assert_true(isnan(submerged_fraction(world, 0)));
    assert_float_equal(submerged_fraction(world, 1), 0.5, 0.02);
    assert_float_equal(submerged_fraction(world, 2), 0.5, 0.05);
    assert_float_equal(submerged_fraction(world, 3), 0, 1e-12);
    assert_float_equal(submerged_fraction(world, 4), 1, 1e-12);
    assert_true(isnan(submerged_fraction(world, 5)));
    discard(world, s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_fills_leave_room),
        cmocka_unit_test(test_joints),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_keys_of_other_coupling_modes_are_refused),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_submerged),
    };
    int descriptor = mkstemp(path);
    if (descriptor < 0)
        return 1;
    close(descriptor);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
