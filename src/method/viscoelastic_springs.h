/* Springs between particles, whose rest lengths give way: Clavet et al. 2005, Algorithms 3 and 4.
 *
 * Springs are kept by the ids of their particles, because particles are re-sorted in every step.
 * Each spring stands in the lists of both ends, with equal bits: both compute the same change, so
 * that no thread writes to another's particle. Lists live in two arenas in turn: a step reads the
 * one and writes the other, and nothing is freed one by one. */
#ifndef WEIR_METHOD_VISCOELASTIC_SPRINGS_H
#define WEIR_METHOD_VISCOELASTIC_SPRINGS_H

#include "matter/flow.h"

typedef struct spring {
    uint32_t partner; /* id */
    float length;     /* m, at rest */
} spring;

typedef struct spring_span {
    spring *items;
    uint32_t count;
} spring_span;

/* How springs pull, give way, come and go. */
typedef struct spring_law {
    double stiffness;                     /* 1/s², k_spring; 0 = there are no springs */
    double stretch_rate, compress_rate;   /* 1/s, α */
    double stretch_yield, compress_yield; /* γ, over the rest length */
    bool start_at_range; /* springs of the first step are as long as h, not as their pair's way */
    bool growth;         /* pairs that meet later get springs, as long as h */
} spring_law;

/* A particle as springs see it: one line of the cache for each partner. */
typedef struct spring_end {
    float at[3], mass;   /* m; kg */
    float start[3], pad; /* m, where the step began */
} spring_end;

/* Springs of one particle, for the loop in lanes. */
enum { SPRING_BATCH = 64 };
typedef struct spring_batch {
    uint32_t count;
    uint32_t partner[SPRING_BATCH], place[SPRING_BATCH];
    float offset[3][SPRING_BATCH]; /* m, from the partner, now */
    float line[3][SPRING_BATCH];   /* and when the step began */
    float length[SPRING_BATCH], share[SPRING_BATCH];
    float strength[SPRING_BATCH]; /* times `line`: displacement */
} spring_batch;

typedef struct spring_constants {
    float pull;              /* Δt² k_spring */
    float stretch, compress; /* Δt α */
    float stretch_yield, compress_yield;
    float inv_h;
} spring_constants;

/* New rest lengths and strengths of a batch; one per instruction level. */
typedef void (*spring_pass)(spring_batch *b, const spring_constants *c);
LANE_DECLARE(spring_pass, spring_pass_);

typedef struct springs {
    memory *mem;
    int threads;
    bool started;       /* the springs of the first step have been made */
    uint32_t base;      /* id of the first entry of `spans` and `place` */
    spring_span *spans; /* by id - base */
    uint32_t *place;    /* index of the particle, by id - base; SPRING_NOWHERE = gone */
    spring_end *points; /* by index of the particle */
    size_t range, span_capacity, place_capacity, point_capacity;
    arena_pool pool;
    arena *arenas;  /* two per thread */
    int side;       /* which of the two holds the lists */
    uint8_t *marks; /* per thread and particle */
    size_t mark_capacity;
    size_t ends;    /* of all springs: twice their number */
    size_t changed; /* ends that were made or removed in the last step */

    /* the same as plain arrays, in the order of the particles: for saving and restoring */
    struct {
        uint8_t started;
        uint32_t *counts, *partners;
        float *lengths;
        size_t count_capacity, partner_capacity, length_capacity;
        size_t count, ends;
        bool restoring; /* sizes are those of a saved state, which the arrays shall receive */
    } saved;
} springs;

enum { SPRING_NOWHERE = UINT32_MAX };

bool springs_init(springs *s, memory *m, int threads);
void springs_free(springs *s);
/* Removes all springs. */
void springs_clear(springs *s);

/* Adjusts all springs at the positions p.x + dt shift[], and makes shift[], a velocity change, a
 * displacement: the same times dt and what springs give, along the lines between `start` positions.
 * p.x are those of the search, which decide who gets a spring. `mass` is NULL where all are equal.
 */
bool springs_run(springs *s, const flow *f, const spring_law *law, double dt, float *const start[3],
                 const float *mass, float *const shift[3]);

enum { SPRING_SECTIONS = 4 };
/* The state as named arrays: fills SPRING_SECTIONS of them. False: memory ran out. */
bool springs_save(springs *s, const flow *f, weir_section sections[SPRING_SECTIONS]);
/* Makes room for a saved array of that name; other names are not the springs'. */
bool springs_reserve(springs *s, const char *section, size_t count);
/* Makes lists of the arrays, which have been filled. */
bool springs_restore(springs *s, const flow *f, weir_error *error);

size_t springs_bytes(const springs *s);

#endif
