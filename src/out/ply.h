/* Frames as PLY (the Stanford polygon format), binary in the byte order of the machine: one
 * element "vertex" per particle with x, y, z and the fields. A field of several components becomes
 * the properties name_x, name_y, name_z. */
#ifndef WEIR_OUT_PLY_H
#define WEIR_OUT_PLY_H

#include "out/frame.h"

bool ply_write(const char *path, const frame *f, weir_error *error);

#endif
