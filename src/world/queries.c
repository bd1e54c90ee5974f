/* Questions about places: what a ray meets, what touches a ball, where fluid is. */
#include "world/state.h"

static weir_body_id body_id(const weir_world *w, size_t index)
{
    return (weir_body_id){(uint32_t)index + 1, w->flow.bodies[index].generation};
}

static double distance_to(const weir_world *w, size_t index, vec3 point, vec3 *normal)
{
    const body *b = &w->flow.bodies[index];
    double d = shape_distance(b->shape, walls_local_point(&w->flow.near, b, point), normal);
    if (normal)
        *normal = quat_rotate(b->pose.rotation, *normal);
    return d;
}

/* Steps of the distance: no solid is nearer than that, so that none is jumped over. */
bool weir_world_cast_ray(const weir_world *w, weir_vec3 origin, weir_vec3 direction,
                         double max_distance, weir_ray_hit *hit)
{
    enum { MOST_STEPS = 1000 };
    double length = vec3_length(direction);
    if (!vec3_is_finite(origin) || !(length > 0) || !isfinite(length) || !(max_distance > 0))
        return false;
    vec3 along = vec3_scale(direction, 1 / length);
    double near = 1e-4 * w->def.spacing, way = 0;
    for (int k = 0; k < MOST_STEPS && way <= max_distance; k++) {
        weir_body_id nearest;
        vec3 at = vec3_madd(origin, way, along);
        double d = weir_world_distance(w, at, &nearest);
        if (d == INFINITY)
            return false;
        if (d > near) {
            way += d;
            continue;
        }
        if (hit) {
            *hit = (weir_ray_hit){.body = nearest, .position = at, .distance = way};
            distance_to(w, nearest.slot - 1, at, &hit->normal);
        }
        return true;
    }
    return false;
}

size_t weir_world_overlap_ball(const weir_world *w, weir_vec3 centre, double radius,
                               weir_body_id *bodies, size_t capacity)
{
    size_t count = 0;
    for (size_t k = 0; k < w->flow.body_count; k++) {
        if (!w->flow.bodies[k].alive || !(distance_to(w, k, centre, NULL) <= radius))
            continue;
        if (count < capacity)
            bodies[count] = body_id(w, k);
        count++;
    }
    return count;
}

size_t weir_world_overlap_fluid(const weir_world *w, weir_vec3 lo, weir_vec3 hi, uint32_t *found,
                                size_t capacity)
{
    const double from[3] = {lo.x, lo.y, lo.z}, to[3] = {hi.x, hi.y, hi.z};
    const particles *p = &w->flow.p;
    size_t count = 0;
    for (size_t i = 0; i < p->total; i++) {
        bool inside = true;
        for (int a = 0; inside && a < p->dim; a++)
            inside = p->x[a][i] >= from[a] && p->x[a][i] <= to[a];
        if (inside && count < capacity)
            found[count] = (uint32_t)i;
        count += inside;
    }
    return count;
}

/* Kernel sums over the particles around a point, as the methods' densities. */
bool weir_world_sample_fluid(const weir_world *w, weir_vec3 point, weir_fluid_sample *sample)
{
    const flow *f = &w->flow;
    const float *pressure = weir_world_get_field(w, "pressure");
    double weight = 0, shares[MAX_FLUIDS] = {0};
    *sample = (weir_fluid_sample){.fluid = -1};
    for (size_t i = 0; i < f->p.total; i++) {
        vec3 off = vec3_sub(flow_position(f, i), point);
        if (f->dim == 2)
            off.z = 0;
        double r = vec3_length(off);
        if (!(r < f->h))
            continue;
        double here = f->kappa * f->volume * kernel_value(f->kernel, f->dim, r, f->h);
        weight += here;
        shares[f->p.fluid[i]] += here;
        sample->velocity = vec3_madd(sample->velocity, here, flow_velocity(f, i));
        sample->pressure += pressure ? here * pressure[i] : 0;
    }
    if (!(weight > 0))
        return false;
    sample->fill = weight;
    sample->velocity = vec3_scale(sample->velocity, 1 / weight);
    sample->pressure /= weight;
    sample->fluid = 0;
    for (int k = 1; k < f->fluid_count; k++)
        if (shares[k] > shares[sample->fluid])
            sample->fluid = k;
    return weight > 0.5;
}
