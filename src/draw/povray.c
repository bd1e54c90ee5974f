/* POV-Ray 3.7 scene language (its reference manual, "Scene Description"). POV-Ray's coordinates are
 * left-handed: a camera whose right is −x turns them over. Its tolerances are absolute, so the
 * scene is scaled to a size of 10. */
#include "draw/povray.h"

#include "base/error.h"
#include "draw/balls.h"
#include "draw/canvas.h"
#include "draw/stage.h"
#include "out/file.h"
#include "surface/edges.h"

#include <locale.h>
#include <stdlib.h>

enum { SHADES = 64 };

typedef struct pov {
    file_writer file;
    const draw_scene *scene;
    draw_camera camera;
    vec3 origin;
    double scale; /* units of POV-Ray per metre */
} pov;

static void put_vector(pov *p, vec3 v)
{
    file_print(&p->file, "<%.7g,%.7g,%.7g>", v.x, v.y, v.z);
}

static vec3 scaled(const pov *p, vec3 point)
{
    return vec3_scale(vec3_sub(point, p->origin), p->scale);
}

static void put_point(pov *p, vec3 point)
{
    put_vector(p, scaled(p, point));
}

static void put_colour(pov *p, const char *kind, const float srgb[3])
{
    file_print(&p->file, "%s srgb <%.4f,%.4f,%.4f>", kind, (double)srgb[0], (double)srgb[1],
               (double)srgb[2]);
}

static void put_head(pov *p, double aspect)
{
    const draw_camera *c = &p->camera;
    file_print(&p->file, "// Written by Weir. Render with: povray +W1280 +H720 +A0.1 +Iname.pov\n"
                         "#version 3.7;\n"
                         "global_settings { assumed_gamma 1.0 max_trace_level 12 }\n\n");
    file_print(&p->file, "camera {\n  %s\n  location ",
               c->field_of_view > 0 ? "perspective" : "orthographic");
    put_point(p, c->eye);
    file_print(&p->file, "\n  sky ");
    put_vector(p, c->up);
    if (c->field_of_view > 0) {
        double half = atan(aspect * tan(c->field_of_view / 2)) * 180 / acos(-1);
        file_print(&p->file, "\n  right -x*%.7g\n  up y\n  angle %.7g", aspect, 2 * half);
    } else {
        file_print(&p->file, "\n  right -x*%.7g\n  up y*%.7g", c->height * aspect * p->scale,
                   c->height * p->scale);
    }
    file_print(&p->file, "\n  look_at ");
    put_point(p, c->target);
    file_print(&p->file, "\n}\n\n");
}

static void put_light(pov *p)
{
    vec3 up = vec3_unit(p->scene->up, vec3_make(0, 1, 0));
    vec3 front = draw_camera_default_direction(up), right = vec3_cross(up, front);
    vec3 sun = vec3_madd(vec3_madd(vec3_scale(up, 1.1), -0.75, right), 0.35, front);
    sun = vec3_scale(vec3_unit(sun, up), 100);
    file_print(&p->file, "light_source {\n  ");
    put_vector(p, sun);
    file_print(&p->file, " color rgb <1.0,0.95,0.86>*1.1\n  area_light ");
    put_vector(p, vec3_scale(vec3_unit(vec3_cross(sun, up), right), 5));
    file_print(&p->file, ", ");
    put_vector(p, vec3_scale(up, 5));
    file_print(&p->file, ", 4, 4 adaptive 1 jitter circular orient\n}\n"
                         "sky_sphere {\n  pigment {\n    gradient ");
    put_vector(p, up);
    file_print(&p->file, "\n    color_map {\n"
                         "      [0.0 color rgb <0.74,0.80,0.86>]\n"
                         "      [0.6 color rgb <0.30,0.47,0.70>]\n"
                         "      [1.0 color rgb <0.30,0.47,0.70>]\n    }\n  }\n}\n\n");
    if (!p->scene->has_ground)
        return;
    double height = (p->scene->ground - vec3_dot(up, p->origin)) * p->scale - 0.003;
    file_print(&p->file, "plane {\n  ");
    put_vector(p, up);
    file_print(&p->file,
               ", %.7g\n  pigment { color rgb 0.62 }\n  finish { ambient 0.28 diffuse 0.6 }\n}\n\n",
               height);
}

