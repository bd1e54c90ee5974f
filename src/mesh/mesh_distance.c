/* Embree's tree works in float on a shifted and scaled copy of the mesh. It only chooses which
 * triangles are looked at; their distances are computed in double from the mesh itself, and the
 * search radius is rounded up. So the result is the minimum over all triangles, to the last bit,
 * whatever the tree or the order looks like. */
#include "mesh/mesh_distance.h"

#include "base/error.h"
#include "base/system_memory.h"
#include "mesh/mesh_winding.h"
#include "par/parallel.h"

#include <embree3/rtcore.h>
#include <stdio.h>
#include <stdlib.h>

/* Rough figures for the plan. The time is per sample and cube root of the triangles, measured on
 * meshes of 10^3 to 10^6 triangles with one core of a server. */
static const double bytes_per_triangle = 300;
static const double bytes_per_point = 64;
static const double sample_seconds = 1.2e-7;
static const double most_samples = 1e6; /* along an axis */

static double longest_side(bounds box)
{
    vec3 e = vec3_sub(box.hi, box.lo);
    return fmax(e.x, fmax(e.y, e.z));
}

/* Half a spacing resolves what particles can feel; thin parts get a finer grid, within reason. */
static double choose_step(bounds box, double spacing)
{
    vec3 e = vec3_sub(box.hi, box.lo);
    double thinnest = fmin(e.x, fmin(e.y, e.z));
    return fmax(spacing / 4, fmin(spacing / 2, thinnest / 6));
}

/* Samples and bytes of a grid with this step; counts are in double, since they may be absurd. */
static double estimate_bytes(bounds box, double padding, double step, const triangle_mesh *mesh,
                             double count[3])
{
    vec3 e = vec3_sub(box.hi, box.lo);
    double margin = 2 * fmax(padding, 2 * step);
    count[0] = ceil((e.x + margin) / step) + 1;
    count[1] = ceil((e.y + margin) / step) + 1;
    count[2] = ceil((e.z + margin) / step) + 1;
    return count[0] * count[1] * count[2] * sizeof(float) +
           (double)mesh->triangle_count * bytes_per_triangle +
           (double)mesh->point_count * bytes_per_point;
}

static bool fits(double bytes, double limit, const double count[3])
{
    return bytes <= limit && fmax(count[0], fmax(count[1], count[2])) <= most_samples;
}

/* The smallest step, in two digits, whose grid fits; 0 where not even a coarse one does. */
static double fitting_step(bounds box, double padding, double step, const triangle_mesh *mesh,
                           double limit)
{
    double count[3];
    for (int i = 0; i < 400; i++, step *= 1.02) {
        double digits = pow(10, floor(log10(step)) - 1);
        double rounded = ceil(step / digits) * digits;
        if (fits(estimate_bytes(box, padding, rounded, mesh, count), limit, count))
            return rounded;
    }
    return 0;
}

static bool check_options(const triangle_mesh *mesh, const mesh_distance_options *o,
                          weir_error *error)
{
    if (mesh->triangle_count == 0)
        return fail(error, WEIR_INVALID, "the mesh has no triangles");
    if (!(o->spacing > 0) || !isfinite(o->spacing))
        return fail(error, WEIR_INVALID, "the particle spacing is %g m and must be above 0",
                    o->spacing);
    if (!(o->step >= 0) || !isfinite(o->step))
        return fail(error, WEIR_INVALID,
                    "the step of the mesh's distance field is %g m and must be above 0", o->step);
    if (!(o->padding >= 0) || !isfinite(o->padding))
        return fail(error, WEIR_INVALID,
                    "the padding of the mesh's distance field is %g m and must be 0 or more",
                    o->padding);
    return true;
}

