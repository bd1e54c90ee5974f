/* glTF 2.0 binary (Khronos, "glTF 2.0 Specification", §5 properties, §6 GLB): a header, a chunk of
 * JSON that describes the scene, and a chunk with the arrays one after the other. All numbers are
 * little-endian. The material is water: transmission and index of refraction 1.33. */
#include "base/error.h"
#include "base/json.h"
#include "out/file.h"
#include "surface/mesh_write.h"

#include <math.h>
#include <string.h>

enum { TYPE_FLOAT = 5126, TYPE_UINT = 5125, TARGET_VERTICES = 34962, TARGET_INDICES = 34963 };
enum { MAX_ARRAYS = 5 };

typedef struct array {
    const char *attribute; /* NULL: indices */
    const void *data;      /* NULL: the fluids, which become floats */
    int components;
    size_t count; /* of elements */
} array;

static size_t array_bytes(const array *a)
{
    return a->count * (size_t)a->components * 4;
}

static void put_views(json *j, const array *arrays, int count)
{
    uint64_t offset = 0;
    json_array_begin(j, "bufferViews");
    for (int i = 0; i < count; i++) {
        json_object_begin(j, NULL);
        json_integer(j, "buffer", 0);
        json_integer(j, "byteOffset", (int64_t)offset);
        json_integer(j, "byteLength", (int64_t)array_bytes(&arrays[i]));
        json_integer(j, "target", arrays[i].attribute ? TARGET_VERTICES : TARGET_INDICES);
        json_object_end(j);
        offset += array_bytes(&arrays[i]);
    }
    json_array_end(j);
}

/* glTF demands the bounds of the positions. */
static void put_bounds(json *j, const array *a)
{
    const float *p = a->data;
    double low[3] = {p[0], p[1], p[2]}, high[3] = {p[0], p[1], p[2]};
    for (size_t i = 0; i < a->count; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], p[3 * i + (size_t)k]);
            high[k] = fmax(high[k], p[3 * i + (size_t)k]);
        }
    json_vector(j, "min", low, 3);
    json_vector(j, "max", high, 3);
}

static void put_accessors(json *j, const array *arrays, int count)
{
    json_array_begin(j, "accessors");
    for (int i = 0; i < count; i++) {
        const array *a = &arrays[i];
        json_object_begin(j, NULL);
        json_integer(j, "bufferView", i);
        json_integer(j, "componentType", a->attribute ? TYPE_FLOAT : TYPE_UINT);
        json_integer(j, "count", (int64_t)(a->count));
        json_string(j, "type", a->components == 3 ? "VEC3" : "SCALAR");
        if (a->attribute && strcmp(a->attribute, "POSITION") == 0)
            put_bounds(j, a);
        json_object_end(j);
    }
    json_array_end(j);
}

static void put_mesh(json *j, const array *arrays, int count)
{
    json_array_begin(j, "meshes");
    json_object_begin(j, NULL);
    json_string(j, "name", "fluid");
    json_array_begin(j, "primitives");
    json_object_begin(j, NULL);
    json_object_begin(j, "attributes");
    for (int i = 1; i < count; i++)
        json_integer(j, arrays[i].attribute, i);
    json_object_end(j);
    json_integer(j, "indices", 0);
    json_integer(j, "material", 0);
    json_object_end(j);
    json_array_end(j);
    json_object_end(j);
    json_array_end(j);
}

static void put_material(json *j)
{
    const double colour[4] = {0.75, 0.9, 0.95, 1};
    json_array_begin_inline(j, "extensionsUsed");
    json_string(j, NULL, "KHR_materials_transmission");
    json_string(j, NULL, "KHR_materials_ior");
    json_array_end(j);
    json_array_begin(j, "materials");
    json_object_begin(j, NULL);
    json_string(j, "name", "water");
    json_object_begin(j, "pbrMetallicRoughness");
    json_vector(j, "baseColorFactor", colour, 4);
    json_number(j, "metallicFactor", 0);
    json_number(j, "roughnessFactor", 0.05);
    json_object_end(j);
    json_object_begin(j, "extensions");
    json_object_begin(j, "KHR_materials_transmission");
    json_number(j, "transmissionFactor", 0.9);
    json_object_end(j);
    json_object_begin(j, "KHR_materials_ior");
    json_number(j, "ior", 1.33);
    json_object_end(j);
    json_object_end(j);
    json_object_end(j);
    json_array_end(j);
}

