/* Structured samples of primitives. In 2D every convex outline, rounded or not, is a chain of
 * straight pieces and arcs; in 3D boxes are lattices, spheres Fibonacci spirals (Swinbank and
 * Purser 2006), cylinders and capsules stacks of rings. */
#include "space/surface_outline.h"

static const double PI = 3.14159265358979323846;

void sampler_add(sampler *to, vec3 position, vec3 normal, double area)
{
    surface_samples *out = to->out;
    if (to->failed || !memory_grow(to->m, (void **)&out->points, &out->capacity, out->count + 1,
                                   out->count, sizeof *out->points)) {
        to->failed = true;
        return;
    }
    out->points[out->count++] = (surface_point){position, normal, area};
}

static int count_steps(double length, double spacing, int least)
{
    double steps = ceil(length / spacing - 1e-9);
    return steps > least ? (int)steps : least;
}

static vec3 direction(double angle)
{
    return (vec3){cos(angle), sin(angle), 0};
}

static void sample_circle(sampler *to, double radius)
{
    int n = count_steps(2 * PI * radius, to->spacing, 6);
    for (int i = 0; i < n; i++) {
        vec3 out = direction(2 * PI * i / n);
        sampler_add(to, vec3_scale(out, radius), out, 2 * PI * radius / n);
    }
}

/* One corner of a chain of straight pieces, grown by `radius`: an arc between the normals of the
 * pieces that meet there. The chain runs counter-clockwise. */
typedef struct corner {
    vec3 at, before, after; /* normals of the pieces before and after */
} corner;

static double arc_angle(const corner *c)
{
    double angle =
        atan2(c->before.x * c->after.y - c->before.y * c->after.x, vec3_dot(c->before, c->after));
    return angle < 0 ? angle + 2 * PI : angle;
}

/* The points of the arc and of the straight piece after it, but the last point of that, which
 * belongs to the next corner. `step_before` is the step of the piece before; returns the own. */
static double sample_corner(sampler *to, const corner *c, vec3 next, double radius,
                            double step_before)
{
    double start = atan2(c->before.y, c->before.x), angle = arc_angle(c);
    int n = radius > 0 && angle > 0 ? count_steps(radius * angle, to->spacing, 1) : 0;
    double length = vec3_length(vec3_sub(next, c->at)), arc = n > 0 ? radius * angle / n : 0;
    int steps = count_steps(length, to->spacing, 1);
    double step = length / steps;
    for (int i = 0; i < n; i++) {
        vec3 out = direction(start + angle * i / n);
        sampler_add(to, vec3_madd(c->at, radius, out), out, 0.5 * (arc + (i ? arc : step_before)));
    }
    vec3 first = n > 0 ? c->after : vec3_unit(vec3_add(c->before, c->after), c->after);
    double first_half = n > 0 ? arc : step_before;
    for (int i = 0; i < steps; i++) {
        vec3 p = vec3_madd(c->at, (double)i / steps, vec3_sub(next, c->at));
        sampler_add(to, vec3_madd(p, radius, c->after), i ? c->after : first,
                    0.5 * (step + (i ? step : first_half)));
    }
    return step;
}

static void sample_chain(sampler *to, const vec3 *points, size_t count, double radius)
{
    double last = vec3_length(vec3_sub(points[0], points[count - 1]));
    double step = last / count_steps(last, to->spacing, 1);
    for (size_t i = 0; i < count; i++) {
        vec3 at = points[i], next = points[(i + 1) % count];
        vec3 in = vec3_sub(at, points[(i + count - 1) % count]), out = vec3_sub(next, at);
        corner c = {at, vec3_unit((vec3){in.y, -in.x, 0}, (vec3){0, 1, 0}),
                    vec3_unit((vec3){out.y, -out.x, 0}, (vec3){0, 1, 0})};
        step = sample_corner(to, &c, next, radius, step);
    }
}

static bool is_convex(const polygon *p)
{
    for (size_t i = 0; i < p->count; i++) {
        vec3 a = p->points[i], b = p->points[(i + 1) % p->count], c = p->points[(i + 2) % p->count];
        vec3 u = vec3_sub(b, a), v = vec3_sub(c, b);
        if (u.x * v.y - u.y * v.x < 0)
            return false;
    }
    return true;
}

static bool sample_outline(sampler *to, const shape *s)
{
    vec3 a = s->half_extents;
    vec3 box[4] = {{-a.x, -a.y, 0}, {a.x, -a.y, 0}, {a.x, a.y, 0}, {-a.x, a.y, 0}};
    vec3 core[2] = {{0, -s->half_length, 0}, {0, s->half_length, 0}};
    switch (s->kind) {
    case WEIR_SHAPE_SPHERE:
        sample_circle(to, s->radius);
        return true;
    case WEIR_SHAPE_BOX:
        sample_chain(to, box, 4, s->rounding);
        return true;
    case WEIR_SHAPE_CAPSULE:
        sample_chain(to, core, 2, s->radius);
        return true;
    case WEIR_SHAPE_POLYGON:
        if (s->rounding > 0 && !is_convex(s->polygon))
            return false;
        sample_chain(to, s->polygon->points, s->polygon->count, s->rounding);
        return true;
    default:
        return false;
    }
}

/* Where point i of n + 1 along an axis lies, the length that it stands for, its outward normal
 * (0 within the side). */
typedef struct lattice_axis {
    double half;
    int steps;
} lattice_axis;

static double axis_at(lattice_axis a, int i)
{
    return a.half * (2.0 * i / a.steps - 1);
}

static double axis_share(lattice_axis a, int i)
{
    double step = 2 * a.half / a.steps;
    return i == 0 || i == a.steps ? 0.5 * step : step;
}

