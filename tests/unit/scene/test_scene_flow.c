/* Fills whose particles begin with velocities that vary from place to place. */
#include "scene/scene.h"
#include "support/unit.h"

#include <stdio.h>
#include <unistd.h>

static const double PI = 3.14159265358979323846;

static weir_world *build(const char *flow, scene **s, weir_error *error)
{
    char path[] = "/tmp/weir-flow-XXXXXX";
    int descriptor = mkstemp(path);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    fprintf(file,
            "dim: 2\nspacing: 0.1\ngravity: [0, 0]\nfluids: {water: {density: 1000}}\n"
            "fills:\n  box:\n    shape: {box: {from: [-1, -1], to: [1, 1]}}\n"
            "    velocity: [0.5, 0]\n    flow: %s\n",
            flow);
    assert_int_equal(fclose(file), 0);
    *s = scene_load(path, NULL, 0, error);
    unlink(path);
    return *s ? scene_build(*s, &(scene_build_options){.threads = 1}, NULL, error) : NULL;
}

/* Every particle has the uniform velocity and that of the flow. */
static void compare(const char *text, weir_vec3 (*flow)(double x, double y))
{
    scene *s;
    weir_error error = {0};
    weir_world *world = build(text, &s, &error);
    if (!world)
        fail_msg("%s", error.text);
    weir_particle_view p = weir_world_get_particles(world);
    assert_int_equal(p.count, 400);
    for (size_t i = 0; i < p.count; i++) {
        weir_vec3 v = flow((double)p.position[0][i], (double)p.position[1][i]);
        assert_near((double)p.velocity[0][i], 0.5 + v.x, 1e-5);
        assert_near((double)p.velocity[1][i], v.y, 1e-5);
    }
    weir_world_destroy(world);
    scene_free(s);
}

static weir_vec3 rotation(double x, double y)
{
    return (weir_vec3){-2 * (y - 0.5), 2 * (x - 0.25), 0};
}

static weir_vec3 strain(double x, double y)
{
    return (weir_vec3){-3 * x, 3 * y, 0};
}

static weir_vec3 vortices(double x, double y)
{
    return (weir_vec3){-1.5 * cos(PI * x) * sin(PI * y), 1.5 * sin(PI * x) * cos(PI * y), 0};
}

static weir_vec3 nothing(double x, double y)
{
    (void)x;
    (void)y;
    return (weir_vec3){0, 0, 0};
}

static void flows_give_velocities(void **state)
{
    (void)state;
    compare("{kind: rotation, rate: 2 rad/s, center: [0.25, 0.5]}", rotation);
    compare("{kind: strain, rate: 3}", strain);
    compare("{kind: vortices, speed: 1.5 m/s, length: 2 m}", vortices);
    compare("none", nothing);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    scene *s;
    weir_error error = {0};
    assert_null(build("{kind: rotation}", &s, &error));
    assert_error(error, WEIR_INVALID, "flow.rate: is missing");
    assert_null(build("{kind: vortices, speed: 1, length: 0}", &s, &error));
    assert_error(error, WEIR_INVALID, "flow.length: 0 is not allowed");
    assert_null(build("{kind: strain, rate: 1, speed: 2}", &s, &error));
    assert_error(error, WEIR_INVALID, "needs 'kind' to be 'vortices'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flows_give_velocities),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
