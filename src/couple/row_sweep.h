/* Projected Gauss-Seidel over all rows of the one system, Bodin et al., algorithm VII.1: each row
 * in turn is met by its own multiplier, and velocities change at once. Density rows run colour by
 * colour, in cells (space/cell_colours.h), so that threads share no particle; rows of fluid that a
 * moved body connects come after them in one sequence, then contacts, limits and motors, and last
 * the equalities of joints, solved exactly as one block. */
#ifndef WEIR_COUPLE_ROW_SWEEP_H
#define WEIR_COUPLE_ROW_SWEEP_H

#include "method/method.h"
#include "solve/bounded.h"
#include "space/cell_colours.h"

struct row_system;

/* A row, or the share of a body in a density row, as sweeps read it. */
typedef struct sweep_body {
    int32_t body;      /* or ROW_NONE */
    double entries[6]; /* of J */
    double answer[6];  /* M⁻¹ of these, without joints */
} sweep_body;

typedef struct row_sweep {
    cell_colours cells;
    uint8_t *apart;        /* per particle: whether a moved body connects its row */
    size_t *starts;        /* of each particle's links, and the end */
    density_entry *speeds; /* √m times the velocity changes */
    size_t particle_capacity;
    uint32_t *members; /* of the links: particles, and their entries */
    density_entry *entries;
    size_t link_capacity;
    sweep_body *parts;          /* of the couplings, then two a row */
    density_entry *on_particle; /* of the rows, over √m */
    size_t part_capacity, row_capacity;
    double *free_work; /* 6 per body: velocity changes without what the joints answer */
    size_t body_capacity;
} row_sweep;

void row_sweep_free(row_sweep *w, memory *m);

/* Lists the rows; once per substep, after the densities were measured, couplings found and rows
 * scaled. False: no memory. */
bool row_sweep_prepare(struct row_system *s);

/* Improves `solution` within `lo` and `hi` for the right side `rhs`, all scaled. `friction`: bounds
 * of friction follow their normal rows. The residual is the rms change of a sweep. */
solve_result row_sweep_solve(struct row_system *s, const solve_options *options, bool friction);

#endif
