/* Samples of a body's surface near a place, in the body's own frame. */
#ifndef WEIR_COUPLE_SKIN_NEAR_H
#define WEIR_COUPLE_SKIN_NEAR_H

#include "space/point_hash.h"
#include "space/surface_sample.h"

typedef struct skin_near {
    bounds listed;     /* of those that are listed */
    point_hash hash;   /* likewise */
    vec3 *places;      /* of the listed samples, in the order of the hash */
    uint32_t *numbers; /* likewise */
    uint32_t *asked;   /* likewise, the last question that found it */
    uint32_t question;
    uint32_t *found; /* the samples that the last question found */
    size_t count;
    size_t capacity;
} skin_near;

void skin_near_free(skin_near *s, memory *m);

/* Lists the samples that are `wanted`, or all (NULL), to be found from as far as `reach`; those of
 * before are forgotten, their memory is kept. The samples must stay where they are. False: memory
 * ran out. */
bool skin_near_list(skin_near *s, memory *m, const surface_samples *skin, const bool *wanted,
                    double reach);

/* Finds the listed samples closer than `reach` to a place: no farther than they are listed for. */
void skin_near_find(skin_near *s, vec3 place, double reach, int dim);

#endif
