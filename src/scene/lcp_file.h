/* Linear complementarity problems as data: files in, solutions out as JSON.
 *
 * A file is YAML, or JSON, which is YAML too. One problem:
 *     M: [[2, 1], [1, 2]]
 *     q: [-5, -6]
 * and, where wanted, `name`, `n` (checked against the sizes) and `cover`, Lemke's covering
 * vector. Instead of M the masses and contacts that make it (Kurose and Takahashi 2009, eq. 12):
 *     points: [0.1, 0.1]                              kg
 *     bodies: [{mass: 2, inertia: [0.1, 0.1, 0.2]}]   kg, kg m² about x, y, z
 *     contacts:
 *     - {point: 0, b: 0, normal: [0, 1, 0], arm_b: [0.3, 0.1, 0]}
 *     - {a: 0, normal: [0, 1, 0], arm_a: [0, -0.1, 0]}
 *     q: [-1, -2]
 * The normal pushes the point or body `a` and pulls body `b`; arms go from a body's centre to the
 * contact; who is not named does not move. Several problems: the same as a list under `problems`.
 * Numbers may be fractions, "4/3". Other keys are for the reader: collections of problems carry
 * their sources and notes. */
#ifndef WEIR_SCENE_LCP_FILE_H
#define WEIR_SCENE_LCP_FILE_H

#include "base/json.h"
#include "solve/lcp.h"

typedef struct lcp_file_problem {
    const char *name; /* never NULL */
    int n;
    bool has_contacts; /* `contacts` is the problem, else `dense` */
    lcp_dense dense;
    lcp_contacts contacts;
    const double *cover; /* NULL: ones */
} lcp_file_problem;

typedef struct lcp_file {
    size_t count;
    bool is_list; /* they stand under `problems` */
    lcp_file_problem *problems;
    struct tree *tree; /* holds everything */
} lcp_file;

/* On failure false, and nothing is held. `name` stands for the file in messages. */
bool lcp_file_load(lcp_file *file, const char *path, weir_error *error);
bool lcp_file_parse(lcp_file *file, const void *bytes, size_t length, const char *name,
                    weir_error *error);
void lcp_file_free(lcp_file *file);

/* One object: name, rows, solver, status, counts, residuals, z and w. */
void lcp_file_write_result(json *out, const lcp_file_problem *problem, const char *solver,
                           const double *z, const double *w, const lcp_result *result);

#endif
