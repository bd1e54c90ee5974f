/* Every line of samples along x is a ray. A triangle that it crosses adds +1 behind the crossing
 * where the ray enters and -1 where it leaves; running sums are the winding numbers.
 *
 * A ray through an edge or a corner must count as often as its neighbours do, or everything behind
 * it is wrong. So y and z of the points are rounded to whole numbers, for which "left or right of
 * an edge" is exact, and a ray that meets an edge is moved by an infinitely small amount, first in
 * y, then in z (Edelsbrunner and Mücke 1990, "Simulation of simplicity"). Both triangles at an
 * edge then agree who is hit. The rounding is 2^-30 of the grid's width. */
#include "mesh/mesh_winding.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static const double resolution = 0x1p30; /* products of two differences fit into 62 bits */

typedef struct flat_point {
    int64_t y, z;
} flat_point;

typedef struct ray_grid {
    vec3 origin;
    double step;
    const int *count;
    double unit;      /* m for a whole number */
    flat_point *flat; /* the points of the mesh */
    flat_point *rays; /* y of each column and z of each row, at the same index */
    float *winding;
} ray_grid;

static int64_t snap(const ray_grid *g, double offset)
{
    return (int64_t)llround(offset / g->unit);
}

/* Positive where `ray` lies to the left of the way from p to q; never 0 unless p and q coincide.
 * Exchanging p and q exchanges the sign. */
static int side_of(flat_point p, flat_point q, flat_point ray)
{
    int64_t dy = q.y - p.y;
    int64_t dz = q.z - p.z;
    int64_t turn = dy * (ray.z - p.z) - dz * (ray.y - p.y);
    if (turn != 0)
        return turn > 0 ? 1 : -1;
    if (dz != 0)
        return dz < 0 ? 1 : -1;
    return (dy > 0) - (dy < 0);
}

/* +1 where the triangle runs anticlockwise around the ray, -1 for clockwise, 0 for a miss. */
static int hit(const flat_point p[3], flat_point ray)
{
    int first = side_of(p[0], p[1], ray);
    if (side_of(p[1], p[2], ray) != first || side_of(p[2], p[0], ray) != first)
        return 0;
    return first;
}

/* x where the ray meets the plane of the triangle. */
static double crossing(const triangle_mesh *mesh, const triangle *t, const flat_point p[3],
                       flat_point ray)
{
    double weight[3];
    double sum = 0;
    for (int c = 0; c < 3; c++) {
        flat_point from = p[(c + 1) % 3];
        flat_point to = p[(c + 2) % 3];
        int64_t turn = (to.y - from.y) * (ray.z - from.z) - (to.z - from.z) * (ray.y - from.y);
        weight[c] = fabs((double)turn);
        sum += weight[c];
    }
    /* Not 0: a triangle without area here has its three turns add up to 0 wherever the ray is moved
     * to, so they never have the same sign, and it is never hit. */
    double x = 0;
    for (int c = 0; c < 3; c++)
        x += weight[c] / sum * mesh->points[t->corner[c]].x;
    return x;
}

static void count_crossing(ray_grid *g, double x, int turn, int column, int row)
{
    double behind = floor((x - g->origin.x) / g->step) + 1;
    if (behind >= g->count[0])
        return;
    size_t sample = behind > 0 ? (size_t)behind : 0;
    size_t line = (size_t)row * (size_t)g->count[1] + (size_t)column;
    /* Anticlockwise in (y, z) means that the normal points along x: the ray leaves. */
    g->winding[line * (size_t)g->count[0] + sample] += (float)-turn;
}

static int clamp_index(double value, int count)
{
    return value < 0 ? 0 : value > count - 1 ? count - 1 : (int)value;
}

