/* Sjöström's five boxes in a Box2D world. five_boxes_box2d [METHOD [SPACING]] */
#include "five_boxes.h"
#include "weir_box2d.h"

#include <cstdio>
#include <cstdlib>

static void add_wall(b2Body *ground, double x, double y, double half_width, double half_height)
{
    b2PolygonShape shape;
    shape.SetAsBox(static_cast<float>(half_width), static_cast<float>(half_height),
                   b2Vec2(static_cast<float>(x), static_cast<float>(y)), 0);
    ground->CreateFixture(&shape, 0);
}

static void build_tank(b2World &host, const five_boxes_plan &p)
{
    const double t = 0.25; /* half the thickness of the walls */
    b2BodyDef def;
    b2Body *ground = host.CreateBody(&def);
    add_wall(ground, p.tank_width / 2, -t, p.tank_width / 2 + 2 * t, t);
    add_wall(ground, -t, p.tank_height / 2, t, p.tank_height / 2);
    add_wall(ground, p.tank_width + t, p.tank_height / 2, t, p.tank_height / 2);
}

static b2Body *add_box(b2World &host, const five_boxes_plan &p, int k)
{
    b2BodyDef def;
    b2PolygonShape shape;
    def.type = b2_dynamicBody;
    def.position.Set(static_cast<float>(p.x[k]), static_cast<float>(p.y));
    b2Body *box = host.CreateBody(&def);
    shape.SetAsBox(static_cast<float>(p.box_width / 2), static_cast<float>(p.box_height / 2));
    box->CreateFixture(&shape, static_cast<float>(p.density[k]));
    return box;
}

static bool simulate(five_boxes &run, weir_error *error)
{
    const five_boxes_plan &p = run.plan;
    b2World host(b2Vec2(0, static_cast<float>(-p.gravity)));
    weir_box2d fluid(run.world, &host, p.spacing / 2);
    b2Body *boxes[FIVE_BOXES];
    five_boxes_place at[FIVE_BOXES];
    build_tank(host, p);
    for (int k = 0; k < FIVE_BOXES; k++)
        boxes[k] = add_box(host, p, k);
    for (b2Body *b = host.GetBodyList(); b; b = b->GetNext())
        if (!fluid.add(b, error))
            return false;
    while (weir_world_get_time(run.world) < p.end) {
        if (!fluid.step(static_cast<float>(p.step), 8, 3, error))
            return false;
        for (int k = 0; k < FIVE_BOXES; k++)
            at[k] = {boxes[k]->GetPosition().x, boxes[k]->GetPosition().y};
        five_boxes_watch(&run, at);
    }
    return true;
}

int main(int argc, char **argv)
{
    weir_error error = {WEIR_OK, ""};
    five_boxes run;
    const char *method = argc > 1 ? argv[1] : "constraint";
    if (!five_boxes_begin(&run, method, argc > 2 ? std::atof(argv[2]) : 0.141, &error)) {
        std::fprintf(stderr, "five boxes: %s\n", error.text);
        return 2;
    }
    bool ok = simulate(run, &error);
    if (!ok)
        std::fprintf(stderr, "five boxes: %s\n", error.text);
    bool good = ok && five_boxes_judge(&run, "Box2D");
    five_boxes_end(&run);
    return good ? 0 : 1;
}
