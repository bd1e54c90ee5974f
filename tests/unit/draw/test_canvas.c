/* Pictures: compared with stored ones up to what an eye would notice, and asked for what must be
 * in them. With WEIR_UPDATE_GOLDEN set, the stored pictures are written anew. Skipped where there
 * is no OpenGL. */
#include "../out/scratch.h"

#include "base/random.h"
#include "draw/canvas.h"
#include "draw/gl_context.h"
#include "surface/solid.h"

#ifdef __SANITIZE_ADDRESS__
/* Drivers are unloaded at the end and leave a little memory behind, which counts as leaked. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return 1;
}
#endif

enum { WIDTH = 240, HEIGHT = 135, MAX_PARTICLES = 20000 };

/* A small dam break in a tank with three bodies, made up: y is up. */
typedef struct sample {
    float x[MAX_PARTICLES], y[MAX_PARTICLES], z[MAX_PARTICLES], value[MAX_PARTICLES];
    uint8_t fluid[MAX_PARTICLES];
    surface_mesh meshes[4], water;
    surface_outline outlines[4], flat_water;
    draw_body bodies[4];
    draw_mark marks[3];
    draw_scene scene;
} sample;

static draw_canvas *canvas;

static int open_canvas(void **state)
{
    (void)state;
    weir_error error;
    canvas = draw_canvas_create(&error);
    if (!canvas)
        print_message("skipped: %s\n", error.text);
    return scratch_begin(state);
}

static int close_canvas(void **state)
{
    draw_canvas_destroy(canvas);
    return scratch_end(state);
}

static void add_particles(sample *s, int dim, vec3 shift)
{
    surface_particles *p = &s->scene.fluid.particles;
    const double d = 0.04;
    size_t n = 0;
    for (double x = d / 2; x < 2; x += d)
        for (double z = d / 2; z < (dim == 3 ? 0.8 : d); z += d) {
            double high = x > 1.75 ? 0.1 + 12 * (x - 1.75) * (x - 1.75) : 0.45 - 0.2 * x;
            for (double y = d / 2; y < high; y += d, n++) {
                s->x[n] = (float)(x + shift.x + 0.2 * d * random_unit(1, 3 * n));
                s->y[n] = (float)(y + shift.y + 0.2 * d * random_unit(1, 3 * n + 1));
                s->z[n] = (float)(z + shift.z + 0.2 * d * random_unit(1, 3 * n + 2));
                s->value[n] = (float)(x * y);
                s->fluid[n] = x > 1.5;
            }
        }
    assert_true(n < MAX_PARTICLES);
    *p = (surface_particles){.count = n,
                             .dim = dim,
                             .spacing = d,
                             .x = s->x,
                             .y = s->y,
                             .z = dim == 3 ? s->z : NULL,
                             .fluid = s->fluid};
}

static void add_body(sample *s, int i, weir_shape_def def, vec3 at)
{
    draw_body *b = &s->bodies[i];
    *b = (draw_body){.pose = {at, {0, 0, 0, 1}}, .is_wall = def.complement};
    if (s->scene.dim == 3) {
        assert_true(solid_mesh_build(&s->meshes[i], &def, 0, NULL));
        b->mesh = &s->meshes[i];
    } else {
        assert_true(solid_outline_build(&s->outlines[i], &def, 0, NULL));
        b->outline = &s->outlines[i];
    }
    draw_colour_of_body(i, b->colour);
}