/* Triangles that face away from the eye are left out of walls, so that the near side is open. */
static bool faces_eye(const pov *p, const surface_mesh *m, weir_pose place, size_t t)
{
    vec3 c[3];
    for (size_t k = 0; k < 3; k++) {
        const float *v = m->positions + 3 * (size_t)m->triangles[3 * t + k];
        c[k] = pose_point(place, vec3_make(v[0], v[1], v[2]));
    }
    vec3 n = vec3_cross(vec3_sub(c[1], c[0]), vec3_sub(c[2], c[0]));
    return vec3_dot(n, vec3_sub(p->camera.eye, c[0])) > 0;
}

static void put_faces(pov *p, const surface_mesh *m, weir_pose place, bool is_wall)
{
    size_t count = 0;
    for (size_t t = 0; t < m->triangle_count; t++)
        count += !is_wall || faces_eye(p, m, place, t);
    file_print(&p->file, "  face_indices { %zu", count);
    for (size_t t = 0; t < m->triangle_count && !p->file.failed; t++)
        if (!is_wall || faces_eye(p, m, place, t))
            file_print(&p->file, ",\n<%u,%u,%u>", m->triangles[3 * t], m->triangles[3 * t + 1],
                       m->triangles[3 * t + 2]);
    file_print(&p->file, "\n  }\n");
}

/* A mesh2 up to its texture; the caller closes it. */
static void put_mesh(pov *p, const surface_mesh *m, weir_pose place, bool is_wall)
{
    file_print(&p->file, "mesh2 {\n  vertex_vectors { %zu", m->vertex_count);
    for (size_t i = 0; i < m->vertex_count && !p->file.failed; i++) {
        const float *v = m->positions + 3 * i;
        file_print(&p->file, ",\n");
        put_point(p, pose_point(place, vec3_make(v[0], v[1], v[2])));
    }
    file_print(&p->file, "\n  }\n");
    if (m->normals) {
        file_print(&p->file, "  normal_vectors { %zu", m->vertex_count);
        for (size_t i = 0; i < m->vertex_count && !p->file.failed; i++) {
            const float *n = m->normals + 3 * i;
            file_print(&p->file, ",\n");
            put_vector(p, quat_rotate(place.rotation, vec3_make(n[0], n[1], n[2])));
        }
        file_print(&p->file, "\n  }\n");
    }
    put_faces(p, m, place, is_wall);
}

static void put_wall_edges(pov *p, const draw_body *body)
{
    size_t count;
    surface_edge *edges = surface_mesh_edges(body->mesh, &count);
    if (!edges)
        file_fail(&p->file, WEIR_OUT_OF_MEMORY, "cannot write %s: memory ran out", p->file.path);
    for (size_t i = 0; edges && i < count; i++) {
        const float *a = edges[i].from, *b = edges[i].to;
        file_print(&p->file, "cylinder { ");
        put_point(p, pose_point(body->pose, vec3_make(a[0], a[1], a[2])));
        file_print(&p->file, ", ");
        put_point(p, pose_point(body->pose, vec3_make(b[0], b[1], b[2])));
        file_print(&p->file, ", 0.01 pigment { color rgb 0.15 } no_shadow }\n");
    }
    free(edges);
}

static void put_bodies(pov *p)
{
    for (size_t i = 0; i < p->scene->body_count; i++) {
        const draw_body *body = &p->scene->bodies[i];
        if (!body->mesh || body->mesh->triangle_count == 0)
            continue;
        put_mesh(p, body->mesh, body->pose, body->is_wall);
        if (body->is_wall) {
            file_print(&p->file, "  pigment { color rgbt <0.85,0.88,0.92,0.82> }\n"
                                 "  finish { ambient 0.3 diffuse 0.4 }\n  no_shadow\n}\n");
            put_wall_edges(p, body);
            continue;
        }
        put_colour(p, "  pigment { color", body->colour);
        file_print(&p->file,
                   " }\n  finish { ambient 0.25 diffuse 0.65 specular 0.25 roughness 0.03 "
                   "}\n}\n");
    }
}

/* Water bends light by its index of refraction, mirrors by Fresnel's equations, and takes its
 * colour with depth: at a fifth of the scene's size half of the red is gone. */
static void put_water(pov *p, const surface_mesh *mesh)
{
    float rgb[3];
    draw_fluid_colour(&p->scene->fluid, mesh->fluids ? mesh->fluids[0] : 0, rgb);
    put_mesh(p, mesh, pose_identity(), false);
    file_print(&p->file, "  pigment { color rgbf <1,1,1,1> }\n"
                         "  finish { ambient 0 diffuse 0 specular 0.6 roughness 0.002\n"
                         "    reflection { 0.0, 1.0 fresnel on } conserve_energy }\n"
                         "  interior { ior 1.333 fade_distance 1.6 fade_power 1001\n    ");
    put_colour(p, "fade_color", rgb);
    file_print(&p->file, " }\n  no_shadow\n}\n");
}

