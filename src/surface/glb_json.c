/* Water is a material of transmission and index of refraction 1.33, by the extensions
 * KHR_materials_transmission and KHR_materials_ior. */
#include "surface/glb_json.h"

enum { TYPE_FLOAT = 5126, TYPE_UINT = 5125, TARGET_VERTICES = 34962, TARGET_INDICES = 34963 };

static const char *const types[] = {[1] = "SCALAR", [3] = "VEC3", [4] = "VEC4"};

static void put_arrays(const glb *g, json *j)
{
    const glb_array *arrays = g->arrays.items;
    json_array_begin(j, "bufferViews");
    for (size_t k = 0; k < g->arrays.count; k++) {
        const glb_array *a = &arrays[k];
        json_object_begin(j, NULL);
        json_integer(j, "buffer", 0);
        json_integer(j, "byteOffset", (int64_t)a->offset);
        json_integer(j, "byteLength", (int64_t)(4 * a->count * (size_t)a->components));
        if (a->is_vertex)
            json_integer(j, "target", a->is_index ? TARGET_INDICES : TARGET_VERTICES);
        json_object_end(j);
    }
    json_array_end(j);
    json_array_begin(j, "accessors");
    for (size_t k = 0; k < g->arrays.count; k++) {
        const glb_array *a = &arrays[k];
        const double low[3] = {a->low[0], a->low[1], a->low[2]};
        const double high[3] = {a->high[0], a->high[1], a->high[2]};
        json_object_begin(j, NULL);
        json_integer(j, "bufferView", (int64_t)k);
        json_integer(j, "componentType", a->is_index ? TYPE_UINT : TYPE_FLOAT);
        json_integer(j, "count", (int64_t)a->count);
        json_string(j, "type", types[a->components]);
        if (a->bounded) {
            json_vector(j, "min", low, a->components);
            json_vector(j, "max", high, a->components);
        }
        json_object_end(j);
    }
    json_array_end(j);
}

static void put_meshes(const glb *g, json *j)
{
    const glb_mesh *meshes = g->meshes.items;
    json_array_begin(j, "meshes");
    for (size_t k = 0; k < g->meshes.count; k++) {
        const glb_mesh *m = &meshes[k];
        json_object_begin(j, NULL);
        json_string(j, "name", m->name);
        json_array_begin(j, "primitives");
        json_object_begin(j, NULL);
        json_object_begin(j, "attributes");
        for (int i = 0; i < m->attribute_count; i++)
            json_integer(j, m->names[i], m->attributes[i]);
        json_object_end(j);
        json_integer(j, "indices", m->indices);
        json_integer(j, "material", m->material);
        json_object_end(j);
        json_array_end(j);
        json_object_end(j);
    }
    json_array_end(j);
}

static void put_water(json *j)
{
    const double colour[4] = {0.75, 0.9, 0.95, 1};
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
}

static void put_solid(json *j, const glb_material *m)
{
    const double colour[4] = {m->colour[0], m->colour[1], m->colour[2], 1};
    json_string(j, "name", "solid");
    json_object_begin(j, "pbrMetallicRoughness");
    json_vector(j, "baseColorFactor", colour, 4);
    json_number(j, "metallicFactor", 0);
    json_number(j, "roughnessFactor", 0.7);
    json_object_end(j);
}

static void put_materials(const glb *g, json *j)
{
    const glb_material *materials = g->materials.items;
    json_array_begin_inline(j, "extensionsUsed");
    json_string(j, NULL, "KHR_materials_transmission");
    json_string(j, NULL, "KHR_materials_ior");
    json_array_end(j);
    json_array_begin(j, "materials");
    for (size_t k = 0; k < g->materials.count; k++) {
        json_object_begin(j, NULL);
        if (materials[k].water)
            put_water(j);
        else
            put_solid(j, &materials[k]);
        json_object_end(j);
    }
    json_array_end(j);
}

static void put_nodes(const glb *g, json *j)
{
    const glb_node *nodes = g->nodes.items;
    const double nothing[3] = {0, 0, 0};
    json_array_begin(j, "nodes");
    for (size_t k = 0; k < g->nodes.count; k++) {
        const glb_node *n = &nodes[k];
        json_object_begin(j, NULL);
        json_string(j, "name", n->name);
        json_integer(j, "mesh", n->mesh);
        json_vector(j, "translation", &n->pose.position.x, 3);
        json_vector(j, "rotation", &n->pose.rotation.x, 4);
        if (n->hidden)
            json_vector(j, "scale", nothing, 3);
        json_object_end(j);
    }
    json_array_end(j);
}

static void put_animation(const glb *g, json *j)
{
    static const char *const paths[] = {
        [GLB_SCALE] = "scale", [GLB_TRANSLATION] = "translation", [GLB_ROTATION] = "rotation"};
    const glb_channel *channels = g->channels.items;
    json_array_begin(j, "animations");
    json_object_begin(j, NULL);
    json_string(j, "name", "run");
    json_array_begin(j, "samplers");
    for (size_t k = 0; k < g->channels.count; k++) {
        json_object_begin(j, NULL);
        json_integer(j, "input", channels[k].times);
        json_integer(j, "output", channels[k].values);
        json_string(j, "interpolation", channels[k].path == GLB_SCALE ? "STEP" : "LINEAR");
        json_object_end(j);
    }
    json_array_end(j);
    json_array_begin(j, "channels");
    for (size_t k = 0; k < g->channels.count; k++) {
        json_object_begin(j, NULL);
        json_integer(j, "sampler", (int64_t)k);
        json_object_begin(j, "target");
        json_integer(j, "node", channels[k].node);
        json_string(j, "path", paths[channels[k].path]);
        json_object_end(j);
        json_object_end(j);
    }
    json_array_end(j);
    json_object_end(j);
    json_array_end(j);
}

/* glTF has no empty lists: a scene without triangles has nothing but its name. */
void glb_describe(const glb *g, json *j)
{
    json_object_begin(j, NULL);
    json_object_begin(j, "asset");
    json_string(j, "version", "2.0");
    json_string(j, "generator", "Weir");
    json_object_end(j);
    json_integer(j, "scene", 0);
    json_array_begin(j, "scenes");
    json_object_begin(j, NULL);
    json_string(j, "name", g->nodes.count > 0 ? "run" : "no fluid");
    if (g->nodes.count > 0) {
        json_array_begin_inline(j, "nodes");
        for (size_t k = 0; k < g->nodes.count; k++)
            json_integer(j, NULL, (int64_t)k);
        json_array_end(j);
    }
    json_object_end(j);
    json_array_end(j);
    if (g->nodes.count > 0) {
        put_nodes(g, j);
        put_meshes(g, j);
        put_materials(g, j);
        put_arrays(g, j);
        if (g->channels.count > 0)
            put_animation(g, j);
        json_array_begin(j, "buffers");
        json_object_begin(j, NULL);
        json_integer(j, "byteLength", (int64_t)g->bytes);
        json_object_end(j);
        json_array_end(j);
    }
    json_object_end(j);
}
