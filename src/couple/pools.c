#include "couple/pools.h"

#include "couple/island_tree.h"
#include "couple/rest.h"
#include "matter/calm.h"

#include <string.h>

void pools_free(pool_memory *p, memory *m)
{
    memory_give(m, p->parent, p->node_capacity * sizeof *p->parent);
    memory_give(m, p->awake, p->node_capacity);
    memory_give(m, p->wet, p->node_capacity);
    memory_give(m, p->number, p->node_capacity * sizeof *p->number);
    *p = (pool_memory){0};
}

/* --------------------------------------------------------------------- pools */

static bool reserve(pool_memory *p, const flow *f)
{
    size_t nodes = f->p.count + f->body_count;
    const memory_array arrays[] = {{(void **)&p->parent, sizeof *p->parent},
                                   {(void **)&p->awake, 1},
                                   {(void **)&p->wet, 1},
                                   {(void **)&p->number, sizeof *p->number}};
    return memory_grow_together(f->mem, arrays, 4, &p->node_capacity, nodes);
}

static bool are_near(const flow *f, const float *shift, uint32_t i, uint32_t j)
{
    float sum = 0;
    for (int a = 0; a < f->dim; a++) {
        float r = f->p.x[a][i] - f->p.x[a][j] - shift[a];
        sum += r * r;
    }
    /* What is just out of reach may come into it. */
    float reach = (float)(1.01 * f->near.h);
    return sum < reach * reach;
}

/* The members of a cluster with its candidates. A cluster may bridge a gap, so that what one of
 * them sees the next need not; most pairs belong together already, which is cheaper to see than a
 * way. */
static void join_cluster(pool_memory *p, const flow *f, const cluster *c)
{
    for (uint32_t s = 0; s < c->span_count; s++) {
        const float *shift = f->near.shift[c->spans[s].image];
        for (uint32_t n = 0; n < c->spans[s].count; n++) {
            uint32_t j = c->spans[s].candidates[n];
            for (uint32_t i = c->first; i < c->first + c->count; i++)
                if (island_root(p->parent, i) != island_root(p->parent, j) &&
                    are_near(f, shift, i, j))
                    island_join(p->parent, i, j);
        }
    }
}

static void join_bodies(pool_memory *p, const flow *f, const contact_list *contacts,
                        const joint *joints, size_t joint_count)
{
    for (size_t n = 0; n < f->walls.touching_count; n++) {
        uint32_t i = f->walls.touching[n];
        const wall_span *solids = &f->walls.spans[i];
        for (uint32_t w = 0; w < solids->count; w++) {
            uint32_t b = solids->contacts[w].body;
            if (body_is_moved(&f->bodies[b]))
                island_join(p->parent, i, pools_body_node(f, b));
        }
    }
    for (size_t k = 0; k < contacts->pair_count; k++) {
        const contact_pair *pair = &contacts->pairs[k];
        if (body_is_moved(&f->bodies[pair->first]) && body_is_moved(&f->bodies[pair->second]))
            island_join(p->parent, pools_body_node(f, pair->first),
                        pools_body_node(f, pair->second));
    }
    for (size_t k = 0; k < joint_count; k++) {
        const joint *j = &joints[k];
        if (joint_is_whole(j, f) && j->b >= 0 && body_is_moved(&f->bodies[j->a]) &&
            body_is_moved(&f->bodies[j->b]))
            island_join(p->parent, pools_body_node(f, (size_t)j->a),
                        pools_body_node(f, (size_t)j->b));
    }
}

bool pools_find(pool_memory *p, flow *f, const contact_list *contacts, const joint *joints,
                size_t joint_count)
{
    size_t count = f->p.count, nodes = count + f->body_count;
    if (!reserve(p, f))
        return false;
    for (size_t k = 0; k < nodes; k++)
        p->parent[k] = (uint32_t)k;
    for (size_t k = 0; k < f->near.cluster_count; k++)
        join_cluster(p, f, &f->near.clusters[k]);
    join_bodies(p, f, contacts, joints, joint_count);
    memset(p->awake, 0, nodes);
    memset(p->wet, 0, nodes);
    memset(p->number, 0, nodes * sizeof *p->number);
    for (size_t k = 0; k < nodes; k++)
        p->parent[k] = island_root(p->parent, (uint32_t)k);
    for (size_t i = 0; i < count; i++)
        p->wet[p->parent[i]] = 1;
    return true;
}

/* ---------------------------------------------------------------------- rest */

/* m that any of its points may have gone since its rest began. */
static double find_way(const body *b)
{
    double shift = vec3_length(vec3_sub(b->pose.position, b->calm_at.position));
    quat turn = quat_multiply(b->pose.rotation, quat_conjugate(b->calm_at.rotation));
    double angle = 2 * sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    return shift + angle * b->radius;
}

void pools_measure_bodies(flow *f, double elapsed)
{
    for (size_t k = 0; k < f->body_count; k++) {
        body *b = &f->bodies[k];
        if (!body_is_moved(b))
            continue;
        b->calm_time += elapsed;
        if (find_way(b) <= CALM_BODY_WAY * f->spacing)
            continue;
        b->calm_time = 0;
        b->calm_at = b->pose;
    }
}

/* Whether a solid stirs the fluid that touches it. What another engine holds up by what the fluid
 * gives it needs that in every step. */
static bool stirs(const body *b)
{
    return body_has_mass(b) ? b->hosted : body_has_speed(b);
}

void pools_mark_awake(pool_memory *p, flow *f, const joint *joints, size_t joint_count,
                      double rest_time)
{
    static const double MARGIN = 1e-4; /* what sums of time may lack */
    float enough = (float)(rest_time * (1 - MARGIN));
    for (size_t i = 0; i < f->p.count; i++)
        if (f->p.still_time[i] < enough)
            p->awake[p->parent[i]] = 1;
    for (size_t n = 0; n < f->walls.touching_count; n++) {
        uint32_t i = f->walls.touching[n];
        const wall_span *solids = &f->walls.spans[i];
        for (uint32_t w = 0; w < solids->count; w++)
            if (stirs(&f->bodies[solids->contacts[w].body]))
                p->awake[p->parent[i]] = 1;
    }
    for (size_t k = 0; k < f->body_count; k++)
        if (body_is_moved(&f->bodies[k]) && f->bodies[k].calm_time < enough)
            p->awake[p->parent[pools_body_node(f, k)]] = 1;
    for (size_t k = 0; k < joint_count; k++) {
        const joint *j = &joints[k];
        if (!joint_is_whole(j, f) || !rest_is_driven(f, j))
            continue;
        p->awake[p->parent[pools_body_node(f, (size_t)j->a)]] = 1;
        if (j->b >= 0)
            p->awake[p->parent[pools_body_node(f, (size_t)j->b)]] = 1;
    }
}
