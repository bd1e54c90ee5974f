#include "surface/glb.h"

#include "surface/glb_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_BYTES = 20, CHUNK_BYTES = 8, MESH_ROOM = 4096, CHANNEL_ROOM = 1536, FIXED_ROOM = 2048 };

/* All numbers of the format are little-endian. */
static void write_words(file_writer *w, const void *data, size_t count)
{
    if (file_is_little_endian()) {
        file_write(w, data, 4 * count);
        return;
    }
    for (size_t i = 0; i < count && !w->failed; i++) {
        const unsigned char *b = (const unsigned char *)data + 4 * i;
        unsigned char swapped[4] = {b[3], b[2], b[1], b[0]};
        file_write(w, swapped, 4);
    }
}

static void patch_words(file_writer *w, uint64_t offset, const uint32_t *words, size_t count)
{
    unsigned char bytes[4 * 5];
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 4; k++)
            bytes[4 * i + (size_t)k] = (unsigned char)(words[i] >> (8 * k));
    file_patch(w, offset, bytes, 4 * count);
}

static void free_lists(glb *g)
{
    glb_list *const lists[] = {&g->arrays, &g->meshes, &g->nodes, &g->channels, &g->materials};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        free(lists[k]->items);
        *lists[k] = (glb_list){0};
    }
}

void glb_begin(glb *g, const char *path, size_t meshes, size_t channels)
{
    static const char zeros[256] = {0};
    *g = (glb){.room = FIXED_ROOM + meshes * MESH_ROOM + channels * CHANNEL_ROOM};
    file_begin(&g->file, path);
    for (size_t left = HEAD_BYTES + g->room; left > 0;) {
        size_t part = left < sizeof zeros ? left : sizeof zeros;
        file_write(&g->file, zeros, part);
        left -= part;
    }
}

/* ------------------------------------------------------------------- lists */

/* Adds an item and returns its number; the file fails where memory runs out. */
static int append(glb *g, glb_list *list, const void *item, size_t size)
{
    if (list->count == list->capacity) {
        size_t capacity = 2 * list->capacity + 16;
        void *grown = realloc(list->items, capacity * size);
        if (!grown) {
            file_fail(&g->file, WEIR_OUT_OF_MEMORY, "cannot write %s: memory ran out",
                      g->file.path);
            return 0;
        }
        list->items = grown;
        list->capacity = capacity;
    }
    memcpy((char *)list->items + list->count * size, item, size);
    return (int)list->count++;
}

static void set_name(char out[GLB_NAME], const char *name)
{
    snprintf(out, GLB_NAME, "%s", name);
}

static void find_bounds(glb_array *a, const float *values)
{
    for (int k = 0; k < a->components; k++)
        a->low[k] = a->high[k] = values[k];
    for (size_t i = 0; i < a->count; i++)
        for (int k = 0; k < a->components; k++) {
            float value = values[i * (size_t)a->components + (size_t)k];
            a->low[k] = fminf(a->low[k], value);
            a->high[k] = fmaxf(a->high[k], value);
        }
}

static int add_array(glb *g, glb_array a, const void *data)
{
    static const char chunk_head[CHUNK_BYTES] = {0};
    size_t words = a.count * (size_t)a.components;
    if (g->arrays.count == 0)
        file_write(&g->file, chunk_head, sizeof chunk_head);
    a.offset = g->bytes;
    if (a.bounded)
        find_bounds(&a, data);
    write_words(&g->file, data, words);
    g->bytes += 4 * words;
    return append(g, &g->arrays, &a, sizeof a);
}

int glb_add_floats(glb *g, const float *values, size_t count, int components, bool bounded)
{
    return add_array(g, (glb_array){.components = components, .bounded = bounded, .count = count},
                     values);
}

int glb_add_material(glb *g, glb_material material)
{
    return append(g, &g->materials, &material, sizeof material);
}

int glb_add_node(glb *g, const char *name, int mesh, weir_pose pose, bool hidden)
{
    glb_node node = {.mesh = mesh, .hidden = hidden, .pose = pose};
    set_name(node.name, name);
    return append(g, &g->nodes, &node, sizeof node);
}

