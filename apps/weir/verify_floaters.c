#include "verify_floaters.h"

#include "base/error.h"
#include "base/vec.h"
#include "mesh/mesh_distance.h"
#include "space/shape.h"

#include <math.h>
#include <stdlib.h>

static const double QUARTER_TURN = 1.57079632679489661923;

/* ------------------------------------------------------------------- shapes */

static weir_shape_def box_shape(double width, double height, int dim)
{
    weir_shape_def box = weir_shape_def_default();
    box.kind = WEIR_SHAPE_BOX;
    box.half_extents = (weir_vec3){width / 2, height / 2, dim == 3 ? width / 2 : 1};
    return box;
}

/* A roof: wide below, with a ridge along z. In 3D a prism as a mesh. */
static const uint32_t WEDGE_FACES[8][3] = {{0, 2, 1}, {3, 4, 5}, {0, 1, 4}, {0, 4, 3},
                                           {1, 2, 5}, {1, 5, 4}, {2, 0, 3}, {2, 3, 5}};
/* Two pyramids, base to base. */
static const uint32_t DIAMOND_FACES[8][3] = {{0, 4, 2}, {2, 4, 1}, {1, 4, 3}, {3, 4, 0},
                                             {2, 5, 0}, {1, 5, 2}, {3, 5, 1}, {0, 5, 3}};

static void set_wedge_corners(weir_vec3 *c, double width, double height)
{
    for (int end = 0; end < 2; end++) {
        double z = end == 0 ? -width / 2 : width / 2;
        c[3 * end] = (weir_vec3){-width / 2, -height / 3, z};
        c[3 * end + 1] = (weir_vec3){width / 2, -height / 3, z};
        c[3 * end + 2] = (weir_vec3){0, 2 * height / 3, z};
    }
}

static void set_diamond_corners(weir_vec3 *c, double width, double height)
{
    const weir_vec3 all[6] = {{-width / 2, 0, 0}, {width / 2, 0, 0},  {0, 0, -width / 2},
                              {0, 0, width / 2},  {0, height / 2, 0}, {0, -height / 2, 0}};
    for (int k = 0; k < 6; k++)
        c[k] = all[k];
}

/* Distances of a closed mesh of the floater's six corners, as those of a mesh file. */
static bool sample_mesh(floater *f, const uint32_t faces[8][3], double spacing, weir_error *error)
{
    triangle_mesh mesh = {0};
    bool ok = true;
    for (int k = 0; ok && k < 6; k++)
        ok = triangle_mesh_add_point(&mesh, f->corners[k], error);
    for (int k = 0; ok && k < 8; k++)
        ok = triangle_mesh_add_triangle(&mesh, faces[k][0], faces[k][1], faces[k][2], error);
    mesh_distance_options options = {.spacing = spacing, .threads = 1};
    mesh_distance_plan plan;
    mesh_distance found = {0};
    ok = ok && mesh_distance_prepare(&plan, &mesh, &options, error) &&
         mesh_distance_build(&found, &mesh, &plan, error);
    triangle_mesh_free(&mesh);
    if (!ok)
        return false;
    f->distances = found.distances;
    f->grid = found.grid;
    f->shape.kind = WEIR_SHAPE_GRID;
    f->shape.grid = &f->grid;
    return true;
}

/* Distances of a polygon, sampled as those of meshes are. */
static bool sample_polygon(floater *f, double spacing, weir_error *error)
{
    memory m = memory_with_hooks(NULL);
    shape *exact = shape_create(&m, &f->shape, 2, error);
    if (!exact)
        return false;
    bounds area = shape_bounds(exact);
    double step = spacing / 2, pad = 3 * spacing;
    f->grid = (weir_grid_def){.origin = {area.lo.x - pad, area.lo.y - pad, 0}, .step = step};
    f->grid.count[0] = (int)ceil((area.hi.x - area.lo.x + 2 * pad) / step) + 1;
    f->grid.count[1] = (int)ceil((area.hi.y - area.lo.y + 2 * pad) / step) + 1;
    f->grid.count[2] = 1;
    size_t row = (size_t)f->grid.count[0], samples = row * (size_t)f->grid.count[1];
    f->distances = malloc(samples * sizeof *f->distances);
    for (size_t k = 0; f->distances && k < samples; k++) {
        vec3 at = {f->grid.origin.x + step * (double)(k % row),
                   f->grid.origin.y + step * (double)(k / row), 0};
        f->distances[k] = (float)shape_distance(exact, at, NULL);
    }
    shape_destroy(&m, exact);
    if (!f->distances)
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for the distances of a %s", f->name);
    f->grid.distances = f->distances;
    f->shape.kind = WEIR_SHAPE_GRID;
    f->shape.grid = &f->grid;
    return true;
}

static bool set_wedge(floater *f, const verify_setup *s, double d, weir_error *error)
{
    f->name = s->dim == 3 ? "wedge" : "triangle";
    set_wedge_corners(f->corners, 24 * d, 16 * d);
    f->shape.kind = WEIR_SHAPE_POLYGON;
    f->shape.points = f->corners;
    f->shape.point_count = 3;
    return s->dim == 2 || sample_mesh(f, WEDGE_FACES, s->spacing, error);
}

