/* Sums over all contacts of particles with solids, for each solid: in the order of the particles,
 * so that they are always the same bits, and yet by many threads. All of them find what contacts
 * give; then each thread adds one component of it from the first contact to the last. */
#ifndef WEIR_MATTER_CONTACT_SUMS_H
#define WEIR_MATTER_CONTACT_SUMS_H

#include "base/memory.h"
#include "base/vec.h"

typedef struct flow flow;

enum { CONTACT_SUMS_MOST = 15 };

/* The contacts of some particles in a row. */
typedef struct contact_chunk {
    size_t first; /* contacts before these */
    size_t given; /* how many of them give something */
} contact_chunk;

/* Memory of the sums, kept from step to step. Zero it before the first use. */
typedef struct contact_sums {
    double *sums; /* of each component, `stride` apart: one for each body */
    size_t stride, sum_capacity;
    contact_chunk *chunks;
    size_t chunk_capacity;
    uint32_t *bodies; /* of each contact that is held: whose solid */
    double *terms;    /* and what it gives: each chunk's first components, its second ones ... */
    size_t body_capacity, term_capacity;
} contact_sums;

/* What contact `w` of particle i, which is the n-th in walls.touching, gives to its solid; false:
 * nothing. Called by several threads at once, for the contacts of a particle in order: it may move
 * that particle. */
typedef bool (*contact_terms)(const void *context, size_t n, size_t i, uint32_t w, double *terms);

/* Three components side by side, from `component` on. */
static inline void contact_terms_put(double *terms, int component, vec3 v)
{
    terms[component] = v.x;
    terms[component + 1] = v.y;
    terms[component + 2] = v.z;
}

/* Three sums of body k. */
static inline void contact_sums_put(contact_sums *s, int component, size_t k, vec3 v)
{
    double *to = s->sums + (size_t)component * s->stride + k;
    to[0] = v.x;
    to[s->stride] = v.y;
    to[2 * s->stride] = v.z;
}

static inline vec3 contact_sums_get(const contact_sums *s, int component, size_t k)
{
    const double *from = s->sums + (size_t)component * s->stride + k;
    return (vec3){from[0], from[s->stride], from[2 * s->stride]};
}

/* Makes room for `width` sums of each body, all 0. False: memory ran out. */
bool contact_sums_begin(flow *f, int width);
/* Adds what all contacts give. False: memory ran out. */
bool contact_sums_add(flow *f, int width, contact_terms find, const void *context);
void contact_sums_free(contact_sums *s, memory *m);

#endif
