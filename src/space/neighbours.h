/* Who is near whom: sorts the particles by place and gives clusters of up to eight a shared list
 * of candidates that holds everything within h of any of them.
 *
 * Space is cut into rows along x with a cross-section of about h; particles are sorted by row and
 * then along the row, so that eight in a sequence make a compact cluster and the candidates of a
 * cluster are one stretch in each of the 3 (2D) or 9 (3D) rows around it. Only occupied rows are
 * stored: cost and memory grow with the particles, not with the space between them.
 *
 * Blocks of 32 cells in each direction have origins in their middles: places that are counted from
 * there are small numbers wherever the fluid is, so that sums over them keep their digits. The
 * candidates of a cluster come in spans that lie in one block each. */
#ifndef WEIR_SPACE_NEIGHBOURS_H
#define WEIR_SPACE_NEIGHBOURS_H

#include "lanes/level.h"
#include "matter/particles.h"
#include "par/arena.h"
#include "par/pass_log.h"
#include "space/sort.h"

/* Along a row, places are counted in bins. */
enum { CLUSTER_SIZE = 8, BINS_PER_H = 8, IMAGE_NONE = 13, IMAGE_COUNT = 27 };

/* Loops take so many candidates at a time: behind each span its last candidate is repeated up to a
 * whole number of them, for loops that give it no weight. */
enum { CANDIDATES_AT_ONCE = 4 };

/* Cells of an axis that a block has, and bins along a row. */
enum { BLOCK_CELLS = 32, BLOCK_BINS = BLOCK_CELLS * BINS_PER_H };

/* Candidates of one block, seen through one periodic image: add shift[image] to their positions. */
typedef struct candidate_span {
    const uint32_t *candidates;
    uint32_t count;
    uint32_t slots; /* with those that are repeated behind them */
    uint32_t image;
    float origin[3]; /* m, of the block, as it lies */
} candidate_span;

typedef struct cluster {
    uint32_t first, count;       /* particles first .. first + count */
    const candidate_span *spans; /* the cluster's own particles are among the candidates */
    uint32_t span_count;
    uint32_t row;
    size_t base; /* slots of all clusters before this one */
} cluster;

static inline size_t cluster_candidate_count(const cluster *c)
{
    size_t count = 0;
    for (uint32_t s = 0; s < c->span_count; s++)
        count += c->spans[s].count;
    return count;
}

static inline size_t cluster_slot_count(const cluster *c)
{
    size_t count = 0;
    for (uint32_t s = 0; s < c->span_count; s++)
        count += c->spans[s].slots;
    return count;
}

/* Of the lists of a chunk of clusters. */
typedef struct list_sizes {
    size_t candidates, slots;
} list_sizes;

typedef struct neighbour_row {
    uint64_t id;
    uint32_t begin, end;      /* particles */
    uint32_t first, clusters; /* the row's clusters */
} neighbour_row;

/* How coordinates of one axis become whole numbers. */
typedef struct neighbour_axis {
    bool periodic;
    double origin, edge; /* m */
    int64_t cells;       /* of a periodic axis */
    double period;       /* m */
    int64_t lo, count;   /* range in use */
} neighbour_axis;

typedef struct neighbours {
    memory *mem;
    int dim, threads;
    lane_level level; /* scalar unless the owner sets another */
    bool periodic;    /* any axis */
    double h;
    neighbour_axis axis[3];
    int bin_bits;                /* of the place along the row in a key */
    float shift[IMAGE_COUNT][3]; /* m */
    key_sort sort;
    neighbour_row *rows;
    size_t row_count, row_capacity;
    uint32_t *row_starts; /* rows that begin in each chunk of particles */
    size_t row_start_capacity;
    uint32_t *bins; /* place along the row, per particle */
    size_t bin_capacity;
    cluster *clusters;
    size_t cluster_count, cluster_capacity;
    list_sizes *sizes; /* of each chunk of clusters */
    size_t size_capacity;
    arena_pool pool;
    arena *arenas; /* one per thread */
    size_t candidate_count;
    size_t slot_count; /* candidates with those that are repeated */
    pass_log *passes;  /* of the owner; may be NULL */
} neighbours;

bool neighbours_init(neighbours *n, memory *m, int dim, double h, const weir_axis_period *period,
                     int threads, weir_error *error);
void neighbours_free(neighbours *n);

/* Sorts `p` and builds the lists. Positions on periodic axes must lie inside their period. */
bool neighbours_build(neighbours *n, particles *p, weir_error *error);

/* Origins of the blocks that a row runs through, across it: of y and z. By its cell across, counted
 * from the first one in use, or by its id. */
void neighbours_find_origin(const neighbours *n, uint64_t y, uint64_t z, float origin[3]);
void neighbours_find_row_origin(const neighbours *n, uint64_t row_id, float origin[3]);
/* Along a row, blocks are counted from its lower end; the x of the origin of one. */
static inline uint32_t neighbours_find_block(uint32_t bin)
{
    return bin / BLOCK_BINS;
}
float neighbours_find_block_origin(const neighbours *n, uint32_t block);

#endif
