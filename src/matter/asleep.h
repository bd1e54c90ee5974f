/* Where sleeping fluid lies, so that whatever comes near finds it: cells with the places of its
 * particles. What is asked for costs as much as what asks, not as much as what sleeps; a pool that
 * falls asleep is added, one that wakes is forgotten by its stamp and swept out later. */
#ifndef WEIR_MATTER_ASLEEP_H
#define WEIR_MATTER_ASLEEP_H

#include "matter/flow.h"

#include <stdatomic.h>

typedef struct asleep_pool {
    bool asleep;
    atomic_bool wakes;  /* something has come near */
    uint32_t stamp;     /* of its runs */
    uint32_t count;     /* particles */
    vec3 lo, hi;        /* m, a box around them */
    double top, bottom; /* m along the uniform force */
} asleep_pool;

/* Places in one cell, of one pool: of its particles, or on the surfaces of its bodies. */
typedef struct asleep_run {
    uint32_t pool, stamp;
    bool solid;
    uint32_t begin, count; /* places */
    uint32_t cell;
    uint32_t next; /* run of the cell; ASLEEP_NONE = last */
} asleep_run;

/* A cell with sleeping fluid, or next to one. */
typedef struct asleep_cell {
    int32_t at[3];
    uint32_t first; /* run; ASLEEP_NONE: it only lies next to one */
} asleep_cell;

enum { ASLEEP_NONE = UINT32_MAX };

typedef struct asleep_memory {
    asleep_pool *pools; /* by number − 1 */
    size_t pool_count, pool_capacity;
    asleep_cell *cells;
    size_t cell_count, cell_capacity;
    uint32_t *slots; /* hash table of cells: number + 1, 0 = empty */
    size_t slot_count, slot_capacity;
    asleep_run *runs;
    size_t run_count, run_capacity, newest_run;
    float (*places)[3];
    size_t place_count, place_capacity;
    uint32_t *run_of; /* scratch, per place that is added */
    size_t run_of_capacity;
    size_t gone; /* places of pools that woke */
    uint32_t stamp;
    double edge[3];    /* m, of cells */
    int64_t period[3]; /* cells of periodic axes; 0 = endless */
} asleep_memory;

void asleep_free(asleep_memory *s, memory *m);

/* The lowest number from `from` on that no sleeping pool has; they begin at 1. */
uint32_t asleep_next_number(const asleep_memory *s, uint32_t from);
/* m, of the deepest pool that sleeps; 0 where none does. */
double asleep_depth(const asleep_memory *s, const flow *f);

/* Adds the sleeping particles [begin, end), by their p.pool. False: no memory. */
bool asleep_add(asleep_memory *s, const flow *f, size_t begin, size_t end);
/* Adds the surface of a body that sleeps with a pool, which must have been added. */
bool asleep_add_body(asleep_memory *s, const flow *f, const body *b);
/* Forgets a pool, which wakes. */
void asleep_forget(asleep_memory *s, uint32_t pool);
/* Starts over with all particles that sleep, and the bodies that sleep with them. */
bool asleep_rebuild(asleep_memory *s, const flow *f);
/* Whether so much of it is gone that starting over is worth it. */
bool asleep_is_stale(const asleep_memory *s);

/* Marks the pools that an awake particle comes within reach of in the next dt, or of a body that
 * sleeps with them. */
void asleep_mark_near_fluid(asleep_memory *s, flow *f, double dt);

/* Something that may come near: how far a place is from it, or less; where it ends. */
typedef struct asleep_visitor {
    double (*distance)(const void *context, vec3 place);
    const void *context;
    bounds box; /* +-INFINITY where it does not end */
    double within;
} asleep_visitor;

/* Marks the pools with a particle, or a body's surface, less than `within` from the visitor. */
void asleep_mark_near(asleep_memory *s, const flow *f, const asleep_visitor *visitor);

#endif
