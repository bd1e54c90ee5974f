#include "weir_chipmunk.h"

#include <chipmunk/chipmunk_structs.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct pair {
    cpBody *body;
    weir_body_id id;
} pair;

struct weir_chipmunk {
    weir_world *world;
    cpSpace *space;
    double segment_radius;
    pair *pairs;
    size_t count, capacity;
};

enum { MOST_SHAPES = 64, MOST_CORNERS = 512 };

/* Shapes of one body, and the corners they point to. */
typedef struct outline {
    double segment_radius;
    weir_shape_def shapes[MOST_SHAPES];
    size_t shape_count;
    weir_vec3 corners[MOST_CORNERS];
    size_t corner_count;
    bool full;
} outline;

static bool out_of_memory(weir_error *error)
{
    if (error) {
        error->code = WEIR_OUT_OF_MEMORY;
        snprintf(error->text, sizeof error->text, "memory ran out for the bodies of a space");
    }
    return false;
}

static weir_vec3 vector_of(cpVect v)
{
    weir_vec3 out = {v.x, v.y, 0};
    return out;
}

static weir_quat turn_of(double angle)
{
    weir_quat out = {0, 0, sin(angle / 2), cos(angle / 2)};
    return out;
}

/* Chipmunk gives shapes relative to the centre of gravity in part: these are in the body's frame.
 */
static void fill_circle(weir_shape_def *def, const cpShape *shape)
{
    def->kind = WEIR_SHAPE_SPHERE;
    def->radius = cpCircleShapeGetRadius(shape);
    def->pose.position = vector_of(cpCircleShapeGetOffset(shape));
}

/* A capsule, whose axis is y. */
static void fill_segment(weir_shape_def *def, const cpShape *shape, double least)
{
    cpVect a = cpSegmentShapeGetA(shape), b = cpSegmentShapeGetB(shape), along = cpvsub(b, a);
    def->kind = WEIR_SHAPE_CAPSULE;
    def->radius = fmax(cpSegmentShapeGetRadius(shape), least);
    def->half_length = cpvlength(along) / 2;
    def->pose.position = vector_of(cpvlerp(a, b, 0.5));
    def->pose.rotation = turn_of(atan2(-along.x, along.y));
}

static void fill_polygon(outline *out, weir_shape_def *def, const cpShape *shape)
{
    size_t count = (size_t)cpPolyShapeGetCount(shape);
    if (out->corner_count + count > MOST_CORNERS) {
        out->full = true;
        return;
    }
    def->kind = WEIR_SHAPE_POLYGON;
    def->rounding = cpPolyShapeGetRadius(shape);
    def->points = out->corners + out->corner_count;
    def->point_count = count;
    for (size_t k = 0; k < count; k++)
        out->corners[out->corner_count++] = vector_of(cpPolyShapeGetVert(shape, (int)k));
}

static void add_shape(cpBody *body, cpShape *shape, void *data)
{
    outline *out = data;
    (void)body;
    if (cpShapeGetSensor(shape))
        return;
    if (out->shape_count == MOST_SHAPES) {
        out->full = true;
        return;
    }
    weir_shape_def *def = &out->shapes[out->shape_count++];
    *def = weir_shape_def_default();
    switch (shape->klass->type) {
    case CP_CIRCLE_SHAPE:
        fill_circle(def, shape);
        break;
    case CP_SEGMENT_SHAPE:
        fill_segment(def, shape, out->segment_radius);
        break;
    case CP_POLY_SHAPE:
        fill_polygon(out, def, shape);
        break;
    default:
        out->shape_count--;
        break;
    }
}

weir_chipmunk *weir_chipmunk_create(weir_world *world, cpSpace *space, double segment_radius,
                                    weir_error *error)
{
    weir_chipmunk *c = calloc(1, sizeof *c);
    if (!c) {
        out_of_memory(error);
        return NULL;
    }
    c->world = world;
    c->space = space;
    c->segment_radius = segment_radius;
    return c;
}

void weir_chipmunk_destroy(weir_chipmunk *c)
{
    if (!c)
        return;
    free(c->pairs);
    free(c);
}

static bool remember(weir_chipmunk *c, cpBody *body, weir_body_id id, weir_error *error)
{
    if (c->count == c->capacity) {
        size_t capacity = 2 * c->capacity + 16;
        pair *grown = realloc(c->pairs, capacity * sizeof *grown);
        if (!grown)
            return out_of_memory(error);
        c->pairs = grown;
        c->capacity = capacity;
    }
    c->pairs[c->count].body = body;
    c->pairs[c->count++].id = id;
    return true;
}

