/* Weir's fluid in a Chipmunk 7 space: Chipmunk owns the bodies, Weir the fluid.
 *
 *     weir_chipmunk *fluid = weir_chipmunk_create(world, space, spacing / 2, &error);
 *     weir_chipmunk_add(fluid, body, &error);
 *     weir_chipmunk_step(fluid, 1.0 / 60, &error);      // both
 *
 * Both need the same gravity. Add this file and weir_chipmunk.c to the program, and link Weir and
 * Chipmunk. */
#ifndef WEIR_CHIPMUNK_H
#define WEIR_CHIPMUNK_H

#include <weir/weir.h>

#include <chipmunk/chipmunk.h>

typedef struct weir_chipmunk weir_chipmunk;

/* `world` is 2D. Segments count as at least this thick on both sides, m; half a spacing keeps
 * particles from passing through. World and space outlive this object. NULL on failure. */
weir_chipmunk *weir_chipmunk_create(weir_world *world, cpSpace *space, double segment_radius,
                                    weir_error *error);
void weir_chipmunk_destroy(weir_chipmunk *c);

/* Shows a body of the space, or its static body, to the fluid: its shapes but sensors, as they are
 * now. */
bool weir_chipmunk_add(weir_chipmunk *c, cpBody *body, weir_error *error);
/* Before the body is freed. */
void weir_chipmunk_remove(weir_chipmunk *c, cpBody *body);

/* Steps the fluid, hands over what it gave to the bodies, and steps the space. */
bool weir_chipmunk_step(weir_chipmunk *c, double dt, weir_error *error);

/* The same in parts, for programs that step the space themselves: before its step. */
bool weir_chipmunk_step_fluid(weir_chipmunk *c, double dt, weir_error *error);

#endif
