/* Bodies and joints of a scene, in the world. Names of groups become bits, names of bodies ids. */
#include "scene/scene_build.h"

#include "scene/scene_check.h"
#include "world/state.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------------- groups */

/* The contact of the index-th solid or body, solids first, and where it was written. */
static const scene_contact *contact_at(const scene *s, size_t index, const node **n)
{
    const scene_data *d = &s->data;
    bool is_solid = index < d->solid_count;
    index -= is_solid ? 0 : d->solid_count;
    *n = is_solid ? d->solids[index].node : d->bodies[index].node;
    return is_solid ? &d->solids[index].contact : &d->bodies[index].contact;
}

/* The bit of a group: those that are named count from 1 in the order of the file, and bit 0 is of
 * what has no group. -1: no such group. */
static int find_group(const scene *s, const char *name)
{
    size_t count = s->data.solid_count + s->data.body_count;
    const char *seen[32];
    int known = 0;
    const node *n;
    if (!name || strcmp(name, "none") == 0)
        return 0;
    for (size_t k = 0; k < count && known < 32; k++) {
        const char *group = contact_at(s, k, &n)->group;
        bool is_new = group && strcmp(group, "none") != 0;
        for (int i = 0; i < known && is_new; i++)
            is_new = strcmp(seen[i], group) != 0;
        if (!is_new)
            continue;
        seen[known++] = group;
        if (strcmp(group, name) == 0)
            return known;
    }
    return -1;
}

bool scene_check_groups(const scene *s, weir_error *error)
{
    char shown[NODE_SHOWN];
    const node *n;
    for (size_t k = 0; k < s->data.solid_count + s->data.body_count; k++) {
        const scene_contact *c = contact_at(s, k, &n);
        if (find_group(s, c->group) > 31)
            return bind_error_at(n, "group", error, "there can be at most 31 groups");
        for (size_t i = 0; i < c->collide_count; i++)
            if (find_group(s, c->collides[i]) < 0)
                return bind_error_at(n, "collides", error,
                                     "there is no group '%s': no solid or body has it as 'group'",
                                     node_show_text(c->collides[i], shown));
    }
    return true;
}

/* Of a group that scene_check_groups let through. */
static uint32_t group_bit(const scene *s, const char *name)
{
    int bit = find_group(s, name);
    assert(bit >= 0 && bit < 32);
    return (uint32_t)1 << bit;
}

void scene_build_contact(const scene *s, const scene_contact *from, const node *n,
                         weir_body_def *def)
{
    def->friction = from->friction;
    def->restitution = from->restitution;
    if (!isnan(from->wet_friction))
        def->wet_friction = from->wet_friction;
    def->stickiness = from->stickiness;
    def->stick_distance = from->stick_distance;
    def->group = group_bit(s, from->group);
    if (!node_find(n, "collides"))
        return;
    def->collides = 0;
    for (size_t i = 0; i < from->collide_count; i++)
        def->collides |= group_bit(s, from->collides[i]);
}

/* ---------------------------------------------------------------------- bodies */

bool scene_build_bodies(scene *s, weir_world *world, int threads, weir_shape_def *shapes,
                        weir_error *error)
{
    for (size_t k = 0; k < s->data.body_count; k++) {
        const scene_body *from = &s->data.bodies[k];
        weir_body_def def = weir_body_def_default();
        def.name = from->name;
        def.kind = WEIR_BODY_DYNAMIC;
        def.pose = (pose){from->position, scene_turn_rotation(&from->rotation)};
        def.wall = (weir_wall)from->wall;
        def.density = from->density;
        def.mass = from->mass;
        def.velocity = from->velocity;
        def.spin = scene_turn_vector(&from->spin);
        scene_build_contact(s, &from->contact, from->node, &def);
        if (!scene_build_shape(s, &from->shape, threads, &def.shape, error))
            return false;
        if (weir_body_create(world, &def, error).slot == 0)
            return scene_fail_at(from->node, NULL, error);
        shapes[k] = def.shape;
    }
    return true;
}

/* ---------------------------------------------------------------------- joints */

bool scene_find_body(const scene *s, const char *name, const node *n, const char *key,
                     size_t *index, weir_error *error)
{
    const scene_data *d = &s->data;
    char text[400] = "", shown[NODE_SHOWN];
    size_t used = 0, count = d->solid_count + d->body_count;
    for (size_t k = 0; k < count; k++) {
        /* Bodies before solids: they are what joints are about. */
        bool is_body = k < d->body_count;
        const char *known = is_body ? d->bodies[k].name : d->solids[k - d->body_count].name;
        if (strcmp(known, name) == 0) {
            *index = is_body ? d->solid_count + k : k - d->body_count;
            return true;
        }
        int wrote = snprintf(text + used, sizeof text - used, "%s%.60s", k > 0 ? ", " : "", known);
        used = wrote > 0 && used + (size_t)wrote < sizeof text ? used + (size_t)wrote : used;
    }
    if (count == 0)
        return bind_error_at(n, key, error, "there is no body '%s'; the scene has no bodies",
                             node_show_text(name, shown));
    return bind_error_at(n, key, error, "there is no body '%s'; there are: %s",
                         node_show_text(name, shown), text);
}

