/* Mass properties at density 1. Closed forms for the primitives (their frames are principal axes
 * through the centroid), Green's theorem for polygons, sums for unions whose parts share no volume;
 * everything else by adding up the coverage of lattice cells, refined until the volume settles. */
#include "space/mass_properties.h"

#include "base/error.h"
#include "space/shape_coverage.h"
#include "space/shape_node.h"
#include "space/solid_lattice.h"

#include <assert.h>

static const double PI = 3.14159265358979323846;

/* Volume and moments of inertia about the own axes, which pass through the centroid. */
static void set_principal(mass_properties *out, double volume, double x, double y, double z)
{
    *out = (mass_properties){.volume = volume};
    out->inertia[0][0] = x;
    out->inertia[1][1] = y;
    out->inertia[2][2] = z;
}

static void box_mass(const shape *s, mass_properties *out)
{
    vec3 a = s->half_extents;
    double x2 = a.x * a.x, y2 = a.y * a.y, z2 = a.z * a.z;
    double v = s->dim == 3 ? 8 * a.x * a.y * a.z : 4 * a.x * a.y;
    set_principal(out, v, v * (y2 + z2) / 3, v * (x2 + z2) / 3, v * (x2 + y2) / 3);
}

static void sphere_mass(const shape *s, mass_properties *out)
{
    double r2 = s->radius * s->radius;
    double v = s->dim == 3 ? 4 * PI / 3 * r2 * s->radius : PI * r2;
    double i = s->dim == 3 ? 0.4 * v * r2 : 0.5 * v * r2;
    set_principal(out, v, i, i, i);
}

static void cylinder_mass(const shape *s, mass_properties *out)
{
    double r2 = s->radius * s->radius, l2 = s->half_length * s->half_length;
    double v = 2 * PI * r2 * s->half_length, across = v * (r2 / 4 + l2 / 3);
    set_principal(out, v, across, v * r2 / 2, across);
}

/* A cylinder (2D: a rectangle) and the two halves of a ball (2D: of a disc), each half with its
 * centroid 3r/8 (4r/3pi) beyond the end. */
static void capsule_mass(const shape *s, mass_properties *out)
{
    double r = s->radius, l = s->half_length, r2 = r * r, l2 = l * l;
    if (s->dim == 2) {
        double middle = 4 * r * l, ends = PI * r2, out_by = 4 * r / (3 * PI);
        double moment = middle * (r2 + l2) / 3 + ends * (r2 / 2 + l2 + 2 * l * out_by);
        set_principal(out, middle + ends, 0, 0, moment);
        return;
    }
    double middle = 2 * PI * r2 * l, ends = 4 * PI / 3 * r2 * r;
    double along = middle * r2 / 2 + ends * 0.4 * r2;
    double across = middle * (r2 / 4 + l2 / 3) + ends * (0.4 * r2 + l2 + 2 * l * (3 * r / 8));
    set_principal(out, middle + ends, across, along, across);
}

/* Sums over triangles from the first corner: area, centroid, second moment about it. */
static void polygon_mass(const polygon *p, mass_properties *out)
{
    vec3 o = p->points[0], first = {0, 0, 0};
    double area = 0, second = 0;
    for (size_t i = 1; i + 1 < p->count; i++) {
        vec3 a = vec3_sub(p->points[i], o), b = vec3_sub(p->points[i + 1], o);
        double t = 0.5 * (a.x * b.y - a.y * b.x);
        area += t;
        first = vec3_madd(first, t / 3, vec3_add(a, b));
        second += t / 6 * (vec3_dot(a, a) + vec3_dot(a, b) + vec3_dot(b, b));
    }
    vec3 centre = vec3_scale(first, 1 / area);
    set_principal(out, area, 0, 0, second - area * vec3_dot(centre, centre));
    out->centroid = vec3_add(o, centre);
}

/* Moments about a fixed point: 1, x, and the six products. */
typedef struct moments {
    const shape *s;
    double cell;
    vec3 about;
    double volume, first[3], second[3][3];
} moments;

static void add_cube(moments *m, vec3 centre, double width, double filling)
{
    double volume = filling * (m->s->dim == 3 ? width * width * width : width * width);
    double p[3] = {centre.x - m->about.x, centre.y - m->about.y, centre.z - m->about.z};
    m->volume += volume;
    assert(m->s->dim <= 3);
    for (int i = 0; i < m->s->dim; i++) {
        m->first[i] += volume * p[i];
        for (int k = 0; k < m->s->dim; k++)
            m->second[i][k] += volume * (p[i] * p[k] + (i == k ? width * width / 12 : 0));
    }
}

static void add_cut(void *user, vec3 centre)
{
    moments *m = user;
    double filling = shape_coverage(m->s, centre, m->cell);
    if (filling != 0)
        add_cube(m, centre, m->cell, filling);
}

static void add_full(void *user, vec3 centre, double width)
{
    add_cube(user, centre, width, 1);
}

static moments sum_moments(const shape *s, double cell)
{
    bounds b = shape_bounds(s);
    moments m = {.s = s, .cell = cell, .about = vec3_scale(vec3_add(b.lo, b.hi), 0.5)};
    solid_lattice lattice = {s, b, cell, COVERAGE_REACH * cell, add_cut, add_full, &m};
    solid_lattice_visit(&lattice);
    return m;
}

static void convert_moments(const moments *m, mass_properties *out)
{
    double c[3] = {0, 0, 0}, central[3][3] = {{0}};
    for (int i = 0; i < 3; i++)
        c[i] = m->first[i] / m->volume;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            central[i][k] = m->second[i][k] - m->volume * c[i] * c[k];
    double trace = central[0][0] + central[1][1] + central[2][2];
    *out = (mass_properties){.volume = m->volume};
    out->centroid = vec3_add(m->about, (vec3){c[0], c[1], c[2]});
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out->inertia[i][k] = (i == k ? trace : 0) - central[i][k];
}

