/* The public functions of the kit, over its rooms. */
#include "weir/kit.h"

#include "base/error.h"
#include "out/checkpoint.h"
#include "out/ply.h"
#include "out/vtp.h"
#include "scene/scene.h"
#include "surface/mesh_write.h"
#include "world/state.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct weir_scene {
    scene *held;
};

/* ------------------------------------------------------------------ scenes */

weir_scene *weir_scene_load(const char *path, const char *const *assignments, size_t count,
                            weir_error *error)
{
    weir_scene *s = calloc(1, sizeof *s);
    scene_override *changes = calloc(count + 1, sizeof *changes);
    if (s && changes) {
        for (size_t k = 0; k < count; k++)
            changes[k] = (scene_override){"assignment", assignments[k]};
        s->held = scene_load(path, changes, count, error);
    } else {
        fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the scene %s", path);
    }
    free(changes);
    if (s && s->held)
        return s;
    free(s);
    return NULL;
}

void weir_scene_destroy(weir_scene *s)
{
    if (!s)
        return;
    scene_free(s->held);
    free(s);
}

weir_world *weir_scene_create_world(weir_scene *s, int threads, weir_error *error)
{
    return scene_build(s->held, &(scene_build_options){.threads = threads}, NULL, error);
}

double weir_scene_get_step(const weir_scene *s)
{
    return s->held->data.time.step;
}

double weir_scene_get_end(const weir_scene *s)
{
    return s->held->data.time.end;
}

/* ------------------------------------------------------------------- files */

static bool has_ending(const char *path, const char *ending)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ending) == 0;
}

bool weir_world_write_particles(const weir_world *w, const char *path, weir_error *error)
{
    const weir_particle_view p = weir_world_get_particles(w);
    const frame_field fields[] = {
        {"velocity", FRAME_F32, 3, {p.velocity[0], p.velocity[1], p.velocity[2]}},
        {"id", FRAME_U32, 1, {p.id}},
        {"fluid", FRAME_U8, 1, {p.fluid}}};
    const frame f = {.dim = w->def.dim,
                     .step = w->steps,
                     .time = w->time,
                     .count = p.count,
                     .x = {p.position[0], p.position[1], p.position[2]},
                     .fields = fields,
                     .field_count = sizeof fields / sizeof fields[0]};
    if (has_ending(path, ".vtp"))
        return vtp_write(path, &f, 1, error);
    if (has_ending(path, ".ply"))
        return ply_write(path, &f, error);
    return fail(error, WEIR_INVALID,
                "cannot write %s: the name of particles must end in .vtp or "
                ".ply",
                path);
}

static bool write_outline(const char *path, surface_format format, const surface_particles *p,
                          const surface_settings *settings, weir_error *error)
{
    surface_outline outline;
    if (format != SURFACE_VTP)
        return fail(error, WEIR_INVALID,
                    "cannot write %s: the outline of a 2D fluid can only be written as .vtp", path);
    if (!surface_outline_build(&outline, p, settings, error))
        return false;
    bool done = surface_outline_write_vtp(path, &outline, error);
    surface_outline_free(&outline);
    return done;
}

bool weir_world_write_surface(const weir_world *w, const char *path, weir_error *error)
{
    const weir_particle_view p = weir_world_get_particles(w);
    const surface_settings settings = surface_settings_default();
    const surface_particles wet = surface_particles_of(&p, w->def.dim, w->def.spacing);
    surface_format format;
    surface_mesh mesh;
    if (!surface_format_from_path(&format, path, error))
        return false;
    if (w->def.dim == 2)
        return write_outline(path, format, &wet, &settings, error);
    if (!surface_mesh_build(&mesh, &wet, &settings, error))
        return false;
    bool done = surface_mesh_write(path, format, &mesh, error);
    surface_mesh_free(&mesh);
    return done;
}

/* ------------------------------------------------------------------- state */

bool weir_world_save(weir_world *w, const char *path, weir_error *error)
{
    return checkpoint_write(path, w, weir_world_fingerprint(w), "world", &(checkpoint_run){0},
                            error);
}

bool weir_world_load(weir_world *w, const char *path, weir_error *error)
{
    checkpoint_run run;
    return checkpoint_read(path, w, weir_world_fingerprint(w), &run, error);
}