static vec3 anchor_or_position(const weir_world *world, vec3 written, weir_body_id id)
{
    weir_body_state state;
    if (!isnan(written.x) || !weir_body_get_state(world, id, &state))
        return written;
    return state.pose.position;
}

static void set_motor(const scene_motor *from, weir_joint_def *def)
{
    if (!from->node)
        return;
    def->motor = (weir_motor)from->kind;
    def->target = from->target;
    if (from->max_effort > 0)
        def->max_effort = from->max_effort;
}

static bool build_joint(const scene *s, weir_world *world, const scene_joint *from,
                        weir_error *error)
{
    weir_joint_def def = weir_joint_def_default();
    size_t a, b = 0;
    if (!scene_find_body(s, from->a, from->node, "a", &a, error) ||
        (from->b && !scene_find_body(s, from->b, from->node, "b", &b, error)))
        return false;
    def.name = from->name;
    def.kind = (weir_joint_kind)from->kind;
    def.a = weir_world_body_at(world, (int)a);
    if (from->b)
        def.b = weir_world_body_at(world, (int)b);
    bool two = def.kind == WEIR_JOINT_DISTANCE || def.kind == WEIR_JOINT_SPRING;
    def.anchor = anchor_or_position(world, from->anchor, def.a);
    if (two) {
        def.anchor_b = anchor_or_position(world, from->anchor_b, def.b);
        def.length = isnan(from->length) ? -1 : from->length;
        def.stiffness = from->stiffness;
        def.damping = from->damping;
    } else if (def.kind == WEIR_JOINT_HINGE || def.kind == WEIR_JOINT_SLIDER) {
        def.axis = from->axis;
        def.limited = from->limit_count == 2;
        def.lo = def.limited ? from->limits[0] : 0;
        def.hi = def.limited ? from->limits[1] : 0;
        set_motor(&from->motor, &def);
    }
    def.break_force = from->break_force;
    def.collide = from->collide;
    return weir_joint_create(world, &def, error).slot != 0 ||
           scene_fail_at(from->node, NULL, error);
}

bool scene_build_joints(scene *s, weir_world *world, weir_error *error)
{
    for (size_t k = 0; k < s->data.joint_count; k++)
        if (!build_joint(s, world, &s->data.joints[k], error))
            return false;
    return true;
}

/* --------------------------------------------------------------------- overlap */

enum { OVERLAP_SAMPLES = 24 }; /* along the longest edge of a body */

/* Whether contacts between the two are asked for: by their groups, and no joint between them. */
static bool may_touch(const weir_world *w, size_t a, size_t b)
{
    const body *one = &w->flow.bodies[a], *other = &w->flow.bodies[b];
    if (!(one->group & other->collides) || !(other->group & one->collides))
        return false;
    for (size_t k = 0; k < w->joint_count; k++) {
        const joint *j = &w->joints[k];
        bool joined = (j->a == (int32_t)a && j->b == (int32_t)b) ||
                      (j->a == (int32_t)b && j->b == (int32_t)a);
        if (joined && !j->collide)
            return false;
    }
    return true;
}

/* How deep a point of `one` lies in both, at most: on a lattice over its bounds. */
static double find_overlap(const body *one, const body *other, int dim)
{
    vec3 lo = one->bounds.lo, size = vec3_sub(one->bounds.hi, lo);
    double step = fmax(size.x, fmax(size.y, dim == 3 ? size.z : 0)) / OVERLAP_SAMPLES;
    int nx = (int)ceil(size.x / step), ny = (int)ceil(size.y / step);
    int nz = dim == 3 ? (int)ceil(size.z / step) : 1;
    double deepest = 0;
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++) {
                vec3 p = {lo.x + size.x * (i + 0.5) / nx, lo.y + size.y * (j + 0.5) / ny,
                          dim == 3 ? lo.z + size.z * (k + 0.5) / nz : 0};
                double depth = -shape_distance(one->shape, p, NULL);
                if (depth <= deepest)
                    continue;
                vec3 there = pose_local_point(other->pose, pose_point(one->pose, p));
                deepest = fmax(deepest, fmin(depth, -shape_distance(other->shape, there, NULL)));
            }
    return deepest;
}

/* Whether the ball about `one` reaches `other` at all: scenes have many bodies, and few overlap. */
static bool is_near(const body *one, const body *other)
{
    vec3 there = pose_local_point(other->pose, body_centre(one));
    return shape_distance(other->shape, there, NULL) < one->radius;
}

void scene_note_overlaps(scene *s, const weir_world *world)
{
    const flow *f = &world->flow;
    char text[300];
    for (size_t b = 1; b < f->body_count; b++)
        for (size_t a = 0; a < b; a++) {
            const body *one = &f->bodies[b], *other = &f->bodies[a];
            if (!body_has_mass(one) || !one->bounded || !is_near(one, other) ||
                !may_touch(world, a, b))
                continue;
            double depth = find_overlap(one, other, f->dim);
            if (depth < 0.1 * f->spacing)
                continue;
            snprintf(text, sizeof text,
                     "the body '%s' starts %.3g m deep in '%s': they will be pushed apart",
                     one->name, depth, other->name);
            scene_note(s, text);
        }
}