static void put_matte(pov *p, const surface_mesh *mesh)
{
    float rgb[3];
    draw_fluid_colour(&p->scene->fluid, mesh->fluids ? mesh->fluids[0] : 0, rgb);
    put_mesh(p, mesh, pose_identity(), false);
    put_colour(p, "  pigment { color", rgb);
    file_print(&p->file,
               " }\n  finish { ambient 0.25 diffuse 0.65 specular 0.3 roughness 0.02 }\n}\n");
}

/* Balls share a few textures, by colour. */
static void put_particles(pov *p)
{
    const draw_fluid *fluid = &p->scene->fluid;
    const surface_particles *of = &fluid->particles;
    double low, high, radius = of->spacing * (fluid->radius > 0 ? fluid->radius : 0.5) * p->scale;
    draw_value_range(fluid, &low, &high);
    int shades = fluid->values ? SHADES : 256;
    for (int i = 0; i < shades; i++) {
        float rgb[3];
        if (fluid->values)
            draw_colour_at(fluid->map, i / (SHADES - 1.0), rgb);
        else
            draw_fluid_colour(fluid, i, rgb);
        file_print(&p->file, "#declare T%d = texture { pigment { ", i);
        put_colour(p, "color", rgb);
        file_print(&p->file, " } finish { ambient 0.3 diffuse 0.65 specular 0.2 } }\n");
    }
    file_print(&p->file, "union {\n");
    for (size_t i = 0; i < of->count && !p->file.failed; i++) {
        vec3 at = {of->x[i], of->y[i], of->z[i]};
        double t = fluid->values ? (fluid->values[i] - low) / (high - low) : 0;
        int shade = fluid->values
                        ? (t > 0 ? (t < 1 ? (int)(t * (SHADES - 1) + 0.5) : SHADES - 1) : 0)
                    : of->fluid ? of->fluid[i]
                                : 0;
        if (!vec3_is_finite(at))
            continue;
        file_print(&p->file, "sphere { ");
        put_point(p, at);
        file_print(&p->file, ", %.7g texture { T%d } }\n", radius, shade);
    }
    file_print(&p->file, "}\n");
}

static void put_fluid(pov *p)
{
    const draw_fluid *fluid = &p->scene->fluid;
    if (fluid->look == DRAW_NOTHING)
        return;
    if (fluid->look == DRAW_PARTICLES) {
        if (fluid->particles.count > 0)
            put_particles(p);
    } else if (fluid->mesh && fluid->mesh->triangle_count > 0) {
        if (fluid->look == DRAW_WATER)
            put_water(p, fluid->mesh);
        else
            put_matte(p, fluid->mesh);
    }
}

static void put_all(pov *p, double aspect)
{
    /* Numbers need a point, whatever locale the program runs in. */
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    locale_t before = plain ? uselocale(plain) : (locale_t)0;
    put_head(p, aspect);
    put_light(p);
    put_bodies(p);
    put_fluid(p);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
}

bool draw_povray_write(const char *path, const draw_scene *scene, double aspect, weir_error *error)
{
    const draw_fluid *fluid = &scene->fluid;
    if (scene->dim != 3)
        return fail(error, WEIR_UNSUPPORTED, "cannot write %s: POV-Ray needs a 3D scene", path);
    if ((fluid->look == DRAW_WATER || fluid->look == DRAW_MATTE) && !fluid->mesh)
        return fail(error, WEIR_INVALID, "cannot write %s: POV-Ray needs the mesh of the fluid",
                    path);
    if (scene->camera && !draw_camera_check(scene->camera, 3, error))
        return false;
    pov p = {.scene = scene, .camera = draw_scene_camera(scene, aspect)};
    draw_box box = draw_scene_box(scene);
    if (!draw_box_is_empty(&box))
        p.origin = draw_box_middle(&box);
    double size = draw_box_is_empty(&box) ? 1 : draw_box_diagonal(&box);
    p.scale = 10 / fmax(size, 1e-9);
    file_begin(&p.file, path);
    put_all(&p, aspect);
    return file_commit(&p.file, error);
}
