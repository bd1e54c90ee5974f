#include "mesh/triangle_mesh.h"

#include "base/error.h"
#include "base/hash.h"
#include "mesh/mesh_readers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const uint32_t none = UINT32_MAX;

mesh_transform mesh_transform_identity(void)
{
    return (mesh_transform){1, quat_identity(), {0, 0, 0}};
}

void triangle_mesh_free(triangle_mesh *mesh)
{
    free(mesh->points);
    free(mesh->triangles);
    *mesh = (triangle_mesh){0};
}

/* Room for one more element in an array that grows by doubling. */
static bool grow(void **block, size_t *capacity, size_t count, size_t element, weir_error *error)
{
    if (count < *capacity)
        return true;
    if (count >= MESH_MAX_COUNT)
        return fail(error, WEIR_INVALID, "the mesh has more than %zu points or triangles",
                    MESH_MAX_COUNT);
    size_t wanted = *capacity > 0 ? 2 * *capacity : 64;
    void *grown = realloc(*block, wanted * element);
    if (!grown)
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for a mesh of %zu points or triangles",
                    wanted);
    *block = grown;
    *capacity = wanted;
    return true;
}

bool triangle_mesh_add_point(triangle_mesh *mesh, vec3 point, weir_error *error)
{
    if (!grow((void **)&mesh->points, &mesh->point_capacity, mesh->point_count, sizeof(vec3),
              error))
        return false;
    mesh->points[mesh->point_count++] = point;
    return true;
}

bool triangle_mesh_add_triangle(triangle_mesh *mesh, uint32_t a, uint32_t b, uint32_t c,
                                weir_error *error)
{
    if (!grow((void **)&mesh->triangles, &mesh->triangle_capacity, mesh->triangle_count,
              sizeof(triangle), error))
        return false;
    mesh->triangles[mesh->triangle_count++] = (triangle){{a, b, c}};
    return true;
}

bounds triangle_mesh_bounds(const triangle_mesh *mesh)
{
    bounds box = bounds_empty();
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (int c = 0; c < 3; c++)
            box = bounds_with(box, mesh->points[mesh->triangles[t].corner[c]]);
    return box;
}

vec3 triangle_mesh_normal(const triangle_mesh *mesh, size_t index)
{
    const uint32_t *corner = mesh->triangles[index].corner;
    vec3 a = mesh->points[corner[0]];
    return vec3_cross(vec3_sub(mesh->points[corner[1]], a), vec3_sub(mesh->points[corner[2]], a));
}

bool triangle_mesh_transform(triangle_mesh *mesh, const mesh_transform *transform,
                             weir_error *error)
{
    if (!(transform->scale > 0) || !isfinite(transform->scale))
        return fail(error, WEIR_INVALID, "the scale of the mesh is %g and must be above 0",
                    transform->scale);
    quat rotation = quat_normalize(transform->rotation);
    for (size_t i = 0; i < mesh->point_count; i++) {
        vec3 scaled = vec3_scale(mesh->points[i], transform->scale);
        vec3 p = vec3_add(transform->translation, quat_rotate(rotation, scaled));
        double largest = fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)));
        if (!vec3_is_finite(p) || largest > MESH_MAX_COORDINATE)
            return fail(error, WEIR_INVALID,
                        "scale and translation put a point of the mesh beyond %g m",
                        MESH_MAX_COORDINATE);
        mesh->points[i] = p;
    }
    return true;
}

static bool same_place(vec3 a, vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static uint64_t hash_point(vec3 p)
{
    /* Adding zero makes -0 and 0 one place. */
    double values[3] = {p.x + 0.0, p.y + 0.0, p.z + 0.0};
    return hash_bytes(0, values, sizeof values);
}

/* Keeps the points that triangles use, in their order; `map` is room for point_count numbers. */
static void drop_unused_points(triangle_mesh *mesh, uint32_t *map)
{
    for (size_t i = 0; i < mesh->point_count; i++)
        map[i] = none;
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (int c = 0; c < 3; c++)
            map[mesh->triangles[t].corner[c]] = 0;
    uint32_t kept = 0;
    for (size_t i = 0; i < mesh->point_count; i++)
        if (map[i] != none) {
            mesh->points[kept] = mesh->points[i];
            map[i] = kept++;
        }
    mesh->point_count = kept;
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (int c = 0; c < 3; c++)
            mesh->triangles[t].corner[c] = map[mesh->triangles[t].corner[c]];
}

size_t triangle_mesh_merge_points(triangle_mesh *mesh, uint32_t *target)
{
    size_t kept = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *corner = mesh->triangles[t].corner;
        uint32_t a = target[corner[0]];
        uint32_t b = target[corner[1]];
        uint32_t c = target[corner[2]];
        if (a != b && b != c && c != a)
            mesh->triangles[kept++] = (triangle){{a, b, c}};
    }
    size_t dropped = mesh->triangle_count - kept;
    mesh->triangle_count = kept;
    drop_unused_points(mesh, target);
    return dropped;
}

