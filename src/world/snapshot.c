/* The state of a world as a copy in memory, by the same list of arrays that files are written from.
 */
#include "base/error.h"
#include "world/state.h"

#include <string.h>

struct weir_snapshot {
    memory mem;
    uint64_t fingerprint;
    int count;
    size_t bytes; /* of this struct and all that it holds */
    weir_section sections[WEIR_MAX_SECTIONS];
};

static size_t section_bytes(const weir_section *s)
{
    static const size_t element[] = {4, 8, 1, 4, 8};
    return s->count * element[s->type];
}

weir_snapshot *weir_world_take_snapshot(weir_world *w, weir_error *error)
{
    memory mem = memory_with_hooks(&w->def.hooks);
    weir_snapshot *s = memory_take(&mem, sizeof *s);
    if (s)
        s->count = weir_world_get_sections(w, s->sections);
    bool ok = s && s->count > 0;
    int copied = 0;
    for (; ok && copied < s->count; copied++) {
        size_t size = section_bytes(&s->sections[copied]);
        void *copy = memory_take(&mem, size);
        ok = copy || size == 0;
        if (copy)
            memcpy(copy, s->sections[copied].data, size);
        s->sections[copied].data = copy;
    }
    if (s) {
        s->count = copied;
        s->fingerprint = w->fingerprint;
        s->bytes = mem.bytes;
        s->mem = mem;
    }
    if (ok)
        return s;
    weir_snapshot_destroy(s);
    fail(error, WEIR_OUT_OF_MEMORY, "no memory for a snapshot");
    return NULL;
}

void weir_snapshot_destroy(weir_snapshot *s)
{
    if (!s)
        return;
    memory mem = s->mem;
    for (int k = 0; k < s->count; k++)
        memory_give(&mem, s->sections[k].data, section_bytes(&s->sections[k]));
    memory_give(&mem, s, sizeof *s);
}

size_t weir_snapshot_get_bytes(const weir_snapshot *s)
{
    return s->bytes;
}

static size_t saved_count(const weir_snapshot *s, const char *name)
{
    for (int k = 0; k < s->count; k++)
        if (strcmp(s->sections[k].name, name) == 0)
            return s->sections[k].count;
    return 0;
}

/* The arrays come in the same order, because the world was made in the same way. */
static bool fill_sections(weir_world *w, const weir_snapshot *s, weir_error *error)
{
    weir_section now[WEIR_MAX_SECTIONS];
    int count = weir_world_get_sections(w, now);
    if (count == 0)
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory to restore a snapshot");
    for (int k = 0; k < count; k++) {
        const weir_section *from = &s->sections[k];
        if (k >= s->count || strcmp(now[k].name, from->name) != 0 || now[k].count != from->count)
            return fail(error, WEIR_INVALID, "the snapshot does not fit the world at '%s'",
                        now[k].name);
        if (from->count > 0)
            memcpy(now[k].data, from->data, section_bytes(from));
    }
    return true;
}

bool weir_world_restore_snapshot(weir_world *w, const weir_snapshot *s, weir_error *error)
{
    if (s->fingerprint != w->fingerprint)
        return fail(error, WEIR_INVALID,
                    "the snapshot is of a world that was made in another way: take one after all "
                    "was created");
    bool ok = weir_world_restore_begin(w, saved_count(s, "id"), saved_count(s, "contacts"), error);
    for (int k = 0; ok && k < s->count; k++)
        ok = weir_world_restore_reserve(w, s->sections[k].name, s->sections[k].count, error);
    return ok && fill_sections(w, s, error) && weir_world_restore_finish(w, error);
}
