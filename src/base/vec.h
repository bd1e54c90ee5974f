/* Vectors, rotations and poses in double precision. */
#ifndef WEIR_BASE_VEC_H
#define WEIR_BASE_VEC_H

#include "weir/types.h"

#include <math.h>

typedef weir_vec3 vec3;
typedef weir_quat quat;
typedef weir_pose pose;

static inline vec3 vec3_make(double x, double y, double z)
{
    return (vec3){x, y, z};
}

static inline double vec3_part(vec3 a, int axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

static inline vec3 vec3_add(vec3 a, vec3 b)
{
    return (vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline vec3 vec3_sub(vec3 a, vec3 b)
{
    return (vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline vec3 vec3_scale(vec3 a, double s)
{
    return (vec3){a.x * s, a.y * s, a.z * s};
}

/* a + s·b */
static inline vec3 vec3_madd(vec3 a, double s, vec3 b)
{
    return (vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double vec3_dot(vec3 a, vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec3 vec3_cross(vec3 a, vec3 b)
{
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double vec3_length(vec3 a)
{
    return sqrt(vec3_dot(a, a));
}

/* The unit vector along a, or `fallback` where a has no length. */
static inline vec3 vec3_unit(vec3 a, vec3 fallback)
{
    double length = vec3_length(a);
    return length > 0 ? vec3_scale(a, 1 / length) : fallback;
}

static inline bool vec3_is_finite(vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline quat quat_identity(void)
{
    return (quat){0, 0, 0, 1};
}

static inline quat quat_multiply(quat a, quat b)
{
    return (quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                  a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                  a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                  a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static inline quat quat_conjugate(quat a)
{
    return (quat){-a.x, -a.y, -a.z, a.w};
}

static inline quat quat_normalize(quat a)
{
    double length = sqrt(a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w);
    return length > 0 ? (quat){a.x / length, a.y / length, a.z / length, a.w / length}
                      : quat_identity();
}

/* The rotation by |v| radians about v. */
static inline quat quat_from_rotation_vector(vec3 v)
{
    double angle = vec3_length(v);
    double s = angle > 1e-12 ? sin(angle / 2) / angle : 0.5;
    return quat_normalize((quat){v.x * s, v.y * s, v.z * s, cos(angle / 2)});
}

/* In the plane, and where nothing is turned, most of the products are 0: leaving them out gives the
 * same bits sooner. */
static inline vec3 quat_rotate(quat q, vec3 v)
{
    if (q.x == 0 && q.y == 0) {
        if (q.z == 0)
            return v;
        double x = -2 * (q.z * v.y), y = 2 * (q.z * v.x);
        return (vec3){v.x + q.w * x - q.z * y, v.y + q.w * y + q.z * x, v.z};
    }
    vec3 u = {q.x, q.y, q.z};
    vec3 t = vec3_scale(vec3_cross(u, v), 2);
    return vec3_add(vec3_madd(v, q.w, t), vec3_cross(u, t));
}

static inline vec3 quat_unrotate(quat q, vec3 v)
{
    return quat_rotate(quat_conjugate(q), v);
}

static inline pose pose_identity(void)
{
    return (pose){{0, 0, 0}, {0, 0, 0, 1}};
}

/* From the frame's own coordinates to its parent's, and back. */
static inline vec3 pose_point(pose p, vec3 local)
{
    return vec3_add(p.position, quat_rotate(p.rotation, local));
}

static inline vec3 pose_local_point(pose p, vec3 point)
{
    return quat_unrotate(p.rotation, vec3_sub(point, p.position));
}

#endif
