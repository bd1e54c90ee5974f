/* The world as points and lines, for a host's debug view. */
#include "world/state.h"

static void draw_point(const weir_debug_draw *pen, vec3 at, double size, weir_draw_role role)
{
    if (pen->point)
        pen->point(pen->user, at, size, role);
}

static void draw_line(const weir_debug_draw *pen, vec3 from, vec3 to, weir_draw_role role)
{
    if (pen->line)
        pen->line(pen->user, from, to, role);
}

static weir_draw_role role_of(const body *b)
{
    if (b->asleep)
        return WEIR_DRAW_ASLEEP;
    return b->kind == WEIR_BODY_STATIC     ? WEIR_DRAW_STATIC
           : b->kind == WEIR_BODY_ANIMATED ? WEIR_DRAW_ANIMATED
                                           : WEIR_DRAW_DYNAMIC;
}

/* The edges of the box around the body, in its own frame: 4 in 2D, 12 in 3D. */
static void draw_bounds(const weir_debug_draw *pen, const body *b, int dim)
{
    for (int corner = 0; corner < (dim == 2 ? 4 : 8); corner++)
        for (int axis = 0; axis < dim; axis++) {
            int other = corner | 1 << axis;
            const int ends[2] = {corner, other};
            vec3 at[2];
            if (other == corner)
                continue;
            for (int e = 0; e < 2; e++)
                at[e] = pose_point(b->pose, (vec3){ends[e] & 1 ? b->bounds.hi.x : b->bounds.lo.x,
                                                   ends[e] & 2 ? b->bounds.hi.y : b->bounds.lo.y,
                                                   ends[e] & 4 ? b->bounds.hi.z : b->bounds.lo.z});
            draw_line(pen, at[0], at[1], role_of(b));
        }
}

static void draw_body(const weir_debug_draw *pen, const body *b, int dim)
{
    for (size_t n = 0; n < b->skin.count; n++)
        draw_point(pen, pose_point(b->pose, b->skin.points[n].position), 0, role_of(b));
    if (b->bounded)
        draw_bounds(pen, b, dim);
}

static void draw_joint(const weir_debug_draw *pen, const weir_world *w, const joint *j)
{
    vec3 a = pose_point(w->flow.bodies[j->a].pose, j->local_a);
    vec3 b = j->b >= 0 ? pose_point(w->flow.bodies[j->b].pose, j->local_b) : j->local_b;
    draw_point(pen, a, 0, WEIR_DRAW_JOINT);
    draw_line(pen, a, b, WEIR_DRAW_JOINT);
}

/* The first 256, so that no memory is needed. */
static void draw_contacts(const weir_debug_draw *pen, const weir_world *w)
{
    weir_contact contacts[256];
    size_t count = weir_world_get_contacts(w, contacts, 256);
    for (size_t k = 0; k < count && k < 256; k++) {
        vec3 tip = vec3_madd(contacts[k].position, 2 * w->def.spacing, contacts[k].normal);
        draw_point(pen, contacts[k].position, 0, WEIR_DRAW_CONTACT);
        draw_line(pen, contacts[k].position, tip, WEIR_DRAW_CONTACT);
    }
}

void weir_world_draw(const weir_world *w, const weir_debug_draw *pen)
{
    const flow *f = &w->flow;
    for (size_t i = 0; pen->point && i < f->p.total; i++)
        draw_point(pen, flow_position(f, i), f->spacing / 2,
                   i < f->p.count ? WEIR_DRAW_FLUID : WEIR_DRAW_ASLEEP);
    for (size_t k = 0; k < f->body_count; k++)
        if (f->bodies[k].alive)
            draw_body(pen, &f->bodies[k], f->dim);
    for (size_t k = 0; k < w->joint_count; k++)
        if (!w->joints[k].broken)
            draw_joint(pen, w, &w->joints[k]);
    draw_contacts(pen, w);
    for (size_t k = 0; k < w->probe_count; k++)
        draw_point(pen, w->probes[k].position, 0, WEIR_DRAW_PROBE);
}
