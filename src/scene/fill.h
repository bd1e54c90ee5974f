/* Fills: particles on a lattice in a region, kept out of solids.
 * A lattice site belongs to the fill if it lies in the region and is at least a margin away from
 * every solid. The lattice starts at the lower corner of the region's bounds, its first site half a
 * spacing inside, so that a box of whole multiples of the spacing holds the expected number. */
#ifndef WEIR_SCENE_FILL_H
#define WEIR_SCENE_FILL_H

#include "base/vec.h"
#include "space/shape.h"

typedef enum fill_lattice {
    FILL_GRID,      /* square; cubic in 3D */
    FILL_HEXAGONAL, /* hexagonal; face-centred cubic in 3D. As many particles per volume: nearest
                       neighbours are 1.075 (3D: 1.122) spacings apart */
} fill_lattice;

/* A solid that keeps particles out. */
typedef struct fill_solid {
    const char *name;
    const shape *shape;
    pose pose;     /* of the solid in the world */
    double margin; /* m from the solid's surface to the nearest particle centre */
} fill_solid;

typedef struct fill_def {
    const char *name;
    const shape *region; /* bounded; its dimension says whether the fill is 2D */
    double spacing;      /* m, > 0 */
    fill_lattice lattice;
    double jitter; /* 0 to 0.5: particles move by up to this many spacings along each axis */
    uint64_t seed; /* of the jitter */
    vec3 velocity; /* m/s, of every particle */
    const fill_solid *solids;
    size_t solid_count;
} fill_def;

/* The sites of a lattice: cells of up to four sites. */
typedef struct fill_sites {
    int dim;
    vec3 origin, cell; /* m */
    uint64_t count[3]; /* cells */
    int basis_count;
    vec3 basis[4]; /* in cells */
} fill_sites;

/* The particles of a fill. Zero it before the first use. */
typedef struct fill {
    const char *name;
    const shape *region;
    double spacing;
    vec3 velocity;
    fill_sites lattice;
    vec3 *positions;
    uint64_t *sites; /* of each particle; with it its place before the jitter is known */
    size_t count, capacity;
} fill;

enum { FILL_BYTES_PER_PARTICLE = sizeof(vec3) + sizeof(uint64_t) };

fill_def fill_def_default(void);

/* About how many particles the fill will have; exact for small ones, within a few percent for those
 * that are too many to count. Allocates nothing that grows with the number. */
bool fill_estimate(const fill_def *def, double *particles, weir_error *error);

/* Refuses a number of particles that does not fit into memory, with the numbers and the spacing
 * that would fit. `available` in bytes: 0 = ask the system. */
bool fill_check_memory(double particles, double bytes_per_particle, uint64_t available,
                       double spacing, int dim, weir_error *error);

/* Makes the particles. Fails where there are none, and says what is in the way. The order of the
 * particles and their places depend on the definition alone. */
bool fill_create(fill *out, const fill_def *def, weir_error *error);
void fill_free(fill *f);

/* Where site `index` lies, without jitter. */
vec3 fill_site_position(const fill_sites *lattice, uint64_t index);

/* Refuses fills that put sites closer together than half a spacing, or more than half a spacing
 * deep into the region of another fill where that has particles too. (Two lattices that interleave
 * can stay 0.87 spacings apart everywhere, with twice the density.) The regions must still exist.
 */
bool fill_check_overlap(const fill *fills, size_t count, weir_error *error);

#endif
