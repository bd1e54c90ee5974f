#include "out/submerged.h"

#include "world/state.h"

#include <math.h>
#include <stdlib.h>

enum { BODY_SAMPLES = 64, BODY_SAMPLES_3D = 32, RING_SAMPLES = 40, MAX_LAYERS = 400 };

/* A body as seen along gravity: two axes across, and height upwards. */
typedef struct survey {
    const weir_world *world;
    const body *b;
    vec3 axis[3];                  /* across, across, up; of length 1 */
    double lo[3], hi[3];           /* bounds of the body along them */
    double margin;                 /* m, width of the ring */
    double layer;                  /* m, height of a layer */
    double volume[MAX_LAYERS];     /* of particles in each */
    double free_space[MAX_LAYERS]; /* m³ outside of solids in each */
    int layers;
    uint32_t *solids; /* those that reach into the ring */
    size_t solid_count;
} survey;

/* The lattice over the bounds of a body in its own frame. */
typedef struct lattice {
    vec3 lo, step;
    int count[3];
    double length; /* m, the longest of the steps */
} lattice;

static lattice make_lattice(const body *b, int dim)
{
    vec3 size = vec3_sub(b->bounds.hi, b->bounds.lo);
    double longest = fmax(size.x, fmax(size.y, dim == 3 ? size.z : 0));
    double step = longest / (dim == 3 ? BODY_SAMPLES_3D : BODY_SAMPLES);
    lattice l = {.lo = b->bounds.lo};
    l.count[0] = (int)fmax(4, ceil(size.x / step));
    l.count[1] = (int)fmax(4, ceil(size.y / step));
    l.count[2] = dim == 3 ? (int)fmax(4, ceil(size.z / step)) : 1;
    l.step = (vec3){size.x / l.count[0], size.y / l.count[1], dim == 3 ? size.z / l.count[2] : 0};
    l.length = fmax(l.step.x, fmax(l.step.y, l.step.z));
    return l;
}

/* Calls `visit` for each cell of the lattice that holds a part of the body, with that part. */
static void visit_body(survey *s, void (*visit)(survey *, vec3 point, double share, double *sums),
                       double *sums)
{
    lattice l = make_lattice(s->b, s->world->def.dim);
    for (int k = 0; k < l.count[2]; k++)
        for (int j = 0; j < l.count[1]; j++)
            for (int i = 0; i < l.count[0]; i++) {
                vec3 p = {l.lo.x + l.step.x * (i + 0.5), l.lo.y + l.step.y * (j + 0.5),
                          l.lo.z + l.step.z * (k + 0.5)};
                double share = 0.5 - shape_distance(s->b->shape, p, NULL) / l.length;
                if (share > 0)
                    visit(s, pose_point(s->b->pose, p), fmin(share, 1), sums);
            }
}

static void add_bounds(survey *s, vec3 point, double share, double *sums)
{
    (void)share;
    (void)sums;
    for (int a = 0; a < 3; a++) {
        double at = vec3_dot(point, s->axis[a]);
        s->lo[a] = fmin(s->lo[a], at);
        s->hi[a] = fmax(s->hi[a], at);
    }
}

/* sums: level, height of a cell; then volume below the level, and volume. */
static void add_below(survey *s, vec3 point, double share, double *sums)
{
    double below = (sums[0] - vec3_dot(point, s->axis[2])) / sums[1] + 0.5;
    sums[2] += share * fmin(fmax(below, 0), 1);
    sums[3] += share;
}

static void set_axes(survey *s, vec3 gravity)
{
    vec3 up = vec3_scale(vec3_unit(gravity, vec3_make(0, -1, 0)), -1);
    vec3 aside = s->world->def.dim == 2    ? vec3_make(0, 0, 1)
                 : fabs(up.x) < fabs(up.y) ? vec3_make(1, 0, 0)
                                           : vec3_make(0, 1, 0);
    s->axis[0] = vec3_unit(vec3_cross(up, aside), vec3_make(1, 0, 0));
    s->axis[1] = vec3_cross(s->axis[0], up);
    s->axis[2] = up;
}

