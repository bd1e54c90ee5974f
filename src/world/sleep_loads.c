/* What walls bear of fluid that sleeps. A solid's force is known as a whole; where several pools
 * press on it, each has its share by the pressures of the particles that touch. */
#include "world/sleep.h"

#include <string.h>

/* How much a particle counts among those that touch a solid. */
static double weigh(const flow *f, const float *pressure, size_t i, const wall_contact *c)
{
    double slope2 = 0;
    for (int a = 0; a < f->dim; a++)
        slope2 += (double)c->gradient[a] * c->gradient[a];
    return pressure && pressure[i] > 0 ? pressure[i] * sqrt(slope2) : 0;
}

/* The load of a pool on a body, among those from `first` on; made where there is none. Particles
 * come in order of place: the last ones made are the likeliest. */
static sleep_load *make_load(sleep_memory *s, flow *f, size_t first, uint32_t pool, uint32_t solid)
{
    for (size_t k = s->load_count; k > first; k--)
        if (s->loads[k - 1].pool == pool && s->loads[k - 1].body == solid)
            return &s->loads[k - 1];
    if (!memory_grow(f->mem, (void **)&s->loads, &s->load_capacity, s->load_count + 1,
                     s->load_count, sizeof *s->loads))
        return NULL;
    s->loads[s->load_count] = (sleep_load){.pool = pool, .body = solid};
    return &s->loads[s->load_count++];
}

/* The weights of the pools that fall asleep, into the x of their loads, and of all that touches. */
static bool add_weights(sleep_memory *s, flow *f, size_t first, const float *pressure)
{
    for (size_t n = 0; n < f->walls.touching_count; n++) {
        uint32_t i = f->walls.touching[n];
        const wall_span *solids = &f->walls.spans[i];
        uint32_t pool = s->pools.number[s->pools.parent[i]];
        for (uint32_t w = 0; w < solids->count; w++) {
            const wall_contact *c = &solids->contacts[w];
            double weight = weigh(f, pressure, i, c);
            s->weights[c->body] += weight;
            if (!(weight > 0) || pool == 0 || body_is_moved(&f->bodies[c->body]))
                continue;
            sleep_load *load = make_load(s, f, first, pool, c->body);
            if (!load)
                return false;
            load->force[0].x += weight;
        }
    }
    return true;
}

bool sleep_loads_take(sleep_memory *s, flow *f, const float *pressure)
{
    size_t first = s->load_count;
    if (!memory_grow(f->mem, (void **)&s->weights, &s->weight_capacity, f->body_count, 0,
                     sizeof *s->weights))
        return false;
    if (f->body_count > 0)
        memset(s->weights, 0, f->body_count * sizeof *s->weights);
    if (!add_weights(s, f, first, pressure)) {
        s->load_count = first;
        return false;
    }
    for (size_t k = first; k < s->load_count; k++) {
        sleep_load *load = &s->loads[k];
        const body *b = &f->bodies[(size_t)load->body];
        double share = load->force[0].x / s->weights[(size_t)load->body];
        /* Of what awake fluid gave: all but what others that sleep give already. */
        load->force[0] = vec3_scale(vec3_sub(b->pressure_force, b->held[0]), share);
        load->force[1] = vec3_scale(vec3_sub(b->viscous_force, b->held[1]), share);
        load->force[2] = vec3_scale(vec3_sub(b->torque, b->held[2]), share);
    }
    sleep_loads_sum(s, f);
    return true;
}

void sleep_loads_drop(sleep_memory *s, flow *f, double elapsed)
{
    size_t kept = 0;
    for (size_t k = 0; k < s->load_count; k++) {
        const sleep_load *load = &s->loads[k];
        if (!atomic_load(&s->asleep.pools[(size_t)load->pool - 1].wakes)) {
            s->loads[kept++] = *load;
            continue;
        }
        body *b = &f->bodies[(size_t)load->body];
        b->pressure_impulse = vec3_madd(b->pressure_impulse, elapsed, load->force[0]);
        b->viscous_impulse = vec3_madd(b->viscous_impulse, elapsed, load->force[1]);
        b->angular_impulse = vec3_madd(b->angular_impulse, elapsed, load->force[2]);
    }
    s->load_count = kept;
    sleep_loads_sum(s, f);
}

void sleep_loads_sum(const sleep_memory *s, flow *f)
{
    for (size_t k = 0; k < f->body_count; k++)
        memset(f->bodies[k].held, 0, sizeof f->bodies[k].held);
    for (size_t k = 0; k < s->load_count; k++)
        for (int n = 0; n < 3; n++) {
            vec3 *held = &f->bodies[(size_t)s->loads[k].body].held[n];
            *held = vec3_add(*held, s->loads[k].force[n]);
        }
}
