/* Frames as VTK PolyData (.vtp), which ParaView and VTK read: particles as vertices with the
 * fields as point data, bodies as points with pose and velocities. pvd.h makes a time series of
 * them. */
#ifndef WEIR_OUT_VTP_H
#define WEIR_OUT_VTP_H

#include "out/frame.h"

/* `compression` is a level of zlib: 0 for none, 1 fast to 9 small. */
bool vtp_write(const char *path, const frame *f, int compression, weir_error *error);

/* Bodies: their positions as points, with rotation (quaternion x, y, z, w), velocity,
 * angular_velocity and name as point data. */
bool vtp_write_bodies(const char *path, const frame *f, weir_error *error);

#endif