static bool refuse(const double count[3], double step, double bytes, double limit,
                   double larger_step, weir_error *error)
{
    char remedy[100] = "a mesh of fewer triangles is needed";
    if (larger_step > 0)
        snprintf(remedy, sizeof remedy,
                 "a step of %g m (by default half the particle spacing) would fit", larger_step);
    return fail(error, WEIR_OUT_OF_MEMORY,
                "the distance field of the mesh needs %.0f x %.0f x %.0f samples at a step of "
                "%g m, %.3g GB with the mesh, and %.3g GB are allowed; %s",
                count[0], count[1], count[2], step, bytes / 1e9, limit / 1e9, remedy);
}

bool mesh_distance_prepare(mesh_distance_plan *plan, const triangle_mesh *mesh,
                           const mesh_distance_options *options, weir_error *error)
{
    if (!check_options(mesh, options, error))
        return false;
    bounds box = triangle_mesh_bounds(mesh);
    double padding = options->padding > 0 ? options->padding : 3 * options->spacing;
    double step = options->step > 0 ? options->step : choose_step(box, options->spacing);
    double limit = options->memory_limit > 0 ? (double)options->memory_limit
                                             : (double)system_memory_available() / 2;
    double count[3];
    double bytes = estimate_bytes(box, padding, step, mesh, count);
    if (!fits(bytes, limit, count))
        return refuse(count, step, bytes, limit, fitting_step(box, padding, step, mesh, limit),
                      error);
    plan->step = step;
    plan->samples = count[0] * count[1] * count[2];
    plan->bytes = (uint64_t)bytes;
    plan->threads = options->threads > 0 ? options->threads : parallel_cores();
    if (plan->threads > PARALLEL_MAX_THREADS)
        plan->threads = PARALLEL_MAX_THREADS;
    plan->seconds =
        plan->samples * sample_seconds * cbrt((double)mesh->triangle_count) / plan->threads;
    for (int axis = 0; axis < 3; axis++)
        plan->count[axis] = (int)count[axis];
    vec3 half = vec3_scale(vec3_make(count[0] - 1, count[1] - 1, count[2] - 1), step / 2);
    plan->origin = vec3_sub(bounds_middle(box), half);
    return true;
}

/* The square of the distance from `point` to the triangle a, b, c. */
static double triangle_distance2(vec3 point, vec3 a, vec3 b, vec3 c)
{
    const vec3 corner[3] = {a, b, c};
    vec3 normal = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
    double nearest = INFINITY;
    bool above = true; /* the foot of the point on the plane lies within the triangle */
    for (int i = 0; i < 3; i++) {
        vec3 edge = vec3_sub(corner[(i + 1) % 3], corner[i]);
        vec3 way = vec3_sub(point, corner[i]);
        double length2 = vec3_dot(edge, edge);
        double along = vec3_dot(way, edge);
        along = along <= 0 ? 0 : along >= length2 ? 1 : along / length2;
        vec3 rest = vec3_madd(way, -along, edge);
        nearest = fmin(nearest, vec3_dot(rest, rest));
        above = above && vec3_dot(vec3_cross(normal, edge), way) >= 0;
    }
    double area2 = vec3_dot(normal, normal);
    if (above && area2 > 0) {
        double height = vec3_dot(normal, vec3_sub(point, a));
        nearest = fmin(nearest, height * height / area2);
    }
    return nearest;
}

double mesh_distance_to_triangle(vec3 point, vec3 a, vec3 b, vec3 c)
{
    return sqrt(triangle_distance2(point, a, b, c));
}

typedef struct distance_job {
    const triangle_mesh *mesh;
    const mesh_distance_plan *plan;
    float *distances; /* winding numbers at first */
    RTCScene scene;
    vec3 middle; /* Embree's coordinates are (x - middle) scale */
    double scale;
} distance_job;

typedef struct distance_query {
    const distance_job *job;
    vec3 point;
    double nearest2; /* the square of the distance */
    uint32_t nearest_triangle;
} distance_query;

