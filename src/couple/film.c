#include "couple/film.h"

#include "base/error.h"
#include "kernel/kernel_radial.h"
#include "space/box_tree.h"

#include <string.h>

/* A gap this wide, in spacings, holds particles of its own. */
static const double WIDEST_GAP = 2;
/* How far from a film, in spacings, the surface tells its pressure. */
static const double RIM = 3;
/* s, over which the pressure around a body is averaged. */
static const double FILM_TIME = 0.1;

/* Whether a point in a solid's own frame is farther than `reach` from the box around it. */
static bool is_far(const body *solid, vec3 point, double reach)
{
    return solid->bounded && bounds_distance2(&solid->bounds, point) > reach * reach;
}

/* Whether a ball around a solid tells that it is farther than `reach`: without turning a point into
 * its frame, as there may be many solids. */
static bool is_far_by_ball(const flow *f, const body *solid, vec3 point, double reach)
{
    if (!solid->bounded)
        return false;
    if (f->near.periodic)
        point = walls_nearest_image(&f->near, solid->pose.position, point);
    vec3 off = vec3_sub(point, body_centre(solid));
    double apart = reach + solid->radius;
    return vec3_dot(off, off) > apart * apart;
}

/* Lists the solids that come within `reach` of a body's centre. */
static size_t find_beside(film *s, const flow *f, const body *b, double reach)
{
    size_t count = 0;
    vec3 centre = body_centre(b);
    for (size_t k = 0; k < f->body_count; k++) {
        const body *solid = &f->bodies[k];
        if (!solid->alive || solid == b || is_far_by_ball(f, solid, centre, reach))
            continue;
        vec3 local = walls_local_point(&f->near, solid, centre);
        if (!is_far(solid, local, reach) && !(shape_distance(solid->shape, local, NULL) > reach))
            s->beside[count++] = (uint32_t)k;
    }
    return count;
}

/* Distance from a sample to the nearest solid beside the body, and which it is; infinite beyond
 * `reach`. */
static double find_gap(const film *s, const flow *f, vec3 point, double reach, size_t *other)
{
    double gap = INFINITY;
    for (size_t k = 0; k < s->beside_count; k++) {
        const body *solid = &f->bodies[s->beside[k]];
        vec3 local = walls_local_point(&f->near, solid, point);
        if (is_far(solid, local, reach))
            continue;
        double d = shape_distance(solid->shape, local, NULL);
        if (d < gap) {
            gap = d;
            *other = s->beside[k];
        }
    }
    return gap;
}

void film_free(film *s, memory *m)
{
    memory_give(m, s->listed, s->capacity * sizeof *s->listed);
    memory_give(m, s->places, s->capacity * sizeof *s->places);
    memory_give(m, s->ends, s->capacity_bodies * sizeof *s->ends);
    memory_give(m, s->beside, s->capacity_bodies * sizeof *s->beside);
    memory_give(m, s->given, s->capacity_samples * sizeof *s->given);
    memory_give(m, s->gap, s->capacity_samples * sizeof *s->gap);
    memory_give(m, s->other, s->capacity_samples * sizeof *s->other);
    memory_give(m, s->narrow, s->capacity_samples * sizeof *s->narrow);
    memory_give(m, s->wet, s->capacity_samples * sizeof *s->wet);
    memory_give(m, s->rim, s->capacity_samples * sizeof *s->rim);
    memory_give(m, s->queue, s->capacity_samples * sizeof *s->queue);
    memory_give(m, s->weights, s->capacity_samples * sizeof *s->weights);
    skin_near_free(&s->around, m);
    *s = (film){0};
}

/* Lists the particles within h of each moved body, one body after the other: `ends` first counts
 * them, then says where the next one goes, and at last where the list of each body ends. */
