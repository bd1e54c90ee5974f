/* Surface samples of any bounded shape. Primitives have structured samples (surface_outline.c).
 * Unions collect those of their parts, drop what is not on the surface of the whole, thin what
 * doubles, and divide the area anew. Grids and rounded bodies have a lattice of points projected
 * onto their surface. Areas that are not known are summed over fine lattice cells,
 * dA = -grad(coverage).n dV, and given to the nearest sample. */
#include "space/surface_sample.h"

#include "base/error.h"
#include "space/point_hash.h"
#include "space/shape_coverage.h"
#include "space/shape_node.h"
#include "space/solid_lattice.h"
#include "space/surface_outline.h"

static const double MAX_POINTS = 1e7;

static void place_samples(surface_samples *out, size_t first, pose place)
{
    for (size_t i = first; i < out->count; i++) {
        surface_point *p = &out->points[i];
        p->position = pose_point(place, p->position);
        p->normal = quat_rotate(place.rotation, p->normal);
    }
}

static double bounds_area(bounds b, int dim)
{
    double x = b.hi.x - b.lo.x, y = b.hi.y - b.lo.y, z = b.hi.z - b.lo.z;
    return dim == 3 ? 2 * (x * y + y * z + z * x) : 2 * (x + y);
}

/* Looks for a sample close to a place and facing about the same way. */
typedef struct double_search {
    const surface_point *points;
    vec3 position, normal;
    double distance;
    bool found;
} double_search;

static void compare_double(void *user, size_t index)
{
    double_search *d = user;
    const surface_point *p = &d->points[index];
    if (vec3_dot(p->normal, d->normal) > 0.7 &&
        vec3_length(vec3_sub(p->position, d->position)) < d->distance)
        d->found = true;
}

static bool is_double(const point_hash *h, const surface_point *points, surface_point p,
                      double distance, int dim)
{
    double_search d = {points, p.position, p.normal, distance, false};
    point_hash_near(h, p.position, 1, dim, compare_double, &d);
    return d.found;
}

typedef struct projection {
    sampler *to;
    const shape *s;
    point_hash hash;
    size_t first; /* sample of the hash's point 0 */
} projection;

/* Follows the distance to the surface; keeps the point if there is none close to it yet. */
static void project_cell(void *user, vec3 p)
{
    projection *j = user;
    double spacing = j->to->spacing, d = INFINITY;
    vec3 normal = {0, 1, 0};
    for (int i = 0; i < 12; i++) {
        d = shape_distance(j->s, p, &normal);
        if (fabs(d) < 1e-9 * spacing)
            break;
        p = vec3_madd(p, -d, normal);
    }
    surface_point found = {p, normal, 0};
    if (fabs(d) > 1e-3 * spacing || j->to->failed ||
        is_double(&j->hash, j->to->out->points + j->first, found, 0.75 * spacing, j->s->dim))
        return;
    sampler_add(j->to, p, normal, 0);
    if (!j->to->failed && !point_hash_add(&j->hash, j->to->m, p))
        j->to->failed = true;
}

/* Samples in the parent's frame of a shape without structure. */
static void project_surface(sampler *to, const shape *s)
{
    bounds area = s->endless ? s->extent : s->surface;
    double pitch = to->spacing / (s->dim == 3 ? 2 : 3);
    projection j = {.to = to, .s = s, .first = to->out->count};
    solid_lattice lattice = {s, area, pitch, pitch, project_cell, NULL, &j};
    double expected = bounds_area(area, s->dim) / (to->spacing * to->spacing);
    if (!point_hash_create(&j.hash, to->m, to->spacing, (size_t)fmin(expected, MAX_POINTS)))
        to->failed = true;
    else
        solid_lattice_visit(&lattice);
    point_hash_destroy(&j.hash, to->m);
}

/* Samples of the surfaces of all parts, in the parent's frame. True if their areas are exact and
 * nothing can be hidden: the shape is one primitive. */
static bool collect(sampler *to, const shape *s)
{
    size_t first = to->out->count;
    if (sample_primitive(to, s)) {
        place_samples(to->out, first, s->place);
        return true;
    }
    if (s->kind != WEIR_SHAPE_UNION || s->rounding > 0 || s->endless) {
        project_surface(to, s);
        return false;
    }
    for (size_t i = 0; i < s->child_count; i++)
        collect(to, &s->children[i]);
    place_samples(to->out, first, s->place);
    return false;
}

