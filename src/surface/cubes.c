/* The table is derived, not copied. On each face, every run of inside corners is cut off from the
 * rest by one segment; where two inside corners face each other diagonally they stay apart. This
 * rule looks at one face alone, so that the two cells at a face always agree. The segments of the
 * six faces chain into loops, one per piece of surface, and each loop is cut into triangles.
 * No diagonal of a loop may lie in a face: the cell beyond could choose the same one, and four
 * triangles would share an edge. So the surface is closed and manifold by construction. */
#include "surface/cubes.h"

#include <stddef.h>

int cube_edge_corner(int edge)
{
    int axis = edge / 4, k = edge % 4;
    int first = axis == 0 ? 2 : 1, second = axis == 2 ? 2 : 4;
    return (k & 1 ? first : 0) | (k & 2 ? second : 0);
}

static int edge_between(int a, int b)
{
    int low = a & b, bit = a ^ b;
    for (int edge = 0; edge < CUBE_EDGES; edge++)
        if (cube_edge_corner(edge) == low && 1 << edge / 4 == bit)
            return edge;
    return -1;
}

/* The corners of face (axis, side) in cyclic order, counter-clockwise seen from outside. */
static void face_corners(int axis, int side, int corners[4])
{
    int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, base = side ? 1 << axis : 0;
    int cycle[4] = {base, base | u, base | u | v, base | v};
    for (int i = 0; i < 4; i++)
        corners[i] = cycle[side ? i : 3 - i];
}

static bool share_face(int a, int b)
{
    for (int axis = 0; axis < 3; axis++) {
        if (axis == a / 4 || axis == b / 4)
            continue;
        if ((cube_edge_corner(a) >> axis & 1) == (cube_edge_corner(b) >> axis & 1))
            return true;
    }
    return false;
}

/* next[edge] is the edge that follows in its loop, or −1. Seen from outside the cell, the inside
 * lies left of a segment from where the boundary of the face enters it to where it leaves it. */
static void link_segments(int inside, int next[CUBE_EDGES])
{
    for (int edge = 0; edge < CUBE_EDGES; edge++)
        next[edge] = -1;
    for (int face = 0; face < 6; face++) {
        int c[4];
        face_corners(face / 2, face % 2, c);
        for (int i = 0; i < 4; i++) {
            bool enters = !(inside >> c[i] & 1) && inside >> c[(i + 1) % 4] & 1;
            if (!enters)
                continue;
            int last = i + 1;
            while (inside >> c[(last + 1) % 4] & 1)
                last++;
            next[edge_between(c[i], c[(i + 1) % 4])] = edge_between(c[last % 4], c[(last + 1) % 4]);
        }
    }
}

/* Cuts loop[from..to] into triangles with the chord from–to as base. */
static bool cut(const int *loop, int from, int to, cube_case *out)
{
    if (to - from < 2)
        return true;
    for (int apex = from + 1; apex < to; apex++) {
        if ((apex > from + 1 && share_face(loop[from], loop[apex])) ||
            (apex < to - 1 && share_face(loop[apex], loop[to])))
            continue;
        uint8_t mark = out->count;
        if (mark < CUBE_MAX_TRIANGLES) {
            uint8_t *t = out->edges[out->count++];
            t[0] = (uint8_t)loop[from], t[1] = (uint8_t)loop[apex], t[2] = (uint8_t)loop[to];
            if (cut(loop, from, apex, out) && cut(loop, apex, to, out))
                return true;
        }
        out->count = mark;
    }
    return false;
}

static bool build_case(int inside, cube_case *out)
{
    int next[CUBE_EDGES];
    link_segments(inside, next);
    out->count = 0;
    for (int start = 0; start < CUBE_EDGES; start++) {
        int loop[CUBE_EDGES], length = 0;
        for (int edge = start; next[edge] >= 0;) {
            loop[length++] = edge;
            int following = next[edge];
            next[edge] = -1;
            edge = following;
        }
        if (length > 0 && !cut(loop, 0, length - 1, out))
            return false;
    }
    return true;
}

bool cube_table_build(cube_table *table)
{
    for (int edge = 0; edge < CUBE_EDGES; edge++)
        table->low[edge] = (uint8_t)cube_edge_corner(edge);
    for (int inside = 0; inside < 256; inside++)
        if (!build_case(inside, &table->cases[inside]))
            return false;
    return true;
}
