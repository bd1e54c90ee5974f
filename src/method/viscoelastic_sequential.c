/* The paper's own order: one particle after the other, each seeing what those before it did.
 * Clavet et al. 2005, Algorithms 2, 3 and 5, in one thread and double precision; for comparison
 * with the parallel form. The order of particles is random and does not change (§4.3). */
#include "method/viscoelastic.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>

/* One particle in the order of its visit. */
typedef struct visco_visit {
    uint64_t key;
    uint32_t particle, cluster;
} visco_visit;

void visco_free_order(flow *f)
{
    visco_data *data = f->method_data;
    memory_give(f->mem, data->order, data->order_capacity * sizeof *data->order);
}

static int compare_visits(const void *a, const void *b)
{
    uint64_t left = ((const visco_visit *)a)->key, right = ((const visco_visit *)b)->key;
    return (left > right) - (left < right);
}

static bool list_visits(flow *f)
{
    visco_data *data = f->method_data;
    if (!memory_grow(f->mem, (void **)&data->order, &data->order_capacity, f->p.count, 0,
                     sizeof *data->order)) {
        f->exhausted = true;
        return false;
    }
    for (size_t c = 0; c < f->near.cluster_count; c++) {
        const cluster *group = &f->near.clusters[c];
        for (uint32_t i = group->first; i < group->first + group->count; i++)
            data->order[i] = (visco_visit){random_bits(0, f->p.id[i]), i, (uint32_t)c};
    }
    qsort(data->order, f->p.count, sizeof *data->order, compare_visits);
    return true;
}

/* A neighbour of the particle that is visited. */
typedef struct meeting {
    size_t j;
    double distance; /* m */
    double away[3];  /* unit vector from j to i */
} meeting;

typedef struct visit_context {
    flow *f;
    double dt;
    double density, near;   /* of the visited particle */
    double push, near_push; /* m */
    double back[3];         /* displacement of the visited particle so far */
} visit_context;

typedef void (*meet)(visit_context *v, size_t i, const meeting *m);

/* Calls `each` for the neighbours of a particle, at positions x. */
static void visit_neighbours(visit_context *v, const visco_visit *visit, float *const x[3],
                             meet each)
{
    const flow *f = v->f;
    const cluster *c = &f->near.clusters[visit->cluster];
    size_t i = visit->particle;
    for (uint32_t s = 0; s < c->span_count; s++) {
        const float *shift = f->near.shift[c->spans[s].image];
        for (uint32_t n = 0; n < c->spans[s].count; n++) {
            meeting m = {.j = c->spans[s].candidates[n]};
            double r2 = 0;
            for (int a = 0; a < f->dim; a++) {
                m.away[a] = (double)x[a][i] - x[a][m.j] - shift[a];
                r2 += m.away[a] * m.away[a];
            }
            m.distance = sqrt(r2);
            if (m.j == i || m.distance >= f->h || m.distance == 0)
                continue;
            for (int a = 0; a < f->dim; a++)
                m.away[a] /= m.distance;
            each(v, i, &m);
        }
    }
}

/* Moves i by `amount` away from j and j back, each by its share. */
static void part(const flow *f, float *const values[3], size_t i, const meeting *m, double amount)
{
    double m_i = f->fluids[f->p.fluid[i]].mass, m_j = f->fluids[f->p.fluid[m->j]].mass;
    for (int a = 0; a < f->dim; a++) {
        values[a][i] += (float)(amount * m_j / (m_i + m_j) * m->away[a]);
        values[a][m->j] -= (float)(amount * m_i / (m_i + m_j) * m->away[a]);
    }
}

/* ---------------------------------------------------------------- viscosity */

static void drag_pair(visit_context *v, size_t i, const meeting *m)
{
    flow *f = v->f;
    if (f->p.id[i] > f->p.id[m->j])
        return;
    double u = 0;
    for (int a = 0; a < f->dim; a++)
        u -= ((double)f->p.v[a][i] - f->p.v[a][m->j]) * m->away[a];
    if (u <= 0)
        return;
    const visco_data *data = f->method_data;
    const float *sigma = f->p.field[VISCO_DRAG];
    double both = 0.5 * ((double)sigma[i] + sigma[m->j]);
    part(f, f->p.v, i, m,
         v->dt * (1 - m->distance / f->h) * (both * u + data->constants.quadratic * u * u));
}

