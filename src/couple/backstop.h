/* The last line against particles in solids: what has come closer than allowed is put back on the
 * surface and loses its velocity into the solid. The solid gets the opposite momentum. */
#ifndef WEIR_COUPLE_BACKSTOP_H
#define WEIR_COUPLE_BACKSTOP_H

#include "matter/flow.h"

/* `distance` (m) is what particles must keep. Bodies stand at their new poses. */
void backstop_run(flow *f, double distance);

#endif
