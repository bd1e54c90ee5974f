#include "surface/edges.h"

#include "base/vec.h"

#include <stdlib.h>

/* Cosine of 30°. */
static const double flat_enough = 0.866;

/* One side of a triangle, its ends in a fixed order, with the triangle's unit normal. */
typedef struct side {
    surface_edge edge;
    vec3 normal;
} side;

static int compare_points(const float a[3], const float b[3])
{
    for (int k = 0; k < 3; k++)
        if (a[k] != b[k])
            return a[k] < b[k] ? -1 : 1;
    return 0;
}

static int compare(const void *a, const void *b)
{
    const surface_edge *x = &((const side *)a)->edge, *y = &((const side *)b)->edge;
    int order = compare_points(x->from, y->from);
    return order ? order : compare_points(x->to, y->to);
}

static void fill_sides(side *sides, const surface_mesh *mesh)
{
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const float *p[3];
        vec3 c[3];
        for (size_t k = 0; k < 3; k++) {
            p[k] = mesh->positions + 3 * (size_t)mesh->triangles[3 * t + k];
            c[k] = vec3_make(p[k][0], p[k][1], p[k][2]);
        }
        vec3 n = vec3_cross(vec3_sub(c[1], c[0]), vec3_sub(c[2], c[0]));
        for (size_t k = 0; k < 3; k++) {
            const float *a = p[k], *b = p[(k + 1) % 3];
            bool swap = compare_points(a, b) > 0;
            side *s = &sides[3 * t + k];
            s->normal = vec3_unit(n, vec3_make(0, 0, 0));
            for (int i = 0; i < 3; i++) {
                s->edge.from[i] = swap ? b[i] : a[i];
                s->edge.to[i] = swap ? a[i] : b[i];
            }
        }
    }
}

surface_edge *surface_mesh_edges(const surface_mesh *mesh, size_t *count)
{
    size_t side_count = 3 * mesh->triangle_count;
    side *sides = malloc((side_count + 1) * sizeof *sides);
    surface_edge *edges = malloc((side_count + 1) * sizeof *edges);
    *count = 0;
    if (sides && edges) {
        fill_sides(sides, mesh);
        qsort(sides, side_count, sizeof *sides, compare);
        for (size_t i = 0; i + 1 < side_count; i++)
            if (compare(&sides[i], &sides[i + 1]) == 0 &&
                vec3_dot(sides[i].normal, sides[i + 1].normal) < flat_enough)
                edges[(*count)++] = sides[i].edge;
    } else {
        free(edges);
        edges = NULL;
    }
    free(sides);
    return edges;
}