/* Looks around a candidate: false if no free space is near it. Otherwise the normal becomes the
 * mean of those that the free space sees, which at an edge is the mean of the faces. Where that is
 * less than a half-space, in a hollow edge, the normal points to it. */
static bool is_exposed(const shape *s, surface_point *p, double spacing)
{
    double step = 0.01 * spacing, sense = 0.1 * step;
    if (fabs(shape_distance(s, p->position, NULL)) > sense)
        return false;
    vec3 normals = {0, 0, 0}, ways = {0, 0, 0};
    int reach_z = s->dim == 3 ? 1 : 0, count = 0, few = s->dim == 3 ? 5 : 2;
    for (int k = -reach_z; k <= reach_z; k++)
        for (int j = -1; j <= 1; j++)
            for (int i = -1; i <= 1; i++) {
                vec3 normal, way = {i, j, k};
                if (shape_distance(s, vec3_madd(p->position, step, way), &normal) <= sense)
                    continue;
                normals = vec3_add(normals, normal);
                ways = vec3_add(ways, vec3_unit(way, way));
                count++;
            }
    p->normal = vec3_unit(count < few ? ways : normals, p->normal);
    return count > 0;
}

/* Keeps what is on the surface of the whole, each place once, with area 0. */
static bool keep_exposed(sampler *to, const shape *s)
{
    surface_samples *out = to->out;
    point_hash hash;
    if (!point_hash_create(&hash, to->m, to->spacing, out->count))
        return false;
    size_t kept = 0;
    bool enough = true;
    for (size_t i = 0; i < out->count && enough; i++) {
        surface_point p = out->points[i];
        if (!is_exposed(s, &p, to->spacing) ||
            is_double(&hash, out->points, p, 0.45 * to->spacing, s->dim))
            continue;
        p.area = 0;
        out->points[kept++] = p;
        enough = point_hash_add(&hash, to->m, p.position);
    }
    out->count = kept;
    point_hash_destroy(&hash, to->m);
    return enough;
}

typedef struct area_share {
    const shape *s;
    surface_samples *out;
    point_hash hash;
    double cell, spacing, weight;
    vec3 position, normal; /* of the piece that looks for its sample */
    double best;
    size_t nearest;
} area_share;

/* Prefers samples that face the same way, so that thin walls keep their sides apart. */
static void compare_share(void *user, size_t index)
{
    area_share *a = user;
    const surface_point *p = &a->out->points[index];
    vec3 way = vec3_sub(p->position, a->position);
    double turned = 1 - vec3_dot(p->normal, a->normal);
    double cost = vec3_dot(way, way) + turned * a->spacing * a->spacing;
    if (cost < a->best || (cost == a->best && index < a->nearest)) {
        a->best = cost;
        a->nearest = index;
    }
}

static void share_cell(void *user, vec3 p)
{
    area_share *a = user;
    double c = a->cell, volume = a->s->dim == 3 ? c * c * c : c * c;
    vec3 x = {c, 0, 0}, y = {0, c, 0}, z = {0, 0, c}, slope = {0, 0, 0};
    slope.x = shape_coverage(a->s, vec3_sub(p, x), c) - shape_coverage(a->s, vec3_add(p, x), c);
    slope.y = shape_coverage(a->s, vec3_sub(p, y), c) - shape_coverage(a->s, vec3_add(p, y), c);
    if (a->s->dim == 3)
        slope.z = shape_coverage(a->s, vec3_sub(p, z), c) - shape_coverage(a->s, vec3_add(p, z), c);
    a->position = p;
    shape_distance(a->s, p, &a->normal);
    double area = vec3_dot(slope, a->normal) * volume / (2 * c);
    if (area == 0)
        return;
    a->best = INFINITY;
    for (int reach = 1; reach <= 3 && !isfinite(a->best); reach++)
        point_hash_near(&a->hash, p, reach, a->s->dim, compare_share, a);
    if (isfinite(a->best))
        a->out->points[a->nearest].area += a->weight * area;
}

