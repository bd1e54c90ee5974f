/* Linear complementarity problems: find z ≥ 0 with w = M z + q ≥ 0 and zᵀw = 0, exactly.
 *
 * Two methods, each for two forms of M. Lemke's walks along a path of almost complementary bases
 * (Lemke 1965; Cottle, Pang and Stone 2009, §4.4) and ends at a solution or on a ray; block
 * principal pivoting guesses the whole set of positive z at once and corrects it (Júdice and
 * Pires 1994). The dense form takes any M. The contact form is M = J W Jᵀ (Kurose and Takahashi
 * 2009, eqs. 4-12): each row moves one point mass or none and at most two bodies, so M is a
 * diagonal plus rank six per body, and everything costs a number of operations proportional to
 * the rows.
 *
 * Nothing here is random or shared: the same data give the same bits. */
#ifndef WEIR_SOLVE_LCP_H
#define WEIR_SOLVE_LCP_H

#include "base/memory.h"
#include "weir/types.h"

typedef enum lcp_status {
    LCP_SOLVED,
    LCP_RAY,        /* Lemke's path ended on a ray; if M is positive semi-definite, no z exists */
    LCP_LIMIT,      /* as many pivots as allowed, and no end */
    LCP_INACCURATE, /* the pivots ended, but rounding left a residual above the tolerance */
    LCP_INVALID,    /* the data are not a problem, or memory ran out; the error says which */
} lcp_status;

const char *lcp_status_name(lcp_status status);

typedef struct lcp_result {
    lcp_status status;
    int pivots;             /* exchanges of one variable, by Lemke or by Murty's rule */
    int block_steps;        /* factors of a whole set of positive z */
    int proximal_steps;     /* rounds around an M without inverse */
    int iterations;         /* sweeps or products, of the methods that approach a solution */
    int islands;            /* problems that share no mass and were solved one by one */
    bool infeasible;        /* a ray with proof: no z ≥ 0 has M z + q ≥ 0 */
    bool used_lemke;        /* block pivoting handed the problem, or an island, to Lemke */
    int64_t row_visits;     /* rows touched: the cost, without a clock */
    double residual;        /* max |min(z_i, w_i)|, equilibrated, relative to max |q| */
    double complementarity; /* max |z_i w_i|, equilibrated, relative to max |q| · max z */
} lcp_result;

/* Where Lemke's path begins. Every start gives an exact solution; they differ in pivots. */
typedef enum lcp_start {
    LCP_START_PREDICTED, /* at the set that block pivoting finds: few pivots or none */
    LCP_START_COLD,      /* at z = 0, as in the paper: about one pivot per positive z */
    LCP_START_GIVEN,     /* at start_set, for example the contacts that pushed a step ago */
} lcp_start;

typedef struct lcp_options {
    int pivot_limit;       /* 0: 1000 + 50 per row */
    double tolerance;      /* the residual that counts as solved; 0: 1e-9 */
    const double *cover;   /* Lemke's covering vector, all positive, for cold starts; NULL: ones */
    lcp_start start;       /* the dense Lemke predicts nothing: it starts cold or as given */
    const bool *start_set; /* LCP_START_GIVEN: true where z is expected to be positive; block
                            * pivoting takes it as its first guess */
} lcp_options;

typedef struct lcp_dense {
    int n;
    const double *m; /* n × n, row by row; need not be symmetric */
    const double *q;
} lcp_dense;

/* One row of J: the speed of contact is point_direction·v of the point mass plus, for each body,
 * linear·v + angular·ω. For a contact with normal n and the point mass on side A:
 * point_direction = n, body B: linear = −n, angular = −(a × n), a from B's centre. */
typedef struct lcp_contact {
    int point;   /* index of the point mass, or -1 */
    int body[2]; /* indices of bodies, or -1 */
    weir_vec3 point_direction;
    weir_vec3 linear[2], angular[2];
} lcp_contact;

/* Inverse mass per axis (0 along z in 2D) and inverse inertia in world axes, symmetric, row by
 * row; all zero for a body that does not move. */
typedef struct lcp_body {
    weir_vec3 inverse_mass;
    double inverse_inertia[9];
} lcp_body;

/* M = J W Jᵀ + diag(softness). Rows that share a point mass cost the square of their number. */
typedef struct lcp_contacts {
    int n, points, bodies;
    const lcp_contact *rows;
    const double *point_inverse_mass;
    const lcp_body *body;
    const double *softness; /* ≥ 0 per row; NULL: none */
    const double *q;        /* (1 + restitution) · speed of contact before the impulses */
} lcp_contacts;

/* Memory that solves share. It grows to what the largest problem needs and is joined to one piece
 * at the next solve; from then on nothing is allocated. */
enum { LCP_CHUNKS = 40 };
typedef struct lcp_workspace {
    memory *memory;
    int chunks;
    void *chunk[LCP_CHUNKS];
    size_t size[LCP_CHUNKS];
    size_t used; /* bytes of the newest chunk */
    bool failed; /* memory ran out since the last reset */
} lcp_workspace;

void lcp_workspace_init(lcp_workspace *work, memory *m);
void lcp_workspace_free(lcp_workspace *work);

/* Each fills z and w (n values each) and the result. `options` may be NULL. Returns false, with
 * LCP_INVALID and the error, only when the data are wrong or memory runs out: a problem without
 * solution is a status. z and w hold the last state reached when the status is not solved. */
bool lemke_solve(const lcp_dense *problem, const lcp_options *options, lcp_workspace *work,
                 double *z, double *w, lcp_result *result, weir_error *error);
bool lemke_solve_contacts(const lcp_contacts *problem, const lcp_options *options,
                          lcp_workspace *work, double *z, double *w, lcp_result *result,
                          weir_error *error);
bool block_pivot_solve(const lcp_dense *problem, const lcp_options *options, lcp_workspace *work,
                       double *z, double *w, lcp_result *result, weir_error *error);
bool block_pivot_solve_contacts(const lcp_contacts *problem, const lcp_options *options,
                                lcp_workspace *work, double *z, double *w, lcp_result *result,
                                weir_error *error);

/* M of the contact form, n × n, row by row. The problem must be valid. */
void lcp_contacts_expand(const lcp_contacts *problem, double *m);

#endif
