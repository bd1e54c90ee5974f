/* Samples of a body's surface near a place, in the body's own frame. */
#ifndef WEIR_COUPLE_SKIN_NEAR_H
#define WEIR_COUPLE_SKIN_NEAR_H

#include "space/point_hash.h"
#include "space/surface_sample.h"

typedef struct skin_near {
    const surface_samples *skin;
    double reach;      /* m, the largest that may be asked for */
    point_hash hash;   /* of those that are listed */
    uint32_t *numbers; /* of the listed samples, in the order of the hash */
    uint32_t *asked;   /* per listed sample, the last question that found it */
    uint32_t question;
    uint32_t *found; /* the samples that the last question found */
    size_t count;
    size_t capacity;
} skin_near;

void skin_near_free(skin_near *s, memory *m);

/* Lists the samples that are `wanted`, or all (NULL); those of before are forgotten, their memory
 * is kept. The samples must stay where they are. False: memory ran out. */
bool skin_near_list(skin_near *s, memory *m, const surface_samples *skin, const bool *wanted,
                    double reach);

/* Finds the listed samples closer than `reach` to a place. */
void skin_near_find(skin_near *s, vec3 place, double reach, int dim);

#endif
