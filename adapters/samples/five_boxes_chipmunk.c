/* Sjöström's five boxes in a Chipmunk space. five_boxes_chipmunk [METHOD [SPACING]] */
#include "five_boxes.h"
#include "weir_chipmunk.h"

#include <stdio.h>
#include <stdlib.h>

static bool build(cpSpace *space, weir_chipmunk *fluid, const five_boxes_plan *p,
                  cpBody *boxes[FIVE_BOXES], weir_error *error)
{
    cpBody *ground = cpSpaceGetStaticBody(space);
    const double w = p->tank_width, h = p->tank_height, t = 0.5; /* thickness of the walls */
    const cpBB walls[3] = {cpBBNew(-t, -t, w + t, 0), cpBBNew(-t, 0, 0, h),
                           cpBBNew(w, 0, w + t, h)};
    for (int k = 0; k < 3; k++)
        cpShapeSetFriction(cpSpaceAddShape(space, cpBoxShapeNew2(ground, walls[k], 0)), 0.5);
    for (int k = 0; k < FIVE_BOXES; k++) {
        double mass = p->density[k] * p->box_width * p->box_height;
        double moment = cpMomentForBox(mass, p->box_width, p->box_height);
        boxes[k] = cpSpaceAddBody(space, cpBodyNew(mass, moment));
        cpBodySetPosition(boxes[k], cpv(p->x[k], p->y));
        cpShape *shape = cpBoxShapeNew(boxes[k], p->box_width, p->box_height, 0);
        cpShapeSetFriction(cpSpaceAddShape(space, shape), 0.5);
        if (!weir_chipmunk_add(fluid, boxes[k], error))
            return false;
    }
    return weir_chipmunk_add(fluid, ground, error);
}

static bool simulate(five_boxes *run, cpSpace *space, weir_chipmunk *fluid, weir_error *error)
{
    cpBody *boxes[FIVE_BOXES];
    five_boxes_place at[FIVE_BOXES];
    if (!fluid || !build(space, fluid, &run->plan, boxes, error))
        return false;
    while (weir_world_get_time(run->world) < run->plan.end) {
        if (!weir_chipmunk_step(fluid, run->plan.step, error))
            return false;
        for (int k = 0; k < FIVE_BOXES; k++)
            at[k].x = cpBodyGetPosition(boxes[k]).x, at[k].y = cpBodyGetPosition(boxes[k]).y;
        five_boxes_watch(run, at);
    }
    return true;
}

static void free_shape(cpBody *body, cpShape *shape, void *space)
{
    (void)body;
    cpSpaceRemoveShape(space, shape);
    cpShapeFree(shape);
}

static void free_body(cpBody *body, void *list)
{
    cpBody ***next = list;
    *(*next)++ = body;
}

static void free_space(cpSpace *space)
{
    cpBody *bodies[FIVE_BOXES], **next = bodies;
    cpSpaceEachBody(space, free_body, &next);
    for (cpBody **b = bodies; b < next; b++) {
        cpBodyEachShape(*b, free_shape, space);
        cpSpaceRemoveBody(space, *b);
        cpBodyFree(*b);
    }
    cpBodyEachShape(cpSpaceGetStaticBody(space), free_shape, space);
    cpSpaceFree(space);
}

int main(int argc, char **argv)
{
    weir_error error = {WEIR_OK, ""};
    five_boxes run;
    const char *method = argc > 1 ? argv[1] : "constraint";
    if (!five_boxes_begin(&run, method, argc > 2 ? atof(argv[2]) : 0.141, &error)) {
        fprintf(stderr, "five boxes: %s\n", error.text);
        return 2;
    }
    cpSpace *space = cpSpaceNew();
    cpSpaceSetGravity(space, cpv(0, -run.plan.gravity));
    weir_chipmunk *fluid = weir_chipmunk_create(run.world, space, run.plan.spacing / 2, &error);
    bool ok = simulate(&run, space, fluid, &error);
    if (!ok)
        fprintf(stderr, "five boxes: %s\n", error.text);
    bool good = ok && five_boxes_judge(&run, "Chipmunk");
    weir_chipmunk_destroy(fluid);
    free_space(space);
    five_boxes_end(&run);
    return good ? 0 : 1;
}