static bool find_near(film *s, const flow *f)
{
    size_t all = 0;
    const memory_array per_body[] = {{(void **)&s->ends, sizeof *s->ends},
                                     {(void **)&s->beside, sizeof *s->beside}};
    const memory_array per_particle[] = {{(void **)&s->listed, sizeof *s->listed},
                                         {(void **)&s->places, sizeof *s->places}};
    if (!memory_grow_together(f->mem, per_body, 2, &s->capacity_bodies, f->body_count))
        return false;
    memset(s->ends, 0, f->body_count * sizeof *s->ends);
    for (size_t n = 0; n < f->walls.touching_count; n++) {
        const wall_span *solids = &f->walls.spans[f->walls.touching[n]];
        for (uint32_t w = 0; w < solids->count; w++)
            s->ends[solids->contacts[w].body]++;
    }
    for (size_t k = 0; k < f->body_count; k++) {
        size_t count = body_is_moved(&f->bodies[k]) ? s->ends[k] : 0;
        s->ends[k] = all;
        all += count;
    }
    if (!memory_grow_together(f->mem, per_particle, 2, &s->capacity, all))
        return false;
    for (size_t n = 0; all > 0 && n < f->walls.touching_count; n++) {
        const wall_span *solids = &f->walls.spans[f->walls.touching[n]];
        for (uint32_t w = 0; w < solids->count; w++) {
            uint32_t k = solids->contacts[w].body;
            if (body_is_moved(&f->bodies[k]))
                s->listed[s->ends[k]++] = f->walls.touching[n];
        }
    }
    return true;
}

/* Weighs the samples that were found around a place by area and kernel. */
static void weigh_samples(film *s, const kernel_radial *kernel, const body *b, vec3 at)
{
    for (size_t k = 0; k < s->around.count; k++) {
        const surface_point *sample = &b->skin.points[s->around.found[k]];
        double length = vec3_length(vec3_sub(sample->position, at));
        s->weights[k] = sample->area * kernel_radial_value(kernel, length);
    }
}

/* Shares a push among the samples around it, so that the shares add up to the push along its own
 * direction: at an edge part of it goes to either face. */
static void share_push(film *s, const body *b, vec3 push)
{
    double weights = 0, total = 0, strength2 = vec3_dot(push, push);
    const uint32_t *around = s->around.found;
    for (size_t k = 0; k < s->around.count; k++) {
        double along = vec3_dot(push, b->skin.points[around[k]].normal);
        weights += along * along * s->weights[k];
        total += s->weights[k];
    }
    /* Faces along the push cannot bear it: without a floor a push past an edge, where samples
     * of one face alone are in reach, would be shared out without bound. */
    weights = fmax(weights, 0.1 * strength2 * total);
    for (size_t k = 0; weights > 0 && k < s->around.count; k++) {
        const surface_point *sample = &b->skin.points[around[k]];
        double share = s->weights[k] / weights;
        s->given[around[k]] -= share * strength2 * vec3_dot(push, sample->normal) / sample->area;
    }
}

/* Whether the pressure of a sample is asked for. */
static bool is_needed(const film *s, size_t n)
{
    return s->wet[n] || s->rim[n];
}

static bool any_is_needed(const film *s)
{
    for (size_t k = 0; k < s->around.count; k++)
        if (is_needed(s, s->around.found[k]))
            return true;
    return false;
}

/* The pressure that particles give the body already, per sample over or beside a film: each
 * particle's push is shared among the samples around it. */
static bool find_given(film *s, const flow *f, size_t body_index, const float *pressure)
{
    const body *b = &f->bodies[body_index];
    kernel_radial kernel = kernel_radial_make(f->kernel, f->dim, f->h);
    if (!skin_near_list(&s->around, f->mem, &b->skin, NULL, f->h))
        return false;
    memset(s->given, 0, b->skin.count * sizeof *s->given);
    for (size_t k = 0; k < s->count; k++) {
        size_t i = s->near[k];
        if (pressure[i] <= 0 || bounds_distance2(&s->needed, s->places[k]) >= f->h * f->h)
            continue;
        skin_near_find(&s->around, s->places[k], f->h, f->dim);
        if (!any_is_needed(s))
            continue;
        const wall_contact *contact = f->walls.spans[i].contacts;
        while (contact->body != body_index)
            contact++;
        vec3 push = {contact->gradient[0], contact->gradient[1], contact->gradient[2]};
        push = quat_unrotate(b->pose.rotation, vec3_scale(push, pressure[i] * f->volume));
        weigh_samples(s, &kernel, b, s->places[k]);
        share_push(s, b, push);
    }
    return true;
}

/* What the fluid around a body has in common: the pressure that it would have at the origin's
 * height. */
typedef struct head {
    bool known;
    double pressure; /* Pa at height 0, along the uniform force */
    double gradient; /* Pa per metre of depth: density times force */
    double density;  /* kg/m³ */
} head;

/* The free part of the body's own surface tells it, beside the film: a jet that strikes the top
 * does not press from below. Each sample counts by its pressure, because what splashes above has
 * little, but by no more than the mean. */