/* Divides the surface among the samples. Cells lose a piece of every sharp edge that is as wide
 * as they are: twice the sum over small cells less that over cells of twice the size has it back.
 */
static bool share_area(sampler *to, const shape *s)
{
    area_share a = {.s = s, .out = to->out, .spacing = to->spacing};
    bounds area = s->endless ? s->extent : s->surface;
    bool enough = point_hash_create(&a.hash, to->m, 1.5 * to->spacing, to->out->count);
    for (size_t i = 0; i < to->out->count && enough; i++)
        enough = point_hash_add(&a.hash, to->m, to->out->points[i].position);
    for (int pass = 0; pass < 2 && enough; pass++) {
        a.cell = to->spacing / (pass == 0 ? 4 : 2);
        a.weight = pass == 0 ? 2 : -1;
        double reach = (COVERAGE_REACH + 1) * a.cell;
        solid_lattice_visit(&(solid_lattice){s, area, a.cell, reach, share_cell, NULL, &a});
    }
    point_hash_destroy(&a.hash, to->m);
    for (size_t i = 0; i < to->out->count; i++)
        to->out->points[i].area = fmax(0, to->out->points[i].area);
    return enough;
}

static bool check_request(const shape *s, double spacing, weir_error *error)
{
    bounds b = shape_bounds(s);
    if (!bounds_are_finite(b))
        return fail(error, WEIR_INVALID,
                    "surface samples: the shape does not end; half-spaces and complements cannot "
                    "be sampled");
    if (!(spacing > 0) || !isfinite(spacing))
        return fail(error, WEIR_INVALID, "surface samples: a spacing of %g m; it must be above 0",
                    spacing);
    double count = bounds_area(b, s->dim) / (s->dim == 3 ? spacing * spacing : spacing);
    if (!(count < MAX_POINTS))
        return fail(error, WEIR_INVALID,
                    "surface samples: a spacing of %g m would take about %.2g points, more than "
                    "%.2g; use a larger spacing or a smaller shape",
                    spacing, count, MAX_POINTS);
    return true;
}

bool surface_sample(memory *m, const shape *s, double spacing, surface_samples *out,
                    weir_error *error)
{
    out->count = 0;
    if (!check_request(s, spacing, error))
        return false;
    sampler to = {m, spacing, out, false};
    bool exact = collect(&to, s) && !s->complement;
    if (!to.failed && !exact)
        to.failed = !keep_exposed(&to, s) || !share_area(&to, s);
    if (to.failed)
        return fail(error, WEIR_OUT_OF_MEMORY,
                    "surface samples: no memory for samples %g m apart; use a larger spacing",
                    spacing);
    if (out->count == 0)
        return fail(error, WEIR_INVALID,
                    "surface samples: none found at a spacing of %g m; the shape is empty or much "
                    "smaller than that",
                    spacing);
    return true;
}

/* Mean of the normals a little beside a sample, on all sides of it. */
static vec3 mean_normal(const shape *s, const surface_point *p, double step)
{
    vec3 across = {-p->normal.y, p->normal.x, 0}, sum = {0, 0, 0};
    if (s->dim == 3)
        across = vec3_cross(p->normal, fabs(p->normal.x) < 0.6 ? (vec3){1, 0, 0} : (vec3){0, 1, 0});
    across = vec3_unit(across, (vec3){1, 0, 0});
    const vec3 ways[2] = {across, vec3_cross(p->normal, across)};
    int count = s->dim == 3 ? 4 : 2;
    for (int k = 0; k < count; k++) {
        vec3 normal;
        vec3 beside = vec3_madd(p->position, k % 2 == 0 ? step : -step, ways[k / 2]);
        shape_distance(s, beside, &normal);
        sum = vec3_madd(sum, 1.0 / count, normal);
    }
    return sum;
}

void surface_samples_face(const shape *s, double spacing, surface_samples *samples)
{
    for (size_t i = 0; i < samples->count; i++) {
        surface_point *p = &samples->points[i];
        p->area *= fmax(vec3_dot(mean_normal(s, p, 1e-3 * spacing), p->normal), 0);
    }
}

void surface_samples_free(memory *m, surface_samples *samples)
{
    memory_give(m, samples->points, samples->capacity * sizeof *samples->points);
    *samples = (surface_samples){0};
}