void glb_add_channel(glb *g, int node, glb_path path, int times, int values)
{
    const glb_channel channel = {node, path, times, values};
    append(g, &g->channels, &channel, sizeof channel);
}

/* ------------------------------------------------------------------ meshes */

static void add_attribute(glb *g, glb_mesh *m, const char *name, const float *data, int components,
                          size_t count)
{
    if (!data)
        return;
    bool is_position = strcmp(name, "POSITION") == 0;
    m->names[m->attribute_count] = name;
    m->attributes[m->attribute_count++] = add_array(
        g,
        (glb_array){
            .components = components, .is_vertex = true, .bounded = is_position, .count = count},
        data);
}

/* Attributes of one byte would need padding: the fluids become floats. */
static void add_fluids(glb *g, glb_mesh *m, const surface_mesh *mesh)
{
    if (!mesh->fluids)
        return;
    float *fluids = malloc((mesh->vertex_count + 1) * sizeof *fluids);
    if (!fluids) {
        file_fail(&g->file, WEIR_OUT_OF_MEMORY, "cannot write %s: memory ran out", g->file.path);
        return;
    }
    for (size_t i = 0; i < mesh->vertex_count; i++)
        fluids[i] = mesh->fluids[i];
    add_attribute(g, m, "_FLUID", fluids, 1, mesh->vertex_count);
    free(fluids);
}

int glb_add_mesh(glb *g, const char *name, const surface_mesh *mesh, int material)
{
    glb_mesh m = {.material = material};
    set_name(m.name, name);
    m.indices = add_array(g,
                          (glb_array){.components = 1,
                                      .is_index = true,
                                      .is_vertex = true,
                                      .count = 3 * mesh->triangle_count},
                          mesh->triangles);
    add_attribute(g, &m, "POSITION", mesh->positions, 3, mesh->vertex_count);
    add_attribute(g, &m, "NORMAL", mesh->normals, 3, mesh->vertex_count);
    add_attribute(g, &m, "_VELOCITY", mesh->velocities, 3, mesh->vertex_count);
    add_fluids(g, &m, mesh);
    return append(g, &g->meshes, &m, sizeof m);
}

/* --------------------------------------------------------------------- end */

/* Header and description, before the arrays. */
static void patch_head(glb *g, const json *j)
{
    /* A file without arrays ends with its description. */
    bool has_arrays = g->arrays.count > 0;
    uint64_t total = HEAD_BYTES + g->room + (has_arrays ? CHUNK_BYTES + g->bytes : 0);
    if (total > UINT32_MAX) {
        file_fail(&g->file, WEIR_UNSUPPORTED,
                  "cannot write %s: the meshes take %llu bytes, but a .glb file holds less than "
                  "4 GiB; write .ply files instead",
                  g->file.path, (unsigned long long)total);
        return;
    }
    char *text = malloc(g->room);
    if (!text || j->failed || j->length > g->room) {
        file_fail(&g->file, WEIR_OUT_OF_MEMORY, "cannot write %s: no room for its description",
                  g->file.path);
        free(text);
        return;
    }
    memset(text, ' ', g->room);
    memcpy(text, j->text, j->length);
    const uint32_t head[5] = {0x46546c67, 2, (uint32_t)total, (uint32_t)g->room, 0x4e4f534a};
    const uint32_t chunk[2] = {(uint32_t)g->bytes, 0x004e4942};
    patch_words(&g->file, 0, head, 5);
    file_patch(&g->file, HEAD_BYTES, text, g->room);
    if (has_arrays)
        patch_words(&g->file, HEAD_BYTES + g->room, chunk, 2);
    free(text);
}

bool glb_commit(glb *g, weir_error *error)
{
    json j = {0};
    glb_describe(g, &j);
    if (!g->file.failed)
        patch_head(g, &j);
    json_free(&j);
    free_lists(g);
    return file_commit(&g->file, error);
}

void glb_discard(glb *g)
{
    free_lists(g);
    file_discard(&g->file);
}
