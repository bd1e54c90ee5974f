/* Shapes of solids, fills, nozzles and sinks: signed distance functions, negative inside. */
#ifndef WEIR_SHAPE_H
#define WEIR_SHAPE_H

#include "weir/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Forms, and the members of weir_shape_def that they use. */
typedef enum weir_shape_kind {
    WEIR_SHAPE_HALF_SPACE, /* solid below the plane through the origin; `normal` points out */
    WEIR_SHAPE_BOX,        /* `half_extents`; in 2D the z extent is ignored */
    WEIR_SHAPE_SPHERE,     /* `radius`; a circle in 2D */
    WEIR_SHAPE_CAPSULE,    /* `radius`, `half_length` of the core along local y */
    WEIR_SHAPE_CYLINDER,   /* `radius`, `half_length` along local y; in 2D a box of that section */
    WEIR_SHAPE_POLYGON,    /* 2D only: `points`, a simple polygon, either orientation */
    WEIR_SHAPE_GRID,       /* `grid`: sampled distances, for example of a mesh */
    WEIR_SHAPE_UNION,      /* `children` */
} weir_shape_kind;

/* Distances sampled on a regular grid, x fastest; trilinear between (bilinear in 2D, where
 * count[2] is 1). Outside of the grid the distance grows by the way to the grid. */
typedef struct weir_grid_def {
    weir_vec3 origin;       /* of sample (0, 0, 0) */
    double step;            /* m, > 0 */
    int count[3];           /* samples per axis, >= 2 (z: 1 in 2D) */
    const float *distances; /* m, all samples; negative inside */
} weir_grid_def;

/* A shape. What it points to is copied by the function that takes it. */
typedef struct weir_shape_def {
    weir_shape_kind kind;      /* says which members count */
    weir_pose pose;            /* places the shape in its parent's frame */
    bool complement;           /* everything but the shape: a tank is the complement of a box */
    double rounding;           /* m, >= 0: grows the shape by this before a complement is taken */
    weir_vec3 normal;          /* half-space: any length but 0 */
    weir_vec3 half_extents;    /* box: m, > 0 */
    double radius;             /* m, > 0 */
    double half_length;        /* m, >= 0 */
    const weir_vec3 *points;   /* polygon: at least 3; z is ignored */
    size_t point_count;        /* polygon: >= 3 */
    const weir_grid_def *grid; /* grid: its samples */
    const struct weir_shape_def *children; /* union: at least 1 */
    size_t child_count;                    /* union: >= 1 */
} weir_shape_def;

/* A box of 1 m; radius and half_length are 0.5 m, `normal` is y. */
WEIR_API weir_shape_def weir_shape_def_default(void);

#ifdef __cplusplus
}
#endif

#endif