static double axis_normal(lattice_axis a, int i)
{
    return i == 0 ? -1 : i == a.steps ? 1 : 0;
}

static void sample_box(sampler *to, vec3 half)
{
    lattice_axis x = {half.x, count_steps(2 * half.x, to->spacing, 1)};
    lattice_axis y = {half.y, count_steps(2 * half.y, to->spacing, 1)};
    lattice_axis z = {half.z, count_steps(2 * half.z, to->spacing, 1)};
    for (int k = 0; k <= z.steps; k++)
        for (int j = 0; j <= y.steps; j++) {
            bool rim = axis_normal(z, k) != 0 || axis_normal(y, j) != 0;
            for (int i = 0; i <= x.steps; i += rim ? 1 : x.steps) {
                vec3 n = {axis_normal(x, i), axis_normal(y, j), axis_normal(z, k)};
                double dx = axis_share(x, i), dy = axis_share(y, j), dz = axis_share(z, k);
                double area = fabs(n.x) * dy * dz + fabs(n.y) * dx * dz + fabs(n.z) * dx * dy;
                sampler_add(to, (vec3){axis_at(x, i), axis_at(y, j), axis_at(z, k)},
                            vec3_unit(n, n), area);
            }
        }
}

static void sample_sphere(sampler *to, double radius)
{
    double area = 4 * PI * radius * radius, turn = PI * (3 - sqrt(5.0));
    int n = count_steps(area, to->spacing * to->spacing, 12);
    for (int i = 0; i < n; i++) {
        double y = 1 - (2 * i + 1.0) / n, r = sqrt(1 - y * y), angle = turn * i;
        vec3 out = {r * cos(angle), y, r * sin(angle)};
        sampler_add(to, vec3_scale(out, radius), out, area / n);
    }
}

/* A ring about the y axis: its points share `area`; the normal leans from the radius to y. Rings
 * are turned against each other by the golden angle, so that no seam of points forms. */
static void sample_ring(sampler *to, double radius, double y, vec3 normal, double area, int turn)
{
    int n = radius > 0 ? count_steps(2 * PI * radius, to->spacing, 3) : 1;
    for (int i = 0; i < n; i++) {
        double angle = 2 * PI * i / n + turn * PI * (3 - sqrt(5.0)), c = cos(angle), s = sin(angle);
        sampler_add(to, (vec3){radius * c, y, radius * s},
                    (vec3){normal.x * c, normal.y, normal.x * s}, area / n);
    }
}

static void sample_cylinder(sampler *to, double radius, double half_length)
{
    int rows = count_steps(2 * half_length, to->spacing, 1);
    int rings = count_steps(radius, to->spacing, 1);
    double row = 2 * half_length / rows, ring = radius / rings, lean = sqrt(0.5);
    for (int side = -1; side <= 1; side += 2)
        for (int i = 0; i < rings; i++) {
            double inner = fmax(0, (i - 0.5) * ring), outer = (i + 0.5) * ring;
            sample_ring(to, i * ring, side * half_length, (vec3){0, side, 0},
                        PI * (outer * outer - inner * inner), i);
        }
    for (int i = 0; i <= rows; i++) {
        bool rim = i == 0 || i == rows;
        double inner = radius - 0.5 * ring, lid = PI * (radius * radius - inner * inner);
        vec3 normal = rim ? (vec3){lean, i == 0 ? -lean : lean, 0} : (vec3){1, 0, 0};
        sample_ring(to, radius, row * i - half_length, normal,
                    2 * PI * radius * row * (rim ? 0.5 : 1) + (rim ? lid : 0), i);
    }
}

/* Rings of the upper cap at equal angles from its rim (0) to the pole (pi/2); the rim belongs to
 * the straight part. */
static void sample_cap(sampler *to, double radius, double y, double side)
{
    int rings = count_steps(PI / 2 * radius, to->spacing, 1);
    double step = PI / 2 / rings;
    for (int i = 1; i <= rings; i++) {
        double angle = i * step, upper = fmin(PI / 2, angle + step / 2);
        double area = 2 * PI * radius * radius * (sin(upper) - sin(angle - step / 2));
        double around = i == rings ? 0 : cos(angle);
        sample_ring(to, radius * around, side * (y + radius * sin(angle)),
                    (vec3){around, side * sin(angle), 0}, area, i);
    }
}

static void sample_capsule(sampler *to, double radius, double half_length)
{
    int rows = count_steps(2 * half_length, to->spacing, 1);
    int rings = count_steps(PI / 2 * radius, to->spacing, 1);
    double row = 2 * half_length / rows, band = 2 * PI * radius * radius * sin(PI / 4 / rings);
    for (int i = 0; i <= rows; i++) {
        bool rim = i == 0 || i == rows;
        sample_ring(to, radius, row * i - half_length, (vec3){1, 0, 0},
                    2 * PI * radius * row * (rim ? 0.5 : 1) + (rim ? band : 0), i);
    }
    sample_cap(to, radius, half_length, 1);
    sample_cap(to, radius, half_length, -1);
}

bool sample_primitive(sampler *to, const shape *s)
{
    if (s->dim == 2)
        return sample_outline(to, s);
    if (s->rounding > 0)
        return false;
    switch (s->kind) {
    case WEIR_SHAPE_BOX:
        sample_box(to, s->half_extents);
        return true;
    case WEIR_SHAPE_SPHERE:
        sample_sphere(to, s->radius);
        return true;
    case WEIR_SHAPE_CAPSULE:
        sample_capsule(to, s->radius, s->half_length);
        return true;
    case WEIR_SHAPE_CYLINDER:
        sample_cylinder(to, s->radius, s->half_length);
        return true;
    default:
        return false;
    }
}
