/* What a fluid method is: functions for the stages of a substep, and tables of its parameters and
 * fields. The world calls the stages in this order; NULL skips one. A new method is a file of its
 * own and a line in method.c. */
#ifndef WEIR_METHOD_METHOD_H
#define WEIR_METHOD_METHOD_H

#include "matter/flow.h"

/* What a density row has on one particle: x, y, z and 0. */
typedef float density_entry __attribute__((vector_size(16)));

/* How a method that constrains the density writes its rows and how they act, for the solver of
 * couple/row_system.h. Rows are G v <= c with the impulse −Gᵀν, ν >= 0. */
typedef struct density_rows {
    /* For the velocities p.v: density ratio, rate, slope, diagonal. The rate is that at this
     * moment, G v, or where the step takes particles far the mean one of the move. False: no
     * memory. */
    bool (*measure)(flow *f, double dt);
    /* The same, but for the rate: that at which the velocities p.v would bring the density above
     * what it may be after a move by dt v; what is too dense already is mended within `mending`
     * seconds. Overwrites the ratio. */
    bool (*foresee)(flow *f, double dt, double mending);
    /* The ratio after a move by dt v; overwrites the present one. Where that is a long way the
     * gradients, too, and returns true. */
    bool (*predict)(flow *f, double dt);
    /* work = −M⁻¹ Gᵀ ν over particles (solids that move are the caller's). */
    void (*push)(flow *f, const float *nu);
    /* rows = G work, likewise. */
    void (*pull)(flow *f, float *rows);
    /* The rows as lists, for solvers that take one row at a time: how many particles each touches,
     * itself included; then, from starts[i] on, these particles and G_ij/sqrt(m_j), itself first.
     * After `measure`. */
    void (*count_links)(flow *f, size_t *counts);
    void (*fill_links)(flow *f, const size_t *starts, uint32_t *members, density_entry *entries);
    int ratio, rate, diagonal, slope, inverse_mass, work; /* which fields hold these */
    int nu, mu;  /* multipliers of the velocity and the position rows, kept for the next step */
    int impulse; /* what both did to the velocities, as a multiplier */
} density_rows;

typedef enum system_solver { SOLVER_ACCELERATED, SOLVER_MPRGP, SOLVER_GAUSS_SEIDEL } system_solver;

typedef struct system_options {
    system_solver solver;
    bool split;                     /* velocities, then positions; else SPOOK's one solve */
    bool cohesion;                  /* density rows pull, too */
    double sound_speed, relaxation; /* of SPOOK: m/s, steps */
    bool gauss_seidel;
    double tolerance;         /* of the velocities, relative to what drives them */
    double density_tolerance; /* density error, rms, that a step may leave in either solve */
    double calm_tolerance;    /* the same where the fluid hardly moves, if that is less */
    double density_peak;      /* the largest of one particle, in units of that; 0 = any */
    double most_way;          /* spacings that the fluid may move within a step */
    double position_share; /* of position corrections that velocities take on; twice where fast */
    bool weighs;           /* the fluid, so that they do in calm fluid, too */
    bool at_once;          /* where fast: one solve, velocities for the densities after the move */
    double mending;        /* s in which that solve mends what is too dense, in one step at most */
    bool relinearize;      /* predictions see where a first correction has put the particles */
    int min_iterations, max_iterations;
    double warm_start;
} system_options;

enum { METHOD_MAX_SECTIONS = 8 };

typedef struct method {
    weir_method_info info;
    int all_fields;        /* the public ones of `info` first, then those for its own use */
    uint32_t kept_fields;  /* bit per field that is state; the others are recomputed */
    size_t data_bytes;     /* of flow.method_data, filled by prepare */
    bool uses_wall_volume; /* solids need their boundary volume */
    bool limited_by_depth; /* the fluid's depth limits its steps */

    double support[2]; /* kernel radius in spacings where none is given, 2D and 3D; 0 = 2.5 */

    /* m, how far apart pairs may be that count; NULL = as far as the kernel reaches. */
    double (*reach)(const flow *f);
    /* Derives what was left open and checks the parameters; before the first step. */
    bool (*prepare)(flow *f, weir_error *error);
    /* The stable substep for the present state. */
    weir_step_limit (*limit)(const flow *f);

    /* Moves the particles of a world that has not been stepped towards rest density, velocities and
     * bodies left alone: what fills have too much beside walls would become speed. Methods with
     * rows measure, and the rows move. NULL = not needed. */
    void (*settle)(flow *f, double dt);

    /* By how much solids are grown when their boundary volume is baked, so that fluid beside them
     * fills the space it should; NULL = as measured for moved bodies. */
    boundary_growth (*solid_growth)(const flow *f);
    /* m, how close particles may come to a solid; NULL = they may touch it. */
    double (*wall_distance)(const flow *f);

    /* s by which the search shall see particles ahead of where they are, in a substep of dt; NULL =
     * 0. */
    double (*look_ahead)(const flow *f, double dt);
    /* The stages of a substep, in order; step.c says what each may read and write. */
    void (*predict)(flow *f, double dt);      /* positions that search and contacts shall see */
    void (*accelerate)(flow *f, double dt);   /* densities and forces, at positions just sorted */
    void (*project)(flow *f, double dt);      /* iterations of position methods */
    const density_rows *rows;                 /* solved together with contacts and joints */
    system_options (*options)(const flow *f); /* of that solve; NULL = for bodies alone */
    void (*finish)(flow *f, double dt);       /* velocities and positions */

    /* State of variable size beside the fields, as named arrays (all NULL: there is none). */
    /* Fills up to METHOD_MAX_SECTIONS for saving and hashing; how many, or < 0: no memory. */
    int (*save)(flow *f, weir_section *sections);
    /* Before restoring: room for a saved array; names that are not the method's are ignored. */
    bool (*reserve)(flow *f, const char *section, size_t count, weir_error *error);
    /* The arrays, fields and parameters have been filled; after `prepare`. */
    bool (*restore)(flow *f, weir_error *error);

    /* Whether the fluid must not sleep, because of what the method keeps beside the fields; NULL =
     * it may. */
    bool (*stays_awake)(const flow *f);
    void (*count)(const flow *f, weir_counters *counters); /* what is the method's own */
    void (*release)(flow *f); /* memory that method_data holds; also before `prepare` */
} method;

const method *method_get(weir_method id);

/* The prediction of position methods: v += dt g, x += dt v. */
void method_fall(flow *f, double dt);
/* x += dt v. */
void method_move(flow *f, double dt);

/* Lowers a limit that is being collected. */
static inline void step_limit_tighten(weir_step_limit *limit, double seconds, const char *cause)
{
    if (seconds < limit->seconds) {
        limit->seconds = seconds;
        limit->cause = cause;
    }
}

#endif
