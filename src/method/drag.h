/* Friction inside of a fluid and at solids, as velocity changes: viscosity (Sjöström eq. 3.32 with
 * the kernel's own second moment), no-slip walls, and XSPH. Shared by the methods. */
#ifndef WEIR_METHOD_DRAG_H
#define WEIR_METHOD_DRAG_H

#include "kernel/half_space.h"
#include "matter/flow.h"

/* The Laplacian that viscosity uses. */
typedef struct drag_laplacian {
    weir_kernel kernel;
    int dim;
    bool mueller; /* Müller's viscosity kernel instead of −2 W'/r */
    double h;
} drag_laplacian;

typedef struct drag_data {
    drag_laplacian laplacian;
    double scale;      /* makes the discrete Laplacian right for particles at rest */
    double pair_rate;  /* 1/m², sum of the weights of a particle's neighbours at rest */
    double xsph_scale; /* of weights (W'/r)² r² that shall add up to the neighbours' W */
    wall_moment_table no_slip;
} drag_data;

void drag_prepare(drag_data *d, const flow *f, weir_kernel kernel, bool mueller);

/* Longest explicit step (s) of a liquid's viscosity; solids that stick are taken implicitly. */
double drag_step_limit(const drag_data *d, const fluid *liquid);

/* Rate (1/s) at which a solid that sticks takes away the velocity of particle i relative to it;
 * `inverse` is the particle's rest density over its density. */
double drag_wall_rate(const drag_data *d, const flow *f, size_t i, const wall_contact *contact,
                      double inverse);

typedef struct drag_pass_constants {
    weir_kernel kernel;
    kernel_constants factors;
    float viscous; /* dt · κV · scale */
    float xsph;    /* share · κV */
    float tiny;    /* m², keeps the division by r² finite */
} drag_pass_constants;

/* change_i += Σ_j [...] (v_j − v_i), for clusters [begin, end); one per instruction level. */
typedef void (*drag_pass)(const flow *f, const drag_pass_constants *k, float *const change[3],
                          size_t begin, size_t end);
LANE_DECLARE(drag_pass, drag_pass_);

/* Changes the velocities by dt of viscosity, walls that stick and XSPH of the given share. The
 * three arrays of `change` are scratch. Solids feel the opposite. */
void drag_apply(const drag_data *d, flow *f, double dt, double xsph, float *const change[3]);

/* The parts of it, for methods with a pass of their own: whether there is anything to do, what a
 * pass needs, and what is done with the change that it has found. */
bool drag_is_needed(const flow *f, double xsph);
drag_pass_constants drag_find_constants(const drag_data *d, const flow *f, double dt, double xsph);
void drag_finish(const drag_data *d, flow *f, double dt, float *const change[3]);

#endif
