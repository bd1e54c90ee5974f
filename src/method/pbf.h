/* Position Based Fluids: positions are moved until the density at each particle is that at rest.
 * Macklin, Müller: Position Based Fluids (ACM TOG 2013), eqs. 1-17 and Algorithm 1, with the
 * boundary volume of solids, rigid bodies inside of the iteration, and accelerated iterations. */
#ifndef WEIR_METHOD_PBF_H
#define WEIR_METHOD_PBF_H

#include "method/drag.h"
#include "method/method.h"

extern const method method_pbf;

enum pbf_parameter {
    PBF_ITERATIONS,
    PBF_MIN_ITERATIONS,
    PBF_DENSITY_TOLERANCE,
    PBF_SOLVER,
    PBF_RELAXATION,
    PBF_SOFTNESS,
    PBF_WARM_START,
    PBF_COHESION,
    PBF_ARTIFICIAL_PRESSURE,
    PBF_ARTIFICIAL_EXPONENT,
    PBF_ARTIFICIAL_RADIUS,
    PBF_GRADIENT_KERNEL,
    PBF_WALLS,
    PBF_WALL_DISTANCE,
    PBF_WALL_FRICTION,
    PBF_VORTICITY,
    PBF_XSPH,
    PBF_KEEP_SPIN,
    PBF_MAX_MOVE,
    PBF_COURANT,
    PBF_PARAMETER_COUNT,
};

enum { PBF_SOLVER_AUTO, PBF_SOLVER_JACOBI, PBF_SOLVER_CHEBYSHEV };
enum { PBF_GRADIENT_SAME, PBF_GRADIENT_SPIKY };
enum { PBF_WALLS_VOLUME, PBF_WALLS_PROJECTION };

/* Everything but the pressure is scratch of one substep. Shift, twist and multiplier are what the
 * iterations build up; each has a value of the iteration before, for the accelerated forms. */
enum pbf_field {
    PBF_DENSITY,  /* kg/m³ */
    PBF_PRESSURE, /* Pa; state, for the warm start and for films under bodies */
    PBF_CURL,     /* 1/s, length of the vorticity; in 2D its z component */
    PBF_PUBLIC_FIELDS,
    PBF_NU = PBF_PUBLIC_FIELDS, /* kg m², multiplier: positive pushes */
    PBF_LAST_NU,
    PBF_STEP,         /* kg m², change of the multiplier in this iteration */
    PBF_REACH,        /* 1/m, sum of the lengths of a row's gradients */
    PBF_INVERSE_MASS, /* 1/kg */
    PBF_MOVE_X,       /* m, of this iteration; before that the row's own gradient; after them all
                         the vorticity or the spin that is given back */
    PBF_MOVE_Y,
    PBF_MOVE_Z,
    PBF_SHIFT_X, /* m, from the predicted position */
    PBF_SHIFT_Y,
    PBF_SHIFT_Z,
    PBF_LAST_SHIFT_X,
    PBF_LAST_SHIFT_Y,
    PBF_LAST_SHIFT_Z,
    PBF_TWIST_X, /* m², sum of shift × move: what the moves of an iteration turned, beyond 0 */
    PBF_TWIST_Y,
    PBF_TWIST_Z, /* the only one in 2D */
    PBF_LAST_TWIST_X,
    PBF_LAST_TWIST_Y,
    PBF_LAST_TWIST_Z,
    PBF_FIELD_COUNT,

    PBF_SQUARES = PBF_STEP, /* before that: 1/(kg m²), neighbours' part of a row's diagonal */
};

/* Constants of the pair loops, in single precision. */
typedef struct pbf_constants {
    weir_kernel density_kernel, gradient_kernel;
    kernel_constants density;
    kernel_constants gradient; /* scaled, so that its first moment is right at rest */
    float volume;              /* kappa · rest volume */
    float artificial;          /* kg m², k of the artificial pressure; 0 = none */
    float inverse_weight;      /* 1 / W(Δq) */
    int exponent;
    float first_reach2; /* m², pairs that were farther apart at first are left out; 0 = none */
    float unit_weight;  /* 1 / W(0) */
} pbf_constants;

/* A body while the iterations move it. Momenta are times dt: kg m and kg m². */
typedef struct pbf_body {
    pose pose;            /* at the start of the substep */
    vec3 push, last_push; /* from the density */
    vec3 turn, last_turn; /* of that push, about the centre of mass */
    vec3 stop, drag;      /* from contact and friction, which do not carry on */
    vec3 contact_turn;
    double slopes;   /* 1/m, sum of the lengths of the gradients that act on it */
    double touching; /* how many particles stand on it */
} pbf_body;