static bool set_mesh(floater *f, const verify_setup *s, double d, weir_error *error)
{
    f->name = "mesh";
    set_diamond_corners(f->corners, 26 * d, 18 * d);
    if (s->dim == 3)
        return sample_mesh(f, DIAMOND_FACES, s->spacing, error);
    const weir_vec3 outline[4] = {f->corners[0], f->corners[5], f->corners[1], f->corners[4]};
    for (int k = 0; k < 4; k++)
        f->corners[k] = outline[k];
    f->shape.kind = WEIR_SHAPE_POLYGON;
    f->shape.points = f->corners;
    f->shape.point_count = 4;
    return sample_polygon(f, s->spacing, error);
}

/* A box less its inside: the complement of the union of all that is not hull. Walls are as thick
 * as a kernel reaches in 2D, so that the body does not feel fluid through them. */
static void set_boat(floater *f, const verify_setup *s, double d)
{
    double width = 24 * d, height = 12 * d, wall = 3 * s->spacing;
    f->name = "boat";
    f->parts[0] = box_shape(width, height, s->dim);
    f->parts[0].complement = true;
    f->parts[1] = box_shape(width - 2 * wall, height, s->dim);
    f->parts[1].pose.position.y = wall;
    f->shape.kind = WEIR_SHAPE_UNION;
    f->shape.children = f->parts;
    f->shape.child_count = 2;
    f->shape.complement = true;
}

static bool set_shape(floater *f, floater_kind kind, const verify_setup *s, double d,
                      weir_error *error)
{
    switch (kind) {
    case FLOATER_BOX:
        f->name = "box";
        f->shape = box_shape(20 * d, 10 * d, s->dim);
        return true;
    case FLOATER_BALL:
        f->name = s->dim == 3 ? "sphere" : "circle";
        f->shape.kind = WEIR_SHAPE_SPHERE;
        f->shape.radius = 7.5 * d;
        return true;
    case FLOATER_CAPSULE:
        f->name = "capsule";
        f->shape.kind = WEIR_SHAPE_CAPSULE;
        f->shape.radius = 5 * d;
        f->shape.half_length = 6 * d;
        f->shape.pose.rotation = quat_from_rotation_vector((vec3){0, 0, QUARTER_TURN});
        return true;
    case FLOATER_WEDGE:
        return set_wedge(f, s, d, error);
    case FLOATER_MESH:
        return set_mesh(f, s, d, error);
    default:
        set_boat(f, s, d);
        return true;
    }
}

/* ------------------------------------------------------------------- volumes */

/* Cells of the lattice over what the body displaces, with the share of each that lies inside. */
static bool fill_cells(floater *f, int dim, weir_error *error)
{
    const shape *hull = f->outside;
    bounds area = shape_bounds(hull);
    double longest = fmax(area.hi.x - area.lo.x, area.hi.y - area.lo.y);
    f->cell = longest / (dim == 3 ? 64 : 256);
    f->width = area.hi.x - area.lo.x;
    f->height = area.hi.y - area.lo.y;
    f->lowest = area.lo.y;
    int count[3];
    const double size[3] = {area.hi.x - area.lo.x, f->height, dim == 3 ? area.hi.z - area.lo.z : 0};
    for (int a = 0; a < 3; a++)
        count[a] = a < dim ? (int)ceil(size[a] / f->cell) : 1;
    size_t all = (size_t)count[0] * (size_t)count[1] * (size_t)count[2];
    f->cells = malloc(all * sizeof *f->cells);
    f->shares = malloc(all * sizeof *f->shares);
    if (!f->cells || !f->shares)
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for the volume of a %s", f->name);
    double sum = 0;
    for (size_t k = 0; k < all; k++) {
        size_t i = k % (size_t)count[0], j = k / (size_t)count[0] % (size_t)count[1];
        size_t n = k / ((size_t)count[0] * (size_t)count[1]);
        vec3 at = {area.lo.x + f->cell * ((double)i + 0.5), area.lo.y + f->cell * ((double)j + 0.5),
                   dim == 3 ? area.lo.z + f->cell * ((double)n + 0.5) : 0};
        double share = fmin(0.5 - shape_distance(hull, at, NULL) / f->cell, 1);
        if (!(share > 0))
            continue;
        f->cells[f->count] = at;
        f->shares[f->count++] = (float)share;
        sum += share;
    }
    f->volume = sum * pow(f->cell, dim);
    return true;
}

bool floater_make(floater *f, floater_kind kind, const verify_setup *s, double scale,
                  weir_error *error)
{
    f->shape = weir_shape_def_default();
    if (!set_shape(f, kind, s, scale * s->spacing, error))
        return false;
    weir_shape_def outside = f->shape;
    if (kind == FLOATER_BOAT) {
        outside = f->parts[0];
        outside.complement = false;
    }
    memory m = memory_with_hooks(NULL);
    f->outside = shape_create(&m, &outside, s->dim, error);
    return f->outside && fill_cells(f, s->dim, error);
}

void floater_free(floater *f)
{
    memory m = memory_with_hooks(NULL);
    if (f->outside)
        shape_destroy(&m, f->outside);
    free(f->cells);
    free(f->shares);
    free(f->distances);
    *f = (floater){0};
}

bool floater_covers(const floater *f, weir_pose at, weir_vec3 point)
{
    return shape_distance(f->outside, pose_local_point(at, point), NULL) < 0;
}

double floater_volume_below(const floater *f, weir_pose at, double level)
{
    double sum = 0, all = 0;
    for (size_t k = 0; k < f->count; k++) {
        double below = (level - pose_point(at, f->cells[k]).y) / f->cell + 0.5;
        sum += (double)f->shares[k] * fmin(fmax(below, 0), 1);
        all += (double)f->shares[k];
    }
    return all > 0 ? f->volume * sum / all : 0;
}