static head find_head(film *s, const flow *f, const body *b, vec3 down)
{
    double weight = 0, sum = 0, density = 0, area = 0, force = 0;
    for (size_t k = 0; k < s->count; k++)
        density += f->fluids[f->p.fluid[s->near[k]]].density / (double)s->count;
    double gradient = density * vec3_length(f->force);
    for (size_t n = 0; n < b->skin.count; n++) {
        s->rim[n] = s->rim[n] && s->given[n] > 0;
        area += s->rim[n] ? b->skin.points[n].area : 0;
        force += s->rim[n] ? b->skin.points[n].area * s->given[n] : 0;
    }
    for (size_t n = 0; n < b->skin.count; n++) {
        if (!s->rim[n])
            continue;
        double depth = vec3_dot(pose_point(b->pose, b->skin.points[n].position), down);
        double share = fmin(s->given[n] * area, force) * b->skin.points[n].area;
        weight += share;
        sum += share * (s->given[n] - gradient * depth);
    }
    return (head){weight > 0, weight > 0 ? sum / weight : 0, gradient, density};
}

/* What the pressure falls by because fluid must flow in where a gap opens: that of its speed, which
 * grows with the width of the body over that of the gap. Without it a body that a wave of pressure
 * has loosened shoots up. */
static double inflow_drop(const flow *f, const body *b, double opening, double gap, double density)
{
    double inflow = fmax(opening, 0) * b->radius / (fmax(gap, 0) + f->spacing);
    return 0.5 * density * inflow * inflow;
}

static void push_sample(film *s, flow *f, size_t body_index, size_t n, const head *h, vec3 down)
{
    body *b = &f->bodies[body_index], *other = &f->bodies[s->other[n]];
    const surface_point *sample = &b->skin.points[n];
    vec3 point = pose_point(b->pose, sample->position);
    vec3 inward = vec3_scale(quat_rotate(b->pose.rotation, sample->normal), -1);
    vec3 apart = vec3_sub(body_velocity_at(b, point), body_velocity_at(other, point));
    double pressure = h->pressure + h->gradient * vec3_dot(point, down) -
                      inflow_drop(f, b, vec3_dot(apart, inward), s->gap[n], h->density) -
                      s->given[n];
    if (!(pressure > 0))
        return;
    vec3 impulse = vec3_scale(inward, pressure * sample->area * f->gravity_time);
    body_push(b, point, impulse, (vec3){0, 0, 0});
    body_push(other, point, vec3_scale(impulse, -1), (vec3){0, 0, 0});
}

/* Marks samples that were found as wet and lists them in the queue. */
static size_t wet_found(film *s, size_t waiting)
{
    for (size_t k = 0; k < s->around.count; k++) {
        size_t n = s->around.found[k];
        if (!s->wet[n])
            s->queue[waiting++] = n;
        s->wet[n] = true;
    }
    return waiting;
}

/* Marks the samples over gaps that fluid reaches: those at its edge, and from sample to sample what
 * is connected with them. A gap elsewhere, such as under a load on a dry deck, holds none. Returns
 * whether there are any. */
static bool find_wet_gaps(film *s, const flow *f, const body *b)
{
    size_t waiting = 0; /* samples in s->queue whose neighbours are still to be looked at */
    memset(s->wet, 0, b->skin.count * sizeof *s->wet);
    for (size_t k = 0; k < s->count; k++) {
        skin_near_find(&s->around, s->places[k], 1.5 * f->spacing, f->dim);
        waiting = wet_found(s, waiting);
    }
    bool any = waiting > 0;
    while (waiting > 0) {
        vec3 from = b->skin.points[s->queue[--waiting]].position;
        skin_near_find(&s->around, from, 1.6 * f->spacing, f->dim);
        waiting = wet_found(s, waiting);
    }
    return any;
}

/* Whether a sample lies beside a film. */
static bool is_at_rim(film *s, const flow *f, const body *b, size_t n)
{
    skin_near_find(&s->around, b->skin.points[n].position, RIM * f->spacing, f->dim);
    for (size_t k = 0; k < s->around.count; k++)
        if (s->wet[s->around.found[k]])
            return true;
    return false;
}

/* Marks the samples of the free surface beside a film, and finds where these and those over the
 * film are. */