/* The image of `p` that is nearest to the body. */
static vec3 nearest_image(const survey *s, vec3 p)
{
    const weir_axis_period *period = s->world->def.period;
    vec3 centre = s->b->pose.position;
    double *at[3] = {&p.x, &p.y, &p.z}, to[3] = {centre.x, centre.y, centre.z};
    for (int a = 0; a < 3; a++) {
        double length = period[a].hi - period[a].lo;
        if (period[a].enabled)
            *at[a] -= length * floor((*at[a] - to[a]) / length + 0.5);
    }
    return p;
}

/* Whether a point is in the ring, and its height in layers. */
static bool find_height(const survey *s, vec3 p, double *height)
{
    bool within = true, around = true;
    int across = s->world->def.dim == 3 ? 2 : 1;
    for (int a = 0; a < across; a++) {
        double at = vec3_dot(p, s->axis[a]);
        within = within && at > s->lo[a] && at < s->hi[a];
        around = around && at > s->lo[a] - s->margin && at < s->hi[a] + s->margin;
    }
    *height = (vec3_dot(p, s->axis[2]) - s->lo[2]) / s->layer;
    return around && !within;
}

/* Volume of a particle, spread over a spacing of height: a layer gets what lies in it. */
static void add_particle(survey *s, double height, double volume)
{
    double half = s->world->def.spacing / (2 * s->layer);
    double lo = fmax(height - half, 0), hi = fmin(height + half, MAX_LAYERS);
    for (int layer = (int)lo; layer < hi; layer++) {
        double part = fmin(hi, layer + 1) - fmax(lo, layer);
        s->volume[layer] += volume * part / (2 * half);
        if (layer >= s->layers)
            s->layers = layer + 1;
    }
}

static void add_particles(survey *s)
{
    weir_particle_view view = weir_world_get_particles(s->world);
    double volume = pow(s->world->def.spacing, s->world->def.dim), height;
    for (size_t i = 0; i < view.count; i++) {
        vec3 p = {view.position[0][i], view.position[1][i],
                  view.position[2] ? view.position[2][i] : 0};
        if (find_height(s, nearest_image(s, p), &height))
            add_particle(s, height, volume);
    }
}

/* Lists the solids that a ball around them lets into the ring, up to the topmost layer. */
static void find_solids(survey *s)
{
    const flow *f = &s->world->flow;
    double lo[3], hi[3], radius2 = 0;
    vec3 middle = {0, 0, 0};
    for (int a = 0; a < 3; a++) {
        lo[a] = s->lo[a] - s->margin;
        hi[a] = (a == 2 ? fmax(s->hi[2], s->lo[2] + s->layer * s->layers) : s->hi[a]) + s->margin;
        middle = vec3_madd(middle, (lo[a] + hi[a]) / 2, s->axis[a]);
        radius2 += (hi[a] - lo[a]) * (hi[a] - lo[a]) / 4;
    }
    for (size_t k = 0; k < f->body_count; k++) {
        const body *b = &f->bodies[k];
        vec3 at = walls_nearest_image(&f->near, b->pose.position, middle);
        double apart = sqrt(radius2) + b->radius;
        bool far = b->bounded && vec3_length(vec3_sub(at, body_centre(b))) > apart;
        if (b->alive && !far)
            s->solids[s->solid_count++] = (uint32_t)k;
    }
}

static bool is_free(const survey *s, vec3 p)
{
    const flow *f = &s->world->flow;
    for (size_t n = 0; n < s->solid_count; n++) {
        const body *b = &f->bodies[s->solids[n]];
        if (!(shape_distance(b->shape, walls_local_point(&f->near, b, p), NULL) > 0))
            return false;
    }
    return true;
}

