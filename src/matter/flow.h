/* The liquid of a world: everything that a fluid method reads and writes. */
#ifndef WEIR_MATTER_FLOW_H
#define WEIR_MATTER_FLOW_H

#include "kernel/half_space.h"
#include "kernel/kernel_constants.h"
#include "lanes/level.h"
#include "matter/contact_sums.h"
#include "matter/walls.h"
#include "par/pass_log.h"

enum { MAX_FLUIDS = 64 };

typedef struct fluid {
    char name[NAME_LENGTH];
    double density, viscosity, surface_tension; /* SI */
    double mass;                                /* kg of one particle */
} fluid;

typedef struct flow {
    /* constants of the world */
    int dim, threads;
    lane_level level;
    weir_kernel kernel;
    kernel_constants kernel_factors;
    half_space_table flat_wall;             /* of the kernel */
    double spacing, h;                      /* m */
    double volume;                          /* m³ of one particle at rest */
    double kappa;                           /* makes the density of particles at rest 1 */
    vec3 force;                             /* m/s², gravity and uniform acceleration */
    double parameters[WEIR_MAX_PARAMETERS]; /* of the method; derived values filled in */
    weir_axis_period period[3];
    double reference_speed; /* m/s that the fluid can reach: by falling, from emitters and solids */
    double density_scale;   /* 1/sqrt of a density row's diagonal in particles at rest */
    void *method_data;

    fluid fluids[MAX_FLUIDS];
    int fluid_count;

    /* state */
    particles p;
    double fluid_depth;  /* m along the uniform force (matter/depth.h) */
    double asleep_depth; /* m, of the deepest pool that sleeps: it may wake in any substep */

    /* rebuilt every substep */
    neighbours near;
    walls walls;
    contact_sums sums; /* of what solids get: for one stage at a time */
    body *bodies;
    size_t body_count;
    double gravity_time; /* s between the velocities of the last substep and of this, which belong
                            to their middles: how long forces act (bodies, constraint fluids) */
    double speed_max;    /* m/s, largest of any particle */
    double speed_rms;    /* m/s, of all particles */
    bool exhausted;      /* memory ran out in a stage of the method: the step fails */
    pass_log passes;     /* what loops cost so far */

    memory *mem;
} flow;

static inline vec3 flow_position(const flow *f, size_t i)
{
    return (vec3){f->p.x[0][i], f->p.x[1][i], f->dim == 3 ? f->p.x[2][i] : 0};
}

static inline vec3 flow_velocity(const flow *f, size_t i)
{
    return (vec3){f->p.v[0][i], f->p.v[1][i], f->dim == 3 ? f->p.v[2][i] : 0};
}

/* The image of a point that is nearest to a body, on periodic axes. */
static inline vec3 flow_nearest(const flow *f, vec3 point, const body *b)
{
    return pose_point(b->pose, walls_local_point(&f->near, b, point));
}

/* Whether anything may move any body: fluid, contacts, joints. */
static inline bool flow_any_moved(const flow *f)
{
    for (size_t k = 0; k < f->body_count; k++)
        if (body_is_moved(&f->bodies[k]))
            return true;
    return false;
}

/* Whether particle i is within reach of such a body. */
static inline bool flow_reaches_moved(const flow *f, size_t i)
{
    const wall_span *solids = &f->walls.spans[i];
    for (uint32_t w = 0; w < solids->count; w++)
        if (body_is_moved(&f->bodies[solids->contacts[w].body]))
            return true;
    return false;
}

/* The particles of clusters [begin, end). */
static inline void flow_chunk_range(const flow *f, size_t begin, size_t end, size_t *first,
                                    size_t *last)
{
    *first = f->near.clusters[begin].first;
    *last = f->near.clusters[end - 1].first + f->near.clusters[end - 1].count;
}

/* Notes a loop over all pairs of the lists, or over all particles where its work has no pairs. */
static inline void flow_note_pass(flow *f, const pass_work *work, double since)
{
    pass_size size = {.dim = f->dim,
                      .particles = f->p.count,
                      .candidates = f->near.candidate_count,
                      .lanes = CLUSTER_SIZE,
                      .further_bytes = (double)(f->near.cluster_count * sizeof(cluster))};
    pass_log_add(&f->passes, work, &size, since);
}

/* Clusters, particles and particles near solids per chunk of a parallel loop over them: so few that
 * 16 threads share 10⁵ particles evenly. */
enum { CLUSTER_GRAIN = 64, PARTICLE_GRAIN = 2048, TOUCHING_GRAIN = 256 };

#endif