/* The search radius in Embree's coordinates, rounded up by more than float loses there. */
static float search_radius(const distance_query *q, const struct RTCPointQuery *embree)
{
    double size = 1 + fabs((double)embree->x) + fabs((double)embree->y) + fabs((double)embree->z);
    return (float)(sqrt(q->nearest2) * q->job->scale * (1 + 1e-6) + 1e-6 * size);
}

static bool try_triangle(distance_query *q, uint32_t t)
{
    const triangle_mesh *mesh = q->job->mesh;
    const uint32_t *corner = mesh->triangles[t].corner;
    double distance2 = triangle_distance2(q->point, mesh->points[corner[0]],
                                          mesh->points[corner[1]], mesh->points[corner[2]]);
    if (!(distance2 < q->nearest2))
        return false;
    q->nearest2 = distance2;
    q->nearest_triangle = t;
    return true;
}

static bool visit_triangle(struct RTCPointQueryFunctionArguments *args)
{
    distance_query *q = args->userPtr;
    if (!try_triangle(q, args->primID))
        return false;
    float radius = search_radius(q, args->query);
    if (!(radius < args->query->radius))
        return false;
    args->query->radius = radius;
    return true;
}

/* Finds the distance of q->point; q->nearest_triangle is where the search starts. */
static double find_nearest(distance_query *q)
{
    vec3 moved = vec3_scale(vec3_sub(q->point, q->job->middle), q->job->scale);
    struct RTCPointQuery embree = {(float)moved.x, (float)moved.y, (float)moved.z, 0, 0};
    struct RTCPointQueryContext context;
    q->nearest2 = INFINITY;
    try_triangle(q, q->nearest_triangle);
    embree.radius = search_radius(q, &embree);
    rtcInitPointQueryContext(&context);
    rtcPointQuery(q->job->scene, &embree, &context, visit_triangle, q);
    return sqrt(q->nearest2);
}

/* Turns the winding numbers of some lines of samples into distances. */
static void measure_lines(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    distance_job *job = context;
    const mesh_distance_plan *plan = job->plan;
    size_t width = (size_t)plan->count[0];
    /* The triangle of one sample is a good start for the next. */
    distance_query q = {.job = job};
    for (size_t line = begin; line < end; line++) {
        size_t row = line / (size_t)plan->count[1];
        size_t column = line % (size_t)plan->count[1];
        for (size_t i = 0; i < width; i++) {
            /* Every other line runs backwards, so that the next sample is always a neighbour. */
            size_t x = line % 2 == 0 ? i : width - 1 - i;
            q.point = vec3_madd(plan->origin, plan->step,
                                vec3_make((double)x, (double)column, (double)row));
            double nearest = find_nearest(&q);
            float *sample = &job->distances[line * width + x];
            *sample = (float)(*sample > 0.5F ? -nearest : nearest);
        }
    }
}

static bool add_geometry(RTCDevice device, distance_job *job)
{
    const triangle_mesh *mesh = job->mesh;
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    if (!geometry)
        return false;
    float *points = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                            3 * sizeof(float), mesh->point_count);
    uint32_t *corners =
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                sizeof(triangle), mesh->triangle_count);
    if (points && corners) {
        for (size_t i = 0; i < mesh->point_count; i++) {
            vec3 p = vec3_scale(vec3_sub(mesh->points[i], job->middle), job->scale);
            points[3 * i] = (float)p.x;
            points[3 * i + 1] = (float)p.y;
            points[3 * i + 2] = (float)p.z;
        }
        for (size_t t = 0; t < mesh->triangle_count; t++)
            for (size_t c = 0; c < 3; c++)
                corners[3 * t + c] = mesh->triangles[t].corner[c];
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(job->scene, geometry);
        rtcCommitScene(job->scene);
    }
    rtcReleaseGeometry(geometry);
    return points && corners;
}

