/* Marching cubes (Lorensen and Cline 1987) over sparse blocks. Blocks are evaluated in waves: the
 * first wave holds those that exposed kernels touch; where the surface leaves the evaluated blocks
 * through a face, the block beyond joins the next wave, so that the mesh is always closed. A block
 * owns the grid edges that start at its nodes, and with them their vertices. Fields are dropped
 * as soon as a block is done: memory grows with the surface. */
#include "surface/march.h"

#include "base/error.h"
#include "surface/cubes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OWNED = BLOCK_CELLS * BLOCK_CELLS * BLOCK_CELLS };

/* Vertices keep this share of an edge from its ends: no triangle degenerates. */
static const float end_gap = 0.02f;

typedef struct vertex {
    float position[3], normal[3], velocity[3];
    uint8_t fluid;
} vertex;

/* A corner of a triangle: the edge (3·node + axis) in the block that owns it, and which of the
 * blocks at or beyond the upper faces that is (one bit per axis). */
typedef struct corner {
    uint16_t edge;
    uint16_t beyond;
} corner;

/* The surface inside one block. */
typedef struct piece {
    uint64_t key;
    uint32_t vertex_count, triangle_count;
    uint16_t *edges; /* of the vertices, ascending */
    vertex *vertices;
    corner *corners;                     /* 3 per triangle */
    uint8_t leaves;                      /* faces that the surface crosses: bit 2·axis + side */
    size_t first_vertex, first_triangle; /* in the mesh */
} piece;

typedef struct pieces {
    size_t count, capacity;
    piece *items;
} pieces;

static float value_at(const iso_field_block *b, int x, int y, int z)
{
    return b->values[(z * BLOCK_NODES + y) * BLOCK_NODES + x];
}

static void free_piece(piece *p)
{
    free(p->edges);
    free(p->vertices);
    free(p->corners);
    *p = (piece){.key = p->key};
}

/* Which nodes are inside; false when all or none are. */
static bool mark_inside(const iso_field *f, const iso_field_block *b, bool inside[BLOCK_VALUES])
{
    int count = 0;
    for (int i = 0; i < BLOCK_VALUES; i++) {
        inside[i] = b->values[i] > (float)f->level;
        count += inside[i];
    }
    return count > 0 && count < BLOCK_VALUES;
}

static uint8_t find_leaving(const bool inside[BLOCK_VALUES])
{
    static const int stride[3] = {1, BLOCK_NODES, BLOCK_NODES * BLOCK_NODES};
    uint8_t leaves = 0;
    for (int axis = 0; axis < 3; axis++)
        for (int side = 0; side < 2; side++) {
            int u = stride[(axis + 1) % 3], v = stride[(axis + 2) % 3], count = 0;
            const bool *face = inside + side * BLOCK_CELLS * stride[axis];
            for (int i = 0; i < BLOCK_NODES; i++)
                for (int j = 0; j < BLOCK_NODES; j++)
                    count += face[i * u + j * v];
            if (count > 0 && count < BLOCK_NODES * BLOCK_NODES)
                leaves |= (uint8_t)(1 << (2 * axis + side));
        }
    return leaves;
}

static void place_vertex(const iso_field *f, const iso_field_block *b, const int node[3], int axis,
                         vertex *v)
{
    int end[3] = {node[0], node[1], node[2]};
    end[axis]++;
    float from = value_at(b, node[0], node[1], node[2]), to = value_at(b, end[0], end[1], end[2]);
    float t = ((float)f->level - from) / (to - from);
    t = t < end_gap ? end_gap : t > 1 - end_gap ? 1 - end_gap : t;
    float point[3] = {(float)node[0], (float)node[1], (float)node[2]};
    point[axis] += t;
    iso_field_sample s = iso_field_sample_at(f, b, point);
    float length = sqrtf(s.gradient[0] * s.gradient[0] + s.gradient[1] * s.gradient[1] +
                         s.gradient[2] * s.gradient[2]);
    *v = (vertex){.fluid = s.fluid};
    for (int a = 0; a < 3; a++) {
        v->position[a] = (float)((b->node[a] + (double)point[a]) * f->step);
        /* A flat spot of the field has no gradient; the edge still knows where outside is. */
        v->normal[a] = length > 0  ? -s.gradient[a] / length
                       : a == axis ? (from > to ? 1.f : -1.f)
                                   : 0;
        v->velocity[a] = s.velocity[a];
    }
}

