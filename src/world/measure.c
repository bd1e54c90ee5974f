/* What stages look up of all particles: the largest speed, and who is lost. */
#include "par/parallel.h"
#include "world/state.h"

#include <math.h>

/* The largest squared speed; positions and velocities that are not finite make it infinite. */
static inline float find_largest_speed2(const flow *f, size_t begin, size_t end, int dim)
{
    float largest = 0;
    bool finite = true;
    for (size_t i = begin; i < end; i++) {
        float v2 = 0, x = 0;
        for (int a = 0; a < dim; a++) {
            v2 += f->p.v[a][i] * f->p.v[a][i];
            x += f->p.x[a][i];
        }
        float test = v2 + 0 * x; /* NaN where anything is not finite */
        largest = test > largest ? test : largest;
        finite = finite & (test < INFINITY);
    }
    return finite ? largest : INFINITY;
}

static void find_speed(void *context, size_t begin, size_t end, double *sums, double *maxima)
{
    (void)sums;
    const flow *f = context;
    float largest =
        f->dim == 2 ? find_largest_speed2(f, begin, end, 2) : find_largest_speed2(f, begin, end, 3);
    maxima[0] = largest > maxima[0] ? largest : maxima[0];
}

void world_measure_speed(weir_world *w)
{
    double speed2 = 0;
    parallel_reduce(w->flow.threads, w->flow.p.count, find_speed, &w->flow, NULL, 0, &speed2, 1);
    w->flow.speed_max = sqrt(speed2);
}

size_t world_find_not_finite(const weir_world *w)
{
    const flow *f = &w->flow;
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < f->p.count; i++)
        if (!vec3_is_finite(flow_position(f, i)) || !vec3_is_finite(flow_velocity(f, i)))
            if (found == SIZE_MAX || f->p.id[i] < f->p.id[found])
                found = i;
    return found;
}
