/* The pieces of a mesh, one of each block, before they are joined. */
#ifndef WEIR_SURFACE_MARCH_PARTS_H
#define WEIR_SURFACE_MARCH_PARTS_H

#include "surface/cubes.h"
#include "surface/iso_field.h"

/* An edge of the grid is 3·node + axis, in the block that owns its first node. */
enum {
    MARCH_NODES = BLOCK_CELLS * BLOCK_CELLS * BLOCK_CELLS,
    MARCH_EDGES = 3 * MARCH_NODES,
    MARCH_WORDS = MARCH_EDGES / 64,
};

typedef struct march_vertex {
    float position[3], normal[3], velocity[3];
    uint8_t fluid;
} march_vertex;

/* A corner of a triangle. `beyond` says which of the blocks at or beyond the upper faces owns its
 * edge, one bit per axis; `number` is that of the vertex in this block, or the edge in another. */
typedef struct march_corner {
    uint16_t number;
    uint16_t beyond;
} march_corner;

/* The surface inside one block. */
typedef struct march_piece {
    uint64_t key;
    uint32_t vertex_count, triangle_count;
    march_vertex *vertices;              /* in the order of their edges */
    march_corner *corners;               /* 3 per triangle */
    uint64_t crossed[MARCH_WORDS];       /* a bit for each edge with a vertex */
    uint16_t before[MARCH_WORDS];        /* vertices of the words before */
    uint8_t leaves;                      /* faces that the surface crosses: bit 2·axis + side */
    size_t first_vertex, first_triangle; /* in the mesh */
} march_piece;

typedef struct march_pieces {
    size_t count, capacity;
    march_piece *items; /* ascending by key, once all are there */
} march_pieces;

/* Makes the piece of the block `piece->key`; `b` is room that is used again. False when memory runs
 * out. */
bool march_block(const iso_field *f, const cube_table *table, iso_field_block *b,
                 march_piece *piece);
void march_piece_free(march_piece *piece);

/* Fills an empty mesh. Drops pieces without surface. False when memory runs out. */
bool march_join(march_pieces *all, const iso_field *f, surface_mesh *mesh);

#endif
