/* Weir's fluid in a Box2D 2.4 world: Box2D owns the bodies, Weir the fluid.
 *
 *     weir_box2d fluid(world, &host, spacing / 2);
 *     for (b2Body *b = host.GetBodyList(); b; b = b->GetNext())
 *         fluid.add(b, &error);
 *     fluid.step(1.0f / 60, 8, 3, &error);      // both worlds
 *
 * Both worlds need the same gravity. Add this file and weir_box2d.cpp to the program, and link Weir
 * and Box2D. */
#ifndef WEIR_BOX2D_H
#define WEIR_BOX2D_H

#include <weir/weir.h>

#include <box2d/box2d.h>

#include <vector>

class weir_box2d
{
  public:
    /* `world` is 2D. Edges and chains, which have no inside, count as this thick on both sides, m;
     * half a spacing keeps particles from passing through. Both worlds outlive this object. */
    weir_box2d(weir_world *world, b2World *host, double edge_radius);

    /* Shows a body to the fluid: its fixtures but sensors, as they are now. */
    bool add(b2Body *body, weir_error *error);
    /* Before the host destroys the body. */
    void remove(b2Body *body);

    /* Steps the fluid, hands over what it gave to the bodies, and steps Box2D. */
    bool step(float dt, int velocity_iterations, int position_iterations, weir_error *error);

    /* The same in parts, for programs that step Box2D themselves: before its step. */
    bool step_fluid(float dt, weir_error *error);

  private:
    struct pair {
        b2Body *body;
        weir_body_id id;
    };

    bool send(const pair &p, weir_error *error);
    bool receive(const pair &p, weir_error *error);

    weir_world *world;
    b2World *host;
    double edge_radius;
    std::vector<pair> pairs;
};

#endif
