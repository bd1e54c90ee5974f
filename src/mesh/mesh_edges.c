#include "mesh/mesh_edges.h"

#include "base/error.h"

#include <stdlib.h>

static int compare_sides(const void *left, const void *right)
{
    const mesh_side *l = left;
    const mesh_side *r = right;
    if (l->b != r->b)
        return l->b < r->b ? -1 : 1;
    return (l->triangle > r->triangle) - (l->triangle < r->triangle);
}

static mesh_side make_side(const triangle_mesh *mesh, size_t t, int c)
{
    uint32_t from = mesh->triangles[t].corner[c];
    uint32_t to = mesh->triangles[t].corner[(c + 1) % 3];
    return from < to ? (mesh_side){from, to, (uint32_t)t, true}
                     : (mesh_side){to, from, (uint32_t)t, false};
}

bool mesh_edges_build(mesh_edges *edges, const triangle_mesh *mesh, weir_error *error)
{
    *edges = (mesh_edges){malloc(3 * mesh->triangle_count * sizeof(mesh_side) + 1),
                          3 * mesh->triangle_count};
    size_t *start = calloc(mesh->point_count + 2, sizeof *start);
    if (!edges->sides || !start) {
        free(start);
        mesh_edges_free(edges);
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for the edges of %zu triangles",
                    mesh->triangle_count);
    }
    /* Counting sort by the lower point, then each point's few sides by the other point. */
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (int c = 0; c < 3; c++)
            start[make_side(mesh, t, c).a + 2]++;
    for (size_t p = 0; p < mesh->point_count; p++)
        start[p + 1] += start[p];
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (int c = 0; c < 3; c++) {
            mesh_side side = make_side(mesh, t, c);
            edges->sides[start[side.a + 1]++] = side;
        }
    for (size_t p = 0; p < mesh->point_count; p++)
        if (start[p + 1] > start[p])
            qsort(edges->sides + start[p], start[p + 1] - start[p], sizeof(mesh_side),
                  compare_sides);
    free(start);
    return true;
}

void mesh_edges_free(mesh_edges *edges)
{
    free(edges->sides);
    *edges = (mesh_edges){0};
}

bool mesh_edges_next(const mesh_edges *edges, size_t *begin, size_t *end)
{
    *begin = *end;
    if (*begin >= edges->count)
        return false;
    const mesh_side *first = &edges->sides[*begin];
    while (*end < edges->count && edges->sides[*end].a == first->a &&
           edges->sides[*end].b == first->b)
        ++*end;
    return true;
}

int64_t mesh_edges_balance(const mesh_edges *edges, size_t begin, size_t end)
{
    int64_t balance = 0;
    for (size_t i = begin; i < end; i++)
        balance += edges->sides[i].forward ? 1 : -1;
    return balance;
}

bool mesh_sets_create(mesh_sets *sets, size_t count, weir_error *error)
{
    *sets = (mesh_sets){malloc(count * sizeof *sets->parent + 1), calloc(count + 1, 1), count};
    if (!sets->parent || !sets->odd) {
        mesh_sets_free(sets);
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for the parts of a mesh");
    }
    for (size_t i = 0; i < count; i++)
        sets->parent[i] = (uint32_t)i;
    return true;
}

void mesh_sets_free(mesh_sets *sets)
{
    free(sets->parent);
    free(sets->odd);
    *sets = (mesh_sets){0};
}

uint32_t mesh_sets_root(mesh_sets *sets, uint32_t member, bool *odd)
{
    uint8_t parity = 0;
    while (sets->parent[member] != member) {
        uint32_t parent = sets->parent[member];
        /* Halve the path on the way, so that long chains stay cheap. */
        sets->odd[member] ^= sets->odd[parent];
        sets->parent[member] = sets->parent[parent];
        parity ^= sets->odd[member];
        member = sets->parent[member];
    }
    if (odd)
        *odd = parity;
    return member;
}

bool mesh_sets_join(mesh_sets *sets, uint32_t a, uint32_t b, bool differ)
{
    bool odd_a;
    bool odd_b;
    uint32_t root_a = mesh_sets_root(sets, a, &odd_a);
    uint32_t root_b = mesh_sets_root(sets, b, &odd_b);
    bool odd = (odd_a != odd_b) != differ;
    if (root_a == root_b)
        return !odd;
    /* The lower root stays, so that the outcome depends on the mesh alone. */
    uint32_t low = root_a < root_b ? root_a : root_b;
    uint32_t high = root_a < root_b ? root_b : root_a;
    sets->parent[high] = low;
    sets->odd[high] = odd;
    return true;
}

size_t mesh_sets_join_surfaces(mesh_sets *sets, const mesh_edges *edges, size_t *first)
{
    size_t contradictions = 0;
    for (size_t begin = 0, end = 0; mesh_edges_next(edges, &begin, &end);) {
        if (end - begin != 2)
            continue;
        const mesh_side *side = &edges->sides[begin];
        bool clash = side[0].forward == side[1].forward;
        if (!mesh_sets_join(sets, side[0].triangle, side[1].triangle, clash) &&
            contradictions++ == 0)
            *first = begin;
    }
    return contradictions;
}
