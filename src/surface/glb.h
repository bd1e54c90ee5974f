/* glTF 2.0 binary files under construction (Khronos, "glTF 2.0 Specification", §5 properties, §6
 * GLB): a header, a chunk of JSON that describes the scene, and a chunk with the arrays one after
 * the other. Arrays are written as they come, so that a film needs the memory of one frame; the
 * JSON goes into room that is kept free before them and filled with blanks. */
#ifndef WEIR_SURFACE_GLB_H
#define WEIR_SURFACE_GLB_H

#include "out/file.h"
#include "surface/surface.h"

enum { GLB_NAME = 64, GLB_ATTRIBUTES = 4 };

typedef struct glb_array {
    int components; /* 1, 3 or 4 */
    bool is_index;  /* whole numbers; else floats */
    bool is_vertex; /* of a mesh; else of an animation */
    bool bounded;   /* glTF demands the bounds of positions and of times */
    float low[3], high[3];
    size_t count; /* of elements */
    uint64_t offset;
} glb_array;

typedef struct glb_mesh {
    char name[GLB_NAME];
    int material, indices; /* arrays by their numbers */
    int attribute_count;
    const char *names[GLB_ATTRIBUTES];
    int attributes[GLB_ATTRIBUTES];
} glb_mesh;

typedef struct glb_node {
    char name[GLB_NAME];
    int mesh;
    bool hidden; /* while no animation plays */
    weir_pose pose;
} glb_node;

typedef enum glb_path { GLB_SCALE, GLB_TRANSLATION, GLB_ROTATION } glb_path;

/* What moves a node: values over times. Scales are steps, the rest is linear between. */
typedef struct glb_channel {
    int node;
    glb_path path;
    int times, values;
} glb_channel;

typedef struct glb_material {
    bool water;
    float colour[3]; /* linear; of what is not water */
} glb_material;

/* A list that grows. */
typedef struct glb_list {
    void *items;
    size_t count, capacity;
} glb_list;

typedef struct glb {
    file_writer file;
    size_t room;    /* bytes kept for the JSON */
    uint64_t bytes; /* of the arrays so far */
    glb_list arrays, meshes, nodes, channels, materials;
} glb;

/* Begins a file with room for a description of so many things. Ends with commit or discard. */
void glb_begin(glb *g, const char *path, size_t meshes, size_t channels);
bool glb_commit(glb *g, weir_error *error);
void glb_discard(glb *g);

/* Each returns the number of what was added. Failures are reported by glb_commit. */
int glb_add_material(glb *g, glb_material material);
int glb_add_mesh(glb *g, const char *name, const surface_mesh *mesh, int material);
int glb_add_node(glb *g, const char *name, int mesh, weir_pose pose, bool hidden);
int glb_add_floats(glb *g, const float *values, size_t count, int components, bool bounded);
void glb_add_channel(glb *g, int node, glb_path path, int times, int values);

#endif
