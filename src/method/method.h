/* What a fluid method is: functions for the stages of a substep, and tables of its parameters and
 * fields. The world calls the stages in this order; NULL skips one. A new method is a file of its
 * own and a line in method.c. */
#ifndef WEIR_METHOD_METHOD_H
#define WEIR_METHOD_METHOD_H

#include "matter/flow.h"

typedef struct method {
    weir_method_info info;
    int all_fields;        /* the public ones of `info` first, then those for its own use */
    uint32_t kept_fields;  /* bit per field that is state; the others are recomputed */
    size_t data_bytes;     /* of flow.method_data, filled by prepare */
    bool uses_wall_volume; /* solids need their boundary volume */

    /* Derives what was left open and checks the parameters; before the first step. */
    bool (*prepare)(flow *f, weir_error *error);
    /* The stable substep for the present state. */
    weir_step_limit (*limit)(const flow *f);

    /* m, how close particles may come to a solid; NULL = they may touch it. */
    double (*wall_distance)(const flow *f);

    void (*accelerate)(flow *f, double dt); /* densities and forces, at positions just sorted */
    void (*finish)(flow *f, double dt);     /* velocities and positions */
} method;

const method *method_get(weir_method id);

#endif
