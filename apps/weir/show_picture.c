/* One moment as a picture: the look of the fluid, colours, text, camera. */
#include "show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARROWS = 600 };

static bool out_of_memory(weir_error *error)
{
    return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for a picture");
}

/* ----------------------------------------------------------------- colours */

/* The density of the only fluid; 0 where there are several. */
static double rest_density(const show *w)
{
    return w->s->data.fluid_count == 1 ? scene_fluid_def(w->s, 0).density : 0;
}

static int compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The range of the values without the outermost half percent at each end: single particles that
 * were thrown out must not take the colours from all others. */
static bool find_range(const float *values, size_t count, float *low, float *high)
{
    float *sorted = malloc((count + 1) * sizeof *sorted);
    size_t kept = 0;
    for (size_t i = 0; sorted && i < count; i++)
        if (isfinite(values[i]))
            sorted[kept++] = values[i];
    if (kept > 0) {
        qsort(sorted, kept, sizeof *sorted, compare);
        *low = sorted[kept / 200];
        *high = sorted[kept - 1 - kept / 200];
    }
    free(sorted);
    return kept > 0;
}

/* Colours of a film must not change their meaning: the range only grows. Densities are shown as
 * what they are about, the distance from the density at rest. */
static void grow_range(show_style *style, const show *w, const float *values)
{
    double rest = strcmp(style->color, "density") == 0 ? rest_density(w) : 0;
    if (style->has_range)
        return;
    if (rest > 0) {
        style->low = 0.9 * rest;
        style->high = 1.1 * rest;
        return;
    }
    float low, high;
    if (find_range(values, w->particles.count, &low, &high)) {
        style->low = fmin(style->low, low);
        style->high = fmax(style->high, high);
    }
}

static bool set_colours(show_picture *p, show *w, show_style *style, weir_error *error)
{
    draw_fluid *fluid = &p->scene.fluid;
    if (!style->color || strcmp(style->color, "fluid") == 0)
        return true;
    fluid->values = show_values(w, style->color, error);
    if (!fluid->values)
        return false;
    grow_range(style, w, fluid->values);
    fluid->low = style->low;
    fluid->high = style->high > style->low ? style->high : style->low + 1;
    bool has_middle = strcmp(style->color, "density") == 0;
    fluid->map = has_middle ? DRAW_MAP_DIVERGING : DRAW_MAP_SEQUENTIAL;
    /* The middle of the colours is white: on white paper it would not be seen. */
    p->scene.dark = has_middle && w->particles.dim == 2;
    const char *name = strcmp(style->color, "velocity") == 0 ? "speed" : style->color;
    const char *unit = show_unit(w, style->color);
    if (unit[0])
        snprintf(p->legend, sizeof p->legend, "%s (%s)", name, unit);
    else
        snprintf(p->legend, sizeof p->legend, "%s", name);
    fluid->value_name = p->legend;
    return true;
}

/* ------------------------------------------------------------------- fluid */

static bool set_ellipsoids(show_picture *p, const show *w, const show_style *style,
                           weir_error *error)
{
    p->ellipsoids = malloc((w->particles.count + 1) * sizeof *p->ellipsoids);
    if (!p->ellipsoids)
        return out_of_memory(error);
    p->scene.fluid.ellipsoids = p->ellipsoids;
    return surface_ellipsoids_build(p->ellipsoids, &w->particles, &style->surface, error);
}

static bool set_mesh(show_picture *p, const show *w, const show_style *style, weir_error *error)
{
    p->scene.fluid.mesh = &p->mesh;
    return surface_mesh_build(&p->mesh, &w->particles, &style->surface, error);
}

static bool set_fluid(show_picture *p, show *w, show_style *style, weir_error *error)
{
    draw_fluid *fluid = &p->scene.fluid;
    fluid->particles = w->particles;
    if (style->look == SHOW_PARTICLES) {
        fluid->look = DRAW_PARTICLES;
        return set_colours(p, w, style, error);
    }
    if (w->particles.count == 0) {
        fluid->look = DRAW_NOTHING;
        return true;
    }
    fluid->look = DRAW_WATER;
    if (w->particles.dim == 2) {
        fluid->outline = &p->outline;
        return surface_outline_build(&p->outline, &w->particles, &style->surface, error);
    }
    if (style->look == SHOW_SPLATS)
        return set_ellipsoids(p, w, style, error);
    if (style->look == SHOW_MESH)
        fluid->look = DRAW_MATTE;
    return set_mesh(p, w, style, error);
}

