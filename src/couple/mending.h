/* How fast misplaced bodies may be put right. What starts overlapping, or a joint whose bodies are
 * apart, is mended by displacements, slower than things fall, so that nothing is thrown; or as fast
 * as they move anyhow. */
#ifndef WEIR_COUPLE_MENDING_H
#define WEIR_COUPLE_MENDING_H

#include "matter/flow.h"

/* m/s, for bodies of the given size, `weight` being the acceleration with which they fall. */
static inline double mending_speed(double weight, double size)
{
    return weight > 0 ? 0.25 * sqrt(weight * size) : size;
}

/* A violation cut to what may be mended in a step. */
static inline double mending_share(double violation, double most)
{
    return fmin(fmax(violation, -most), most);
}

#endif