static bool make_vertices(const iso_field *f, const iso_field_block *b,
                          const bool inside[BLOCK_VALUES], piece *p)
{
    static const int stride[3] = {1, BLOCK_NODES, BLOCK_NODES * BLOCK_NODES};
    uint16_t edges[3 * OWNED];
    uint32_t count = 0;
    for (int n = 0; n < OWNED; n++) {
        int x = n % BLOCK_CELLS, y = n / BLOCK_CELLS % BLOCK_CELLS,
            z = n / (BLOCK_CELLS * BLOCK_CELLS);
        int i = (z * BLOCK_NODES + y) * BLOCK_NODES + x;
        for (int axis = 0; axis < 3; axis++)
            if (inside[i] != inside[i + stride[axis]])
                edges[count++] = (uint16_t)(3 * n + axis);
    }
    p->edges = malloc((count + 1) * sizeof *p->edges);
    p->vertices = malloc((count + 1) * sizeof *p->vertices);
    if (!p->edges || !p->vertices)
        return false;
    memcpy(p->edges, edges, count * sizeof *edges);
    p->vertex_count = count;
    for (uint32_t k = 0; k < count; k++) {
        int n = edges[k] / 3;
        int node[3] = {n % BLOCK_CELLS, n / BLOCK_CELLS % BLOCK_CELLS,
                       n / (BLOCK_CELLS * BLOCK_CELLS)};
        place_vertex(f, b, node, edges[k] % 3, &p->vertices[k]);
    }
    return true;
}

static int cell_case(const bool inside[BLOCK_VALUES], int x, int y, int z)
{
    const bool *i = inside + (z * BLOCK_NODES + y) * BLOCK_NODES + x;
    const bool *j = i + BLOCK_NODES * BLOCK_NODES;
    return i[0] | i[1] << 1 | i[BLOCK_NODES] << 2 | i[BLOCK_NODES + 1] << 3 | j[0] << 4 |
           j[1] << 5 | j[BLOCK_NODES] << 6 | j[BLOCK_NODES + 1] << 7;
}

static corner corner_of(int x, int y, int z, int edge)
{
    int low = cube_edge_corner(edge);
    x += low & 1, y += low >> 1 & 1, z += low >> 2 & 1;
    int beyond = (x == BLOCK_CELLS) | (y == BLOCK_CELLS) << 1 | (z == BLOCK_CELLS) << 2;
    int node = (z % BLOCK_CELLS * BLOCK_CELLS + y % BLOCK_CELLS) * BLOCK_CELLS + x % BLOCK_CELLS;
    return (corner){(uint16_t)(3 * node + edge / 4), (uint16_t)beyond};
}

static bool make_triangles(const cube_table *table, const bool inside[BLOCK_VALUES], piece *p)
{
    uint32_t capacity = 0;
    for (int z = 0; z < BLOCK_CELLS; z++)
        for (int y = 0; y < BLOCK_CELLS; y++)
            for (int x = 0; x < BLOCK_CELLS; x++) {
                const cube_case *c = &table->cases[cell_case(inside, x, y, z)];
                if (c->count == 0)
                    continue;
                if (p->triangle_count + c->count > capacity) {
                    capacity = 2 * capacity + 64;
                    corner *grown = realloc(p->corners, 3 * capacity * sizeof *grown);
                    if (!grown)
                        return false;
                    p->corners = grown;
                }
                for (int t = 0; t < c->count; t++, p->triangle_count++)
                    for (int k = 0; k < 3; k++)
                        p->corners[3 * p->triangle_count + (uint32_t)k] =
                            corner_of(x, y, z, c->edges[t][k]);
            }
    return true;
}

