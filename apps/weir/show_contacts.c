/* Contact points of the present moment, of a scene or of results. */
#include "show.h"

#include <stdio.h>
#include <stdlib.h>

static const float red[3] = {0.85f, 0.06f, 0.06f};

static bool out_of_memory(weir_error *error)
{
    return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the contacts of a picture");
}

static draw_mark make_mark(vec3 at)
{
    draw_mark mark = {.kind = DRAW_POINT, .from = at, .to = at, .size = 7};
    for (int k = 0; k < 3; k++)
        mark.colour[k] = red[k];
    return mark;
}

/* A near miss is a contact that pushes nobody: it is not drawn. */
static bool mark_world(show_contacts *out, const show *w, weir_error *error)
{
    size_t count = weir_world_get_contacts(w->world, NULL, 0);
    weir_contact *contacts = malloc((count + 1) * sizeof *contacts);
    out->marks = malloc((count + 1) * sizeof *out->marks);
    if (!contacts || !out->marks) {
        free(contacts);
        return out_of_memory(error);
    }
    weir_world_get_contacts(w->world, contacts, count);
    for (size_t k = 0; k < count; k++)
        if (contacts[k].impulse > 0)
            out->marks[out->count++] = make_mark(contacts[k].position);
    free(contacts);
    return true;
}

static bool mark_frame(show_contacts *out, const read_frame *r, const char *path, weir_error *error)
{
    const frame *f = &r->view;
    const frame_field *impulse = read_frame_find(r, "impulse");
    if (!impulse || impulse->type != FRAME_F32 || impulse->components != 1)
        return fail(error, WEIR_FORMAT, "cannot read %s: it has no impulses of contacts", path);
    out->marks = malloc((f->count + 1) * sizeof *out->marks);
    if (!out->marks)
        return out_of_memory(error);
    const float *pushes = impulse->data[0];
    for (size_t k = 0; k < f->count; k++) {
        vec3 at = {f->x[0][k], f->x[1][k], f->x[2] ? f->x[2][k] : 0};
        if (pushes[k] > 0 && vec3_is_finite(at))
            out->marks[out->count++] = make_mark(at);
    }
    return true;
}

static bool mark_results(show_contacts *out, const show *w, weir_error *error)
{
    const show_results *r = &w->results;
    const pvd *index = &r->contacts;
    char *path;
    if (index->count == 0)
        return fail(error, WEIR_INVALID,
                    "--contacts: %s has no contacts.pvd; contacts are written where the scene has "
                    "bodies",
                    w->path);
    const pvd_entry *entry = &index->entries[show_find_entry(index, w->time)];
    if (asprintf(&path, "%s/%s", r->folder, entry->file) < 0)
        return out_of_memory(error);
    read_frame loaded = {0};
    bool done = read_frame_load(&loaded, path, w->s->data.dim, error) &&
                mark_frame(out, &loaded, path, error);
    read_frame_free(&loaded);
    free(path);
    return done;
}

bool show_contacts_find(show_contacts *out, const show *w, weir_error *error)
{
    show_contacts_free(out);
    return w->world ? mark_world(out, w, error) : mark_results(out, w, error);
}

void show_contacts_free(show_contacts *contacts)
{
    free(contacts->marks);
    *contacts = (show_contacts){0};
}
