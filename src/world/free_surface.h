/* Which particles have a free surface within their kernel's reach: the others are the bulk. */
#ifndef WEIR_WORLD_FREE_SURFACE_H
#define WEIR_WORLD_FREE_SURFACE_H

#include "matter/flow.h"

/* A particle is open where less of its kernel is filled than this, as in spray, or where what fills
 * it changes by more than this over h: a flat surface has 1.5 to 3 in its first layer, and noise
 * stays below 0.5. */
static const float OPEN_COVER = 0.8f, OPEN_SLOPE = 0.8f;

typedef struct free_surface_job {
    const flow *f;
    const uint32_t *number, *pool_of; /* which pools are wanted; NULL = all */
    float peak;                       /* κV W(0), which makes a cover of sums of W/W(0) */
    float slope;                      /* the same of W'/r over its front factor, times h */
    uint8_t *open;                    /* particles whose kernel is not full */
    uint8_t *surface;                 /* particles with an open one within h */
} free_surface_job;

static inline bool free_surface_is_wanted(const free_surface_job *job, size_t i)
{
    return !job->number || job->number[job->pool_of[i]] != 0;
}

/* Once per instruction level, for clusters [begin, end): writes `open`, and `surface`, for which
 * `open` must be known of all. */
typedef struct free_surface_passes {
    void (*mark_open)(const free_surface_job *job, size_t begin, size_t end);
    void (*mark_surface)(const free_surface_job *job, size_t begin, size_t end);
} free_surface_passes;

LANE_DECLARE(free_surface_passes, free_surface_passes_);

/* Marks particles that have a free surface within h, of pools whose number is not 0, or of all
 * where both are NULL; `open` is scratch of the same size, zeroed where not all are. The lists must
 * belong to the present order. */
void surface_find(const flow *f, const uint32_t *number, const uint32_t *pool_of, uint8_t *open,
                  uint8_t *surface);

#endif
