/* Where two simple solids touch, from their faces and corners: the axis along which they overlap
 * least (or are farthest apart), and the corners and crossings of the faces that meet along it.
 * As separating axes go back to S. Gottschalk et al., OBBTree (SIGGRAPH 1996), and clipping to
 * I. Sutherland, G. Hodgman (CACM 17, 1974). */
#ifndef WEIR_COUPLE_MANIFOLD_H
#define WEIR_COUPLE_MANIFOLD_H

#include "couple/touch.h"

/* A simple solid in the world. Planes are not placed, but have their kind. */
struct placed_form {
    convex_kind kind; /* CONVEX_NONE where the body is not simple */
    int count;        /* of corners */
    bool rectangle;   /* a polygon whose normals are, from the first, −y, x, y and −x */
    const convex *of; /* whose kind, count and own numbers these are; they stay from step to step,
                         for the forms lie scattered in memory, and no other body gets the place */
    double half_side[2];               /* of rectangles along x and y of their own */
    double own_middle[2], own_axis[2]; /* their middle and x in the body's frame */
    double middle[2];
    union {
        struct placed_corner {
            double x, y, nx, ny; /* the corner, and the normal of the edge that begins there */
        } corners[CONVEX_MOST];
        struct {
            vec3 centre, axes[3];
            double half[3];
        };
    };
};

/* Room for the placed solids of so many bodies; false without memory. */
bool manifold_reserve(touch_list *list, memory *m, size_t bodies);

/* Places the simple solids of all bodies, for which there is room; before manifold_find in a
 * substep. */
void manifold_place(touch_list *list, const flow *f);

/* Room that a list must have: eight corners with three walls each, with some to spare. */
enum { MANIFOLD_MOST = 64 };

/* Lists the touches of two simple solids; the list must have room for MANIFOLD_MOST. Returns false
 * where the shapes are not simple, and where they move so fast along each other that the faces that
 * will meet within the step are not those that are nearest now. */
bool manifold_find(touch_list *list, const touch_pair *p);

/* Parts of it: polygons in the plane, and boxes. The bodies have these forms. */
bool manifold_flat(touch_list *list, const touch_pair *p);
bool manifold_boxes(touch_list *list, const touch_pair *p);

/* Whether the bodies move fast enough that slipping past each other matters. */
static inline bool manifold_is_fast(const touch_pair *p)
{
    return p->travel > p->slop;
}

/* Whether those that do could, along an axis with this separation. */
static inline bool manifold_may_slip(const touch_pair *p, double separation)
{
    return separation > -1.5 * p->travel;
}

#endif
