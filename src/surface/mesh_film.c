#include "surface/mesh_film.h"

#include "base/vec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct mesh_film {
    glb file;
    size_t most_frames, most_solids;
    size_t frame_count, solid_count;
    float *times; /* s since the first frame, one per frame */
    double first; /* s, of the first frame */
    int *shown;   /* per frame: its node, or -1 where there is no fluid */
    int *solid_meshes;
    float *places; /* per solid and frame: 3 numbers */
    float *turns;  /* 4 numbers */
    char (*names)[GLB_NAME];
    int water;
};

static void free_film(mesh_film *f)
{
    free(f->times);
    free(f->shown);
    free(f->solid_meshes);
    free(f->places);
    free(f->turns);
    free(f->names);
    free(f);
}

mesh_film *mesh_film_begin(const char *path, size_t frames, size_t solids, weir_error *error)
{
    mesh_film *f = calloc(1, sizeof *f);
    if (f) {
        size_t poses = frames * solids + 1;
        f->times = malloc((frames + 1) * sizeof *f->times);
        f->shown = malloc((frames + 1) * sizeof *f->shown);
        f->solid_meshes = malloc((solids + 1) * sizeof *f->solid_meshes);
        f->places = malloc(3 * poses * sizeof *f->places);
        f->turns = malloc(4 * poses * sizeof *f->turns);
        f->names = malloc((solids + 1) * sizeof *f->names);
    }
    if (!f || !f->times || !f->shown || !f->solid_meshes || !f->places || !f->turns || !f->names) {
        if (f)
            free_film(f);
        fail(error, WEIR_OUT_OF_MEMORY, "cannot write %s: memory ran out", path);
        return NULL;
    }
    f->most_frames = frames;
    f->most_solids = solids;
    glb_begin(&f->file, path, frames + solids, frames + 2 * solids);
    f->water = glb_add_material(&f->file, (glb_material){.water = true});
    return f;
}

/* sRGB to linear light, IEC 61966-2-1. */
static float to_linear(float c)
{
    return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

void mesh_film_add_solid(mesh_film *f, const char *name, const surface_mesh *mesh,
                         const float colour[3])
{
    glb_material material = {.water = false};
    if (f->solid_count == f->most_solids)
        return;
    for (int k = 0; k < 3; k++)
        material.colour[k] = to_linear(colour[k]);
    int number = glb_add_material(&f->file, material);
    f->solid_meshes[f->solid_count] = glb_add_mesh(&f->file, name, mesh, number);
    snprintf(f->names[f->solid_count++], GLB_NAME, "%s", name);
}

void mesh_film_add(mesh_film *f, double time, const surface_mesh *fluid, const weir_pose *poses)
{
    char name[GLB_NAME];
    size_t frame = f->frame_count;
    if (frame == f->most_frames)
        return;
    if (frame == 0)
        f->first = time;
    f->times[frame] = (float)(time - f->first);
    f->shown[frame] = -1;
    snprintf(name, sizeof name, "fluid_%05zu", frame);
    if (fluid->triangle_count > 0) {
        int mesh = glb_add_mesh(&f->file, name, fluid, f->water);
        f->shown[frame] = glb_add_node(&f->file, name, mesh, pose_identity(), frame > 0);
    }
    for (size_t k = 0; k < f->solid_count; k++) {
        const vec3 p = poses[k].position;
        const quat q = poses[k].rotation;
        float *place = f->places + 3 * (k * f->most_frames + frame);
        float *turn = f->turns + 4 * (k * f->most_frames + frame);
        place[0] = (float)p.x, place[1] = (float)p.y, place[2] = (float)p.z;
        turn[0] = (float)q.x, turn[1] = (float)q.y, turn[2] = (float)q.z, turn[3] = (float)q.w;
    }
    f->frame_count++;
}

/* A frame is hidden from the begin to its time and again from the time of the next. */
static void animate_frame(mesh_film *f, size_t frame)
{
    float times[3], sizes[9];
    size_t count = 0;
    bool last = frame + 1 == f->frame_count;
    for (int part = frame > 0 ? 0 : 1; part < (last ? 2 : 3); part++) {
        times[count] = part == 0 ? 0 : f->times[frame + (size_t)part - 1];
        for (int k = 0; k < 3; k++)
            sizes[3 * count + (size_t)k] = part == 1 ? 1 : 0;
        count++;
    }
    int input = glb_add_floats(&f->file, times, count, 1, true);
    int output = glb_add_floats(&f->file, sizes, count, 3, false);
    glb_add_channel(&f->file, f->shown[frame], GLB_SCALE, input, output);
}

/* Between two frames the shorter way: q and -q are the same rotation. */
static void straighten(float *turns, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        float *q = turns + 4 * i, dot = 0;
        for (int k = 0; k < 4; k++)
            dot += q[k] * q[k - 4];
        for (int k = 0; k < 4 && dot < 0; k++)
            q[k] = -q[k];
    }
}

static void animate_solid(mesh_film *f, size_t solid, int input)
{
    float *places = f->places + 3 * solid * f->most_frames;
    float *turns = f->turns + 4 * solid * f->most_frames;
    weir_pose start = {{places[0], places[1], places[2]}, {turns[0], turns[1], turns[2], turns[3]}};
    straighten(turns, f->frame_count);
    int node = glb_add_node(&f->file, f->names[solid], f->solid_meshes[solid], start, false);
    if (f->frame_count < 2)
        return;
    int moves = glb_add_floats(&f->file, places, f->frame_count, 3, false);
    int spins = glb_add_floats(&f->file, turns, f->frame_count, 4, false);
    glb_add_channel(&f->file, node, GLB_TRANSLATION, input, moves);
    glb_add_channel(&f->file, node, GLB_ROTATION, input, spins);
}

bool mesh_film_end(mesh_film *f, weir_error *error)
{
    for (size_t k = 0; k < f->frame_count && f->frame_count > 1; k++)
        if (f->shown[k] >= 0)
            animate_frame(f, k);
    if (f->frame_count > 0 && f->solid_count > 0) {
        int input = glb_add_floats(&f->file, f->times, f->frame_count, 1, true);
        for (size_t k = 0; k < f->solid_count; k++)
            animate_solid(f, k, input);
    }
    bool done = glb_commit(&f->file, error);
    free_film(f);
    return done;
}

void mesh_film_discard(mesh_film *f)
{
    glb_discard(&f->file);
    free_film(f);
}