static bool march_block(const iso_field *f, const cube_table *table, iso_field_block *b, piece *p)
{
    bool inside[BLOCK_VALUES];
    if (!iso_field_evaluate(f, p->key, b))
        return false;
    if (!mark_inside(f, b, inside))
        return true;
    p->leaves = find_leaving(inside);
    return make_vertices(f, b, inside, p) && make_triangles(table, inside, p);
}

static bool march_wave(const iso_field *f, const cube_table *table, pieces *all, size_t first)
{
    bool done = true;
#pragma omp parallel reduction(&& : done)
    {
        iso_field_block b = {0};
#pragma omp for schedule(dynamic, 4)
        for (size_t i = first; i < all->count; i++)
            done = march_block(f, table, &b, &all->items[i]) && done;
        iso_field_block_free(&b);
    }
    return done;
}

static bool append(pieces *all, const keymap *blocks)
{
    size_t needed = all->count + blocks->count;
    if (needed > all->capacity) {
        size_t capacity = needed + needed / 2;
        piece *grown = realloc(all->items, capacity * sizeof *grown);
        if (!grown)
            return false;
        all->items = grown;
        all->capacity = capacity;
    }
    for (size_t i = 0; i < blocks->count; i++)
        all->items[all->count++] = (piece){.key = blocks->keys[i]};
    return true;
}

static int compare_pieces(const void *a, const void *b)
{
    uint64_t x = ((const piece *)a)->key, y = ((const piece *)b)->key;
    return (x > y) - (x < y);
}

/* The blocks beyond faces through which the surface leaves, as far as they are not there yet. */
static bool find_missing(const pieces *sorted, keymap *missing)
{
    size_t count = 0, leaving = 0;
    for (size_t i = 0; i < sorted->count; i++)
        leaving += sorted->items[i].leaves != 0;
    uint64_t *keys = malloc((6 * leaving + 1) * sizeof *keys);
    if (!keys)
        return false;
    for (size_t i = 0; i < sorted->count; i++)
        for (int face = 0; face < 6; face++) {
            const piece *p = &sorted->items[i];
            if (!(p->leaves >> face & 1))
                continue;
            int c[3];
            for (int a = 0; a < 3; a++)
                c[a] = keymap_coordinate(p->key, a) + (face / 2 == a ? 2 * (face % 2) - 1 : 0);
            piece beyond = {.key = keymap_key(c[0], c[1], c[2])};
            if (!bsearch(&beyond, sorted->items, sorted->count, sizeof beyond, compare_pieces))
                keys[count++] = beyond.key;
        }
    bool built = keymap_build_unsorted(missing, keys, count);
    free(keys);
    return built;
}

static bool march(const iso_field *f, pieces *all)
{
    cube_table table;
    keymap wave;
    bool done = cube_table_build(&table) && iso_field_blocks(f, true, &wave);
    while (done && wave.count > 0) {
        size_t first = all->count;
        done = append(all, &wave) && march_wave(f, &table, all, first);
        if (all->count > 0)
            qsort(all->items, all->count, sizeof *all->items, compare_pieces);
        keymap_free(&wave);
        done = done && find_missing(all, &wave);
    }
    if (done)
        keymap_free(&wave);
    return done;
}

/* Drops pieces without surface, numbers the rest, and lists their keys. */
static bool number(pieces *all, surface_mesh *mesh, keymap *index)
{
    uint64_t *keys = calloc(all->count + 1, sizeof *keys);
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        piece *p = &all->items[i];
        if (!p->vertices)
            continue;
        p->first_vertex = mesh->vertex_count;
        p->first_triangle = mesh->triangle_count;
        mesh->vertex_count += p->vertex_count;
        mesh->triangle_count += p->triangle_count;
        if (keys)
            keys[kept] = p->key;
        all->items[kept++] = *p;
    }
    all->count = kept;
    bool built = keys && keymap_build(index, keys, kept);
    free(keys);
    return built;
}

