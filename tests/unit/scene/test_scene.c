/* Scenes from text to worlds: the numbers that arrive in the core, and what is refused. */
#include "scene/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/weir-scene-XXXXXX";

static void write_text(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static scene *load(const char *text)
{
    weir_error error = {0};
    write_text(text);
    scene *s = scene_load(path, NULL, 0, &error);
    if (!s)
        fail_msg("%s", error.text);
    return s;
}

static weir_world *build(scene *s, scene_counts *counts)
{
    weir_error error = {0};
    weir_world *world = scene_build(s, &(scene_build_options){.threads = 1}, counts, &error);
    if (!world)
        fail_msg("%s", error.text);
    return world;
}

/* Loading or building `text` fails with a message that contains `part`. */
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
    assert_non_null(strstr(error.text, "weir-scene-"));
    scene_free(s);
}

#define POOL                                                                                       \
    "dim: 2\n"                                                                                     \
    "spacing: 10 cm\n"                                                                             \
    "fluids: {water: {density: 1000}}\n"

static void tables_are_sound(void **state)
{
    (void)state;
    weir_error error = {0};
    store kept = {0};
    const record *root = scene_record(&kept, &error);
    assert_non_null(root);
    if (!record_check(root, &error))
        fail_msg("%s", error.text);
    store_free(&kept);
}

static void defaults_are_those_of_the_core(void **state)
{
    (void)state;
    scene *s = load(POOL "fills: {a: {shape: {box: {from: [0, 0], to: [1, 1]}}}}\n");
    weir_world_def core = weir_world_def_default();
    assert_true(s->data.support == core.support);
    assert_true(s->data.gravity.y == core.gravity.y);
    assert_int_equal(s->data.kernel, core.kernel);
    assert_int_equal(s->data.method.name, core.method);
    for (int k = 0; k < WEIR_MAX_PARAMETERS; k++)
        assert_true(s->data.method.parameters[k] == core.parameters[k]);
    scene_free(s);
}

static void fills_and_fluids_arrive(void **state)
{
    (void)state;
    scene_counts counts;
    scene *s = load("dim: 2\n"
                    "spacing: 10 cm\n"
                    "fluids: {oil: oil, brine: {preset: water, density: 1.2 g/cm3}}\n"
                    "fills:\n"
                    "  a: {fluid: brine, shape: {box: {from: [0, 0], to: [1, 1]}}}\n"
                    "  b: {fluid: oil, velocity: [1, 2],\n"
                    "      shape: {box: {size: [0.4, 0.2], center: [3, 3]}}}\n");
    weir_world *world = build(s, &counts);
    assert_int_equal(counts.fills[0], 100);
    assert_int_equal(counts.fills[1], 8);
    assert_int_equal(counts.particles, 108);
    weir_statistics total = weir_world_get_statistics(world);
    double oil = weir_fluid_preset(1)->density;
    assert_true(fabs(total.mass - (100 * 1200 + 8 * oil) * 0.01) < 1e-6);
    assert_true(fabs(total.momentum.y - 2 * 8 * oil * 0.01) < 1e-6);
    assert_true(scene_fluid_def(s, 1).viscosity == weir_fluid_preset(0)->viscosity);
    weir_world_destroy(world);
    scene_free(s);
}

/* A shape at a place, by the distances that the world measures. */
static double distance_at(const char *solid, vec3 point)
{
    char text[1000];
    snprintf(text, sizeof text,
             "dim: %d\nspacing: 10 cm\nfluids: {water: {density: 1000}}\n"
             "emitters: {e: {nozzle: {%s}, position: [-50, 50%s], direction: [1, 0%s], speed: 1}}\n"
             "solids: {it: {%s}}\n",
             point.z == 0 ? 2 : 3, point.z == 0 ? "slot: 1" : "circle: 1",
             point.z == 0 ? "" : ", 0", point.z == 0 ? "" : ", 0", solid);
    scene *s = load(text);
    weir_world *world = build(s, NULL);
    double distance = weir_world_distance(world, point, NULL);
    weir_world_destroy(world);
    scene_free(s);
    return distance;
}

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-6))
        fail_msg("%.9g is not %.9g", value, expected);
}

