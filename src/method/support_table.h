/* What was measured for several supports h/d, in 2D and 3D, and lies between them else. */
#ifndef WEIR_METHOD_SUPPORT_TABLE_H
#define WEIR_METHOD_SUPPORT_TABLE_H

#include <math.h>

typedef struct support_value {
    double support, value[2]; /* 2D, 3D */
} support_value;

/* `count` values, two at least, the smallest support first. */
static inline double support_find(const support_value *table, int count, double support, int dim)
{
    support = fmin(fmax(support, table[0].support), table[count - 1].support);
    int k = 1, d = dim - 2;
    while (k < count - 1 && support > table[k].support)
        k++;
    const support_value *low = &table[k - 1], *high = &table[k];
    double share = (support - low->support) / (high->support - low->support);
    return low->value[d] + share * (high->value[d] - low->value[d]);
}

#endif
