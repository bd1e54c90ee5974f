/* The one system: density rows, contacts, friction, limits and motors, with the joints' equalities
 * eliminated, solved for the velocities and then for the positions. */
#ifndef WEIR_COUPLE_ROW_SYSTEM_H
#define WEIR_COUPLE_ROW_SYSTEM_H

#include "couple/mechanism.h"
#include "couple/row_sweep.h"
#include "method/method.h"
#include "solve/gauss_seidel.h"
#include "solve/row.h"

/* A particle within reach of a body that the fluid moves. */
typedef struct coupling {
    uint32_t particle, body;
    float gradient[3]; /* of the particle's density by its position, through this body */
    float arm[3];      /* from the body's centre of mass */
} coupling;

typedef struct row_system {
    memory *mem;
    row *rows;
    size_t row_count, row_capacity;
    coupling *couplings;
    size_t coupling_count, coupling_capacity;
    float *solution, *rhs, *lo, *hi, *scale, *nu; /* densities first, then rows */
    size_t vector_capacity;
    double *body_work; /* 6 per body: velocity changes */
    size_t body_capacity;
    bounded_work solver;
    row_sweep sweep; /* of Gauss-Seidel */
    /* of systems of bodies alone (couple/body_sweep.h) */
    gauss_seidel sweeps;
    uint32_t *members; /* bodies that rows along joints move */
    uint8_t *marks;    /* a byte per body */
    double *spreads;   /* 6 per member and row along joints */
    size_t member_count, member_capacity, mark_capacity, spread_capacity;
    bool spread_known;
    size_t first_body_row;                         /* of the rows: those before are of particles */
    solve_result velocity_result, position_result; /* of the last substep */
    /* scratch of a product */
    flow *f;
    const density_rows *density;
    mechanism *mechanism;
    double regularization;
} row_system;

void row_system_init(row_system *s, memory *m);
void row_system_free(row_system *s);

/* Drops the rows of the last substep. */
void row_system_clear(row_system *s);
/* Adds a row; NULL when memory ran out. */
row *row_system_add_row(row_system *s);

/* Solves for the velocities of particles and bodies (p.v and body.velocity hold what forces gave),
 * and, stepping split, for displacements, which it adds to positions and poses. */
bool row_system_solve(row_system *s, flow *f, const density_rows *density, mechanism *m,
                      const system_options *options, double dt, weir_error *error);

/* Displaces particles towards rest density and nothing else; whether they were there already. */
bool row_system_settle(row_system *s, flow *f, const density_rows *density,
                       const system_options *options, bool *settled, weir_error *error);

#endif
