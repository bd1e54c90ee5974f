/* Bodies that another physics engine owns. It sets their motion before a step; in the step they
 * answer to gravity and to the fluid as other bodies do, so that light ones stay stable; after it
 * the engine takes what the fluid gave. Contacts and joints between bodies are the engine's. */
#ifndef WEIR_COUPLE_HOST_H
#define WEIR_COUPLE_HOST_H

#include "matter/flow.h"

/* Around a whole step: notes the momentum of hosted bodies, and what of its change is neither
 * weight nor the engine's.
 *
 * A body that the engine holds, on a floor or by a rope, must not fall in Weir's step: the fluid
 * would resist a motion that never comes. What the engine's contacts and joints did to a body shows
 * in the velocity that it sets; the same is expected for the next step, up to the body's weight,
 * so that a blow is not repeated. */
void hosts_begin(flow *f);
void hosts_end(flow *f, double dt);

#endif
