/* Particles near solids: for each particle the solids within h of it, with distance, normal,
 * boundary volume and the velocity of the solid there. */
#ifndef WEIR_MATTER_WALLS_H
#define WEIR_MATTER_WALLS_H

#include "matter/body.h"
#include "space/neighbours.h"

typedef struct wall_contact {
    uint32_t body;
    float distance;    /* m, negative inside */
    float normal[3];   /* out of the solid */
    float volume;      /* B, 0 to 1 */
    float gradient[3]; /* of B times the product of (1 − B) of the particle's other solids */
    float velocity[3]; /* m/s of the solid at the particle */
    float stopped;     /* m/s into the solid that the backstop took away, along `normal` */
    float change[3];   /* m/s that a method's collision gave to the particle */
} wall_contact;

typedef struct wall_span {
    wall_contact *contacts;
    uint32_t count;
    float volume; /* 1 − Π(1 − B), what the solids add to the density */
    float filled; /* the same of bodies that fluid meets at contacts alone: they fill their place in
                     the sums, but are not among `contacts` */
} wall_span;

typedef struct wall_reach {
    bounds within; /* where particles may be within h of a body */
    bounds hollow; /* where they are not, though the body lies around them */
} wall_reach;

typedef struct walls {
    memory *mem;
    double h;
    int threads;
    wall_span *spans; /* per particle */
    size_t span_capacity;
    uint32_t *touching; /* the particles whose spans are not empty, in order: few of all */
    size_t touching_count, touching_capacity;
    /* The same of each chunk of clusters from its own first particle on; once they are joined, room
     * for a mark of each. */
    uint32_t *found;
    size_t found_capacity;
    size_t *found_counts; /* of each chunk */
    size_t found_count_capacity;
    wall_reach *reaches; /* per body */
    size_t reach_capacity;
    uint32_t *near_chunk; /* per thread, of all bodies those near the clusters at hand */
    size_t near_chunk_capacity;
    arena_pool pool;
    arena *arenas;
    size_t contact_count;
} walls;

/* `h` is the kernel's support. */
bool walls_init(walls *w, memory *m, double h, int threads, weir_error *error);
void walls_free(walls *w);

/* Fills the spans of all particles. `near` gives the clusters and the periods. */
bool walls_find(walls *w, const particles *p, const neighbours *near, const body *bodies,
                size_t body_count, weir_error *error);

/* Place in `touching` of the first particle from `particle` on. */
size_t walls_first_touching(const walls *w, size_t particle);

/* The image of a point that is nearest to another, on periodic axes. */
vec3 walls_nearest_image(const neighbours *near, vec3 to, vec3 point);

/* A point in a body's own frame; on periodic axes the image of the body that is nearest. */
static inline vec3 walls_local_point(const neighbours *near, const body *b, vec3 point)
{
    if (near->periodic && b->bounded)
        point = walls_nearest_image(near, b->pose.position, point);
    return pose_local_point(b->pose, point);
}

#endif
