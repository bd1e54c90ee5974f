/* The pieces of all blocks as one mesh. */
#include "surface/march_parts.h"

#include "par/parallel.h"

#include <stdlib.h>
#include <string.h>

/* Drops pieces without surface, numbers the rest, and lists their keys. */
static bool number(march_pieces *all, surface_mesh *mesh, keymap *index)
{
    uint64_t *keys = calloc(all->count + 1, sizeof *keys);
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        march_piece *p = &all->items[i];
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

/* A piece and those at and beyond its upper faces, as corners name them. */
typedef struct around {
    const march_piece *pieces[8];
} around;

static around find_around(const march_pieces *all, const keymap *index, const march_piece *p)
{
    around found = {{p}};
    for (int beyond = 1; beyond < 8; beyond++) {
        uint32_t i = keymap_find(index, keymap_key(keymap_coordinate(p->key, 0) + (beyond & 1),
                                                   keymap_coordinate(p->key, 1) + (beyond >> 1 & 1),
                                                   keymap_coordinate(p->key, 2) + (beyond >> 2)));
        found.pieces[beyond] = i == KEYMAP_NONE ? NULL : &all->items[i];
    }
    return found;
}

/* The mesh's number of the vertex at a corner. */
static uint32_t resolve(const around *near, march_corner c)
{
    const march_piece *owner = near->pieces[c.beyond];
    if (!c.beyond)
        return (uint32_t)(owner->first_vertex + c.number);
    uint64_t lower = owner->crossed[c.number / 64] & (((uint64_t)1 << c.number % 64) - 1);
    return (uint32_t)(owner->first_vertex + owner->before[c.number / 64] +
                      (uint32_t)__builtin_popcountll(lower));
}

static void join_piece(const march_pieces *all, const keymap *index, const march_piece *p,
                       surface_mesh *mesh)
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
    around near = find_around(all, index, p);
    for (size_t k = 0; k < 3 * (size_t)p->triangle_count; k++)
        mesh->triangles[3 * p->first_triangle + k] = resolve(&near, p->corners[k]);
}

typedef struct join_loop {
    const march_pieces *all;
    const keymap *index;
    surface_mesh *mesh;
} join_loop;

static void join_some(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const join_loop *l = context;
    for (size_t i = begin; i < end; i++)
        join_piece(l->all, l->index, &l->all->items[i], l->mesh);
}

bool march_join(march_pieces *all, const iso_field *f, surface_mesh *mesh)
{
    keymap index = {0};
    bool done = number(all, mesh, &index) && allocate(mesh, f->particles);
    if (done) {
        join_loop l = {all, &index, mesh};
        parallel_for(f->threads, all->count, 16, join_some, &l);
    }
    keymap_free(&index);
    return done;
}