/* What a particle near a solid gave it in this iteration. */
typedef struct pbf_reaction {
    float push[3], stop[3], drag[3]; /* kg m */
} pbf_reaction;

/* A particle near solids. */
typedef struct pbf_near {
    uint32_t particle;
    float contact[3];        /* m, by contact and friction in this iteration */
    pbf_reaction *reactions; /* one per contact */
} pbf_near;

enum { PBF_HISTORY = 64 };

typedef struct pbf_data {
    pbf_constants constants;
    drag_data drag;
    double diagonal; /* 1/(kg m²), of a row among particles at rest */
    double spectrum; /* largest eigenvalue of the rows over their diagonal, at rest */
    double radius;   /* of the spectrum of a Jacobi iteration, for Chebyshev */
    int cycle;       /* iterations after which Chebyshev starts anew */

    /* solids, rebuilt every substep */
    pbf_body *bodies; /* one per body of the world */
    size_t body_capacity;
    pbf_near *near; /* particles near solids, as in walls.touching */
    size_t near_capacity;
    size_t *near_starts; /* contacts before each chunk of them */
    size_t near_start_capacity;
    pbf_reaction *reactions;
    size_t reaction_capacity;

    /* what the last substep did */
    int iterations;
    double residual[PBF_HISTORY]; /* mean of max(density/rest − 1, 0) before each iteration */
} pbf_data;

/* The passes over pairs, once per instruction level; clusters [begin, end). */
typedef struct pbf_passes {
    /* ratio (into the density field), own gradient, squares, reach */
    void (*measure)(flow *f, const pbf_constants *k, size_t begin, size_t end);
    /* ratio, as above */
    void (*density)(flow *f, const pbf_constants *k, size_t begin, size_t end);
    /* move, by pairs */
    void (*correct)(flow *f, const pbf_constants *k, size_t begin, size_t end);
    /* vorticity into move, and its length into the curl field */
    void (*curl)(flow *f, const pbf_constants *k, size_t begin, size_t end);
    /* gradient of the curl's length into shift */
    void (*curl_slope)(flow *f, const pbf_constants *k, size_t begin, size_t end);
    /* moments of the neighbourhood: weight, first, second (see pbf_velocity.c) */
    void (*moments)(flow *f, const pbf_constants *k, size_t begin, size_t end);
    /* velocities that give spin back */
    void (*give_spin)(flow *f, const pbf_constants *k, size_t begin, size_t end);
} pbf_passes;

LANE_DECLARE(pbf_passes, pbf_passes_);

/* Moves the particles [begin, end) by what their pairs and solids gave, no farther than `most`, and
 * by a share of the move before (pbf_move_lanes.c). */
typedef void (*pbf_move_pass)(flow *f, float most, float momentum, size_t begin, size_t end);

LANE_DECLARE(pbf_move_pass, pbf_move_pass_);

const pbf_passes *pbf_get_passes(const flow *f);

/* One substep's iterations. */
typedef struct pbf_job {
    flow *f;
    pbf_data *data;
    double dt;
    double omega; /* weight of the iteration; omega − 1 of the last one's change goes on */
    pbf_constants constants;
    double most_move;  /* m that a row or a solid moves a particle, besides max_move */
    size_t near_count; /* of data->near */
} pbf_job;

/* Solids in the iteration (pbf_solids.c). Bodies stand where they will be at the end of the
 * substep, and go back in pbf_solids_end. */
void pbf_solids_predict(flow *f, double dt);
bool pbf_solids_begin(pbf_job *job);   /* false when memory ran out */
void pbf_solids_place(pbf_job *job);   /* poses and contacts, for the present momenta */
void pbf_solids_correct(pbf_job *job); /* adds to the moves of particles, and to the momenta */
void pbf_solids_settle(pbf_job *job);  /* after the particles have moved */
void pbf_solids_end(pbf_job *job);
void pbf_solids_release(flow *f);
/* What a solid that is moved adds to the diagonal of row i, 1/(kg m²). */
double pbf_solids_give(const pbf_job *job, size_t i, const wall_contact *contact);

/* The iterations (pbf_solve.c). */
void pbf_solve(flow *f, double dt);

/* What follows them (pbf_velocity.c). */
void pbf_update_velocities(flow *f, double dt);
void pbf_restore_spin(flow *f, double dt);
void pbf_confine_vorticity(flow *f, double dt);

#endif
