/* The longest step that bodies bear. Contacts and joints are solved implicitly, so that no
 * stiffness limits it, but what happens within one step must stay small against the bodies. */
#ifndef WEIR_COUPLE_BODY_LIMIT_H
#define WEIR_COUPLE_BODY_LIMIT_H

#include "matter/flow.h"

/* Shortens `limit` where a body needs it, and says why. */
void bodies_limit(const flow *f, weir_step_limit *limit);

#endif
