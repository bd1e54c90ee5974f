/* Fills holes. At every edge the triangles that run one way must cancel those that run the other
 * way; where they do not, the missing sides form closed loops, because the boundary of a boundary
 * is empty. Covering these loops therefore always gives a closed mesh. */
#include "base/error.h"
#include "mesh/mesh_edges.h"
#include "mesh/mesh_repair.h"

#include <stdlib.h>

enum { LARGEST_COVER = 256 };

static const uint32_t none = UINT32_MAX;

/* The missing sides, sorted by the point they start from. */
typedef struct missing_sides {
    uint32_t *start; /* by point, and one more */
    uint32_t *to;
    uint32_t *used;  /* by point: how many of its sides are in a loop already */
    uint32_t *place; /* by point: where it stands in the path, or none */
    uint32_t *path;
    size_t count;
} missing_sides;

typedef struct hole_filler {
    triangle_mesh *mesh;
    missing_sides sides;
    size_t hole_count;
    double (*cost)[LARGEST_COVER]; /* of the best cover of the chain from i to j */
    uint16_t (*middle)[LARGEST_COVER];
    weir_error *error;
} hole_filler;

static void free_sides(missing_sides *m)
{
    free(m->start);
    free(m->to);
    free(m->used);
    free(m->place);
    free(m->path);
}

/* The sides an edge lacks: as many as it is out of balance, in the direction that cancels. */
static size_t missing_at(const mesh_edges *edges, size_t begin, size_t end, uint32_t *from,
                         uint32_t *to)
{
    int64_t balance = mesh_edges_balance(edges, begin, end);
    const mesh_side *side = &edges->sides[begin];
    *from = balance > 0 ? side->b : side->a;
    *to = balance > 0 ? side->a : side->b;
    return (size_t)(balance > 0 ? balance : -balance);
}

static bool collect_sides(missing_sides *m, const triangle_mesh *mesh, const mesh_edges *edges,
                          weir_error *error)
{
    uint32_t from;
    uint32_t to;
    size_t points = mesh->point_count;
    for (size_t begin = 0, end = 0; mesh_edges_next(edges, &begin, &end);)
        m->count += missing_at(edges, begin, end, &from, &to);
    m->start = calloc(points + 2, sizeof *m->start);
    m->to = malloc(m->count * sizeof *m->to + 1);
    m->used = calloc(points + 1, sizeof *m->used);
    m->place = malloc(points * sizeof *m->place + 1);
    m->path = malloc((m->count + 1) * sizeof *m->path);
    if (!m->start || !m->to || !m->used || !m->place || !m->path)
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory to fill the holes of a mesh");
    for (size_t i = 0; i < points; i++)
        m->place[i] = none;
    for (size_t begin = 0, end = 0; mesh_edges_next(edges, &begin, &end);) {
        size_t lacking = missing_at(edges, begin, end, &from, &to);
        m->start[from + 2] += (uint32_t)lacking;
    }
    for (size_t i = 0; i < points; i++)
        m->start[i + 1] += m->start[i];
    for (size_t begin = 0, end = 0; mesh_edges_next(edges, &begin, &end);)
        for (size_t n = missing_at(edges, begin, end, &from, &to); n > 0; n--)
            m->to[m->start[from + 1]++] = to;
    return true;
}

static double area(const triangle_mesh *mesh, uint32_t a, uint32_t b, uint32_t c)
{
    vec3 p = mesh->points[a];
    return vec3_length(vec3_cross(vec3_sub(mesh->points[b], p), vec3_sub(mesh->points[c], p))) / 2;
}

/* Adds the triangles of the chain's best cover; the stack holds chains that are still to do. */
static bool add_cover(hole_filler *f, const uint32_t *loop, size_t count)
{
    uint16_t stack[LARGEST_COVER][2];
    size_t depth = 0;
    stack[depth][0] = 0;
    stack[depth++][1] = (uint16_t)(count - 1);
    while (depth > 0) {
        uint16_t i = stack[--depth][0];
        uint16_t j = stack[depth][1];
        if (j - i < 2)
            continue;
        uint16_t m = f->middle[i][j];
        if (!triangle_mesh_add_triangle(f->mesh, loop[i], loop[m], loop[j], f->error))
            return false;
        stack[depth][0] = i;
        stack[depth++][1] = m;
        stack[depth][0] = m;
        stack[depth++][1] = j;
    }
    return true;
}

