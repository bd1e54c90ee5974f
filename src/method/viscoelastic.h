/* Viscoelastic fluids: double density relaxation, radial viscosity and springs whose rest lengths
 * give way. Clavet, Beaudoin, Poulin: Particle-based Viscoelastic Fluid Simulation (SCA 2005).
 *
 * The paper's numbers are pure: time in units of T = 1/30 s, lengths in units of h. Here the user
 * gives SI, and viscoelastic_rest.c finds the paper's numbers for particles at rest.
 *
 * The paper moves particles one after the other. Here all pairs are seen at the same positions, so
 * that the result depends on no order. Each pair exchanges its momentum along the line that joined
 * it at the begin of the step: then x × v of the pair is kept as well (with the line at the
 * predicted positions, as in the paper, each step would lose angular momentum of order Δt). */
#ifndef WEIR_METHOD_VISCOELASTIC_H
#define WEIR_METHOD_VISCOELASTIC_H

#include "method/method.h"
#include "method/viscoelastic_springs.h"

extern const method method_viscoelastic;

enum viscoelastic_parameter {
    VISCO_MATERIAL,
    VISCO_SOUND_SPEED,
    VISCO_SURFACE_TENSION,
    VISCO_COHESION,
    VISCO_STIFFNESS,
    VISCO_NEAR_RATIO,
    VISCO_REST_DENSITY,
    VISCO_VISCOSITY,
    VISCO_QUADRATIC,
    VISCO_SHEAR_MODULUS,
    VISCO_SPRING_STIFFNESS,
    VISCO_SPRING_START,
    VISCO_SPRING_GROWTH,
    VISCO_STRETCH_RATE,
    VISCO_COMPRESS_RATE,
    VISCO_STRETCH_YIELD,
    VISCO_COMPRESS_YIELD,
    VISCO_KERNELS,
    VISCO_ORDER,
    VISCO_WALLS,
    VISCO_COLLISION_RADIUS,
    VISCO_COURANT,
    VISCO_PARAMETER_COUNT,
};

enum { VISCO_START_AUTO, VISCO_START_PRESENT, VISCO_START_RANGE };
enum { VISCO_GROWTH_AUTO, VISCO_GROWTH_OFF, VISCO_GROWTH_ON };
enum { VISCO_ORDER_PARALLEL, VISCO_ORDER_SEQUENTIAL };
enum { VISCO_WALLS_VOLUME, VISCO_WALLS_COLLISION };

/* The paper's kernels; those of Sjöström (2011, A.3) with 1 − q² in place of 1 − q; and the same
 * with their true gradients (A.4). */
typedef enum visco_kernels {
    VISCO_KERNELS_PAPER,
    VISCO_KERNELS_HYBRID,
    VISCO_KERNELS_SQUARED,
} visco_kernels;

enum viscoelastic_field {
    VISCO_DENSITY,  /* kg/m³ */
    VISCO_PRESSURE, /* Pa */
    VISCO_PUBLIC_FIELDS,
    VISCO_FAR_PUSH = VISCO_PUBLIC_FIELDS, /* m, Δt² P of the step */
    VISCO_NEAR_PUSH,                      /* m, Δt² P_near */
    VISCO_DRAG,                           /* 1/s, σ of the particle's fluid */
    VISCO_MASS,                           /* kg; filled where fluids of different mass meet */
    VISCO_START_X,                        /* m, position at the begin of the step */
    VISCO_START_Y,
    VISCO_START_Z,
    VISCO_SHIFT_X, /* what a pass over pairs changes: m/s or m */
    VISCO_SHIFT_Y,
    VISCO_SHIFT_Z,
    VISCO_FIELD_COUNT,
};

/* Particles at rest in a lattice: what the sums over pairs give there. */
typedef struct visco_rest {
    double density, near;           /* ρ and ρ_near without the particle itself */
    double far_virial, near_virial; /* m, Σ r g(q) of the two displacements */
    double reach;                   /* Σ (1 − q) */
    double shear; /* kinematic viscosity over σ, and half of G/(ρ k_spring): m² */
} visco_rest;

/* Constants of the loops over pairs. */
typedef struct visco_constants {
    visco_kernels kernels;
    float h, inv_h;
    float quadratic; /* 1/m, β */
    bool mixed;      /* particles differ in mass */
} visco_constants;

/* The two pressures of a fluid, in m/s² (the paper's P times h/T²):
 *   P = (ρ > ρ_L ? compress : stretch) (ρ − ρ_L) + bias,  P_near = near ρ_near,
 * with ρ_L of particles at rest. The paper has compress = stretch = k and bias = k (ρ_L − ρ0). */
typedef struct visco_law {
    double compress, stretch, bias, near;
} visco_law;

