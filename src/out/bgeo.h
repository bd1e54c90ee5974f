/* Frames as classic Houdini geometry (.bgeo version 5), which Houdini, Partio and the tools built
 * on it read: one point per particle, the fields as point attributes of the same names, time and
 * step as detail attributes. The format has 32-bit integers only: 8-bit fields are widened, and
 * unsigned values of 2^31 and more appear negative. */
#ifndef WEIR_OUT_BGEO_H
#define WEIR_OUT_BGEO_H

#include "out/frame.h"

bool bgeo_write(const char *path, const frame *f, weir_error *error);

#endif
