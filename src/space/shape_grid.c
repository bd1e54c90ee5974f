/* Trilinear distance fields (bilinear in 2D). The solid is what the samples say within the grid:
 * outside of it d = sqrt(way² + max(d', 0)²) with d' at the nearest point of the grid, the best
 * lower bound that is known there. */
#include "space/shape_grid.h"

#include "base/error.h"
#include "space/box_tree.h"

/* Distances change by a step between neighbours at most; some slack for fields that were made
 * with single precision or by marching. */
static const double MAX_SLOPE = 1.25;

static size_t sample_count(const int count[3])
{
    return (size_t)count[0] * (size_t)count[1] * (size_t)count[2];
}

static bool check_layout(const weir_grid_def *def, int dim, weir_error *error)
{
    if (!def || !def->distances)
        return fail(error, WEIR_INVALID, "grid: it has no samples; `grid` must point to them");
    if (!vec3_is_finite(def->origin))
        return fail(error, WEIR_INVALID, "grid: its origin is (%g, %g, %g); it must be finite",
                    def->origin.x, def->origin.y, def->origin.z);
    if (!(def->step > 0) || !isfinite(def->step))
        return fail(error, WEIR_INVALID, "grid: its step is %g m; it must be above 0", def->step);
    for (int axis = 0; axis < 3; axis++) {
        int least = axis < dim ? 2 : 1, most = axis < dim ? 1 << 20 : 1;
        if (def->count[axis] < least || def->count[axis] > most)
            return fail(error, WEIR_INVALID,
                        "grid: %d samples along %c; from %d to %d are allowed in %dD",
                        def->count[axis], "xyz"[axis], least, most, dim);
    }
    return true;
}

static bool check_sample(const weir_grid_def *def, int i, int j, int k, weir_error *error)
{
    size_t row = (size_t)def->count[0], plane = row * (size_t)def->count[1];
    size_t at = (size_t)i + (size_t)j * row + (size_t)k * plane;
    double value = def->distances[at];
    if (!isfinite(value))
        return fail(error, WEIR_INVALID, "grid: sample (%d, %d, %d) is %g; it must be finite", i, j,
                    k, value);
    size_t stride[3] = {1, row, plane};
    int index[3] = {i, j, k};
    for (int axis = 0; axis < 3; axis++) {
        if (index[axis] == 0)
            continue;
        double change = fabs(value - (double)def->distances[at - stride[axis]]);
        if (change > MAX_SLOPE * def->step)
            return fail(error, WEIR_INVALID,
                        "grid: sample (%d, %d, %d) differs by %g m from its neighbour along %c, "
                        "%g m away; distances cannot change faster than the way",
                        i, j, k, change, "xyz"[axis], def -> step);
    }
    return true;
}

static vec3 sample_position(const grid_field *g, int i, int j, int k)
{
    return (vec3){g->origin.x + i * g->step, g->origin.y + j * g->step, g->origin.z + k * g->step};
}

static void widen_solid(grid_field *g, vec3 p)
{
    g->lo = (vec3){fmin(g->lo.x, p.x), fmin(g->lo.y, p.y), fmin(g->lo.z, p.z)};
    g->hi = (vec3){fmax(g->hi.x, p.x), fmax(g->hi.y, p.y), fmax(g->hi.z, p.z)};
}

/* Checks and copies all samples and finds the box around the solid. */
static bool copy_samples(grid_field *g, const weir_grid_def *def, weir_error *error)
{
    bool any = false;
    g->lo = (vec3){INFINITY, INFINITY, INFINITY};
    g->hi = (vec3){-INFINITY, -INFINITY, -INFINITY};
    size_t at = 0;
    for (int k = 0; k < def->count[2]; k++)
        for (int j = 0; j < def->count[1]; j++)
            for (int i = 0; i < def->count[0]; i++, at++) {
                if (!check_sample(def, i, j, k, error))
                    return false;
                g->distances[at] = def->distances[at];
                if (def->distances[at] < 0) {
                    widen_solid(g, sample_position(g, i, j, k));
                    any = true;
                }
            }
    if (!any)
        return fail(error, WEIR_INVALID,
                    "grid: no sample is negative, so the solid is empty; distances are negative "
                    "inside, and the step must be finer than the solid");
    double s = g->step;
    g->lo = (vec3){fmax(g->origin.x, g->lo.x - s), fmax(g->origin.y, g->lo.y - s),
                   fmax(g->origin.z, g->lo.z - s)};
    g->hi = (vec3){fmin(g->end.x, g->hi.x + s), fmin(g->end.y, g->hi.y + s),
                   fmin(g->end.z, g->hi.z + s)};
    return true;
}

