/* POV-Ray scenes: complete, and rendered by povray where it is installed. */
#include "../out/scratch.h"

#include "draw/image.h"
#include "draw/povray.h"
#include "draw/program.h"
#include "surface/solid.h"

static float x[2000], y[2000], z[2000], values[2000];

static draw_scene make_scene(surface_mesh *water, surface_mesh meshes[2], draw_body bodies[2])
{
    draw_scene scene = draw_scene_default(3);
    size_t n = 0;
    for (int i = 0; i < 1000; i++, n++) {
        x[n] = 0.1f * (float)(i % 10), y[n] = 0.1f * (float)(i / 100);
        z[n] = 0.1f * (float)(i / 10 % 10);
        values[n] = (float)i;
    }
    scene.fluid.particles =
        (surface_particles){.count = n, .dim = 3, .spacing = 0.1, .x = x, .y = y, .z = z};
    surface_settings settings = surface_settings_default();
    assert_true(surface_mesh_build(water, &scene.fluid.particles, &settings, NULL));
    weir_shape_def tank = weir_shape_def_default(), ball = tank;
    tank.kind = WEIR_SHAPE_BOX;
    tank.half_extents = vec3_make(0.8, 0.8, 0.8);
    tank.complement = true;
    ball.kind = WEIR_SHAPE_SPHERE;
    ball.radius = 0.2;
    assert_true(solid_mesh_build(&meshes[0], &tank, 0, NULL));
    assert_true(solid_mesh_build(&meshes[1], &ball, 0, NULL));
    bodies[0] = (draw_body){
        .mesh = &meshes[0], .pose = {{0.45, 0.75, 0.45}, {0, 0, 0, 1}}, .is_wall = true};
    bodies[1] = (draw_body){
        .mesh = &meshes[1], .pose = {{0.4, 1.1, 0.4}, {0, 0, 0, 1}}, .colour = {1, 0.1f, 0.1f}};
    scene.bodies = bodies;
    scene.body_count = 2;
    scene.ground = -0.05;
    return scene;
}

/* Renders and looks for the red ball; skipped without povray. */
static void render(const char *name)
{
    char in[320], out[320];
    snprintf(in, sizeof in, "+I%s", scratch_path(name));
    snprintf(out, sizeof out, "+O%s", scratch_path("pov.png"));
    const char *const arguments[] = {"povray", in, out, "+W64", "+H36", "-D", "-GA", "+WT1", NULL};
    program p;
    weir_error error;
    if (!program_start(&p, arguments, "povray", &error)) {
        print_message("skipped: %s\n", error.text);
        return;
    }
    if (!program_finish(&p, &error))
        fail_msg("%s", error.text);
    draw_image image;
    assert_true(draw_image_read_png(&image, scratch_path("pov.png"), &error));
    int red = 0;
    for (int i = 0; i < 64 * 36; i++)
        red += image.pixels[3 * i] > 60 + image.pixels[3 * i + 1];
    assert_true(red > 10);
    draw_image_free(&image);
}

static void scenes_render(void **state)
{
    (void)state;
    surface_mesh water, meshes[2];
    draw_body bodies[2];
    draw_scene scene = make_scene(&water, meshes, bodies);
    weir_error error;
    scene.fluid.mesh = &water;
    const draw_look looks[] = {DRAW_WATER, DRAW_MATTE, DRAW_PARTICLES};
    for (int i = 0; i < 3; i++) {
        scene.fluid.look = looks[i];
        scene.fluid.values = i == 2 ? values : NULL;
        if (!draw_povray_write(scratch_path("s.pov"), &scene, 16.0 / 9, &error))
            fail_msg("%s", error.text);
        render("s.pov");
    }
    surface_mesh_free(&water);
    surface_mesh_free(&meshes[0]);
    surface_mesh_free(&meshes[1]);
}

static void scenes_say_what_they_need(void **state)
{
    (void)state;
    weir_error error;
    draw_scene scene = draw_scene_default(2);
    assert_false(draw_povray_write(scratch_path("a.pov"), &scene, 1, &error));
    assert_int_equal(error.code, WEIR_UNSUPPORTED);
    scene = draw_scene_default(3);
    scene.fluid.look = DRAW_WATER;
    assert_false(draw_povray_write(scratch_path("a.pov"), &scene, 1, &error));
    assert_non_null(strstr(error.text, "mesh"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_render),
        cmocka_unit_test(scenes_say_what_they_need),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
