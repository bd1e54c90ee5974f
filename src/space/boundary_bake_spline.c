/* Values at the nodes to coefficients of a cubic B-spline. */
#include "space/boundary_bake_work.h"

/* The inverse of the B-spline's values at the nodes, (1 + D/6)^-1 with D the second
 * difference, as the series 1 - D/6 + ... + (D/6)^4. Two terms less would smooth B by 0.3 %. `in`
 * holds rows of PADDED along an axis, `out` the middle BLOCK of them. */
static void filter_axis(const double *in, double *out, int outer, int inner)
{
    static const double c[5] = {2134.0 / 1296, -506.0 / 1296, 100.0 / 1296, -14.0 / 1296,
                                1.0 / 1296};
    for (int o = 0; o < outer; o++)
        for (int n = 0; n < BLOCK; n++)
            for (int i = 0; i < inner; i++) {
                const double *f = in + (o * PADDED + n + BLOCK) * inner + i;
                double sum = c[0] * f[0];
                for (int k = 1; k < 5; k++)
                    sum += c[k] * (f[-k * inner] + f[k * inner]);
                *out++ = sum;
            }
}

/* What a block takes on its way through the filter, axis by axis. */
typedef struct filter_steps {
    float gathered[PADDED * PADDED * PADDED];
    double values[PADDED * PADDED * PADDED];
    double x[BLOCK * PADDED * PADDED];
    double y[BLOCK * BLOCK * PADDED];
    double z[BLOCK * BLOCK * BLOCK];
} filter_steps;

static void filter_block(const baker *b, block_place p, filter_steps *f, float *coefficients)
{
    int planes = b->dim == 3 ? PADDED : 1;
    bake_gather(b, p, b->node_states, b->values, 1, f->gathered);
    for (int i = 0; i < PADDED * PADDED * planes; i++)
        f->values[i] = (double)f->gathered[i];
    filter_axis(f->values, f->x, PADDED * planes, 1);
    filter_axis(f->x, f->y, planes, BLOCK);
    if (b->dim == 3)
        filter_axis(f->y, f->z, 1, BLOCK * BLOCK);
    for (size_t i = 0; i < power(BLOCK, b->dim); i++)
        coefficients[i] = (float)(b->dim == 3 ? f->z[i] : f->y[i]);
}

typedef struct filter_job {
    const baker *b;
    filter_steps *steps; /* one per thread */
    float *coefficients;
} filter_job;

static void filter_blocks(void *context, size_t begin, size_t end, int thread)
{
    const filter_job *job = context;
    size_t volume = power(BLOCK, job->b->dim);
    for (size_t i = begin; i < end; i++)
        filter_block(job->b, job->b->node_blocks[i], &job->steps[thread],
                     job->coefficients + i * volume);
}

bool bake_filter_values(const baker *b, baked_field *f, weir_error *error)
{
    if (b->node_count == 0)
        return true;
    size_t step_bytes = (size_t)b->threads * sizeof(filter_steps);
    filter_steps *steps = memory_take(b->m, step_bytes);
    f->block_count = b->node_count;
    f->coefficients =
        memory_take(b->m, b->node_count * power(BLOCK, b->dim) * sizeof *f->coefficients);
    bool ready = steps && f->coefficients;
    if (ready)
        parallel_for(b->threads, b->node_count, 16, filter_blocks,
                     &(filter_job){b, steps, f->coefficients});
    memory_give(b->m, steps, step_bytes);
    return ready || bake_no_memory(b, error);
}