grid_field *grid_field_create(memory *m, const weir_grid_def *def, int dim, weir_error *error)
{
    if (!check_layout(def, dim, error))
        return NULL;
    size_t samples = sample_count(def->count);
    grid_field *g = memory_take(m, sizeof *g);
    if (g) {
        g->origin = def->origin;
        g->step = def->step;
        for (int axis = 0; axis < 3; axis++)
            g->count[axis] = def->count[axis];
        if (dim == 2)
            g->origin.z = 0;
        g->end = sample_position(g, g->count[0] - 1, g->count[1] - 1, g->count[2] - 1);
        g->distances = memory_take(m, samples * sizeof *g->distances);
    }
    if (!g || !g->distances)
        fail(error, WEIR_OUT_OF_MEMORY, "grid: no memory for %d x %d x %d samples", def->count[0],
             def->count[1], def->count[2]);
    else if (copy_samples(g, def, error))
        return g;
    grid_field_destroy(m, g);
    return NULL;
}

void grid_field_destroy(memory *m, grid_field *g)
{
    if (!g)
        return;
    memory_give(m, g->distances, sample_count(g->count) * sizeof *g->distances);
    memory_give(m, g, sizeof *g);
}

size_t grid_field_bytes(const grid_field *g)
{
    return sizeof *g + sample_count(g->count) * sizeof *g->distances;
}

/* The cell of coordinate u along an axis of `count` samples, and where in it. */
static int find_cell(double u, int count, double *within)
{
    if (count < 2) {
        *within = 0;
        return 0;
    }
    int cell = (int)u;
    if (cell > count - 2)
        cell = count - 2;
    *within = u - cell;
    return cell;
}

static double mix(double a, double b, double t)
{
    return a + t * (b - a);
}

/* The interpolant at a point of the grid's box, and its derivative. */
static double interpolate(const grid_field *g, vec3 p, vec3 *slope)
{
    double u, v, w;
    int i = find_cell((p.x - g->origin.x) / g->step, g->count[0], &u);
    int j = find_cell((p.y - g->origin.y) / g->step, g->count[1], &v);
    int k = find_cell((p.z - g->origin.z) / g->step, g->count[2], &w);
    size_t row = (size_t)g->count[0], plane = row * (size_t)g->count[1];
    const float *c = g->distances + (size_t)i + (size_t)j * row + (size_t)k * plane;
    size_t up = g->count[2] > 1 ? plane : 0;
    double c00 = c[0], c10 = c[1], c01 = c[row], c11 = c[row + 1];
    double e00 = c[up], e10 = c[up + 1], e01 = c[up + row], e11 = c[up + row + 1];
    double bottom = mix(mix(c00, c10, u), mix(c01, c11, u), v);
    double top = mix(mix(e00, e10, u), mix(e01, e11, u), v);
    slope->x = mix(mix(c10 - c00, c11 - c01, v), mix(e10 - e00, e11 - e01, v), w) / g->step;
    slope->y =
        (mix(mix(c01, c11, u), mix(e01, e11, u), w) - mix(mix(c00, c10, u), mix(e00, e10, u), w)) /
        g->step;
    slope->z = (top - bottom) / g->step;
    return mix(bottom, top, w);
}

/* Distance to the nearest face of the grid from inside, negative; `out` is that face's normal. */
static double border_distance(const grid_field *g, vec3 p, vec3 *out)
{
    double gaps[6] = {g->origin.x - p.x, p.x - g->end.x,    g->origin.y - p.y,
                      p.y - g->end.y,    g->origin.z - p.z, p.z - g->end.z};
    vec3 normals[6] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    int faces = g->count[2] > 1 ? 6 : 4, best = 0;
    for (int f = 1; f < faces; f++)
        if (gaps[f] > gaps[best])
            best = f;
    *out = normals[best];
    return gaps[best];
}

double grid_field_distance(const grid_field *g, vec3 point, vec3 *gradient)
{
    vec3 inside = {clamp(point.x, g->origin.x, g->end.x), clamp(point.y, g->origin.y, g->end.y),
                   clamp(point.z, g->origin.z, g->end.z)};
    vec3 slope, way = vec3_sub(point, inside);
    double d = interpolate(g, inside, &slope), length = vec3_length(way);
    if (length > 0) {
        double d0 = fmax(d, 0), far = sqrt(length * length + d0 * d0);
        if (gradient) {
            vec3 along = {way.x != 0 ? 0 : slope.x, way.y != 0 ? 0 : slope.y,
                          way.z != 0 ? 0 : slope.z};
            *gradient = vec3_unit(vec3_madd(way, d0, along), (vec3){0, 1, 0});
        }
        return far;
    }
    vec3 out;
    double border = border_distance(g, inside, &out);
    if (border > d) {
        d = border;
        slope = out;
    }
    if (gradient)
        *gradient = vec3_unit(slope, (vec3){0, 1, 0});
    return d;
}
