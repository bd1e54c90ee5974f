/* Whether a contact problem is sound, and roots of the inverse masses of its bodies. */
#ifndef WEIR_SOLVE_LCP_CONTACTS_CHECK_H
#define WEIR_SOLVE_LCP_CONTACTS_CHECK_H

#include "base/vec.h"
#include "solve/lcp.h"

/* A root of a body's inverse mass matrix: diagonal for the velocity, a lower triangle L with
 * L Lᵀ = inverse inertia for the spin. */
typedef struct lcp_body_root {
    double linear[3];
    double angular[6]; /* xx, yx, yy, zx, zy, zz */
    bool moves;
} lcp_body_root;

/* Checks every number of the problem and fills the root of each body. */
bool lcp_contacts_check(const lcp_contacts *problem, lcp_body_root *roots, weir_error *error);

/* The row of J times the root of the body's block, six columns. */
static inline void lcp_body_columns(vec3 linear, vec3 angular, const lcp_body_root *r, double *u)
{
    const double *l = r->angular;
    u[0] = linear.x * r->linear[0];
    u[1] = linear.y * r->linear[1];
    u[2] = linear.z * r->linear[2];
    u[3] = angular.x * l[0] + angular.y * l[1] + angular.z * l[3];
    u[4] = angular.y * l[2] + angular.z * l[4];
    u[5] = angular.z * l[5];
}

#endif
