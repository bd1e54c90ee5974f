/* The frames of a results folder: its time index, or the PLY files where there is none. */
#include "show.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool out_of_memory(weir_error *error)
{
    return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the frames");
}

static bool open_index(pvd *index, const char *folder, const char *name, weir_error *error)
{
    char *path;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return out_of_memory(error);
    bool done = pvd_open(index, path, INFINITY, error);
    free(path);
    return done;
}

static int is_ply(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return strncmp(entry->d_name, "particles_", 10) == 0 && length > 4 &&
           strcmp(entry->d_name + length - 4, ".ply") == 0;
}

static bool add_ply(show_results *r, const char *name, weir_error *error)
{
    char *path = NULL, *file = NULL;
    pvd *index = &r->particles;
    bool done =
        asprintf(&file, "frames/%s", name) >= 0 && asprintf(&path, "%s/%s", r->folder, file) >= 0;
    if (!done)
        out_of_memory(error);
    done = done && read_frame_load(&r->frame, path, 3, error);
    pvd_entry *grown = done ? realloc(index->entries, (index->count + 1) * sizeof *grown) : NULL;
    if (grown) {
        index->entries = grown;
        index->entries[index->count++] = (pvd_entry){r->frame.view.time, file};
        file = NULL;
    } else if (done) {
        done = out_of_memory(error);
    }
    free(path);
    free(file);
    return done;
}

/* PLY files have no index, but each knows its time; their numbers rise with it. */
static bool list_ply(show_results *r, weir_error *error)
{
    char *folder;
    struct dirent **names = NULL;
    if (asprintf(&folder, "%s/frames", r->folder) < 0)
        return out_of_memory(error);
    int count = scandir(folder, &names, is_ply, alphasort);
    bool done = true;
    for (int k = 0; k < count; k++) {
        done = done && add_ply(r, names[k]->d_name, error);
        free(names[k]);
    }
    free(names);
    free(folder);
    return done;
}

bool show_results_open(show *w, weir_error *error)
{
    show_results *r = &w->results;
    r->current = SIZE_MAX;
    if (!open_index(&r->particles, r->folder, "particles.pvd", error) ||
        !open_index(&r->bodies, r->folder, "solids.pvd", error) ||
        !open_index(&r->contacts, r->folder, "contacts.pvd", error) ||
        (r->particles.count == 0 && !list_ply(r, error)))
        return false;
    if (r->particles.count == 0)
        return fail(error, WEIR_INVALID,
                    "%s has no frames in VTP or PLY; run the scene with --frames vtp", w->path);
    w->begin = r->particles.entries[0].time;
    w->end = r->particles.entries[r->particles.count - 1].time;
    return true;
}

size_t show_find_entry(const pvd *index, double time)
{
    size_t k = index->count - 1;
    while (k > 0 && index->entries[k].time > time + 1e-9 * (1 + fabs(time)))
        k--;
    return k;
}

static const float *find_component(const frame_field *f, int component)
{
    return f && f->type == FRAME_F32 && f->components == 3 ? f->data[component] : NULL;
}

static void view_frame(show *w)
{
    const frame *f = &w->results.frame.view;
    const frame_field *velocity = read_frame_find(&w->results.frame, "velocity");
    const frame_field *fluid = read_frame_find(&w->results.frame, "fluid");
    w->time = f->time;
    w->particles = (surface_particles){.count = f->count,
                                       .dim = f->dim,
                                       .spacing = w->s->data.spacing,
                                       .x = f->x[0],
                                       .y = f->x[1],
                                       .z = f->x[2],
                                       .vx = find_component(velocity, 0),
                                       .vy = find_component(velocity, 1),
                                       .vz = f->dim == 3 ? find_component(velocity, 2) : NULL};
    if (fluid && fluid->type == FRAME_U8 && fluid->components == 1)
        w->particles.fluid = fluid->data[0];
}

/* Positions that no picture could show. */
static bool check_frame(const show *w, const char *path, weir_error *error)
{
    const frame *f = &w->results.frame.view;
    const uint8_t *fluid = w->particles.fluid;
    for (size_t i = 0; i < f->count; i++) {
        if (fluid && fluid[i] >= w->s->data.fluid_count)
            return fail(error, WEIR_FORMAT,
                        "cannot read %s: particle %zu is of a fluid %d that "
                        "the scene does not have",
                        path, i, fluid[i]);
        for (int axis = 0; axis < f->dim; axis++)
            if (!isfinite(f->x[axis][i]))
                return fail(error, WEIR_FORMAT, "cannot read %s: particle %zu is nowhere", path, i);
    }
    return true;
}

static bool load_poses(show *w, double time, weir_error *error)
{
    show_results *r = &w->results;
    if (r->bodies.count == 0)
        return true;
    const scene_data *d = &w->s->data;
    const pvd_entry *entry = &r->bodies.entries[show_find_entry(&r->bodies, time)];
    char *path;
    if (asprintf(&path, "%s/%s", r->folder, entry->file) < 0)
        return out_of_memory(error);
    bool done = read_frame_load_bodies(&r->poses, path, error);
    if (done && r->poses.view.body_count != d->solid_count + d->body_count)
        done = fail(error, WEIR_FORMAT, "cannot read %s: it has %zu solids, the scene %zu", path,
                    r->poses.view.body_count, d->solid_count + d->body_count);
    for (size_t k = 0; done && k < r->poses.view.body_count; k++)
        w->poses[k] = r->poses.view.bodies[k].pose;
    free(path);
    return done;
}

bool show_results_go(show *w, double time, weir_error *error)
{
    show_results *r = &w->results;
    size_t index = show_find_entry(&r->particles, time);
    if (index == r->current)
        return true;
    char *path;
    if (asprintf(&path, "%s/%s", r->folder, r->particles.entries[index].file) < 0)
        return out_of_memory(error);
    bool done = read_frame_load(&r->frame, path, w->s->data.dim, error);
    if (done) {
        view_frame(w);
        done = check_frame(w, path, error) && load_poses(w, w->time, error);
    }
    r->current = done ? index : SIZE_MAX;
    free(path);
    return done;
}

void show_results_close(show_results *r)
{
    pvd_close(&r->particles);
    pvd_close(&r->bodies);
    pvd_close(&r->contacts);
    read_frame_free(&r->frame);
    read_frame_free(&r->poses);
    free(r->folder);
}
