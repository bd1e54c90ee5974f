/* Work of the search for neighbours; par/pass_log.h says what is counted. */
#ifndef WEIR_SPACE_SEARCH_WORK_H
#define WEIR_SPACE_SEARCH_WORK_H

#include "par/pass_log.h"
#include "space/neighbours.h"

/* Ranges and keys read the positions; what sorting and ordering take depends on the digits and on
 * the arrays, see search_sort_bytes. */
static const pass_work sort_work = {
    .name = "search sort", .particle_bytes = 16, .particle_axis_bytes = 8};

/* Rows and clusters: keys twice, the place along the row written and read twice, clusters written.
 */
static const pass_work cut_work = {.name = "search cut",
                                   .particle_bytes = 32 + 2.0 * sizeof(cluster) / CLUSTER_SIZE};

/* Lists: distances of the pairs that are kept (others are looked at, too), places, candidates and
 * spans written. */
static const pass_work list_work = {
    .name = "search lists",
    .pair_axis_flops = 3,
    .candidate_bytes = 8,
    .particle_bytes = 4 + 2.0 * (sizeof(cluster) + sizeof(candidate_span)) / CLUSTER_SIZE,
    .particle_axis_bytes = 4};

/* A digit of the radix sort reads the keys, then keys and order, and writes both; an array that is
 * put in order is read and written beside the order. */
static inline double search_sort_bytes(const particles *p, int digits)
{
    int words = 2 * p->dim + 1 + __builtin_popcount(p->kept_fields);
    return (double)p->count * (digits * (8 + 12 + 24) + words * 16 + 7);
}

#endif
