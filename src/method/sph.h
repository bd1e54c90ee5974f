/* Smoothed particle hydrodynamics.
 * Müller, Charypar, Gross: Particle-Based Fluid Simulation for Interactive Applications (2003);
 * Tait pressure as in Bodin et al., eqs. 6-8. */
#ifndef WEIR_METHOD_SPH_H
#define WEIR_METHOD_SPH_H

#include "method/drag.h"
#include "method/method.h"

extern const method method_sph;

enum sph_parameter {
    SPH_SOUND_SPEED,
    SPH_STIFFNESS,
    SPH_EQUATION_OF_STATE,
    SPH_NEGATIVE_PRESSURE,
    SPH_PRESSURE_FORM,
    SPH_PRESSURE_KERNEL,
    SPH_VISCOSITY_FORM,
    SPH_SOUND_DAMPING,
    SPH_WALLS,
    SPH_WALL_DISTANCE,
    SPH_COURANT,
    SPH_PARAMETER_COUNT,
};

enum { SPH_EOS_LINEAR, SPH_EOS_TAIT_1, SPH_EOS_TAIT_7 };
enum { SPH_FORM_MUELLER, SPH_FORM_SYMMETRIC };
enum { SPH_GRADIENT_SAME, SPH_GRADIENT_SPIKY };
enum { SPH_VISCOSITY_DERIVATIVE, SPH_VISCOSITY_MUELLER };
enum { SPH_WALLS_VOLUME, SPH_WALLS_PROJECTION };

enum sph_field {
    SPH_DENSITY,  /* kg/m³ */
    SPH_PRESSURE, /* Pa */
    SPH_PUBLIC_FIELDS,
    SPH_RATIO = SPH_PUBLIC_FIELDS, /* density over rest density */
    SPH_INVERSE,                   /* 1 / ratio */
    SPH_RATE,                      /* 1/s, rate of the ratio */
    SPH_VISCOSITY,                 /* Pa s of the particle's fluid */
    SPH_TENSION,                   /* N/m of the particle's fluid */
    SPH_ACCELERATION_X,            /* m/s² */
    SPH_ACCELERATION_Y,
    SPH_ACCELERATION_Z,
    SPH_FIELD_COUNT,
};

/* Constants of the pair loops, in single precision. */
typedef struct sph_constants {
    weir_kernel density_kernel, pressure_kernel;
    kernel_constants density, pressure;
    float volume;          /* kappa · rest volume */
    float viscosity_scale; /* makes the discrete Laplacian right for particles at rest */
    bool mueller_form, mueller_viscosity;
    bool has_tension; /* some fluid has surface tension */
    float tiny;       /* m, keeps divisions by r finite */
    float cohesion;   /* pull of a pair, over surface tension, rest volume and `volume` */
} sph_constants;

/* What is derived once before the first step. */
typedef struct sph_data {
    sph_constants constants;
    drag_data drag;
    /* 1/m², times the kinematic viscosity: how fast a particle's velocity follows that of its
     * neighbours, and that of a sticking wall as close as can be. */
    double viscous_rate, wall_viscous_rate;
} sph_data;

/* The passes over pairs, once per instruction level. Each handles clusters [begin, end). */
typedef struct sph_passes {
    void (*density)(flow *f, const sph_constants *k, size_t begin, size_t end);
    void (*force)(flow *f, const sph_constants *k, size_t begin, size_t end);
} sph_passes;

LANE_DECLARE(sph_passes, sph_passes_);

#endif
