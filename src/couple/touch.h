/* Where two bodies touch or will within a step: by their faces where both are simple
 * (couple/manifold.h), else samples of each against the distance field of the other; thinned to the
 * few that bear any load that all could. */
#ifndef WEIR_COUPLE_TOUCH_H
#define WEIR_COUPLE_TOUCH_H

#include "couple/broad_phase.h"

/* A sample of one body near the other of a pair, or a corner of it. */
typedef struct touch {
    uint32_t sample; /* its number, which names the touch across steps */
    uint8_t side;    /* 0: a sample of the pair's first body, 1: of the second */
    uint8_t order;   /* of the touches of one sample with several walls */
    bool taken;
    bool known;    /* it bore a load in the last substep */
    bool plane;    /* it meets a plane, whatever way it goes in the step */
    vec3 point;    /* on the surface of the body without the sample */
    vec3 normal;   /* from the second body to the first */
    double gap;    /* m */
    double radius; /* m, of the sample; its centre lies gap + radius above the point */
} touch;

typedef struct placed_form placed_form;

typedef struct touch_list {
    touch *items;
    size_t count, capacity;
    bool whole;          /* few as they are: none can be spared */
    placed_form *placed; /* simple solids as they lie, one per body (couple/manifold.h) */
    size_t placed_capacity;
} touch_list;

/* The pair at hand. */
typedef struct touch_pair {
    const flow *f;
    uint32_t first, second; /* bodies */
    double dt;
    double size;   /* m, of the smaller one with mass */
    double travel; /* m, that the surfaces may come closer in this step as they move now */
    double reach;  /* m, within which the surfaces may meet in this step */
    double slop;   /* m, of overlap that is left alone, so that contacts stay */
} touch_pair;

/* Of two bodies whose surfaces turn at these speeds at most, m/s. */
static inline touch_pair touch_pair_make(const flow *f, body_pair pair, double rim_a, double rim_b,
                                         double dt)
{
    const body *a = &f->bodies[pair.a], *b = &f->bodies[pair.b];
    double size_a = body_has_mass(a) ? a->size : INFINITY;
    double size_b = body_has_mass(b) ? b->size : INFINITY;
    double size = size_a < size_b ? size_a : size_b;
    double travel = (vec3_length(vec3_sub(a->velocity, b->velocity)) + rim_a + rim_b) * dt;
    return (touch_pair){.f = f,
                        .first = pair.a,
                        .second = pair.b,
                        .dt = dt,
                        .size = size,
                        .travel = travel,
                        .reach = 0.02 * size + 1.5 * travel,
                        .slop = 5e-4 * size};
}

/* Lists all touches of the pair; false without memory. */
bool touches_find(touch_list *list, memory *m, const touch_pair *p);

enum { PATCH_TOUCHES = 4 };

/* Takes the touches of the next patch that is not taken yet: of nearly the same normal, the deepest
 * and those that span the others. Returns how many; 0 when all are taken. */
size_t touches_take_patch(touch_list *list, const touch_pair *p, touch *taken[PATCH_TOUCHES]);

/* Follows a sample on its way through the step, relative to the other body, to where it meets the
 * surface, and takes the tangent plane there. Plane and gap at the start of a fast slide mean
 * little: an edge that glides along a face would run against the side behind it. Not for touches
 * with a plane, which is the same all the way. Returns false when the way ends well apart. */
bool touch_look_ahead(const touch_pair *p, touch *t);

#endif
