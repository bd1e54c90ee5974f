/* What stages look up of all particles: their speeds, and who is lost. */
#include "par/parallel.h"
#include "world/state.h"

#include <math.h>

/* Sums of eight particles side by side, so that they take lanes. */
enum { SIDE_BY_SIDE = 8 };

/* The largest squared speed and the sum of all; positions and velocities that are not finite make
 * the first infinite. */
static inline float find_speeds2(const flow *f, size_t begin, size_t end, int dim, double *sum)
{
    float largest = 0, sums[SIDE_BY_SIDE] = {0};
    bool finite = true;
    for (size_t first = begin; first < end; first += SIDE_BY_SIDE)
        for (size_t i = first, k = 0; k < SIDE_BY_SIDE && i < end; i++, k++) {
            float v2 = 0, x = 0;
            for (int a = 0; a < dim; a++) {
                v2 += f->p.v[a][i] * f->p.v[a][i];
                x += f->p.x[a][i];
            }
            float test = v2 + 0 * x; /* NaN where anything is not finite */
            largest = test > largest ? test : largest;
            finite = finite & (test < INFINITY);
            sums[k] += v2;
        }
    for (int k = 0; k < SIDE_BY_SIDE; k++)
        *sum += sums[k];
    return finite ? largest : INFINITY;
}

static void find_speed(void *context, size_t begin, size_t end, double *sums, double *maxima)
{
    const flow *f = context;
    float largest =
        f->dim == 2 ? find_speeds2(f, begin, end, 2, sums) : find_speeds2(f, begin, end, 3, sums);
    maxima[0] = largest > maxima[0] ? largest : maxima[0];
}

void world_measure_speed(weir_world *w)
{
    flow *f = &w->flow;
    double largest2 = 0, sum2 = 0;
    parallel_reduce(f->threads, f->p.count, find_speed, f, &sum2, 1, &largest2, 1);
    f->speed_max = sqrt(largest2);
    f->speed_rms = f->p.count > 0 ? sqrt(sum2 / (double)f->p.count) : 0;
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
