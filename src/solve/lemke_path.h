/* The path of Lemke's algorithm, without the linear algebra: which variable enters, which leaves.
 *
 * The system is w − M z − h z0 = q. At every moment each pair (w_i, z_i) has one basic variable,
 * kept in slot i, except one pair, the missing one, whose slot holds z0. The pair that is missing
 * gives the variable that enters: the complement of the one that left. */
#ifndef WEIR_SOLVE_LEMKE_PATH_H
#define WEIR_SOLVE_LEMKE_PATH_H

#include "solve/lcp_parts.h"

/* How bases are held. B is the matrix of the basic variables' columns. */
typedef struct lemke_system {
    void *self;
    /* d = B⁻¹ times the column of a variable that is not basic: z or w of `pair`, by slot. */
    void (*column)(void *self, int pair, bool is_z, double *d);
    /* The variable of the missing pair `enter` becomes basic and slot `leave` loses its own to
     * z0. With enter = -1 z0 enters; with enter = leave z0 leaves. False: the basis is singular. */
    bool (*exchange)(void *self, int enter, bool is_z, int leave);
    /* Computes x = B⁻¹ q by slot from the data, and with `renew` the factors of B too. */
    bool (*refresh)(void *self, bool renew, double *x);
} lemke_system;

typedef struct lemke_path {
    lemke_system system;
    int n;
    bool *in;      /* slot i holds z_i */
    bool *start;   /* the same at the beginning; its columns define the lexicographic order */
    double *cover; /* z0's column by slot at the beginning: all positive */
    int missing;   /* the slot of z0; -1: none */
    double *x;     /* values of the basic variables by slot */
    double *d, *order;
    int *tied;
    int pivots;
} lemke_path;

bool lemke_path_take(lemke_path *path, int n, lcp_workspace *work);

/* Needs in, cover and x of the complementary basis to begin with. Ends with a complementary basis
 * when solved. */
lcp_status lemke_path_run(lemke_path *path, int pivot_limit);

#endif