/* The columns that the triangle may cover in the row at height z, a column more on either side. */
static void find_columns(const ray_grid *g, const flat_point p[3], int64_t z, int range[2])
{
    double lowest = INFINITY;
    double highest = -INFINITY;
    for (int c = 0; c < 3; c++) {
        flat_point a = p[c];
        flat_point b = p[(c + 1) % 3];
        if ((a.z > z && b.z > z) || (a.z < z && b.z < z))
            continue;
        double start = a.z == b.z ? 0 : (double)(z - a.z) / (double)(b.z - a.z);
        double end = a.z == b.z ? 1 : start;
        double y0 = (double)a.y + start * (double)(b.y - a.y);
        double y1 = (double)a.y + end * (double)(b.y - a.y);
        lowest = fmin(lowest, fmin(y0, y1));
        highest = fmax(highest, fmax(y0, y1));
    }
    double columns = g->unit / g->step;
    range[0] = clamp_index(floor(lowest * columns) - 1, g->count[1]);
    range[1] = highest < lowest ? -1 : clamp_index(ceil(highest * columns) + 1, g->count[1]);
}

static void cross_triangle(ray_grid *g, const triangle_mesh *mesh, const triangle *t)
{
    flat_point p[3];
    for (int c = 0; c < 3; c++)
        p[c] = g->flat[t->corner[c]];
    int64_t low = p[0].z < p[1].z ? p[0].z : p[1].z;
    int64_t high = p[0].z > p[1].z ? p[0].z : p[1].z;
    low = p[2].z < low ? p[2].z : low;
    high = p[2].z > high ? p[2].z : high;
    double rows = g->unit / g->step;
    int first = clamp_index(floor((double)low * rows) - 1, g->count[2]);
    int last = clamp_index(ceil((double)high * rows) + 1, g->count[2]);
    for (int row = first; row <= last; row++) {
        int64_t z = g->rays[row].z;
        if (z < low || z > high)
            continue;
        int range[2];
        find_columns(g, p, z, range);
        for (int column = range[0]; column <= range[1]; column++) {
            flat_point ray = {g->rays[column].y, z};
            int turn = hit(p, ray);
            if (turn != 0)
                count_crossing(g, crossing(mesh, t, p, ray), turn, column, row);
        }
    }
}

static void flatten(ray_grid *g, const triangle_mesh *mesh)
{
    for (size_t i = 0; i < mesh->point_count; i++)
        g->flat[i] = (flat_point){snap(g, mesh->points[i].y - g->origin.y),
                                  snap(g, mesh->points[i].z - g->origin.z)};
    int longest = g->count[1] > g->count[2] ? g->count[1] : g->count[2];
    for (int i = 0; i < longest; i++)
        g->rays[i].y = g->rays[i].z = snap(g, i * g->step);
}

bool mesh_winding(const triangle_mesh *mesh, vec3 origin, double step, const int count[3],
                  float *winding, weir_error *error)
{
    int longest = count[1] > count[2] ? count[1] : count[2];
    ray_grid g = {origin, step, count, longest * step / resolution, NULL, NULL, winding};
    g.flat = calloc(mesh->point_count + 1, sizeof *g.flat);
    g.rays = calloc((size_t)longest, sizeof *g.rays);
    bool ok = g.flat && g.rays;
    if (ok) {
        size_t lines = (size_t)count[1] * (size_t)count[2];
        memset(winding, 0, lines * (size_t)count[0] * sizeof *winding);
        flatten(&g, mesh);
        for (size_t t = 0; t < mesh->triangle_count; t++)
            cross_triangle(&g, mesh, &mesh->triangles[t]);
        for (size_t line = 0; line < lines; line++)
            for (size_t i = 1; i < (size_t)count[0]; i++)
                winding[line * (size_t)count[0] + i] += winding[line * (size_t)count[0] + i - 1];
    } else {
        fail(error, WEIR_OUT_OF_MEMORY, "no memory for the inside of a mesh of %zu points",
             mesh->point_count);
    }
    free(g.flat);
    free(g.rays);
    return ok;
}