/* ------------------------------------------------------------------- marks */

/* Velocities of every n-th particle: the fastest has an arrow of 7 spacings. */
static size_t add_arrows(draw_mark *marks, const show *w)
{
    const surface_particles *p = &w->particles;
    size_t stride = 1 + p->count / MOST_ARROWS, count = 0;
    double fastest = 0;
    if (!p->vx)
        return 0;
    for (size_t i = 0; i < p->count; i++)
        fastest = fmax(fastest, hypot(hypot(p->vx[i], p->vy[i]), p->vz ? p->vz[i] : 0));
    double scale = fastest > 0 ? 7 * p->spacing / fastest : 0;
    for (size_t i = 0; i < p->count && scale > 0; i += stride) {
        vec3 from = {p->x[i], p->y[i], p->z ? p->z[i] : 0};
        vec3 velocity = {p->vx[i], p->vy[i], p->vz ? p->vz[i] : 0};
        marks[count++] = (draw_mark){.kind = DRAW_ARROW,
                                     .from = from,
                                     .to = vec3_madd(from, scale, velocity),
                                     .size = 1.6f,
                                     .colour = {0.10f, 0.12f, 0.16f}};
    }
    return count;
}

static bool set_marks(show_picture *p, const show *w, const show_solids *solids,
                      const show_style *style, weir_error *error)
{
    size_t count = solids->mark_count;
    if (style->contacts && !show_contacts_find(&p->contacts, w, error))
        return false;
    p->marks = malloc((count + MOST_ARROWS + p->contacts.count + 1) * sizeof *p->marks);
    if (!p->marks)
        return out_of_memory(error);
    memcpy(p->marks, solids->marks, count * sizeof *p->marks);
    if (style->vectors)
        count += add_arrows(p->marks + count, w);
    if (p->contacts.count > 0)
        memcpy(p->marks + count, p->contacts.marks, p->contacts.count * sizeof *p->marks);
    count += p->contacts.count;
    p->scene.marks = p->marks;
    p->scene.mark_count = count;
    return true;
}

/* ------------------------------------------------------------ camera, text */

static void set_camera(show_picture *p, const show *w, const show_style *style)
{
    const scene_camera *given = &w->s->data.camera;
    double aspect = (double)style->width / style->height;
    if (!given->node && style->angle == 0)
        return;
    p->camera = draw_scene_camera(&p->scene, aspect);
    if (given->node && w->s->data.dim == 3) {
        p->camera = (draw_camera){.eye = given->position,
                                  .target = given->target,
                                  .up = given->up,
                                  .field_of_view = given->fov};
    } else if (given->node) {
        p->camera.target = vec3_make(given->target.x, given->target.y, 0);
        p->camera.eye = vec3_add(p->camera.target, vec3_make(0, 0, 1));
        p->camera.height = given->height > 0 ? given->height : p->camera.height;
    }
    p->camera = draw_camera_orbit(p->camera, style->angle);
    p->scene.camera = &p->camera;
}

static void set_caption(show_picture *p, const show *w)
{
    snprintf(p->caption, sizeof p->caption, "%.2f s   %s   %zu particles", w->time, show_method(w),
             w->particles.count);
    p->scene.caption = p->caption;
}

bool show_picture_make(show_picture *p, show *w, show_solids *solids, show_style *style,
                       weir_error *error)
{
    show_picture_free(p);
    show_solids_place(solids, w);
    p->scene = draw_scene_default(w->s->data.dim);
    p->scene.up = solids->up;
    p->scene.bodies = solids->bodies;
    p->scene.body_count = solids->count;
    p->scene.has_frame = true;
    p->scene.frame = solids->frame;
    p->scene.title = style->title;
    if (w->s->data.dim == 3)
        draw_scene_set_ground(&p->scene);
    if (solids->has_ground)
        p->scene.ground = solids->ground;
    if (!set_fluid(p, w, style, error) || !set_marks(p, w, solids, style, error))
        return false;
    if (style->caption)
        set_caption(p, w);
    set_camera(p, w, style);
    return true;
}

void show_picture_free(show_picture *p)
{
    surface_mesh_free(&p->mesh);
    surface_outline_free(&p->outline);
    free(p->ellipsoids);
    free(p->marks);
    show_contacts_free(&p->contacts);
    *p = (show_picture){0};
}