static void shapes_lie_where_they_are_written(void **state)
{
    (void)state;
    vec3 p = {3, 4, 0}, q = {3, 4, 1};
    assert_near(distance_at("shape: {circle: {radius: 1}}", p), 4);
    assert_near(distance_at("shape: {circle: {radius: 1, center: [3, 0]}}", p), 3);
    assert_near(distance_at("shape: {circle: {radius: 1, center: [0, -3]}, rotation: 90 deg}", p),
                3);
    assert_near(distance_at("shape: {circle: {radius: 1, center: [3, 0]}}, position: [0, 2]", p),
                1);
    assert_near(distance_at("shape: {box: {from: [0, 0], to: [2, 6]}}", p), 1);
    assert_near(distance_at("shape: {box: {from: [0, 0], to: [2, 6]}, rounding: 0.25}", p), 0.75);
    assert_near(distance_at("shape: {circle: {radius: 100}, inside: true}", p), 95);
    assert_near(distance_at("shape: {half_space: {point: [0, 1], normal: [0, 1]}}", p), 3);
    assert_near(distance_at("shape: {half_space: {normal: [-2, 0], point: [10, 0]}}", p), 7);
    assert_near(distance_at("shape: {capsule: {radius: 1, from: [0, 0], to: [6, 0]}}", p), 3);
    assert_near(distance_at("shape: {capsule: {radius: 1, from: [0, 0], to: [3, 0]}}", p), 3);
    assert_near(distance_at("shape: {polygon: [[0, 0], [6, 0], [6, 2], [0, 2]]}", p), 2);
    assert_near(distance_at("shape: {union: [{circle: {radius: 1}}, {circle: {radius: 2, center: "
                            "[3, 0]}}]}",
                            p),
                2);
    assert_near(distance_at("shape: {cylinder: {radius: 1, from: [3, 0, -5], to: [3, 0, 5]}}", q),
                3);
    assert_near(distance_at("shape: {cylinder: {radius: 1, from: [0, 4, 1], to: [1, 4, 1]}}", q),
                2);
    assert_near(distance_at("shape: {cylinder: {radius: 1, from: [0, 9, 1], to: [0, 8, 1]}, "
                            "rotation: {angle: 180 deg, axis: [1, 0, 0]}}",
                            (vec3){0, -6, -1}),
                2);
    assert_near(distance_at("shape: {sphere: {radius: 1, center: [0, 0, 4]}, rotation: {angle: -90 "
                            "deg, axis: [1, 0, 0]}, position: [3, 0, 1]}",
                            q),
                -1);
}

static void motions_arrive(void **state)
{
    (void)state;
    weir_body_state body;
    scene *s = load(POOL "fills: {a: {shape: {box: {from: [5, 0], to: [6, 1]}}}}\n"
                         "solids:\n"
                         "  wheel: {shape: {circle: {radius: 1}}, position: [0, 9],\n"
                         "    motion: {spin: 60 rpm, velocity: [0, 0.5]}}\n"
                         "  gate: {shape: {circle: {radius: 1}}, motion: {keyframes: [\n"
                         "    {time: 0, position: [0, 20]}, {time: 1, position: [0, 22]}]}}\n");
    weir_world *world = build(s, NULL);
    assert_int_equal(weir_world_step(world, 0.25, NULL) & WEIR_STEP_FAILED, 0);
    assert_true(weir_body_get_state(world, weir_world_body_at(world, 0), &body));
    assert_near(body.pose.position.y, 9.125);
    assert_near(body.pose.rotation.z, sin(3.14159265358979323846 / 4));
    assert_true(weir_body_get_state(world, weir_world_body_at(world, 1), &body));
    assert_near(body.pose.position.y, 20.5);
    weir_world_destroy(world);
    scene_free(s);
}

static void overrides_have_the_last_word(void **state)
{
    (void)state;
    weir_error error = {0};
    const scene_override overrides[] = {
        {"--set", "fluid.water.viscosity=2 Pa s"}, {"--method", "method=sph"},
        {"--set", "method.sound_speed=25"},        {"--set", "time={end: 3}"},
        {"--set", "fluids.b.density=800"},
    };
    write_text(
        "dim: 2\nspacing: 10 cm\nfluids: {water: {density: 1000}, b: oil}\n"
        "method: sph\nfills: {a: {fluid: water, shape: {box: {from: [0, 0], to: [1, 1]}}}}\n");
    scene *s = scene_load(path, overrides, 5, &error);
    if (!s)
        fail_msg("%s", error.text);
    assert_true(s->data.fluids[0].viscosity == 2);
    assert_true(s->data.time.end == 3);
    assert_true(scene_fluid_def(s, 1).density == 800);
    assert_true(scene_fluid_def(s, 1).viscosity == weir_fluid_preset(1)->viscosity);
    weir_world *world = build(s, NULL);
    assert_non_null(world);
    assert_int_equal(weir_world_step(world, 0.001, NULL) & WEIR_STEP_FAILED, 0);
    assert_true(weir_world_get_parameter(world, "sound_speed") == 25);
    weir_world_destroy(world);
    scene_free(s);
}