static bool allocate(surface_mesh *mesh, const surface_particles *particles)
{
    size_t n = mesh->vertex_count + 1;
    mesh->positions = malloc(3 * n * sizeof *mesh->positions);
    mesh->normals = malloc(3 * n * sizeof *mesh->normals);
    mesh->triangles = malloc(3 * (mesh->triangle_count + 1) * sizeof *mesh->triangles);
    mesh->velocities = particles->vx ? malloc(3 * n * sizeof *mesh->velocities) : NULL;
    mesh->fluids = particles->fluid ? malloc(n * sizeof *mesh->fluids) : NULL;
    return mesh->positions && mesh->normals && mesh->triangles &&
           (mesh->velocities || !particles->vx) && (mesh->fluids || !particles->fluid);
}

static int compare_edges(const void *a, const void *b)
{
    return *(const uint16_t *)a - *(const uint16_t *)b;
}

/* The mesh's number of the vertex at a corner of a triangle of piece p. */
static uint32_t resolve(const pieces *all, const keymap *index, const piece *p, corner c)
{
    const piece *owner = p;
    if (c.beyond) {
        uint32_t i =
            keymap_find(index, keymap_key(keymap_coordinate(p->key, 0) + (c.beyond & 1),
                                          keymap_coordinate(p->key, 1) + (c.beyond >> 1 & 1),
                                          keymap_coordinate(p->key, 2) + (c.beyond >> 2)));
        owner = &all->items[i];
    }
    const uint16_t *edge =
        bsearch(&c.edge, owner->edges, owner->vertex_count, sizeof *edge, compare_edges);
    return (uint32_t)(owner->first_vertex + (size_t)(edge - owner->edges));
}

static void join_piece(const pieces *all, const keymap *index, const piece *p, surface_mesh *mesh)
{
    for (uint32_t k = 0; k < p->vertex_count; k++) {
        size_t v = p->first_vertex + k;
        memcpy(mesh->positions + 3 * v, p->vertices[k].position, 3 * sizeof(float));
        memcpy(mesh->normals + 3 * v, p->vertices[k].normal, 3 * sizeof(float));
        if (mesh->velocities)
            memcpy(mesh->velocities + 3 * v, p->vertices[k].velocity, 3 * sizeof(float));
        if (mesh->fluids)
            mesh->fluids[v] = p->vertices[k].fluid;
    }
    for (size_t k = 0; k < 3 * (size_t)p->triangle_count; k++)
        mesh->triangles[3 * p->first_triangle + k] = resolve(all, index, p, p->corners[k]);
}

static bool join(pieces *all, const surface_particles *particles, surface_mesh *mesh)
{
    keymap index = {0};
    bool done = number(all, mesh, &index) && allocate(mesh, particles);
    if (done) {
#pragma omp parallel for schedule(dynamic, 16)
        for (size_t i = 0; i < all->count; i++)
            join_piece(all, &index, &all->items[i], mesh);
    }
    keymap_free(&index);
    return done;
}

bool march_mesh(surface_mesh *mesh, const iso_field *f)
{
    pieces all = {0};
    *mesh = (surface_mesh){0};
    bool built = march(f, &all) && join(&all, f->particles, mesh);
    for (size_t i = 0; i < all.count; i++)
        free_piece(&all.items[i]);
    free(all.items);
    if (!built)
        surface_mesh_free(mesh);
    return built;
}

bool surface_mesh_build(surface_mesh *mesh, const surface_particles *particles,
                        const surface_settings *settings, weir_error *error)
{
    *mesh = (surface_mesh){0};
    if (particles->dim != 3)
        return fail(error, WEIR_INVALID, "a surface mesh needs 3 dimensions, not %d",
                    particles->dim);
    iso_field f;
    if (!iso_field_build(&f, particles, settings, error))
        return false;
    bool built = march_mesh(mesh, &f);
    iso_field_free(&f);
    return built || fail(error, WEIR_OUT_OF_MEMORY,
                         "memory ran out for the surface of %zu particles", particles->count);
}
