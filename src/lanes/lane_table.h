/* Rows of four floats in a table, read and written as lanes: one row a lane, turned so that each of
 * its four numbers is a lane of its own. Two lanes may only name the same row where both write back
 * what was there. */
#ifndef WEIR_LANES_LANE_TABLE_H
#define WEIR_LANES_LANE_TABLE_H

#include "lanes/lane.h"

#include <stddef.h>

typedef struct lane_row {
    lane x, y, z, w;
} lane_row;

#if WEIR_LANES > 1
typedef float lane_quad __attribute__((vector_size(16)));
#endif

#if WEIR_LANES == 8

#define LANE_LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define LANE_HIGH(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define LANE_FIRST(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define LANE_SECOND(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)

LANE_INLINE lane lane_read_row(const float *table, size_t stride, const uint32_t *at)
{
    lane_quad low, high;
    memcpy(&low, table + stride * at[0], sizeof low);
    memcpy(&high, table + stride * at[4], sizeof high);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

LANE_INLINE void lane_write_row(float *table, size_t stride, const uint32_t *at, lane row)
{
    lane_quad low = __builtin_shufflevector(row, row, 0, 1, 2, 3);
    lane_quad high = __builtin_shufflevector(row, row, 4, 5, 6, 7);
    memcpy(table + stride * at[0], &low, sizeof low);
    memcpy(table + stride * at[4], &high, sizeof high);
}

#elif WEIR_LANES == 4

#define LANE_LOW(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define LANE_HIGH(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define LANE_FIRST(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define LANE_SECOND(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7)

LANE_INLINE lane lane_read_row(const float *table, size_t stride, const uint32_t *at)
{
    return lane_load(table + stride * at[0]);
}

LANE_INLINE void lane_write_row(float *table, size_t stride, const uint32_t *at, lane row)
{
    lane_store(table + stride * at[0], row);
}

#endif

LANE_INLINE lane_row lane_read_table(const float *table, size_t stride, const uint32_t *at)
{
#if WEIR_LANES == 1
    const float *row = table + stride * at[0];
    return (lane_row){row[0], row[1], row[2], row[3]};
#else
    lane a = lane_read_row(table, stride, at), b = lane_read_row(table, stride, at + 1);
    lane c = lane_read_row(table, stride, at + 2), d = lane_read_row(table, stride, at + 3);
    lane low = LANE_LOW(a, b), high = LANE_HIGH(a, b);
    lane low2 = LANE_LOW(c, d), high2 = LANE_HIGH(c, d);
    return (lane_row){LANE_FIRST(low, low2), LANE_SECOND(low, low2), LANE_FIRST(high, high2),
                      LANE_SECOND(high, high2)};
#endif
}

LANE_INLINE void lane_write_table(float *table, size_t stride, const uint32_t *at, lane_row rows)
{
#if WEIR_LANES == 1
    float *row = table + stride * at[0];
    row[0] = rows.x;
    row[1] = rows.y;
    row[2] = rows.z;
    row[3] = rows.w;
#else
    lane low = LANE_LOW(rows.x, rows.y), high = LANE_HIGH(rows.x, rows.y);
    lane low2 = LANE_LOW(rows.z, rows.w), high2 = LANE_HIGH(rows.z, rows.w);
    lane_write_row(table, stride, at, LANE_FIRST(low, low2));
    lane_write_row(table, stride, at + 1, LANE_SECOND(low, low2));
    lane_write_row(table, stride, at + 2, LANE_FIRST(high, high2));
    lane_write_row(table, stride, at + 3, LANE_SECOND(high, high2));
#endif
}

#endif
