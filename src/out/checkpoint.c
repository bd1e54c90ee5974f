#include "out/checkpoint.h"

#include <stdio.h>
#include <string.h>

enum { RUN_NUMBERS = sizeof(checkpoint_run) / sizeof(double) };

static container_type section_type(weir_section_type type)
{
    switch (type) {
    case WEIR_SECTION_F32:
        return CONTAINER_F32;
    case WEIR_SECTION_F64:
        return CONTAINER_F64;
    case WEIR_SECTION_U8:
        return CONTAINER_U8;
    case WEIR_SECTION_U32:
        return CONTAINER_U32;
    default:
        return CONTAINER_U64;
    }
}

/* The name of a section of the world in the file; those of the run have no slash before them. */
static const char *section_name(const weir_section *section, char name[CONTAINER_NAME_LENGTH])
{
    snprintf(name, CONTAINER_NAME_LENGTH, "world/%.47s", section->name);
    return name;
}

bool checkpoint_write(const char *path, weir_world *world, uint64_t fingerprint, const char *scene,
                      const checkpoint_run *run, weir_error *error)
{
    weir_section sections[WEIR_MAX_SECTIONS];
    int count = weir_world_get_sections(world, sections);
    if (count == 0)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the checkpoint %s", path);
    container_writer w;
    container_writer_begin(&w, path);
    container_writer_add(&w, "fingerprint", CONTAINER_U64, &fingerprint, 1);
    container_writer_add(&w, "scene", CONTAINER_U8, scene, strlen(scene));
    container_writer_add(&w, "run", CONTAINER_F64, run, RUN_NUMBERS);
    for (int k = 0; k < count; k++) {
        char name[CONTAINER_NAME_LENGTH];
        container_writer_add(&w, section_name(&sections[k], name), section_type(sections[k].type),
                             sections[k].data, sections[k].count);
    }
    return container_writer_commit(&w, error);
}

/* Whether the file is a checkpoint, and of this scene. */
static bool check_origin(const container *c, uint64_t fingerprint, weir_error *error)
{
    uint64_t stored;
    size_t length = 0;
    if (!container_has(c, "fingerprint") || !container_has(c, "world/world"))
        return fail(error, WEIR_FORMAT, "%s is no checkpoint: it holds no state of a world",
                    c->path);
    if (!container_read(c, "fingerprint", CONTAINER_U64, &stored, 1, error))
        return false;
    if (stored == fingerprint)
        return true;
    const char *scene = container_find(c, "scene", CONTAINER_U8, &length, error);
    if (!scene)
        return false;
    return fail(error, WEIR_INVALID,
                "%s was written by another scene, or by other values of it ('%.*s'): resume with "
                "the scene, --set and --method that it was written with",
                c->path, (int)(length < 60 ? length : 60), scene);
}

/* How many values a section of the file has; 0 where there is none. */
static size_t section_count(const container *c, const char *name)
{
    for (size_t k = 0; k < c->count; k++)
        if (strcmp(c->sections[k].name, name) == 0)
            return (size_t)c->sections[k].count;
    return 0;
}

static bool read_state(const container *c, weir_world *world, checkpoint_run *run,
                       weir_error *error)
{
    weir_section sections[WEIR_MAX_SECTIONS];
    if (!container_read(c, "run", CONTAINER_F64, run, RUN_NUMBERS, error) ||
        !weir_world_restore_begin(world, section_count(c, "world/id"),
                                  section_count(c, "world/contacts"), error))
        return false;
    const char prefix[] = "world/";
    for (size_t k = 0; k < c->count; k++)
        if (strncmp(c->sections[k].name, prefix, sizeof prefix - 1) == 0 &&
            !weir_world_restore_reserve(world, c->sections[k].name + sizeof prefix - 1,
                                        (size_t)c->sections[k].count, error))
            return false;
    int count = weir_world_get_sections(world, sections);
    if (count == 0)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the checkpoint %s", c->path);
    for (int k = 0; k < count; k++) {
        char name[CONTAINER_NAME_LENGTH];
        if (!container_read(c, section_name(&sections[k], name), section_type(sections[k].type),
                            sections[k].data, sections[k].count, error))
            return false;
    }
    return weir_world_restore_finish(world, error) || fail_in(error, "%s", c->path);
}

bool checkpoint_read(const char *path, weir_world *world, uint64_t fingerprint, checkpoint_run *run,
                     weir_error *error)
{
    container c;
    if (!container_open(&c, path, error))
        return false;
    bool ok = check_origin(&c, fingerprint, error) && read_state(&c, world, run, error);
    container_close(&c);
    return ok;
}
