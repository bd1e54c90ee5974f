/* The densities that a world computes with. Real matter has 0.08 (hydrogen) to 22600 kg/m³
 * (osmium); what lies far beyond is a slip of units or of a key. Masses that are too far apart
 * would not fail at once: joints between them are solved in ever shorter substeps. */
#ifndef WEIR_MATTER_DENSITY_H
#define WEIR_MATTER_DENSITY_H

#include <stdbool.h>

/* kg/m³; macros, since tables of scene files hold them as constants. */
#define DENSITY_LEAST 1e-3
#define DENSITY_MOST 1e6

/* False of what is not a number, too. */
static inline bool density_is_allowed(double density)
{
    return density >= DENSITY_LEAST && density <= DENSITY_MOST;
}

#endif