static sample *make_sample(int dim, vec3 shift)
{
    sample *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->scene = draw_scene_default(dim);
    add_particles(s, dim, shift);
    weir_shape_def tank = weir_shape_def_default(), box = tank, ball = tank, post = tank;
    tank.kind = box.kind = WEIR_SHAPE_BOX;
    ball.kind = WEIR_SHAPE_SPHERE;
    post.kind = WEIR_SHAPE_CYLINDER;
    tank.half_extents = vec3_make(1, 0.5, 0.4);
    tank.complement = true;
    box.half_extents = vec3_make(0.15, 0.1, 0.15);
    ball.radius = 0.12;
    post.radius = 0.08;
    post.half_length = 0.25;
    add_body(s, 0, tank, vec3_add(shift, vec3_make(1, 0.5, 0.4)));
    add_body(s, 1, box, vec3_add(shift, vec3_make(0.4, 0.45, 0.4)));
    add_body(s, 2, ball, vec3_add(shift, vec3_make(1, 0.3, 0.4)));
    add_body(s, 3, post, vec3_add(shift, vec3_make(1.5, 0.25, 0.4)));
    s->bodies[1].pose.rotation = quat_from_rotation_vector(vec3_make(0, 0, 0.3));
    s->marks[0] = (draw_mark){DRAW_POINT, s->bodies[1].pose.position, {0, 0, 0}, 30, {1, 0, 0}};
    s->marks[1] = (draw_mark){
        DRAW_LINE, s->bodies[1].pose.position, s->bodies[2].pose.position, 8, {0, 0.4f, 0}};
    s->marks[2] = (draw_mark){DRAW_ARROW,
                              s->bodies[2].pose.position,
                              vec3_add(s->bodies[2].pose.position, vec3_make(0.3, 0.4, 0)),
                              8,
                              {0, 0, 0}};
    s->scene.bodies = s->bodies;
    s->scene.body_count = 4;
    s->scene.ground = shift.y;
    return s;
}

static void free_sample(sample *s)
{
    for (int i = 0; i < 4; i++) {
        surface_mesh_free(&s->meshes[i]);
        surface_outline_free(&s->outlines[i]);
    }
    surface_mesh_free(&s->water);
    surface_outline_free(&s->flat_water);
    free(s);
}

static draw_image draw(const draw_scene *scene, int width, int height)
{
    draw_image image;
    weir_error error;
    if (!draw_canvas_draw(canvas, scene, width, height, 2, &image, &error))
        fail_msg("%s", error.text);
    return image;
}

/* Compares with tests/unit/draw/golden/<name>.png. */
static void assert_golden(const char *name, const draw_scene *scene)
{
    char path[600];
    const char *here = __FILE__, *slash = strrchr(here, '/');
    snprintf(path, sizeof path, "%.*s/golden/%s.png", slash ? (int)(slash - here) : 1,
             slash ? here : ".", name);
    draw_image image = draw(scene, WIDTH, HEIGHT), golden;
    weir_error error;
    if (getenv("WEIR_UPDATE_GOLDEN")) {
        assert_true(draw_image_write_png(path, &image, &error));
        draw_image_free(&image);
        return;
    }
    if (!draw_image_read_png(&golden, path, &error))
        fail_msg("%s", error.text);
    double difference = draw_image_difference(&image, &golden, 5);
    print_message("%s: difference %.4f\n", name, difference);
    if (difference >= 0.012) {
        draw_image_write_png(scratch_path("wrong.png"), &image, NULL);
        fail_msg("the picture %s differs by %.4f; look at it, and run with WEIR_UPDATE_GOLDEN=1 "
                 "if the new one is right",
                 name, difference);
    }
    draw_image_free(&image);
    draw_image_free(&golden);
}

static void particles_look_as_before(void **state)
{
    (void)state;
    if (!canvas)
        return;
    sample *s = make_sample(3, vec3_make(0, 0, 0));
    s->scene.fluid.values = s->value;
    s->scene.fluid.value_name = "x y (m²)";
    s->scene.title = "Particles";
    assert_golden("particles", &s->scene);
    free_sample(s);
}

static void water_looks_as_before(void **state)
{
    (void)state;
    if (!canvas)
        return;
    sample *s = make_sample(3, vec3_make(0, 0, 0));
    surface_settings settings = surface_settings_default();
    s->scene.fluid.look = DRAW_WATER;
    surface_ellipsoid *splats = malloc(s->scene.fluid.particles.count * sizeof *splats);
    assert_true(surface_ellipsoids_build(splats, &s->scene.fluid.particles, &settings, NULL));
    s->scene.fluid.ellipsoids = splats;
    assert_golden("splats", &s->scene);
    free(splats);
    s->scene.fluid.ellipsoids = NULL;
    assert_true(surface_mesh_build(&s->water, &s->scene.fluid.particles, &settings, NULL));
    s->scene.fluid.mesh = &s->water;
    assert_golden("water", &s->scene);
    s->scene.fluid.look = DRAW_MATTE;
    s->scene.dark = true;
    s->scene.caption = "t = 1.5 s";
    assert_golden("matte", &s->scene);
    free_sample(s);
}