/* Halves the cells until the volume changes by less than 0.2 %, when what is left is a few times
 * smaller than that; more than once only for details as small as a few cells. */
static bool lattice_mass(const shape *s, mass_properties *out, weir_error *error)
{
    bounds b = shape_bounds(s);
    double x = b.hi.x - b.lo.x, y = b.hi.y - b.lo.y, z = b.hi.z - b.lo.z;
    double cell = s->dim == 3 ? sqrt((x * y + y * z + z * x) / 8000) : (x + y) / 400;
    moments m = {0}, coarse;
    if (cell > 0)
        m = sum_moments(s, cell);
    for (int level = 0; level < 3 && cell > 0; level++) {
        coarse = m;
        cell /= 2;
        m = sum_moments(s, cell);
        if (fabs(m.volume - coarse.volume) <= 2e-3 * fabs(m.volume))
            break;
    }
    double box = x * y * (s->dim == 3 ? z : 1);
    if (!(m.volume > 1e-9 * box))
        return fail(error, WEIR_INVALID,
                    "shape: it has no volume to speak of (%g of its %g x %g x %g m bounds), so no "
                    "mass can be given to it",
                    m.volume, x, y, z);
    convert_moments(&m, out);
    return true;
}

/* From the shape's own frame to its parent's. */
static void place_mass(const shape *s, mass_properties *out)
{
    mass_properties own = *out;
    vec3 axes[3];
    for (int i = 0; i < 3; i++)
        axes[i] = quat_rotate(s->place.rotation, (vec3){i == 0, i == 1, i == 2});
    double r[3][3] = {{axes[0].x, axes[1].x, axes[2].x},
                      {axes[0].y, axes[1].y, axes[2].y},
                      {axes[0].z, axes[1].z, axes[2].z}};
    out->centroid = pose_point(s->place, own.centroid);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            out->inertia[i][k] = 0;
            for (int a = 0; a < 3; a++)
                for (int c = 0; c < 3; c++)
                    out->inertia[i][k] += r[i][a] * own.inertia[a][c] * r[k][c];
        }
}

/* False where there is no closed form. */
static bool exact_mass(const shape *s, mass_properties *out)
{
    if (s->complement || s->rounding > 0)
        return false;
    switch (s->kind) {
    case WEIR_SHAPE_BOX:
        box_mass(s, out);
        break;
    case WEIR_SHAPE_SPHERE:
        sphere_mass(s, out);
        break;
    case WEIR_SHAPE_CAPSULE:
        capsule_mass(s, out);
        break;
    case WEIR_SHAPE_CYLINDER:
        cylinder_mass(s, out);
        break;
    case WEIR_SHAPE_POLYGON:
        polygon_mass(s->polygon, out);
        break;
    default:
        return false;
    }
    place_mass(s, out);
    return true;
}

/* True if no two children share volume, as far as their bounds tell. */
static bool children_are_disjoint(const shape *s)
{
    enum { MOST = 4096 }; /* pairs are compared */
    if (s->child_count > MOST)
        return false;
    for (size_t i = 0; i < s->child_count; i++)
        for (size_t k = 0; k < i; k++) {
            bounds a = s->children[i].extent, b = s->children[k].extent;
            double x = smaller(a.hi.x, b.hi.x) - larger(a.lo.x, b.lo.x);
            double y = smaller(a.hi.y, b.hi.y) - larger(a.lo.y, b.lo.y);
            double z = smaller(a.hi.z, b.hi.z) - larger(a.lo.z, b.lo.z);
            double slack = 1e-9 * (a.hi.x - a.lo.x + a.hi.y - a.lo.y);
            if (x > slack && y > slack && (s->dim == 2 || z > slack))
                return false;
        }
    return true;
}

/* Adds a body that is apart from `sum` (parallel axes). */
static void add_body(mass_properties *sum, const mass_properties *body)
{
    double total = sum->volume + body->volume, both = sum->volume * body->volume / total;
    vec3 way = vec3_sub(body->centroid, sum->centroid);
    double d[3] = {way.x, way.y, way.z};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            sum->inertia[i][k] +=
                body->inertia[i][k] + both * ((i == k ? vec3_dot(way, way) : 0) - d[i] * d[k]);
    sum->centroid = vec3_madd(sum->centroid, body->volume / total, way);
    sum->volume = total;
}

/* The sum over children that share no volume; false where they may. */
static bool union_mass(const shape *s, mass_properties *out)
{
    if (s->kind != WEIR_SHAPE_UNION || s->complement || s->rounding > 0 ||
        !children_are_disjoint(s))
        return false;
    *out = (mass_properties){0};
    for (size_t i = 0; i < s->child_count; i++) {
        mass_properties child;
        if (!mass_properties_of(&s->children[i], &child, NULL))
            return false;
        add_body(out, &child);
    }
    place_mass(s, out);
    return true;
}

bool mass_properties_of(const shape *s, mass_properties *out, weir_error *error)
{
    if (!bounds_are_finite(shape_bounds(s)))
        return fail(error, WEIR_INVALID,
                    "shape: it does not end, so it has no mass; only static solids may be "
                    "half-spaces or complements");
    if (!exact_mass(s, out) && !union_mass(s, out) && !lattice_mass(s, out, error))
        return false;
    if (s->dim == 2) {
        double turning = out->inertia[2][2];
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                out->inertia[i][k] = 0;
        out->inertia[2][2] = turning;
        out->centroid.z = 0;
    }
    return true;
}
