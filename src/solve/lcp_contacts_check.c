#include "solve/lcp_contacts_check.h"

#include "base/error.h"
#include "solve/lcp_parts.h"

#include <math.h>

/* Cholesky of a 3 × 3 matrix that may be singular: 2D bodies turn about one axis only. */
static bool find_root(const lcp_body *body, lcp_body_root *r)
{
    const double *a = body->inverse_inertia;
    const double m[3] = {body->inverse_mass.x, body->inverse_mass.y, body->inverse_mass.z};
    double size = lcp_larger(fabs(a[0]), lcp_larger(fabs(a[4]), fabs(a[8])));
    double noise = 1e-12 * size;
    *r = (lcp_body_root){.moves = size > 0};
    for (int i = 0; i < 3; i++) {
        if (!(m[i] >= 0) || !isfinite(m[i]))
            return false;
        r->linear[i] = sqrt(m[i]);
        r->moves = r->moves || m[i] > 0;
    }
    double *l = r->angular;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double rest = a[3 * i + j];
            if (!isfinite(rest) || !(fabs(rest - a[3 * j + i]) <= 1e-9 * size))
                return false;
            for (int k = 0; k < j; k++)
                rest -= l[i * (i + 1) / 2 + k] * l[j * (j + 1) / 2 + k];
            double pivot = l[j * (j + 1) / 2 + j];
            if (i == j && rest < -noise)
                return false;
            if (i != j && pivot == 0 && fabs(rest) > 1e-6 * size)
                return false;
            double value = i == j ? (rest > noise ? sqrt(rest) : 0) : pivot > 0 ? rest / pivot : 0;
            l[i * (i + 1) / 2 + j] = value;
        }
    return true;
}

static bool check_row(const lcp_contacts *p, int i, weir_error *error)
{
    const lcp_contact *row = &p->rows[i];
    if (row->point < -1 || row->point >= p->points)
        return fail(error, WEIR_INVALID,
                    "Contact %d names point %d; there are %d points, and -1 means none.", i,
                    row->point, p->points);
    for (int side = 0; side < 2; side++)
        if (row->body[side] < -1 || row->body[side] >= p->bodies)
            return fail(error, WEIR_INVALID,
                        "Contact %d names body %d; there are %d bodies, and -1 means none.", i,
                        row->body[side], p->bodies);
    if (row->body[0] >= 0 && row->body[0] == row->body[1])
        return fail(error, WEIR_INVALID,
                    "Contact %d names body %d on both sides; write the sum on one side.", i,
                    row->body[0]);
    bool finite = isfinite(p->q[i]) && vec3_is_finite(row->point_direction);
    for (int side = 0; side < 2; side++)
        finite = finite && vec3_is_finite(row->linear[side]) && vec3_is_finite(row->angular[side]);
    if (!finite)
        return fail(error, WEIR_INVALID, "Contact %d holds a number that is not finite.", i);
    if (p->softness && (!(p->softness[i] >= 0) || !isfinite(p->softness[i])))
        return fail(error, WEIR_INVALID,
                    "The softness of contact %d is %g; it must not be negative.", i,
                    p->softness[i]);
    return true;
}

bool lcp_contacts_check(const lcp_contacts *p, lcp_body_root *roots, weir_error *error)
{
    if (p->n < 0 || p->points < 0 || p->bodies < 0)
        return fail(error, WEIR_INVALID,
                    "A contact problem has %d rows, %d points and %d bodies; none may be negative.",
                    p->n, p->points, p->bodies);
    for (int i = 0; i < p->points; i++)
        if (!(p->point_inverse_mass[i] >= 0) || !isfinite(p->point_inverse_mass[i]))
            return fail(error, WEIR_INVALID,
                        "The inverse mass of point %d is %g; it must not be negative.", i,
                        p->point_inverse_mass[i]);
    for (int b = 0; b < p->bodies; b++)
        if (!find_root(&p->body[b], &roots[b]))
            return fail(error, WEIR_INVALID,
                        "The inverse mass or inertia of body %d is negative or not symmetric.", b);
    for (int i = 0; i < p->n; i++)
        if (!check_row(p, i, error))
            return false;
    return true;
}
