#include "space/box_tree.h"

enum { LEAF_ITEMS = 4 };

static double centre_along(const bounds *b, int axis)
{
    return axis == 0 ? b->lo.x + b->hi.x : axis == 1 ? b->lo.y + b->hi.y : b->lo.z + b->hi.z;
}

/* Puts the items with the smaller centres into the first half (Hoare's selection). */
static void split_at_median(uint32_t *order, size_t count, const bounds *items, int axis)
{
    ptrdiff_t lo = 0, hi = (ptrdiff_t)count - 1, target = (ptrdiff_t)(count / 2);
    while (lo < hi) {
        double pivot = centre_along(&items[order[(lo + hi) / 2]], axis);
        ptrdiff_t i = lo, j = hi;
        while (i <= j) {
            while (centre_along(&items[order[i]], axis) < pivot)
                i++;
            while (centre_along(&items[order[j]], axis) > pivot)
                j--;
            if (i <= j) {
                uint32_t swapped = order[i];
                order[i++] = order[j];
                order[j--] = swapped;
            }
        }
        if (target <= j)
            hi = j;
        else if (target >= i)
            lo = i;
        else
            break;
    }
}

static int widest_axis(bounds b)
{
    double x = b.hi.x - b.lo.x, y = b.hi.y - b.lo.y, z = b.hi.z - b.lo.z;
    return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

static uint32_t build(box_tree *t, const bounds *items, uint32_t *used, size_t first, size_t count)
{
    uint32_t index = (*used)++;
    box_node *node = &t->nodes[index];
    node->box = items[t->order[first]];
    for (size_t i = 1; i < count; i++)
        node->box = bounds_join(node->box, items[t->order[first + i]]);
    node->first = (uint32_t)first;
    if (count <= LEAF_ITEMS) {
        node->count = (uint32_t)count;
        return index;
    }
    split_at_median(t->order + first, count, items, widest_axis(node->box));
    build(t, items, used, first, count / 2);
    node->right = build(t, items, used, first + count / 2, count - count / 2);
    return index;
}

bool box_tree_create(box_tree *t, memory *m, const bounds *items, size_t count)
{
    uint32_t used = 0;
    t->item_count = count;
    t->nodes = memory_take(m, count * sizeof *t->nodes);
    t->order = memory_take(m, count * sizeof *t->order);
    if (!t->nodes || !t->order) {
        box_tree_destroy(t, m);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        t->order[i] = (uint32_t)i;
    build(t, items, &used, 0, count);
    return true;
}

void box_tree_destroy(box_tree *t, memory *m)
{
    memory_give(m, t->nodes, t->item_count * sizeof *t->nodes);
    memory_give(m, t->order, t->item_count * sizeof *t->order);
    *t = (box_tree){0};
}

size_t box_tree_bytes(const box_tree *t)
{
    return t->item_count * (sizeof *t->nodes + sizeof *t->order);
}