/* Least area: the cover of a chain i..j is the triangle i, m, j and the covers of i..m and m..j. */
static bool cover_small(hole_filler *f, const uint32_t *loop, size_t count)
{
    for (size_t i = 0; i + 1 < count; i++)
        f->cost[i][i + 1] = 0;
    for (size_t length = 2; length < count; length++)
        for (size_t i = 0; i + length < count; i++) {
            size_t j = i + length;
            f->cost[i][j] = INFINITY;
            for (size_t m = i + 1; m < j; m++) {
                double cost =
                    f->cost[i][m] + f->cost[m][j] + area(f->mesh, loop[i], loop[m], loop[j]);
                if (cost < f->cost[i][j]) {
                    f->cost[i][j] = cost;
                    f->middle[i][j] = (uint16_t)m;
                }
            }
        }
    return add_cover(f, loop, count);
}

static bool cover_large(hole_filler *f, const uint32_t *loop, size_t count)
{
    vec3 sum = {0, 0, 0};
    for (size_t i = 0; i < count; i++)
        sum = vec3_add(sum, f->mesh->points[loop[i]]);
    uint32_t centre = (uint32_t)f->mesh->point_count;
    if (!triangle_mesh_add_point(f->mesh, vec3_scale(sum, 1 / (double)count), f->error))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!triangle_mesh_add_triangle(f->mesh, loop[i], loop[(i + 1) % count], centre, f->error))
            return false;
    return true;
}

static bool cover(hole_filler *f, const uint32_t *loop, size_t count)
{
    f->hole_count++;
    return count <= LARGEST_COVER ? cover_small(f, loop, count) : cover_large(f, loop, count);
}

/* Walks along missing sides from `point` and covers every loop at the moment it closes. */
static bool cover_from(hole_filler *f, uint32_t point)
{
    missing_sides *m = &f->sides;
    size_t length = 0;
    for (;;) {
        if (m->place[point] != none) {
            size_t first = m->place[point];
            if (!cover(f, m->path + first, length - first))
                return false;
            for (size_t i = first; i < length; i++)
                m->place[m->path[i]] = none;
            length = first;
        }
        uint32_t side = m->start[point] + m->used[point];
        if (side == m->start[point + 1])
            return true;
        m->used[point]++;
        m->place[point] = (uint32_t)length;
        m->path[length++] = point;
        point = m->to[side];
    }
}

static bool fill(hole_filler *f, const mesh_edges *edges)
{
    f->cost = malloc(LARGEST_COVER * sizeof *f->cost);
    f->middle = malloc(LARGEST_COVER * sizeof *f->middle);
    if (!f->cost || !f->middle)
        return fail(f->error, WEIR_OUT_OF_MEMORY, "no memory to fill the holes of a mesh");
    if (!collect_sides(&f->sides, f->mesh, edges, f->error))
        return false;
    size_t points = f->mesh->point_count;
    for (uint32_t p = 0; p < points; p++)
        while (f->sides.start[p] + f->sides.used[p] < f->sides.start[p + 1])
            if (!cover_from(f, p))
                return false;
    return true;
}

bool mesh_repair_fill(triangle_mesh *mesh, size_t *holes, size_t *triangles, weir_error *error)
{
    size_t before = mesh->triangle_count;
    hole_filler f = {.mesh = mesh, .error = error};
    mesh_edges edges;
    if (!mesh_edges_build(&edges, mesh, error))
        return false;
    bool ok = fill(&f, &edges);
    *holes = f.hole_count;
    *triangles = mesh->triangle_count - before;
    free_sides(&f.sides);
    free(f.cost);
    free(f.middle);
    mesh_edges_free(&edges);
    return ok;
}
