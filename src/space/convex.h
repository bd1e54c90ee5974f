/* Simple solids by what bounds them: a ball, a convex polygon (2D), a box (3D), or the planes of a
 * half-space or of a room, which is the outside of a box. Contacts between them follow from that
 * at once (couple/manifold.h); all other shapes are known by their distance only. */
#ifndef WEIR_SPACE_CONVEX_H
#define WEIR_SPACE_CONVEX_H

#include "space/shape.h"

typedef enum convex_kind {
    CONVEX_NONE,
    CONVEX_BALL,
    CONVEX_POLYGON,
    CONVEX_BOX,
    CONVEX_PLANES,
} convex_kind;

enum { CONVEX_MOST = 8 }; /* corners or planes */

/* In the frame in which the shape's pose places it. */
typedef struct convex {
    convex_kind kind;
    int count;                 /* of corners, or of planes */
    vec3 centre, half;         /* of balls and boxes */
    vec3 corners[CONVEX_MOST]; /* of polygons, counter-clockwise; of boxes by bits: x 1, y 2, z 4 */
    vec3 normals[CONVEX_MOST]; /* out of the solid: of the edge that begins at a corner, of planes;
                                * of boxes the three axes */
    double offsets[CONVEX_MOST]; /* of planes: points at a distance of 0 have this height */
} convex;

/* Says what the shape is; CONVEX_NONE in `out` where it is none of these. */
void convex_find(const shape *s, convex *out);

#endif
