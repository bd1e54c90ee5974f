/* Contacts between bodies as frames: a point each, with normal, distance, impulse and the two
 * bodies, as indices into the frames of the solids. */
#include "run.h"

#include "out/vtp.h"

#include <stdio.h>
#include <stdlib.h>

enum { PATH_BYTES = 4096, NUMBERS = 8 };

/* One array per column of the frame, and the bodies. */
typedef struct columns {
    float *numbers[NUMBERS]; /* x, y, z, normal x, y, z, distance, impulse */
    uint32_t *a, *b;
    void *all;
} columns;

static bool columns_take(columns *c, size_t count)
{
    float *all = malloc((count + 1) * (NUMBERS + 2) * sizeof *all);
    if (!all)
        return false;
    for (int k = 0; k < NUMBERS; k++)
        c->numbers[k] = all + (size_t)k * (count + 1);
    c->a = (uint32_t *)(void *)(all + (size_t)NUMBERS * (count + 1));
    c->b = c->a + count + 1;
    c->all = all;
    return true;
}

static void columns_fill(const columns *c, const weir_contact *contacts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const weir_contact *from = &contacts[i];
        const double values[NUMBERS] = {from->position.x, from->position.y, from->position.z,
                                        from->normal.x,   from->normal.y,   from->normal.z,
                                        from->distance,   from->impulse};
        for (int k = 0; k < NUMBERS; k++)
            c->numbers[k][i] = (float)values[k];
        c->a[i] = from->a.slot - 1;
        c->b[i] = from->b.slot - 1;
    }
}

static bool write_file(run *r, const columns *c, size_t count, double time, const char *number,
                       weir_error *error)
{
    char name[80], path[PATH_BYTES];
    bool flat = r->s->data.dim == 2;
    float *const *n = c->numbers;
    const frame_field fields[] = {{"normal", FRAME_F32, 3, {n[3], n[4], n[5]}},
                                  {"distance", FRAME_F32, 1, {n[6]}},
                                  {"impulse", FRAME_F32, 1, {n[7]}},
                                  {"a", FRAME_U32, 1, {c->a}},
                                  {"b", FRAME_U32, 1, {c->b}}};
    const frame f = {.dim = r->s->data.dim,
                     .step = r->done,
                     .time = time,
                     .count = count,
                     .x = {n[0], n[1], flat ? NULL : n[2]},
                     .fields = fields,
                     .field_count = sizeof fields / sizeof fields[0]};
    snprintf(name, sizeof name, "frames/contacts_%s.vtp", number);
    snprintf(path, sizeof path, "%s/%s", r->folder, name);
    return vtp_write(path, &f, 0, error) && pvd_add(&r->output.contacts, time, name, error);
}

bool run_contacts_write(run *r, double time, const char *number, weir_error *error)
{
    size_t count = weir_world_get_contacts(r->world, NULL, 0);
    weir_contact *contacts = malloc((count + 1) * sizeof *contacts);
    columns c = {0};
    bool ok = contacts && columns_take(&c, count);
    if (ok) {
        weir_world_get_contacts(r->world, contacts, count);
        columns_fill(&c, contacts, count);
        ok = write_file(r, &c, count, time, number, error);
    } else {
        fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for a frame of contacts");
    }
    free(c.all);
    free(contacts);
    return ok;
}