static void flat_pictures_look_as_before(void **state)
{
    (void)state;
    if (!canvas)
        return;
    sample *s = make_sample(2, vec3_make(0, 0, 0));
    surface_settings settings = surface_settings_default();
    assert_true(surface_outline_build(&s->flat_water, &s->scene.fluid.particles, &settings, NULL));
    s->scene.fluid.outline = &s->flat_water;
    s->scene.fluid.look = DRAW_WATER;
    s->scene.marks = s->marks;
    s->scene.mark_count = 3;
    assert_golden("outline", &s->scene);
    s->scene.fluid.look = DRAW_PARTICLES;
    assert_golden("discs", &s->scene);
    free_sample(s);
}

static const uint8_t *pixel(const draw_image *image, double x, double y)
{
    return image->pixels +
           3 * ((size_t)(y * image->height) * (size_t)image->width + (size_t)(x * image->width));
}

/* One ball in the middle takes the colour of its value, and the sky is above it. */
static void colours_follow_values(void **state)
{
    (void)state;
    if (!canvas)
        return;
    float zero = 0, value = 1;
    draw_scene scene = draw_scene_default(3);
    scene.fluid.particles =
        (surface_particles){.count = 1, .dim = 3, .spacing = 1, .x = &zero, .y = &zero, .z = &zero};
    scene.fluid.values = &value;
    scene.fluid.low = -1;
    scene.fluid.high = 1;
    scene.fluid.map = DRAW_MAP_DIVERGING;
    scene.has_ground = false;
    draw_image image = draw(&scene, 64, 64);
    const uint8_t *c = pixel(&image, 0.5, 0.5);
    assert_true(c[0] > c[2] + 60); /* red */
    draw_image_free(&image);
    value = -1;
    image = draw(&scene, 64, 64);
    c = pixel(&image, 0.5, 0.5);
    assert_true(c[2] > c[0] + 60); /* blue */
    c = pixel(&image, 0.02, 0.02);
    assert_true(c[2] > c[0] && c[2] > 150);
    draw_image_free(&image);
}

static void marks_are_on_top(void **state)
{
    (void)state;
    if (!canvas)
        return;
    sample *s = make_sample(2, vec3_make(0, 0, 0));
    s->scene.marks = s->marks;
    s->scene.mark_count = 1;
    const draw_camera camera = {.target = s->marks[0].from, .up = {0, 1, 0}, .height = 2};
    s->scene.camera = &camera;
    draw_image image = draw(&s->scene, 100, 100);
    const uint8_t *c = pixel(&image, 0.5, 0.5);
    assert_true(c[0] > 240 && c[1] < 20 && c[2] < 20);
    draw_image_free(&image);
    free_sample(s);
}

/* The same scene far away looks the same: positions are sent relative to the scene. */
static void distance_from_the_origin_does_not_matter(void **state)
{
    (void)state;
    if (!canvas)
        return;
    sample *near = make_sample(3, vec3_make(0, 0, 0));
    sample *far = make_sample(3, vec3_make(2048, -1024, 512));
    draw_image a = draw(&near->scene, 160, 90), b = draw(&far->scene, 160, 90);
    assert_true(draw_image_difference(&a, &b, 5) < 0.01);
    draw_image_free(&a);
    draw_image_free(&b);
    free_sample(near);
    free_sample(far);
}

static void pictures_repeat_bit_for_bit(void **state)
{
    (void)state;
    if (!canvas)
        return;
    sample *s = make_sample(3, vec3_make(0, 0, 0));
    draw_image a = draw(&s->scene, 101, 67), c = draw(&s->scene, 50, 50);
    s->scene.fluid.look = DRAW_WATER;
    draw_image d = draw(&s->scene, 80, 50);
    s->scene.fluid.look = DRAW_PARTICLES;
    draw_image b = draw(&s->scene, 101, 67);
    assert_memory_equal(a.pixels, b.pixels, 3 * 101 * 67);
    draw_image_free(&a);
    draw_image_free(&b);
    draw_image_free(&c);
    draw_image_free(&d);
    free_sample(s);
}

