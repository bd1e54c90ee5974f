/* The level at which a surface encloses the right volume, and how large splats must be drawn. */
#ifndef WEIR_SURFACE_ISO_LEVEL_H
#define WEIR_SURFACE_ISO_LEVEL_H

#include "surface/surface.h"

typedef struct iso_level {
    double level;
    double splat; /* factor that brings the supports of the last layer to the surface */
} iso_level;

/* Finds both for checked settings. */
bool iso_level_find(iso_level *out, int dim, const surface_settings *settings, weir_error *error);

#endif
