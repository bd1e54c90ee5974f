/* weir mesh --animate: all output frames, and the solids where asked, in one glTF file. */
#include "mesh_animation.h"

#include "interrupt.h"

#include "surface/mesh_film.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct animation {
    const mesh_animation *options;
    show *source;
    mesh_film *film;
    show_solids solids;
    weir_pose *poses; /* of the solids that are shown */
    size_t triangles, frames;
} animation;

static bool is_shown(const animation *a, size_t k)
{
    /* The walls of a tank would hide the rest. */
    return !a->solids.bodies[k].is_wall && a->solids.meshes[k].triangle_count > 0;
}

static const char *name_of(const scene *s, size_t k)
{
    const scene_data *d = &s->data;
    return k < d->solid_count ? d->solids[k].name : d->bodies[k - d->solid_count].name;
}

static bool begin(animation *a, weir_error *error)
{
    const mesh_animation *o = a->options;
    if (o->solids && !show_solids_build(&a->solids, a->source, error))
        return false;
    a->poses = calloc(a->solids.count + 1, sizeof *a->poses);
    if (!a->poses)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the solids");
    a->film = mesh_film_begin(o->path, o->frames, a->solids.count, error);
    for (size_t k = 0; a->film && k < a->solids.count; k++)
        if (is_shown(a, k))
            mesh_film_add_solid(a->film, name_of(a->source->s, k), &a->solids.meshes[k],
                                a->solids.bodies[k].colour);
    return a->film != NULL;
}

static bool add_frame(animation *a, weir_error *error)
{
    surface_mesh mesh;
    size_t shown = 0;
    if (!a->film && !begin(a, error))
        return false;
    if (!surface_mesh_build(&mesh, &a->source->particles, &a->options->settings, error))
        return false;
    for (size_t k = 0; k < a->solids.count; k++)
        if (is_shown(a, k))
            a->poses[shown++] = a->source->poses[k];
    mesh_film_add(a->film, a->source->time, &mesh, a->poses);
    a->triangles += mesh.triangle_count;
    a->frames++;
    surface_mesh_free(&mesh);
    return true;
}

/* A scene that fails ends the animation early, with what there is of it. */
static int add_frames(animation *a)
{
    weir_error error;
    for (size_t k = 0; k < a->options->frames; k++) {
        double time;
        if (!show_frame_time(a->source, (int64_t)k, &time))
            return EXIT_USAGE;
        int code = show_go(a->source, time);
        if (code == EXIT_OK && interrupt_seen())
            code = command_fail(EXIT_INTERRUPTED, "interrupted after %zu of %zu frames", k,
                                a->options->frames);
        if (code != EXIT_OK)
            return code;
        if (!add_frame(a, &error))
            return command_fail(EXIT_FAILED, "%s", error.text);
    }
    return EXIT_OK;
}

int mesh_animation_write(show *source, const mesh_animation *options)
{
    weir_error error;
    animation a = {.options = options, .source = source};
    int code = add_frames(&a);
    if (a.film && (code == EXIT_FAILED || code == EXIT_USAGE || a.frames == 0))
        mesh_film_discard(a.film);
    else if (a.film && !mesh_film_end(a.film, &error))
        code = command_fail(EXIT_FAILED, "%s", error.text);
    else if (a.film && !options->quiet)
        printf("animation of %zu frames, %zu triangles in all: %s\n", a.frames, a.triangles,
               options->path);
    show_solids_free(&a.solids);
    free(a.poses);
    return code;
}