static void strange_scenes_are_drawn(void **state)
{
    (void)state;
    if (!canvas)
        return;
    draw_scene scene = draw_scene_default(3);
    for (int look = DRAW_NOTHING; look <= DRAW_MATTE; look++) {
        scene.fluid.look = (draw_look)look;
        draw_image image = draw(&scene, 40, 30);
        draw_image_free(&image);
    }
    scene = draw_scene_default(2);
    scene.has_ground = true;
    draw_image image = draw(&scene, 1, 1);
    draw_image_free(&image);
    float x[3] = {0, NAN, 1}, y[3] = {0, 1, INFINITY}, values[3] = {NAN, NAN, NAN};
    scene.fluid.particles =
        (surface_particles){.count = 3, .dim = 2, .spacing = 0.1, .x = x, .y = y};
    scene.fluid.values = values;
    scene.fluid.value_name = "v";
    image = draw(&scene, 200, 100);
    draw_image_free(&image);
}

static void bad_pictures_are_refused(void **state)
{
    (void)state;
    if (!canvas)
        return;
    draw_scene scene = draw_scene_default(3);
    draw_image image;
    weir_error error;
    assert_false(draw_canvas_draw(canvas, &scene, 0, 10, 1, &image, &error));
    assert_false(draw_canvas_draw(canvas, &scene, 10, 10, 5, &image, &error));
    assert_non_null(strstr(error.text, "1 to 4"));
    assert_false(draw_canvas_draw(canvas, &scene, DRAW_MAX_SIZE, 10, 4, &image, &error));
    assert_int_equal(error.code, WEIR_UNSUPPORTED);
    scene.dim = 4;
    assert_false(draw_canvas_draw(canvas, &scene, 10, 10, 1, &image, &error));
}

static void ground_lies_under_everything(void **state)
{
    (void)state;
    float x[2] = {0, 1}, y[2] = {5, 2}, z[2] = {-3, 4};
    draw_scene scene = draw_scene_default(3);
    scene.fluid.particles =
        (surface_particles){.count = 2, .dim = 3, .spacing = 0.2, .x = x, .y = y, .z = z};
    draw_scene_set_ground(&scene);
    assert_true(scene.ground < 1.9 && scene.ground > 1.88);
    scene.up = vec3_make(0, 0, 1);
    draw_scene_set_ground(&scene);
    assert_true(scene.ground < -3.1 && scene.ground > -3.12);
}

/* In a process of its own, whose EGL finds no driver. */
static void missing_opengl_is_named(void **state)
{
    (void)state;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setenv("__EGL_VENDOR_LIBRARY_DIRS", "/nowhere", 1);
        setenv("__EGL_VENDOR_LIBRARY_FILENAMES", "/nowhere", 1);
        execl("/proc/self/exe", "test_canvas", "--without-driver", (char *)NULL);
        _exit(127);
    }
    int status = -1;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static int check_without_driver(void)
{
    weir_error error = {0};
    gl_context *context = gl_context_create(&error);
    if (context) /* a driver that does not go through the vendor list: nothing to see here */
        return 0;
    return error.code == WEIR_UNSUPPORTED && strstr(error.text, "libgl1-mesa-dri") ? 0 : 1;
}

int main(int count, char **arguments)
{
    if (count > 1 && strcmp(arguments[1], "--without-driver") == 0)
        return check_without_driver();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particles_look_as_before),
        cmocka_unit_test(water_looks_as_before),
        cmocka_unit_test(flat_pictures_look_as_before),
        cmocka_unit_test(colours_follow_values),
        cmocka_unit_test(marks_are_on_top),
        cmocka_unit_test(distance_from_the_origin_does_not_matter),
        cmocka_unit_test(pictures_repeat_bit_for_bit),
        cmocka_unit_test(strange_scenes_are_drawn),
        cmocka_unit_test(bad_pictures_are_refused),
        cmocka_unit_test(ground_lies_under_everything),
        cmocka_unit_test(missing_opengl_is_named),
    };
    return cmocka_run_group_tests(tests, open_canvas, close_canvas);
}
