/* The film of fluid between a body and another solid that it nearly touches. Particles cannot enter
 * a gap that is thinner than their spacing, so that a body on the floor would feel no pressure from
 * below and never rise. Samples of its surface over such a gap get what particles leave missing of
 * the pressure that the fluid around the body has at their depth. */
#ifndef WEIR_COUPLE_FILM_H
#define WEIR_COUPLE_FILM_H

#include "couple/skin_near.h"
#include "matter/flow.h"

typedef struct film {
    uint32_t *listed;     /* particles near moved bodies, body after body */
    size_t *ends;         /* of each body's part of that list */
    const uint32_t *near; /* those of the body at hand */
    vec3 *places;         /* where they are, in the body's own frame */
    size_t count;
    uint32_t *beside; /* solids that it may nearly touch */
    size_t beside_count;
    size_t capacity, capacity_bodies;
    /* per sample of its surface */
    double *given;   /* Pa, what particles press there */
    double *gap;     /* m, to the nearest other solid */
    size_t *other;   /* which that is */
    bool *narrow;    /* over a gap in which no particle has room */
    bool *wet;       /* and fluid reaches it */
    bool *rim;       /* free, beside such a gap */
    bounds needed;   /* of the wet ones and of those at the rim */
    size_t *queue;   /* of samples, for finding those */
    double *weights; /* of the samples around a particle */
    size_t capacity_samples;
    skin_near around; /* samples by their places */
} film;

void film_free(film *s, memory *m);

/* Pushes the moved bodies by the pressure in their films over dt; `pressure` (Pa) is per particle,
 * of the last substep. */
bool film_push(film *s, flow *f, const float *pressure, double dt, weir_error *error);

#endif
