/* What a world derives from everything in it before its first step. */
#include "base/error.h"
#include "couple/body_limit.h"
#include "world/state.h"

/* Extent of the matter along the uniform force: from the highest fluid or emitter to the lowest
 * fluid or the lowest end of a solid, which fluid may fall to. */
static double fall_height(const weir_world *w)
{
    const flow *f = &w->flow;
    vec3 down = vec3_unit(f->force, (vec3){0, 0, 0});
    double top = INFINITY, bottom = -INFINITY;
    for (size_t i = 0; i < f->p.total; i++) {
        double depth = vec3_dot(flow_position(f, i), down);
        top = fmin(top, depth - f->spacing / 2);
        bottom = fmax(bottom, depth + f->spacing / 2);
    }
    for (size_t k = 0; k < w->emitter_count; k++) {
        double depth = vec3_dot(w->emitters[k].position, down);
        top = fmin(top, depth);
        bottom = fmax(bottom, depth);
    }
    for (size_t k = 0; k < f->body_count; k++) {
        const body *b = &f->bodies[k];
        if (!b->alive)
            continue;
        /* Corners of the bounds; those of an unbounded shape tell nothing. */
        for (int corner = 0; corner < 8; corner++) {
            vec3 at = {corner & 1 ? b->bounds.hi.x : b->bounds.lo.x,
                       corner & 2 ? b->bounds.hi.y : b->bounds.lo.y,
                       corner & 4 ? b->bounds.hi.z : b->bounds.lo.z};
            if (vec3_is_finite(at))
                bottom = fmax(bottom, vec3_dot(pose_point(b->pose, at), down));
        }
    }
    return bottom > top ? bottom - top : 0;
}

/* The speed that the scene's own sources can give. */
static double find_reference_speed(weir_world *w)
{
    flow *f = &w->flow;
    double height = fall_height(w);
    double speed = sqrt(2 * vec3_length(f->force) * height);
    speed = fmax(speed, f->speed_max);
    for (size_t k = 0; k < w->emitter_count; k++) {
        double start = w->emitters[k].speed;
        speed = fmax(speed, sqrt(start * start + 2 * vec3_length(f->force) * height));
    }
    for (size_t k = 0; k < f->body_count; k++) {
        const weir_motion *m = &f->bodies[k].motion;
        double pace = vec3_length(m->velocity) +
                      2 * 3.14159265358979323846 * m->frequency * vec3_length(m->oscillation);
        speed = fmax(speed, pace);
    }
    /* Nothing drives the fluid: any small speed will do. */
    return speed > 0 ? speed : 0.1;
}

bool world_prepare(weir_world *w, weir_error *error)
{
    if (w->prepared)
        return true;
    world_measure_speed(w);
    w->flow.reference_speed = find_reference_speed(w);
    w->flow.fluid_depth = depth_of_range(&w->flow, 0, w->flow.p.total);
    /* A world of bodies alone has nothing that the method could prepare. */
    if (w->flow.fluid_count > 0 && !w->method->prepare(&w->flow, error))
        return false;
    w->prepared = world_prepare_coupling(w, error);
    return w->prepared;
}

bool world_prepare_coupling(weir_world *w, weir_error *error)
{
    contact_lcp_free(&w->coupling);
    if (!world_is_by_contact(w) ||
        contact_lcp_init(&w->coupling, &w->flow, &w->def.coupling, error))
        return true;
    contact_lcp_free(&w->coupling);
    return false;
}

weir_step_limit world_find_limit(const weir_world *w)
{
    weir_step_limit limit = {.seconds = INFINITY, .cause = "none"};
    if (w->flow.fluid_count > 0)
        limit = w->method->limit(&w->flow);
    bodies_limit(&w->flow, &limit);
    joints_limit(w->joints, w->joint_count, &w->flow, &limit);
    for (size_t k = 0; k < w->emitter_count; k++)
        step_limit_tighten(&limit, emitter_step_limit(&w->emitters[k], &w->flow, w->time),
                           "emitter");
    return limit;
}

weir_step_limit weir_world_get_step_limit(weir_world *w, weir_error *error)
{
    if (!world_prepare(w, error))
        return (weir_step_limit){.cause = "none"};
    return world_find_limit(w);
}