/* The parts of ρ and ρ_near that lie in a solid, by its boundary volume B. B is of the world's
 * kernel; at a flat wall it tells the distance, and with it the parts of these kernels. */
enum { VISCO_SHARES = 128 };
typedef struct visco_shares {
    double far[VISCO_SHARES + 1], near[VISCO_SHARES + 1];
} visco_shares;

typedef struct visco_data {
    bool ready; /* the springs have their memory */
    visco_rest rest;
    visco_shares shares;
    visco_constants constants;
    double rest_density; /* ρ0, a pure number */
    visco_law pressure[MAX_FLUIDS];
    spring_law law;
    double shear_modulus; /* Pa, of the first fluid */
    springs springs;

    double *pending; /* six per body: momentum that it has still to get; state */
    body *ahead;     /* copies of the bodies, where their velocities bring them */
    struct body_system *systems;
    size_t pending_capacity, ahead_capacity, system_capacity;

    struct visco_visit *order; /* of the sequential form */
    size_t order_capacity;
} visco_data;

/* The passes over pairs, once per instruction level; clusters [begin, end). */
typedef struct visco_passes {
    /* SHIFT = velocity changes by viscosity */
    void (*drag)(flow *f, const visco_constants *k, float dt, size_t begin, size_t end);
    /* FAR_PUSH, NEAR_PUSH = ρ and ρ_near, the particle itself included */
    void (*density)(flow *f, const visco_constants *k, size_t begin, size_t end);
    /* SHIFT = displacements by both pressures */
    void (*displace)(flow *f, const visco_constants *k, size_t begin, size_t end);
} visco_passes;

LANE_DECLARE(visco_passes, visco_passes_);

/* --- viscoelastic_material.c */
/* The table, and the values that a material gives to parameters that were left at 0. */
extern const weir_parameter visco_parameters[VISCO_PARAMETER_COUNT];
void visco_apply_material(double parameters[WEIR_MAX_PARAMETERS]);

/* --- viscoelastic_setup.c */
bool visco_derive(flow *f, weir_error *error);

/* --- viscoelastic_rest.c */
/* The kernels in double precision: ρ, ρ_near, and the factors of the displacements. */
double visco_far(visco_kernels kernels, double q);
double visco_near(visco_kernels kernels, double q);
double visco_far_slope(visco_kernels kernels, double q);
double visco_near_slope(visco_kernels kernels, double q);
/* Sums of particles at rest, and what the pressures do there. `near_ratio` is k_near/k. */
visco_rest visco_find_rest(const flow *f, visco_kernels kernels, double spacing);
double visco_balanced_density(const visco_rest *rest, double near_ratio);
/* c² under compression for P = ρ − ρ_L alone, and for P_near = ρ_near alone, in m/s². */
void visco_find_sounds(const flow *f, visco_kernels kernels, double *far, double *near);
void visco_find_shares(visco_shares *s, const flow *f, visco_kernels kernels);
/* The share for a boundary volume; `slope` (may be NULL) gets its derivative. */
double visco_share(const double table[VISCO_SHARES + 1], double volume, double *slope);
/* Surface tension over ρ c² h. */
double visco_unit_tension(int dim);

/* --- viscoelastic_solids.c */
/* m, how near to a solid a particle counts as touching it. */
double visco_collision_radius(const flow *f);
/* First two steps of the paper's Algorithm 6: impulses of colliding particles, and the velocities
 * that bodies get from them. */
void visco_push_bodies(flow *f, double dt);
/* The third: particles give way to bodies, whose velocities are final. */
void visco_push_particles(flow *f, double dt);
/* Gives bodies the momentum that the last step's third part found missing. */
void visco_settle_bodies(flow *f);
bool visco_reserve_bodies(flow *f);
void visco_free_bodies(flow *f);

/* --- viscoelastic_sequential.c */
/* Viscosity, springs and relaxation in the paper's order: one particle after the other. Viscosity
 * leaves the positions alone, and notes in SHIFT by how much velocities changed. */
void visco_drag_sequential(flow *f, double dt);
void visco_pull_sequential(flow *f, double dt);
void visco_relax_sequential(flow *f, double dt);
void visco_free_order(flow *f);

/* --- viscoelastic.c */
/* P and P_near (m/s²) of a particle, for the sums over its neighbours; solids are added here.
 * Notes density and pressure for users. */
void visco_find_pressures(flow *f, size_t i, double density, double near, double *push,
                          double *near_push);
/* Displacement by solids, for the pushes Δt² P and Δt² P_near; bodies feel the opposite. */
void visco_displace_by_solids(flow *f, size_t i, double dt);
void visco_displace_by_all_solids(flow *f, double dt);

#endif