bool triangle_mesh_weld(triangle_mesh *mesh, weir_error *error)
{
    size_t slots = 16;
    while (slots < 2 * mesh->point_count)
        slots *= 2;
    uint32_t *table = malloc(slots * sizeof *table);
    uint32_t *target = malloc((mesh->point_count + 1) * sizeof *target);
    if (!table || !target) {
        free(table);
        free(target);
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory to weld a mesh of %zu points",
                    mesh->point_count);
    }
    for (size_t i = 0; i < slots; i++)
        table[i] = none;
    for (size_t i = 0; i < mesh->point_count; i++) {
        size_t slot = hash_point(mesh->points[i]) & (slots - 1);
        while (table[slot] != none && !same_place(mesh->points[table[slot]], mesh->points[i]))
            slot = (slot + 1) & (slots - 1);
        if (table[slot] == none)
            table[slot] = (uint32_t)i;
        target[i] = table[slot];
    }
    triangle_mesh_merge_points(mesh, target);
    free(table);
    free(target);
    return true;
}

bool triangle_mesh_parse(triangle_mesh *mesh, const char *name, mesh_format format,
                         const char *bytes, size_t size, weir_error *error)
{
    bool ok = false;
    switch (format) {
    case MESH_OBJ:
        ok = mesh_read_obj(mesh, name, bytes, size, error);
        break;
    case MESH_PLY:
        ok = mesh_read_ply(mesh, name, bytes, size, error);
        break;
    case MESH_STL:
        ok = mesh_read_stl(mesh, name, bytes, size, error);
        break;
    }
    ok = ok && triangle_mesh_weld(mesh, error);
    if (ok && mesh->triangle_count == 0)
        ok = fail(error, WEIR_FORMAT, "%s: the file has no triangles", name);
    if (!ok) {
        triangle_mesh_free(mesh);
        /* What is wrong in the file was said with its name; limits and memory were not. */
        if (error && error->code != WEIR_FORMAT)
            fail_in(error, "%s", name);
    }
    return ok;
}

/* The whole file with a zero byte behind it, or NULL. */
static char *load(const char *path, size_t *size, weir_error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fail(error, WEIR_IO, "%s: the mesh cannot be opened: %s", path, strerror(errno));
        return NULL;
    }
    char *bytes = NULL;
    size_t capacity = 0;
    *size = 0;
    bool ok = true;
    for (size_t got = 1; ok && got > 0;) {
        if (capacity - *size < 2) {
            capacity = capacity > 0 ? 2 * capacity : 1 << 16;
            char *grown = capacity > 2 * MESH_MAX_FILE_BYTES ? NULL : realloc(bytes, capacity);
            if (!grown) {
                ok = fail(error, WEIR_OUT_OF_MEMORY, "%s: the mesh does not fit into memory", path);
                break;
            }
            bytes = grown;
        }
        got = fread(bytes + *size, 1, capacity - *size - 1, file);
        *size += got;
        if (*size > MESH_MAX_FILE_BYTES)
            ok = fail(error, WEIR_INVALID, "%s: the mesh file is larger than %llu bytes", path,
                      (unsigned long long)MESH_MAX_FILE_BYTES);
    }
    if (ok && ferror(file))
        ok = fail(error, WEIR_IO, "%s: the mesh cannot be read: %s", path, strerror(errno));
    fclose(file);
    if (!ok) {
        free(bytes);
        return NULL;
    }
    bytes[*size] = 0;
    return bytes;
}

static bool find_format(const char *path, mesh_format *format, weir_error *error)
{
    static const char *const endings[] = {
        [MESH_OBJ] = ".obj", [MESH_PLY] = ".ply", [MESH_STL] = ".stl"};
    const char *ending = strrchr(path, '.');
    for (int i = MESH_OBJ; i <= MESH_STL; i++)
        if (ending && strcasecmp(ending, endings[i]) == 0) {
            *format = (mesh_format)i;
            return true;
        }
    return fail(error, WEIR_UNSUPPORTED,
                "%s: the name of a mesh file must end in .obj, .ply or .stl", path);
}

bool triangle_mesh_read(triangle_mesh *mesh, const char *path, const mesh_transform *transform,
                        weir_error *error)
{
    mesh_format format = MESH_OBJ;
    size_t size = 0;
    if (!find_format(path, &format, error))
        return false;
    char *bytes = load(path, &size, error);
    if (!bytes)
        return false;
    bool ok = triangle_mesh_parse(mesh, path, format, bytes, size, error);
    free(bytes);
    if (ok && transform && !triangle_mesh_transform(mesh, transform, error)) {
        triangle_mesh_free(mesh);
        ok = fail_in(error, "%s", path);
    }
    return ok;
}
