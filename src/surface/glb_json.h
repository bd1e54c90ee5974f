/* The description that a glTF file begins with. */
#ifndef WEIR_SURFACE_GLB_JSON_H
#define WEIR_SURFACE_GLB_JSON_H

#include "base/json.h"
#include "surface/glb.h"

void glb_describe(const glb *g, json *j);

#endif