static bool create(weir_chipmunk *c, cpBody *body, const outline *shapes, weir_error *error)
{
    weir_body_def def = weir_body_def_default();
    cpBodyType type = cpBodyGetType(body);
    def.shape.kind = WEIR_SHAPE_UNION;
    def.shape.children = shapes->shapes;
    def.shape.child_count = shapes->shape_count;
    def.pose.position = vector_of(cpBodyGetPosition(body));
    def.pose.rotation = turn_of(cpBodyGetAngle(body));
    if (type != CP_BODY_TYPE_STATIC) {
        def.kind = type == CP_BODY_TYPE_DYNAMIC ? WEIR_BODY_DYNAMIC : WEIR_BODY_ANIMATED;
        def.mass = type == CP_BODY_TYPE_DYNAMIC ? cpBodyGetMass(body) : 0;
        def.hosted = true;
    }
    weir_body_id id = weir_body_create(c->world, &def, error);
    return id.slot != 0 && remember(c, body, id, error);
}

bool weir_chipmunk_add(weir_chipmunk *c, cpBody *body, weir_error *error)
{
    outline *shapes = calloc(1, sizeof *shapes);
    if (!shapes)
        return out_of_memory(error);
    shapes->segment_radius = c->segment_radius;
    cpBodyEachShape(body, add_shape, shapes);
    bool done = true;
    if (shapes->full && error) {
        error->code = WEIR_UNSUPPORTED;
        snprintf(error->text, sizeof error->text,
                 "a body has more than %d shapes or %d corners; split it", MOST_SHAPES,
                 MOST_CORNERS);
    }
    if (shapes->full)
        done = false;
    else if (shapes->shape_count > 0)
        done = create(c, body, shapes, error);
    free(shapes);
    return done;
}

void weir_chipmunk_remove(weir_chipmunk *c, cpBody *body)
{
    for (size_t k = 0; k < c->count; k++)
        if (c->pairs[k].body == body) {
            weir_body_destroy(c->world, c->pairs[k].id, NULL);
            memmove(c->pairs + k, c->pairs + k + 1, (c->count - k - 1) * sizeof *c->pairs);
            c->count--;
            return;
        }
}

/* Weir's centre of mass is that of a uniform body of the same shape; Chipmunk's may be another. */
static bool send(const weir_chipmunk *c, const pair *p, weir_error *error)
{
    weir_body_state state;
    weir_pose at = {vector_of(cpBodyGetPosition(p->body)), turn_of(cpBodyGetAngle(p->body))};
    weir_vec3 spin = {0, 0, cpBodyGetAngularVelocity(p->body)};
    weir_vec3 velocity = vector_of(cpBodyGetVelocity(p->body));
    if (cpBodyGetType(p->body) == CP_BODY_TYPE_STATIC)
        return true;
    if (!weir_body_set_motion(c->world, p->id, at, velocity, spin, error) ||
        !weir_body_get_state(c->world, p->id, &state))
        return false;
    cpVect centre = cpv(state.centre.x, state.centre.y);
    velocity = vector_of(cpBodyGetVelocityAtWorldPoint(p->body, centre));
    return weir_body_set_motion(c->world, p->id, at, velocity, spin, error);
}

/* At the place where the body was when the fluid pushed it: the space has not moved it. */
static bool receive(const weir_chipmunk *c, const pair *p, weir_error *error)
{
    weir_impulse given;
    weir_body_state state;
    if (cpBodyGetType(p->body) != CP_BODY_TYPE_DYNAMIC)
        return true;
    if (!weir_body_get_impulse(c->world, p->id, &given, error) ||
        !weir_body_get_state(c->world, p->id, &state))
        return false;
    /* The centre in the frame of the body, which Weir has moved on. */
    cpVect arm = cpvsub(cpv(state.centre.x, state.centre.y),
                        cpv(state.pose.position.x, state.pose.position.y));
    double turned =
        cpBodyGetAngle(p->body) - 2 * atan2(state.pose.rotation.z, state.pose.rotation.w);
    arm = cpvrotate(arm, cpvforangle(turned));
    cpBodyApplyImpulseAtWorldPoint(p->body, cpv(given.linear.x, given.linear.y),
                                   cpvadd(cpBodyGetPosition(p->body), arm));
    cpBodySetAngularVelocity(p->body, cpBodyGetAngularVelocity(p->body) +
                                          given.angular.z / cpBodyGetMoment(p->body));
    return true;
}

bool weir_chipmunk_step_fluid(weir_chipmunk *c, double dt, weir_error *error)
{
    for (size_t k = 0; k < c->count; k++)
        if (!send(c, &c->pairs[k], error))
            return false;
    if (weir_world_step(c->world, dt, error) & WEIR_STEP_FAILED)
        return false;
    for (size_t k = 0; k < c->count; k++)
        if (!receive(c, &c->pairs[k], error))
            return false;
    return true;
}

bool weir_chipmunk_step(weir_chipmunk *c, double dt, weir_error *error)
{
    if (!weir_chipmunk_step_fluid(c, dt, error))
        return false;
    cpSpaceStep(c->space, dt);
    return true;
}