/* Free space of the layers that hold particles, on a lattice of the ring. */
static void add_free_space(survey *s)
{
    int across = s->world->def.dim == 3 ? 2 : 1, count[2] = {1, 1};
    double step[2] = {1, 1}, cell = s->layer, ignored;
    for (int a = 0; a < across; a++) {
        double length = s->hi[a] - s->lo[a] + 2 * s->margin;
        count[a] = (int)fmin(fmax(ceil(length / s->world->def.spacing), 12), RING_SAMPLES);
        step[a] = length / count[a];
        cell *= step[a];
    }
    for (int layer = 0; layer < s->layers; layer++)
        for (int j = 0; j < count[1]; j++)
            for (int i = 0; i < count[0]; i++) {
                double first = s->lo[0] - s->margin + step[0] * (i + 0.5);
                double second = across == 2 ? s->lo[1] - s->margin + step[1] * (j + 0.5) : 0;
                double height = s->lo[2] + s->layer * (layer + 0.5);
                vec3 p = vec3_add(
                    vec3_scale(s->axis[2], height),
                    vec3_add(vec3_scale(s->axis[0], first), vec3_scale(s->axis[1], second)));
                if (find_height(s, p, &ignored) && is_free(s, p))
                    s->free_space[layer] += cell;
            }
}

/* The level around the body; NAN where no layer has free space. */
static double find_level(const survey *s)
{
    double level = s->lo[2], whole = 0, share = 0;
    for (int k = 0; k < s->layers; k++)
        whole = fmax(whole, s->free_space[k]);
    /* From the top down: a layer that solids fill, but for a slit, is as wet as the one above. */
    for (int k = s->layers - 1; k >= 0; k--) {
        if (s->free_space[k] > 0.05 * whole)
            share = fmin(s->volume[k] / s->free_space[k], 1);
        level += s->layer * share;
    }
    return s->layers > 0 && whole == 0 ? NAN : level;
}

/* Whether there is free space beside the body, at half its height. */
static bool has_room(const survey *s)
{
    int across = s->world->def.dim == 3 ? 2 : 1;
    double middle = (s->lo[2] + s->hi[2]) / 2;
    for (int a = 0; a < across; a++)
        for (int side = 0; side < 2; side++) {
            double at[3] = {(s->lo[0] + s->hi[0]) / 2, (s->lo[1] + s->hi[1]) / 2, middle};
            at[a] = side ? s->hi[a] + s->margin / 2 : s->lo[a] - s->margin / 2;
            vec3 p = vec3_scale(s->axis[2], at[2]);
            p = vec3_add(p, vec3_scale(s->axis[0], at[0]));
            if (across == 2)
                p = vec3_add(p, vec3_scale(s->axis[1], at[1]));
            if (is_free(s, p))
                return true;
        }
    return false;
}

/* The share of the body below the level around it; NAN where there is no level. */
static double find_share(survey *s)
{
    const body *b = s->b;
    int dim = s->world->def.dim;
    visit_body(s, add_bounds, NULL);
    /* Samples lie in the middle of their cells. */
    double length = make_lattice(b, dim).length, level = NAN;
    for (int a = 0; a < 3; a++) {
        s->lo[a] -= length / 2;
        s->hi[a] += length / 2;
    }
    s->layer = fmax(s->layer, (s->hi[2] - s->lo[2]) / (MAX_LAYERS / 2));
    if (s->lo[0] <= s->hi[0]) {
        add_particles(s);
        find_solids(s);
    }
    if (s->solid_count > 0 && has_room(s)) {
        add_free_space(s);
        level = find_level(s);
    }
    double sums[4] = {level, length, 0, 0};
    if (!isnan(level))
        visit_body(s, add_below, sums);
    return sums[3] > 0 ? sums[2] / sums[3] : NAN;
}

double submerged_fraction(const weir_world *world, int index)
{
    const flow *f = &world->flow;
    vec3 pull = vec3_add(world->def.gravity, world->def.acceleration);
    const body *b = index >= 0 && (size_t)index < f->body_count ? &f->bodies[index] : NULL;
    if (!b || !b->alive || b->kind == WEIR_BODY_STATIC || !b->bounded || !(vec3_length(pull) > 0))
        return NAN;
    survey *s = calloc(1, sizeof *s);
    uint32_t *solids = malloc(f->body_count * sizeof *solids);
    double share = NAN;
    if (s && solids) {
        *s = (survey){.world = world,
                      .b = b,
                      .lo = {INFINITY, INFINITY, INFINITY},
                      .hi = {-INFINITY, -INFINITY, -INFINITY},
                      .margin = 2 * f->h,
                      .layer = f->spacing / 2,
                      .solids = solids};
        set_axes(s, pull);
        share = find_share(s);
    }
    free(solids);
    free(s);
    return share;
}