static void find_rim(film *s, const flow *f, const body *b)
{
    s->needed = bounds_nowhere();
    for (size_t n = 0; n < b->skin.count; n++) {
        s->rim[n] = !s->narrow[n] && is_at_rim(s, f, b, n);
        if (is_needed(s, n))
            s->needed = bounds_hold_point(s->needed, b->skin.points[n].position);
    }
}

/* Whether any sample of a body lies over a narrow gap. */
static bool find_gaps(film *s, const flow *f, const body *b)
{
    bool any = false;
    for (size_t n = 0; n < b->skin.count; n++) {
        s->gap[n] = find_gap(s, f, pose_point(b->pose, b->skin.points[n].position),
                             WIDEST_GAP * f->spacing, &s->other[n]);
        s->narrow[n] = s->gap[n] <= WIDEST_GAP * f->spacing;
        any = any || s->narrow[n];
    }
    return any;
}

/* Which samples are over films, and what the fluid around these has in common. */
static bool find_films(film *s, flow *f, size_t index, const float *pressure, vec3 down,
                       head *around)
{
    const body *b = &f->bodies[index];
    *around = (head){.known = false};
    if (!find_gaps(s, f, b))
        return true;
    for (size_t k = 0; k < s->count; k++)
        s->places[k] = walls_local_point(&f->near, b, flow_position(f, s->near[k]));
    if (!skin_near_list(&s->around, f->mem, &b->skin, s->narrow, RIM * f->spacing))
        return false;
    if (!find_wet_gaps(s, f, b))
        return true;
    find_rim(s, f, b);
    if (!find_given(s, f, index, pressure))
        return false;
    *around = find_head(s, f, b, down);
    return true;
}

/* The pressure in the films of one body, and what it does. */
static bool push_body(film *s, flow *f, size_t index, const float *pressure, vec3 down, double dt)
{
    body *b = &f->bodies[index];
    head around;
    if (!find_films(s, f, index, pressure, down, &around))
        return false;
    if (!around.known) {
        b->film_pressure = 0;
        return true;
    }
    /* Multipliers of single substeps flicker; a mean of a while is the pressure. */
    b->film_pressure += fmin(dt / FILM_TIME, 1) * (around.pressure - b->film_pressure);
    around.pressure = b->film_pressure;
    for (size_t n = 0; n < b->skin.count; n++)
        if (s->wet[n])
            push_sample(s, f, index, n, &around, down);
    return true;
}

static bool reserve(film *s, memory *m, size_t count)
{
    const memory_array arrays[] = {
        {(void **)&s->given, sizeof *s->given}, {(void **)&s->gap, sizeof *s->gap},
        {(void **)&s->other, sizeof *s->other}, {(void **)&s->narrow, sizeof *s->narrow},
        {(void **)&s->wet, sizeof *s->wet},     {(void **)&s->rim, sizeof *s->rim},
        {(void **)&s->queue, sizeof *s->queue}, {(void **)&s->weights, sizeof *s->weights}};
    return memory_grow_together(m, arrays, 8, &s->capacity_samples, count);
}

/* Films press on bodies that are moved alone. */
static bool any_may_be_pushed(const flow *f)
{
    for (size_t k = 0; k < f->body_count; k++)
        if (body_is_moved(&f->bodies[k]) && f->bodies[k].skin.count > 0)
            return true;
    return false;
}

bool film_push(film *s, flow *f, const float *pressure, double dt, weir_error *error)
{
    vec3 down = vec3_unit(f->force, (vec3){0, 0, 0});
    if (!any_may_be_pushed(f))
        return true;
    if (!find_near(s, f))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for the films under %zu bodies",
                    f->body_count);
    for (size_t k = 0, first = 0; k < f->body_count; first = s->ends[k], k++) {
        body *b = &f->bodies[k];
        if (!body_is_moved(b) || b->skin.count == 0)
            continue;
        s->near = s->listed + first;
        s->count = s->ends[k] - first;
        s->beside_count = find_beside(s, f, b, b->radius + WIDEST_GAP * f->spacing);
        if (s->beside_count == 0)
            continue;
        if (s->count == 0) { /* a dry body */
            b->film_pressure = 0;
            continue;
        }
        if (!reserve(s, f->mem, b->skin.count) || !push_body(s, f, k, pressure, down, dt))
            return fail(error, WEIR_OUT_OF_MEMORY, "no memory for the film under body %s", b->name);
    }
    return true;
}
