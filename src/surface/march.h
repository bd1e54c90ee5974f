/* Level sets of a field as meshes and outlines. Both are filled anew; false when memory runs out,
 * and then they are empty. */
#ifndef WEIR_SURFACE_MARCH_H
#define WEIR_SURFACE_MARCH_H

#include "surface/iso_field.h"

bool march_mesh(surface_mesh *mesh, const iso_field *f);
bool march_outline(surface_outline *outline, const iso_field *f);

#endif
