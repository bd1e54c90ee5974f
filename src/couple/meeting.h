/* Where particles and bodies meet: the contacts of Kurose and Takahashi 2009, §4.
 *
 * A is a fluid particle or a body that moves, B a body whose surface it meets; the normal is B's.
 * The paper takes the sphere's own normal; here the spheres only find the contacts, and the
 * distance field of B measures them: a skin of spheres is bumpy by 0.3 radii, and at an edge the
 * normal of a sphere is that of neither face.
 *
 * Contacts are looked for where things will be at the end of the substep, so that they are found
 * before anything has entered anything. */
#ifndef WEIR_COUPLE_MEETING_H
#define WEIR_COUPLE_MEETING_H

#include "couple/broad_phase.h"
#include "couple/skin_cells.h"

enum { MEETING_NONE = UINT32_MAX };

typedef struct meeting {
    uint32_t particle; /* A, or MEETING_NONE */
    uint32_t a, b;     /* bodies; a is MEETING_NONE for particles */
    uint32_t sphere;   /* of the body that brought it: B's for particles, else A's */
    vec3 point;        /* where the impulse acts, at the begin of the substep */
    vec3 normal;       /* out of B */
    double gap;        /* m, at the end of the substep as all moves now; negative: overlap */
    double speed;      /* m/s of A against B along the normal; negative: they approach */
    double impulse;    /* N s on A along the normal */
    double left;       /* m: the gap once the impulses have acted */
} meeting;

typedef struct meeting_list {
    meeting *items;
    size_t count, capacity;
    size_t fluid_count; /* the first ones are of particles */
} meeting_list;

typedef struct meeting_finder {
    memory *mem;
    double radius;     /* m, of particles and spheres */
    double margin;     /* m: gaps up to it are listed, as impulses elsewhere may close them */
    skin_cells *skins; /* per body; without spheres where it has no mass */
    size_t skin_count;
    body *ahead; /* copies of the bodies where they will be */
    size_t ahead_capacity;
    bounds *boxes; /* of those, with all that can meet them */
    size_t box_capacity;
    broad_phase near;
    arena_pool pool;
    arena *arenas; /* per thread */
    int threads;
    struct meeting_span {
        meeting *items;
        size_t count;
    } * spans; /* per cluster */
    size_t span_capacity;
} meeting_finder;

/* Bodies that come later are taken in by meetings_find. */
bool meeting_finder_init(meeting_finder *m, flow *f, double radius, weir_error *error);
void meeting_finder_free(meeting_finder *m);
void meeting_list_free(meeting_list *list, memory *m);

/* Lists the contacts of particles, which have moved by dt, in order of the particles, and then
 * those of bodies, which have not. `wall_distance` (m) is what particles keep from fixed solids:
 * those that touch a body and one of these get a contact with each. `time` as in body_predict. */
bool meetings_find(meeting_finder *m, meeting_list *list, flow *f, double wall_distance,
                   double time, double dt, weir_error *error);

/* Lists the contacts of bodies alone, as they lie now. */
bool meetings_find_bodies(meeting_finder *m, meeting_list *list, flow *f, weir_error *error);

/* Adds contacts of particles between bodies and fixed solids, measured anew where all lies now. Of
 * `from`, those of particles that have both kinds and are closer to a body than by `depth`. */
bool meetings_add_trapped(meeting_finder *m, meeting_list *list, const meeting_list *from,
                          const flow *f, double wall_distance, double depth, weir_error *error);

#endif
