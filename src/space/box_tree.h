/* A binary tree of boxes over many items, so that far ones are passed over together. */
#ifndef WEIR_SPACE_BOX_TREE_H
#define WEIR_SPACE_BOX_TREE_H

#include "base/memory.h"
#include "space/shape.h"

enum { BOX_TREE_DEPTH = 64 }; /* a stack of this many nodes is enough for every walk */

typedef struct box_node {
    bounds box;
    uint32_t first, count; /* a leaf's items, as places in `order`; count 0: an inner node */
    uint32_t right;        /* the second child; the first one follows its parent directly */
} box_node;

typedef struct box_tree {
    box_node *nodes;
    uint32_t *order; /* item of each place */
    size_t item_count;
} box_tree;

/* Boxes must be finite; count from 1 to 2^30. False when memory runs out. */
bool box_tree_create(box_tree *t, memory *m, const bounds *items, size_t count);
void box_tree_destroy(box_tree *t, memory *m);
size_t box_tree_bytes(const box_tree *t);

/* As fmin and fmax, which compilers may not inline because of their rules for NaN. */
static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double clamp(double x, double lo, double hi)
{
    return smaller(larger(x, lo), hi);
}

static inline double bounds_gap(double lo, double hi, double x)
{
    return x < lo ? lo - x : x > hi ? x - hi : 0;
}

/* Square of the distance to the box; 0 inside. */
static inline double bounds_distance2(const bounds *b, vec3 p)
{
    double x = bounds_gap(b->lo.x, b->hi.x, p.x), y = bounds_gap(b->lo.y, b->hi.y, p.y);
    double z = bounds_gap(b->lo.z, b->hi.z, p.z);
    return x * x + y * y + z * z;
}

static inline bool bounds_overlap(const bounds *a, const bounds *b)
{
    return a->lo.x <= b->hi.x && b->lo.x <= a->hi.x && a->lo.y <= b->hi.y && b->lo.y <= a->hi.y &&
           a->lo.z <= b->hi.z && b->lo.z <= a->hi.z;
}

static inline bool bounds_hold(const bounds *a, const bounds *b)
{
    return a->lo.x <= b->lo.x && b->hi.x <= a->hi.x && a->lo.y <= b->lo.y && b->hi.y <= a->hi.y &&
           a->lo.z <= b->lo.z && b->hi.z <= a->hi.z;
}

/* A box that holds nothing. */
static inline bounds bounds_nowhere(void)
{
    return (bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline bounds bounds_join(bounds a, bounds b)
{
    return (bounds){{smaller(a.lo.x, b.lo.x), smaller(a.lo.y, b.lo.y), smaller(a.lo.z, b.lo.z)},
                    {larger(a.hi.x, b.hi.x), larger(a.hi.y, b.hi.y), larger(a.hi.z, b.hi.z)}};
}

/* The box, grown so that it holds a point. */
static inline bounds bounds_hold_point(bounds b, vec3 p)
{
    return bounds_join(b, (bounds){p, p});
}

#endif
