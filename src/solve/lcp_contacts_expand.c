/* M of the contact form as a matrix, element by element from the definition: for methods that need
 * one, and to test the others against. */
#include "base/vec.h"
#include "solve/lcp.h"

/* J W of one body and row: the velocity and spin that a unit impulse gives. */
static void respond(const lcp_body *b, vec3 linear, vec3 angular, double *v)
{
    const double *a = b->inverse_inertia;
    v[0] = b->inverse_mass.x * linear.x;
    v[1] = b->inverse_mass.y * linear.y;
    v[2] = b->inverse_mass.z * linear.z;
    for (int k = 0; k < 3; k++)
        v[3 + k] = a[3 * k] * angular.x + a[3 * k + 1] * angular.y + a[3 * k + 2] * angular.z;
}

static double element(const lcp_contacts *p, int i, int j)
{
    const lcp_contact *x = &p->rows[i], *y = &p->rows[j];
    double sum = i == j && p->softness ? p->softness[i] : 0;
    if (x->point >= 0 && x->point == y->point)
        sum += p->point_inverse_mass[x->point] * vec3_dot(x->point_direction, y->point_direction);
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            if (x->body[a] < 0 || x->body[a] != y->body[b])
                continue;
            double v[6];
            respond(&p->body[y->body[b]], y->linear[b], y->angular[b], v);
            sum += vec3_dot(x->linear[a], vec3_make(v[0], v[1], v[2])) +
                   vec3_dot(x->angular[a], vec3_make(v[3], v[4], v[5]));
        }
    return sum;
}

void lcp_contacts_expand(const lcp_contacts *p, double *m)
{
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < p->n; j++)
            m[(ptrdiff_t)i * p->n + j] = element(p, i, j);
}
