/* Bodies whose floating depth is known: their shapes, and how much of them lies below a level. */
#ifndef WEIR_APP_VERIFY_FLOATERS_H
#define WEIR_APP_VERIFY_FLOATERS_H

#include "verify.h"

#include "space/shape.h"

typedef enum floater_kind {
    FLOATER_BOX,
    FLOATER_BALL,
    FLOATER_WEDGE,
    FLOATER_CAPSULE,
    FLOATER_MESH,
    FLOATER_BOAT,
    FLOATER_KINDS,
} floater_kind;

/* `volume` is what the body displaces when it is wholly under water; that of a boat is its outside.
 * Zero it before floater_make. */
struct floater {
    const char *name;
    weir_shape_def shape;
    double width, height, volume; /* m, m³ */
    weir_vec3 *cells;             /* middles of the cells of a lattice that fills that volume */
    float *shares;                /* how much of each cell belongs to it */
    size_t count;
    double cell;    /* m */
    double lowest;  /* m, of the shape at a pose without rotation */
    shape *outside; /* what it displaces */
    /* what the shape refers to */
    weir_shape_def parts[2];
    weir_vec3 corners[8];
    weir_grid_def grid;
    float *distances;
};

/* `scale` multiplies the size, which is about 20 spacings by 10 at 1. The floater must stay where
 * it is: its shape refers to it. */
bool floater_make(floater *f, floater_kind kind, const verify_setup *s, double scale,
                  weir_error *error);
void floater_free(floater *f);

/* Whether a point of the world lies in what a body at this pose displaces. */
bool floater_covers(const floater *f, weir_pose at, weir_vec3 point);

/* m³ below `level` of a body at this pose. */
double floater_volume_below(const floater *f, weir_pose at, double level);

#endif