/* A scene with one node; without triangles an empty one, for glTF has no empty meshes. */
static void put_scene(json *j, const array *arrays, int count, uint64_t bytes)
{
    json_object_begin(j, NULL);
    json_object_begin(j, "asset");
    json_string(j, "version", "2.0");
    json_string(j, "generator", "Weir");
    json_object_end(j);
    json_integer(j, "scene", 0);
    json_array_begin(j, "scenes");
    json_object_begin(j, NULL);
    if (bytes > 0) {
        json_array_begin_inline(j, "nodes");
        json_integer(j, NULL, 0);
        json_array_end(j);
    } else {
        json_string(j, "name", "no fluid");
    }
    json_object_end(j);
    json_array_end(j);
    if (bytes > 0) {
        json_array_begin(j, "nodes");
        json_object_begin(j, NULL);
        json_integer(j, "mesh", 0);
        json_string(j, "name", "fluid");
        json_object_end(j);
        json_array_end(j);
        put_mesh(j, arrays, count);
        put_material(j);
        put_accessors(j, arrays, count);
        put_views(j, arrays, count);
        json_array_begin(j, "buffers");
        json_object_begin(j, NULL);
        json_integer(j, "byteLength", (int64_t)bytes);
        json_object_end(j);
        json_array_end(j);
    }
    json_object_end(j);
}

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

static void write_array(file_writer *w, const array *a, const surface_mesh *mesh)
{
    if (a->data) {
        write_words(w, a->data, array_bytes(a) / 4);
        return;
    }
    for (size_t i = 0; i < a->count && !w->failed; i++) {
        float fluid = mesh->fluids[i];
        write_words(w, &fluid, 1);
    }
}

static bool write_file(const char *path, const json *j, const array *arrays, int count,
                       uint64_t bytes, const surface_mesh *mesh, weir_error *error)
{
    uint32_t padding = (uint32_t)(-j->length & 3), json_bytes = (uint32_t)j->length + padding;
    uint64_t total = 12 + 8 + json_bytes + (bytes > 0 ? 8 + bytes : 0);
    if (total > UINT32_MAX)
        return fail(error, WEIR_UNSUPPORTED,
                    "cannot write %s: the mesh takes %llu bytes, but a .glb file holds less than "
                    "4 GiB; write .ply instead",
                    path, (unsigned long long)total);
    file_writer w;
    file_begin(&w, path);
    uint32_t head[5] = {0x46546c67, 2, (uint32_t)total, json_bytes, 0x4e4f534a};
    write_words(&w, head, 5);
    file_write(&w, j->text, j->length);
    file_write(&w, "   ", padding);
    if (bytes > 0) {
        uint32_t chunk[2] = {(uint32_t)bytes, 0x004e4942};
        write_words(&w, chunk, 2);
        for (int i = 0; i < count; i++)
            write_array(&w, &arrays[i], mesh);
    }
    return file_commit(&w, error);
}

bool surface_mesh_write_glb(const char *path, const surface_mesh *m, weir_error *error)
{
    int count = 2;
    array arrays[MAX_ARRAYS] = {{NULL, m->triangles, 1, 3 * m->triangle_count},
                                {"POSITION", m->positions, 3, m->vertex_count}};
    if (m->normals)
        arrays[count++] = (array){"NORMAL", m->normals, 3, m->vertex_count};
    if (m->velocities)
        arrays[count++] = (array){"_VELOCITY", m->velocities, 3, m->vertex_count};
    if (m->fluids)
        arrays[count++] = (array){"_FLUID", NULL, 1, m->vertex_count};
    uint64_t bytes = 0;
    for (int i = 0; i < count && m->triangle_count > 0; i++)
        bytes += array_bytes(&arrays[i]);
    json j = {0};
    put_scene(&j, arrays, count, bytes);
    bool done = j.failed ? fail(error, WEIR_OUT_OF_MEMORY, "cannot write %s: memory ran out", path)
                         : write_file(path, &j, arrays, count, bytes, m, error);
    json_free(&j);
    return done;
}
