/* Particles to surfaces: triangle meshes in 3D, outlines and fills in 2D.
 * Meshes are closed, oriented (counter-clockwise seen from outside the fluid) and manifold, and do
 * not depend on the number of threads. Memory grows with the surface, not with the space around. */
#ifndef WEIR_SURFACE_SURFACE_H
#define WEIR_SURFACE_SURFACE_H

#include "weir/weir.h"

/* Views of particle arrays; nothing is copied or kept. */
typedef struct surface_particles {
    size_t count;
    int dim;                   /* 2 or 3 */
    double spacing;            /* m, > 0: distance of particles at rest */
    const float *x, *y, *z;    /* m; z is NULL in 2D */
    const float *vx, *vy, *vz; /* m/s; NULL: meshes carry no velocity */
    const uint8_t *fluid;      /* index of the fluid; NULL: meshes carry none */
} surface_particles;

/* The particles of a world. */
surface_particles surface_particles_of(const weir_particle_view *view, int dim, double spacing);

typedef enum surface_kind {
    SURFACE_ANISOTROPIC, /* Yu and Turk 2013: ellipsoids that follow the surface */
    SURFACE_ISOTROPIC,   /* Clavet 2005 eq. 13: equal balls */
} surface_kind;

typedef struct surface_settings {
    surface_kind kind;
    double cell;      /* grid step in spacings, 0.1 to 1 */
    double support;   /* radius of a kernel in spacings, 1 to 4; 0: the kind's own */
    double level;     /* value of the field on the surface; 0: found so that volumes are right */
    double reach;     /* radius of the neighbourhood that shapes a kernel, in spacings, 1.5 to 5 */
    double smoothing; /* share of the way to the neighbours' mean that centres move, 0 to 1 */
    double stretch;   /* largest ratio of a kernel's axes, 1 to 8 */
    /* Speed only; neither changes a bit. */
    int threads;      /* 0: as many as the machine runs at once */
    const char *simd; /* instruction level, one of weir_simd_levels; NULL: the best */
} surface_settings;

surface_settings surface_settings_default(void);

typedef struct surface_mesh {
    size_t vertex_count, triangle_count;
    float *positions;    /* 3 per vertex, m */
    float *normals;      /* 3 per vertex, unit, out of the fluid; NULL: none */
    float *velocities;   /* 3 per vertex, m/s; NULL: none */
    uint8_t *fluids;     /* 1 per vertex; NULL: none */
    uint32_t *triangles; /* 3 vertices per triangle */
} surface_mesh;

/* Fills `mesh`, whose content is replaced without being freed. No particles: an empty mesh. */
bool surface_mesh_build(surface_mesh *mesh, const surface_particles *particles,
                        const surface_settings *settings, weir_error *error);
void surface_mesh_free(surface_mesh *mesh);

double surface_mesh_volume(const surface_mesh *mesh); /* m³, enclosed */
double surface_mesh_area(const surface_mesh *mesh);   /* m² */

/* Closed polylines around the fluid (counter-clockwise; around holes clockwise), and triangles
 * that fill it. Points are shared by both; those of the polylines come first. */
typedef struct surface_outline {
    size_t point_count, loop_count, triangle_count;
    float *points;        /* 2 per point, m */
    uint32_t *loop_start; /* loop_count + 1: first point of each polyline */
    size_t outline_count; /* points that belong to polylines */
    uint32_t *triangles;  /* 3 points per triangle */
    float *velocities;    /* 2 per point, m/s; NULL: none */
    uint8_t *fluids;      /* 1 per point; NULL: none */
} surface_outline;

bool surface_outline_build(surface_outline *outline, const surface_particles *particles,
                           const surface_settings *settings, weir_error *error);
void surface_outline_free(surface_outline *outline);

double surface_outline_area(const surface_outline *outline);   /* m², enclosed */
double surface_outline_length(const surface_outline *outline); /* m */

/* One ellipsoid per particle, for splats. In the last layer of a fluid at rest it touches the
 * surface; alone it is a drop of one particle's volume. */
typedef struct surface_ellipsoid {
    float centre[3]; /* m */
    float axes[6];   /* symmetric matrix that maps the unit ball to it: xx xy xz yy yz zz, m */
} surface_ellipsoid;

/* Fills one per particle. */
bool surface_ellipsoids_build(surface_ellipsoid *ellipsoids, const surface_particles *particles,
                              const surface_settings *settings, weir_error *error);

#endif
