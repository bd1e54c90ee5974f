/* Cost of surfaces and pictures: sheets of water four particles thick, whose surface grows with
 * their number, and a block of 100,000 particles drawn in every look. */
#include "bench.h"

#include "base/random.h"
#include "draw/canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct cloud {
    float *values; /* x, y, z one after the other */
    surface_particles view;
} cloud;

/* A box of particles a unit apart, each moved by up to a tenth of that. */
static bool make_cloud(cloud *c, size_t nx, size_t ny, size_t nz, weir_error *error)
{
    size_t count = nx * ny * nz;
    c->values = malloc(3 * count * sizeof *c->values);
    if (!c->values)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for %zu particles", count);
    for (size_t i = 0; i < count; i++) {
        const size_t at[3] = {i % nx, i / nx % ny, i / nx / ny};
        for (size_t k = 0; k < 3; k++)
            c->values[k * count + i] =
                (float)((double)at[k] + 0.2 * (random_unit(5, 3 * i + k) - 0.5));
    }
    c->view = (surface_particles){.count = count,
                                  .dim = 3,
                                  .spacing = 1,
                                  .x = c->values,
                                  .y = c->values + count,
                                  .z = c->values + 2 * count};
    return true;
}

/* Seconds of all threads of the program. */
static double cpu_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ------------------------------------------------------------------- meshes */

static bool measure_mesh(bench_table *t, const bench_options *o, size_t side, surface_kind kind,
                         weir_error *error)
{
    cloud c;
    surface_mesh mesh;
    surface_settings settings = surface_settings_default();
    settings.kind = kind;
    settings.threads = bench_threads_of(o);
    if (!make_cloud(&c, side, 4, side, error))
        return false;
    double wall = bench_now(), cpu = cpu_now();
    bool done = surface_mesh_build(&mesh, &c.view, &settings, error);
    wall = bench_now() - wall;
    cpu = cpu_now() - cpu;
    if (done) {
        double triangles = (double)mesh.triangle_count;
        double error_share = surface_mesh_volume(&mesh) / (double)c.view.count - 1;
        const double values[] = {
            kind == SURFACE_ISOTROPIC, (double)c.view.count,   triangles, 1e3 * wall, 1e3 * cpu,
            1e6 * cpu / triangles,     100 * fabs(error_share)};
        memcpy(t->values[t->rows++], values, sizeof values);
        surface_mesh_free(&mesh);
    }
    free(c.values);
    return done;
}

bool bench_mesh(const bench_options *o, bench_table *t, weir_error *error)
{
    static const char *const names[] = {"isotropic", "particles",       "triangles",     "ms",
                                        "cpu_ms",    "us_per_triangle", "volume_error_%"};
    static const size_t sides[] = {56, 79, 112, 158, 224}; /* 12,500 to 200,000 particles */
    bench_name_columns(t, names, sizeof names / sizeof names[0]);
    for (int kind = 0; kind < 2; kind++)
        for (size_t k = 0; k < (o->quick ? 2 : sizeof sides / sizeof sides[0]); k++)
            if (!measure_mesh(t, o, sides[k], (surface_kind)kind, error))
                return false;
    return true;
}

/* ----------------------------------------------------------------- pictures */

enum { PARTICLES, SPLATS, WATER, MESH, LOOKS };

typedef struct picture {
    draw_scene scene;
    surface_mesh mesh;
    surface_ellipsoid *ellipsoids;
} picture;

static bool shape_fluid(picture *p, const cloud *c, int look, weir_error *error)
{
    const surface_settings settings = surface_settings_default();
    draw_fluid *fluid = &p->scene.fluid;
    p->scene = draw_scene_default(3);
    fluid->particles = c->view;
    fluid->look = look == PARTICLES ? DRAW_PARTICLES : look == MESH ? DRAW_MATTE : DRAW_WATER;
    draw_scene_set_ground(&p->scene);
    if (look == PARTICLES)
        return true;
    if (look == SPLATS) {
        p->ellipsoids = malloc(c->view.count * sizeof *p->ellipsoids);
        fluid->ellipsoids = p->ellipsoids;
        return p->ellipsoids ? surface_ellipsoids_build(p->ellipsoids, &c->view, &settings, error)
                             : fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for splats");
    }
    fluid->mesh = &p->mesh;
    return surface_mesh_build(&p->mesh, &c->view, &settings, error);
}

static bool draw_once(draw_canvas *canvas, const cloud *c, int look, weir_error *error)
{
    picture p = {0};
    draw_image image;
    bool done = shape_fluid(&p, c, look, error) &&
                draw_canvas_draw(canvas, &p.scene, 1280, 720, 2, &image, error);
    if (done)
        draw_image_free(&image);
    surface_mesh_free(&p.mesh);
    free(p.ellipsoids);
    return done;
}

/* The first picture of a program makes the canvas, too, and compiles its shaders. */
static bool measure_look(bench_table *t, const cloud *c, int look, weir_error *error)
{
    double wall[2], cpu[2];
    draw_canvas *canvas = NULL;
    bool done = true;
    for (int k = 0; k < 2 && done; k++) {
        wall[k] = bench_now();
        cpu[k] = cpu_now();
        if (k == 0)
            canvas = draw_canvas_create(error);
        done = canvas && draw_once(canvas, c, look, error);
        wall[k] = bench_now() - wall[k];
        cpu[k] = cpu_now() - cpu[k];
    }
    draw_canvas_destroy(canvas);
    if (!done)
        return false;
    const double values[] = {look,         (double)c->view.count, 1e3 * wall[0],
                             1e3 * cpu[0], 1e3 * wall[1],         1e3 * cpu[1]};
    memcpy(t->values[t->rows++], values, sizeof values);
    return true;
}

bool bench_render(const bench_options *o, bench_table *t, weir_error *error)
{
    static const char *const names[] = {"look",         "particles", "first_ms",
                                        "first_cpu_ms", "ms",        "cpu_ms"};
    cloud c;
    bool done = make_cloud(&c, o->quick ? 20 : 50, o->quick ? 20 : 40, o->quick ? 20 : 50, error);
    bench_name_columns(t, names, sizeof names / sizeof names[0]);
    for (int look = 0; look < LOOKS && done; look++)
        done = measure_look(t, &c, look, error);
    free(c.values);
    return done;
}
