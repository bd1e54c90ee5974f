#include "weir_box2d.h"

#include <cmath>

namespace
{

/* Shapes of one body, and the corners they point to. */
struct outline {
    std::vector<weir_shape_def> shapes;
    std::vector<std::vector<weir_vec3>> corners;
};

weir_vec3 vector_of(const b2Vec2 &v)
{
    return {v.x, v.y, 0};
}

weir_quat turn_of(double angle)
{
    return {0, 0, std::sin(angle / 2), std::cos(angle / 2)};
}

void add_circle(outline &out, const b2CircleShape &circle)
{
    weir_shape_def def = weir_shape_def_default();
    def.kind = WEIR_SHAPE_SPHERE;
    def.radius = circle.m_radius;
    def.pose.position = vector_of(circle.m_p);
    out.shapes.push_back(def);
}

void add_polygon(outline &out, const b2PolygonShape &polygon)
{
    weir_shape_def def = weir_shape_def_default();
    std::vector<weir_vec3> corners;
    for (int k = 0; k < polygon.m_count; k++)
        corners.push_back(vector_of(polygon.m_vertices[k]));
    out.corners.push_back(corners);
    def.kind = WEIR_SHAPE_POLYGON;
    def.point_count = corners.size();
    out.shapes.push_back(def);
}

/* A capsule, whose axis is y, from a to b. */
void add_edge(outline &out, const b2Vec2 &a, const b2Vec2 &b, double radius)
{
    weir_shape_def def = weir_shape_def_default();
    b2Vec2 along = b - a;
    def.kind = WEIR_SHAPE_CAPSULE;
    def.radius = radius;
    def.half_length = along.Length() / 2;
    def.pose.position = vector_of(0.5f * (a + b));
    def.pose.rotation = turn_of(std::atan2(-along.x, along.y));
    out.shapes.push_back(def);
}

void add_fixture(outline &out, const b2Shape &shape, double edge_radius)
{
    switch (shape.GetType()) {
    case b2Shape::e_circle:
        add_circle(out, static_cast<const b2CircleShape &>(shape));
        break;
    case b2Shape::e_polygon:
        add_polygon(out, static_cast<const b2PolygonShape &>(shape));
        break;
    case b2Shape::e_edge: {
        const b2EdgeShape &edge = static_cast<const b2EdgeShape &>(shape);
        add_edge(out, edge.m_vertex1, edge.m_vertex2, edge_radius);
        break;
    }
    case b2Shape::e_chain: {
        const b2ChainShape &chain = static_cast<const b2ChainShape &>(shape);
        for (int k = 0; k + 1 < chain.m_count; k++)
            add_edge(out, chain.m_vertices[k], chain.m_vertices[k + 1], edge_radius);
        break;
    }
    default:
        break;
    }
}

outline outline_of(const b2Body &body, double edge_radius)
{
    outline out;
    for (const b2Fixture *f = body.GetFixtureList(); f; f = f->GetNext())
        if (!f->IsSensor())
            add_fixture(out, *f->GetShape(), edge_radius);
    size_t next = 0;
    for (weir_shape_def &s : out.shapes)
        if (s.kind == WEIR_SHAPE_POLYGON)
            s.points = out.corners[next++].data();
    return out;
}

} // namespace

weir_box2d::weir_box2d(weir_world *world, b2World *host, double edge_radius)
    : world(world), host(host), edge_radius(edge_radius)
{
}

bool weir_box2d::add(b2Body *body, weir_error *error)
{
    outline shapes = outline_of(*body, edge_radius);
    if (shapes.shapes.empty())
        return true;
    weir_body_def def = weir_body_def_default();
    def.shape.kind = WEIR_SHAPE_UNION;
    def.shape.children = shapes.shapes.data();
    def.shape.child_count = shapes.shapes.size();
    def.pose.position = vector_of(body->GetPosition());
    def.pose.rotation = turn_of(body->GetAngle());
    def.mass = body->GetMass();
    if (body->GetType() != b2_staticBody) {
        def.kind = body->GetType() == b2_dynamicBody ? WEIR_BODY_DYNAMIC : WEIR_BODY_ANIMATED;
        def.hosted = true;
    }
    weir_body_id id = weir_body_create(world, &def, error);
    if (id.slot == 0)
        return false;
    pairs.push_back({body, id});
    return true;
}

void weir_box2d::remove(b2Body *body)
{
    for (size_t k = 0; k < pairs.size(); k++)
        if (pairs[k].body == body) {
            weir_body_destroy(world, pairs[k].id, nullptr);
            pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(k));
            return;
        }
}

/* Weir's centre of mass is that of a uniform body of the same shape; Box2D's may be another. */
bool weir_box2d::send(const pair &p, weir_error *error)
{
    weir_body_state state;
    const b2Body &b = *p.body;
    weir_pose at = {vector_of(b.GetPosition()), turn_of(b.GetAngle())};
    weir_vec3 spin = {0, 0, b.GetAngularVelocity()};
    if (b.GetType() == b2_staticBody)
        return true;
    if (!weir_body_set_motion(world, p.id, at, vector_of(b.GetLinearVelocity()), spin, error) ||
        !weir_body_get_state(world, p.id, &state))
        return false;
    b2Vec2 centre(static_cast<float>(state.centre.x), static_cast<float>(state.centre.y));
    weir_vec3 velocity = vector_of(b.GetLinearVelocityFromWorldPoint(centre));
    return weir_body_set_motion(world, p.id, at, velocity, spin, error);
}

/* At the place where the body was when the fluid pushed it: Box2D has not moved it. */
bool weir_box2d::receive(const pair &p, weir_error *error)
{
    weir_impulse given;
    weir_body_state state;
    b2Body &b = *p.body;
    if (b.GetType() != b2_dynamicBody)
        return true;
    if (!weir_body_get_impulse(world, p.id, &given, error) ||
        !weir_body_get_state(world, p.id, &state))
        return false;
    /* The centre in the frame of the body, which Weir has moved on. */
    double dx = state.centre.x - state.pose.position.x, dy = state.centre.y - state.pose.position.y;
    double turned = b.GetAngle() - 2 * std::atan2(state.pose.rotation.z, state.pose.rotation.w);
    b2Vec2 arm(static_cast<float>(dx * std::cos(turned) - dy * std::sin(turned)),
               static_cast<float>(dx * std::sin(turned) + dy * std::cos(turned)));
    b2Vec2 impulse(static_cast<float>(given.linear.x), static_cast<float>(given.linear.y));
    b.ApplyLinearImpulse(impulse, b.GetPosition() + arm, true);
    b.ApplyAngularImpulse(static_cast<float>(given.angular.z), true);
    return true;
}

bool weir_box2d::step_fluid(float dt, weir_error *error)
{
    for (const pair &p : pairs)
        if (!send(p, error))
            return false;
    if (weir_world_step(world, dt, error) & WEIR_STEP_FAILED)
        return false;
    for (const pair &p : pairs)
        if (!receive(p, error))
            return false;
    return true;
}

bool weir_box2d::step(float dt, int velocity_iterations, int position_iterations, weir_error *error)
{
    if (!step_fluid(dt, error))
        return false;
    host->Step(dt, velocity_iterations, position_iterations);
    return true;
}