void visco_drag_sequential(flow *f, double dt)
{
    visco_data *data = f->method_data;
    visit_context v = {.f = f, .dt = dt};
    if (!list_visits(f))
        return;
    for (size_t k = 0; k < f->p.count; k++)
        visit_neighbours(&v, &data->order[k], &f->p.field[VISCO_START_X], drag_pair);
    for (int a = 0; a < f->dim; a++)
        for (size_t i = 0; i < f->p.count; i++) {
            float moved = f->p.x[a][i] - f->p.field[VISCO_START_X + a][i];
            f->p.field[VISCO_SHIFT_X + a][i] = f->p.v[a][i] - (float)(moved / dt);
        }
}

/* ------------------------------------------------------------------ springs */

/* From j to i by the shortest way round. */
static double find_meeting(const flow *f, size_t i, size_t j, meeting *m)
{
    double r2 = 0;
    *m = (meeting){.j = j};
    for (int a = 0; a < f->dim; a++) {
        double period = f->period[a].enabled ? f->period[a].hi - f->period[a].lo : 0;
        m->away[a] = (double)f->p.x[a][i] - f->p.x[a][j];
        if (period > 0)
            m->away[a] -= period * floor(m->away[a] / period + 0.5);
        r2 += m->away[a] * m->away[a];
    }
    m->distance = sqrt(r2);
    for (int a = 0; a < f->dim && r2 > 0; a++)
        m->away[a] /= m->distance;
    return m->distance;
}

/* Algorithm 3. Rest lengths have been adjusted. */
void visco_pull_sequential(flow *f, double dt)
{
    const visco_data *data = f->method_data;
    const springs *s = &data->springs;
    for (int a = 0; a < f->dim; a++)
        for (size_t i = 0; i < f->p.count; i++)
            f->p.x[a][i] = f->p.field[VISCO_START_X + a][i] + (float)dt * f->p.v[a][i];
    for (size_t k = 0; k < f->p.count && s->ends > 0; k++) {
        size_t i = data->order[k].particle;
        const spring_span *list = &s->spans[f->p.id[i] - s->base];
        for (uint32_t n = 0; n < list->count; n++) {
            const spring *one = &list->items[n];
            meeting m;
            if (one->partner < f->p.id[i])
                continue; /* each spring stands in two lists */
            double r = find_meeting(f, i, s->place[one->partner - s->base], &m);
            part(f, f->p.x, i, &m,
                 dt * dt * data->law.stiffness * (1 - one->length / f->h) * (one->length - r));
        }
    }
}

/* --------------------------------------------------------------- relaxation */

static void add_density(visit_context *v, size_t i, const meeting *m)
{
    (void)i;
    const visco_data *data = v->f->method_data;
    double q = m->distance / v->f->h;
    v->density += visco_far(data->constants.kernels, q);
    v->near += visco_near(data->constants.kernels, q);
}

static void displace(visit_context *v, size_t i, const meeting *m)
{
    flow *f = v->f;
    const visco_data *data = f->method_data;
    double q = m->distance / f->h;
    double amount = v->push * visco_far_slope(data->constants.kernels, q) +
                    v->near_push * visco_near_slope(data->constants.kernels, q);
    double m_i = f->fluids[f->p.fluid[i]].mass, m_j = f->fluids[f->p.fluid[m->j]].mass;
    for (int a = 0; a < f->dim; a++) {
        f->p.x[a][m->j] -= (float)(amount * m_i / (m_i + m_j) * m->away[a]);
        v->back[a] += amount * m_j / (m_i + m_j) * m->away[a];
    }
}

/* Algorithm 2 for one particle. */
static void relax(visit_context *v, const visco_visit *visit)
{
    flow *f = v->f;
    size_t i = visit->particle;
    v->density = v->near = v->back[0] = v->back[1] = v->back[2] = 0;
    visit_neighbours(v, visit, f->p.x, add_density);
    double push, near_push;
    visco_find_pressures(f, i, v->density, v->near, &push, &near_push);
    v->push = v->dt * v->dt * push;
    v->near_push = v->dt * v->dt * near_push;
    visit_neighbours(v, visit, f->p.x, displace);
    for (int a = 0; a < f->dim; a++)
        f->p.x[a][i] += (float)v->back[a];
    f->p.field[VISCO_FAR_PUSH][i] = (float)v->push;
    f->p.field[VISCO_NEAR_PUSH][i] = (float)v->near_push;
}

void visco_relax_sequential(flow *f, double dt)
{
    visco_data *data = f->method_data;
    visit_context v = {.f = f, .dt = dt};
    for (size_t k = 0; k < f->p.count; k++)
        relax(&v, &data->order[k]);
    for (int a = 0; a < f->dim; a++)
        for (size_t i = 0; i < f->p.count; i++)
            f->p.v[a][i] = (float)(((double)f->p.x[a][i] - f->p.field[VISCO_START_X + a][i]) / dt);
}