static void fingerprints_tell_scenes_apart(void **state)
{
    (void)state;
    const char *texts[] = {
        POOL "fills: {a: {shape: {box: {from: [0, 0], to: [1, 1]}}}}\n",
        POOL "fills: {a: {shape: {box: {from: [0, 0], to: [1, 1]}}}}\ntime: {end: 9}\n",
        POOL "fills: {a: {shape: {box: {from: [0, 0], to: [1, 1.1]}}}}\n",
        POOL "fills: {a: {shape: {box: {from: [0, 0], to: [1, 1]}}, jitter: 0.1}}\n",
        POOL "fills: {a: {shape: {box: {from: [0, 0], to: [1, 1]}}, jitter: 0.1}}\nseed: 2\n",
        POOL "gravity: [0, -1]\nfills: {a: {shape: {box: {from: [0, 0], to: [1, 1]}}}}\n",
    };
    uint64_t found[6];
    for (int k = 0; k < 6; k++) {
        scene *s = load(texts[k]);
        weir_world *world = build(s, NULL);
        found[k] = scene_fingerprint(world);
        weir_world_destroy(world);
        scene_free(s);
    }
    /* How long it runs is no part of a scene's identity. */
    assert_true(found[0] == found[1]);
    for (int a = 1; a < 6; a++)
        for (int b = a + 1; b < 6; b++)
            assert_true(found[a] != found[b]);
}

static void contradictions_are_refused(void **state)
{
    (void)state;
    const char *pool = POOL "fills: {a: {shape: {box: {from: [0, 0], to: [1, 1]}}}}\n";
    char text[1000];
#define REFUSED(more, part)                                                                        \
    snprintf(text, sizeof text, "%s%s", pool, more);                                               \
    assert_refused(text, part)
    REFUSED("solids: {b: {shape: {box: {from: [0, 0]}}}}", ":5: solids.b.shape.box.to: is missing");
    REFUSED("solids: {b: {shape: {box: {}}}}", "either 'from' and 'to'");
    REFUSED("solids: {b: {shape: {box: {from: [1, 0], to: [0, 1]}}}}", "larger than 'from'");
    REFUSED("solids: {b: {shape: {rounding: 1}}}", "needs one of the keys");
    REFUSED("solids: {b: {shape: {mesh: x.obj}}}", "x.obj");
    REFUSED("solids: {b: {shape: {capsule: {radius: 1, from: [1, 1], to: [1, 1]}}}}", "same point");
    REFUSED("solids: {b: {shape: {half_space: {normal: [0, 0]}}}}", "length above 0");
    REFUSED("solids: {b: {shape: {circle: {radius: 1}}, motion: {spin: {rate: 1, axis: [1, 0]}}}}",
            "turns about z");
    REFUSED("solids:\n  b: {shape: {circle: {radius: 1}}, motion: {keyframes: [\n"
            "    {time: 0}, {time: 1, rotation: 5 deg}],\n    loop: true}}",
            ":8: solids.b.motion.loop: keyframe 1 must have the pose of keyframe 0");
    REFUSED("solids: {b: {shape: {circle: {radius: 4 cm}, inside: true}}}", "no fluid space");
    REFUSED("solids: {b: {shape: {circle: {radius: 9}}}}", "no particles");
    REFUSED("emitters: {e: {nozzle: {slot: 1}, position: [0, 0], direction: [1, 0]}}", "'speed'");
    REFUSED("emitters: {e: {nozzle: {rectangle: {width: 1, height: 1}}, position: [0, 0], "
            "direction: [1, 0], speed: 1}}",
            "not allowed in 2D");
    REFUSED("sinks: {s: {shape: {circle: {radius: 1}}, schedule: [[2, 1]]}}", "after the begin");
    REFUSED("periodic: {z: [0, 9]}", "not allowed in 2D");
    REFUSED("periodic: {x: [0, 0.4]}", "at least 0.5 m");
    REFUSED("periodic: {x: [5, 9]}", "outside of the period");
    REFUSED("time: {end: 1, step: 2}", "at most the end");
    REFUSED("output: {fields: [weight]}", "must be one of: velocity");
#undef REFUSED
    assert_refused(POOL, "needs a fill or an emitter");
    assert_refused("spacing: 1\nfluids: {w: {viscosity: 1}}\n", ":2: fluids.w.density: is missing");
    assert_refused(
        "spacing: 1\nfluids: {w: water}\nfills: {a: {shape: {polygon: [[0, 0, 0], [1, 0, "
        "0], [0, 1, 0]]}}}\n",
        "not allowed in 3D");
}

static int make_path(void **state)
{
    (void)state;
    int descriptor = mkstemp(path);
    return descriptor < 0 ? -1 : close(descriptor);
}

static int remove_path(void **state)
{
    (void)state;
    return remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_sound),
        cmocka_unit_test(defaults_are_those_of_the_core),
        cmocka_unit_test(fills_and_fluids_arrive),
        cmocka_unit_test(shapes_lie_where_they_are_written),
        cmocka_unit_test(motions_arrive),
        cmocka_unit_test(overrides_have_the_last_word),
        cmocka_unit_test(fingerprints_tell_scenes_apart),
        cmocka_unit_test(contradictions_are_refused),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