static bool measure(distance_job *job, weir_error *error)
{
    RTCDevice device = rtcNewDevice("threads=1");
    if (!device)
        return fail(error, WEIR_UNSUPPORTED,
                    "Embree, which measures distances to meshes, does not start on this machine "
                    "(its error %d)",
                    (int)rtcGetDeviceError(NULL));
    job->scene = rtcNewScene(device);
    bool ok = job->scene && add_geometry(device, job);
    enum RTCError code = rtcGetDeviceError(device);
    if (ok && code == RTC_ERROR_NONE) {
        size_t lines = (size_t)job->plan->count[1] * (size_t)job->plan->count[2];
        parallel_for(job->plan->threads, lines, 16, measure_lines, job);
    } else {
        ok = fail(error, code == RTC_ERROR_OUT_OF_MEMORY ? WEIR_OUT_OF_MEMORY : WEIR_UNSUPPORTED,
                  "Embree could not sort a mesh of %zu triangles (its error %d)",
                  job->mesh->triangle_count, (int)code);
    }
    if (job->scene)
        rtcReleaseScene(job->scene);
    rtcReleaseDevice(device);
    return ok;
}

/* The share of a cell, given by its corners, in which the interpolated distance is negative. */
static double inside_share(const double corner[8])
{
    int negative = 0;
    for (int i = 0; i < 8; i++)
        negative += corner[i] < 0;
    if (negative % 8 == 0)
        return negative == 8 ? 1 : 0;
    enum { CUTS = 4 };
    int inside = 0;
    for (int k = 0; k < CUTS * CUTS * CUTS; k++) {
        const int cut[3] = {k % CUTS, k / CUTS % CUTS, k / CUTS / CUTS};
        const double t[3] = {(cut[0] + 0.5) / CUTS, (cut[1] + 0.5) / CUTS, (cut[2] + 0.5) / CUTS};
        double distance = 0;
        for (int i = 0; i < 8; i++)
            distance += corner[i] * (i & 1 ? t[0] : 1 - t[0]) * (i & 2 ? t[1] : 1 - t[1]) *
                        (i & 4 ? t[2] : 1 - t[2]);
        inside += distance < 0;
    }
    return (double)inside / (CUTS * CUTS * CUTS);
}

static double sampled_volume(const weir_grid_def *grid)
{
    size_t nx = (size_t)grid->count[0];
    size_t ny = (size_t)grid->count[1];
    double sum = 0;
    for (size_t z = 0; z + 1 < (size_t)grid->count[2]; z++)
        for (size_t y = 0; y + 1 < ny; y++)
            for (size_t x = 0; x + 1 < nx; x++) {
                double corner[8];
                for (size_t i = 0; i < 8; i++)
                    corner[i] =
                        (double)grid->distances[((z + (i >> 2)) * ny + y + (i >> 1 & 1)) * nx + x +
                                                (i & 1)];
                sum += inside_share(corner);
            }
    return sum * grid->step * grid->step * grid->step;
}

bool mesh_distance_build(mesh_distance *out, const triangle_mesh *mesh,
                         const mesh_distance_plan *plan, weir_error *error)
{
    *out = (mesh_distance){0};
    size_t count = (size_t)plan->samples;
    float *distances = malloc(count * sizeof *distances);
    if (!distances)
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for %zu distances to a mesh", count);
    bounds box = triangle_mesh_bounds(mesh);
    distance_job job = {mesh, plan, distances, NULL, bounds_middle(box), 1 / longest_side(box)};
    if (!mesh_winding(mesh, plan->origin, plan->step, plan->count, distances, error) ||
        !measure(&job, error)) {
        free(distances);
        return false;
    }
    out->distances = distances;
    out->grid = (weir_grid_def){
        plan->origin, plan->step, {plan->count[0], plan->count[1], plan->count[2]}, distances};
    out->volume = sampled_volume(&out->grid);
    return true;
}

void mesh_distance_free(mesh_distance *d)
{
    free(d->distances);
    *d = (mesh_distance){0};
}
