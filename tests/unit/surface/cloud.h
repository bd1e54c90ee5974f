/* Particles for tests of surfaces, and checks that hold for every closed mesh. */
#ifndef WEIR_TESTS_SURFACE_CLOUD_H
#define WEIR_TESTS_SURFACE_CLOUD_H

#include "../out/scratch.h"

#include "base/random.h"
#include "surface/surface.h"

#include <math.h>

typedef struct cloud {
    size_t count, capacity;
    float *x, *y, *z, *vx, *vy, *vz;
    uint8_t *fluid;
} cloud;

static inline cloud cloud_create(size_t capacity)
{
    cloud c = {.capacity = capacity};
    float **arrays[6] = {&c.x, &c.y, &c.z, &c.vx, &c.vy, &c.vz};
    for (int i = 0; i < 6; i++) {
        *arrays[i] = calloc(capacity, sizeof(float));
        assert_non_null(*arrays[i]);
    }
    c.fluid = calloc(capacity, 1);
    assert_non_null(c.fluid);
    return c;
}

static inline void cloud_free(cloud *c)
{
    float *arrays[6] = {c->x, c->y, c->z, c->vx, c->vy, c->vz};
    for (int i = 0; i < 6; i++)
        free(arrays[i]);
    free(c->fluid);
}

/* Adds a particle moved by up to jitter/2 along each axis. */
static inline void cloud_add(cloud *c, double x, double y, double z, double jitter)
{
    assert_true(c->count < c->capacity);
    uint64_t n = 3 * c->count;
    c->x[c->count] = (float)(x + jitter * (random_unit(7, n) - 0.5));
    c->y[c->count] = (float)(y + jitter * (random_unit(7, n + 1) - 0.5));
    c->z[c->count] = (float)(z + jitter * (random_unit(7, n + 2) - 0.5));
    c->count++;
}

/* A ball (a disc in 2D) of unit spacing. */
static inline void cloud_add_ball(cloud *c, int dim, double radius, double jitter)
{
    int n = (int)radius + 1;
    for (int k = dim == 3 ? -n : 0; k < (dim == 3 ? n : 1); k++)
        for (int j = -n; j < n; j++)
            for (int i = -n; i < n; i++) {
                double x = i + 0.5, y = j + 0.5, z = dim == 3 ? k + 0.5 : 0;
                if (x * x + y * y + z * z <= radius * radius)
                    cloud_add(c, x, y, z, jitter);
            }
}

static inline surface_particles cloud_view(const cloud *c, int dim, double spacing)
{
    return (surface_particles){.count = c->count,
                               .dim = dim,
                               .spacing = spacing,
                               .x = c->x,
                               .y = c->y,
                               .z = dim == 3 ? c->z : NULL};
}

typedef struct half_edge {
    uint32_t from, to;
} half_edge;

static inline int cloud_compare_edges(const void *a, const void *b)
{
    const half_edge *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* Every edge has exactly two triangles, which run along it in opposite directions, and no vertex
 * is unused. */
static inline void assert_closed(const uint32_t *triangles, size_t count, size_t vertices)
{
    half_edge *edges = malloc((3 * count + 1) * sizeof *edges);
    uint32_t *degree = calloc(vertices + 1, sizeof *degree);
    assert_non_null(edges);
    assert_non_null(degree);
    for (size_t t = 0; t < count; t++)
        for (int k = 0; k < 3; k++) {
            uint32_t from = triangles[3 * t + (size_t)k];
            uint32_t to = triangles[3 * t + (size_t)((k + 1) % 3)];
            assert_true(from != to && from < vertices);
            edges[3 * t + (size_t)k] = (half_edge){from, to};
            degree[from]++;
        }
    qsort(edges, 3 * count, sizeof *edges, cloud_compare_edges);
    for (size_t i = 0; i < 3 * count; i++) {
        half_edge back = {edges[i].to, edges[i].from};
        assert_false(i > 0 && cloud_compare_edges(&edges[i], &edges[i - 1]) == 0);
        assert_non_null(bsearch(&back, edges, 3 * count, sizeof back, cloud_compare_edges));
    }
    for (size_t v = 0; v < vertices; v++)
        assert_true(degree[v] >= 3);
    free(edges);
    free(degree);
}

/* The triangles around each vertex form one fan: walking around it meets all of them. */
static inline void assert_single_fans(const uint32_t *triangles, size_t count, size_t vertices)
{
    /* next[3t + k]: the vertex after the corner; a fan is walked by matching far edges. */
    size_t *start = calloc(vertices + 2, sizeof *start), *fill = calloc(vertices + 1, sizeof *fill);
    half_edge *far = malloc((3 * count + 1) * sizeof *far);
    assert_true(start && fill && far);
    for (size_t i = 0; i < 3 * count; i++)
        start[triangles[i] + 1]++;
    for (size_t v = 0; v < vertices; v++)
        start[v + 1] += start[v];
    for (size_t t = 0; t < count; t++)
        for (size_t k = 0; k < 3; k++) {
            uint32_t v = triangles[3 * t + k];
            far[start[v] + fill[v]++] =
                (half_edge){triangles[3 * t + (k + 1) % 3], triangles[3 * t + (k + 2) % 3]};
        }
    for (size_t v = 0; v < vertices; v++) {
        size_t degree = start[v + 1] - start[v], steps = 0;
        uint32_t first = far[start[v]].from, at = first;
        do {
            size_t k = start[v];
            while (k < start[v + 1] && far[k].from != at)
                k++;
            assert_true(k < start[v + 1]);
            at = far[k].to;
            steps++;
        } while (at != first && steps <= degree);
        assert_int_equal(steps, degree);
    }
    free(start);
    free(fill);
    free(far);
}

#endif
