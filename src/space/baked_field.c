#include "space/baked_field.h"

void baked_field_destroy(memory *m, baked_field *f)
{
    if (!f)
        return;
    block_index *x = &f->index;
    size_t blocks = x->table_count * power(GROUP, x->dim);
    memory_give(m, x->group_states, x->group_count * sizeof *x->group_states);
    memory_give(m, x->states, blocks * sizeof *x->states);
    memory_give(m, f->coefficients,
                f->block_count * power(BLOCK, x->dim) * sizeof *f->coefficients);
    memory_give(m, f, sizeof *f);
}

size_t baked_field_bytes(const baked_field *f)
{
    const block_index *x = &f->index;
    return sizeof *f + x->group_count * sizeof *x->group_states +
           x->table_count * power(GROUP, x->dim) * sizeof *x->states +
           f->block_count * power(BLOCK, x->dim) * sizeof *f->coefficients;
}

/* The four nodes around a coordinate along one axis: the first block, for each node whether it
 * lies in that one (0) or the next (1) and its number there, and the spline's weights and slopes.
 */
typedef struct axis_weights {
    int block, blocks;
    int side[4], node[4];
    double value[4], slope[4];
} axis_weights;

static bool weigh_axis(axis_weights *a, double u, double inverse_step, int groups)
{
    double below = floor(u), t = u - below, s = 1 - t;
    if (!(below >= 1 && below < (double)groups * GROUP * BLOCK - 2))
        return false;
    int first = (int)below - 1;
    a->block = first / BLOCK;
    for (int i = 0; i < 4; i++) {
        a->node[i] = (first + i) % BLOCK;
        a->side[i] = (first + i) / BLOCK - a->block;
    }
    a->blocks = 1 + a->side[3];
    a->value[0] = s * s * s / 6;
    a->value[1] = (4 - 3 * t * t * (2 - t)) / 6;
    a->value[2] = (4 - 3 * s * s * (2 - s)) / 6;
    a->value[3] = t * t * t / 6;
    a->slope[0] = -0.5 * s * s * inverse_step;
    a->slope[1] = (1.5 * t - 2) * t * inverse_step;
    a->slope[2] = -(1.5 * s - 2) * s * inverse_step;
    a->slope[3] = 0.5 * t * t * inverse_step;
    return true;
}

typedef struct corner_blocks {
    const float *from[2][2][2]; /* z, y, x */
} corner_blocks;

/* Looks up the blocks that the four nodes per axis lie in. False if all are the same constant. */
static bool find_blocks(const baked_field *f, const axis_weights a[3], corner_blocks *c)
{
    enum { N = BLOCK * BLOCK * BLOCK };
#define ONES_6 1, 1, 1, 1, 1, 1
#define ONES_36 ONES_6, ONES_6, ONES_6, ONES_6, ONES_6, ONES_6
    static const float constant[2][N] = {{0},
                                         {ONES_36, ONES_36, ONES_36, ONES_36, ONES_36, ONES_36}};
#undef ONES_6
#undef ONES_36
    const block_index *x = &f->index;
    size_t volume = power(BLOCK, x->dim);
    bool varies = false;
    for (int k = 0; k < a[2].blocks; k++)
        for (int j = 0; j < a[1].blocks; j++)
            for (int i = 0; i < a[0].blocks; i++) {
                uint32_t state =
                    block_state(x, x->states, a[0].block + i, a[1].block + j, a[2].block + k);
                const float *from =
                    state >= STORED ? f->coefficients + (state - STORED) * volume : constant[state];
                c->from[k][j][i] = from;
                varies = varies || state >= STORED || from != c->from[0][0][0];
            }
    return varies;
}

/* Value and slopes in x and y of one plane of 4 x 4 coefficients. */
static double sum_plane(const axis_weights a[3], const float *const blocks[2][2], int node_z,
                        double *slope_x, double *slope_y)
{
    double value = 0, sx = 0, sy = 0;
    for (int j = 0; j < 4; j++) {
        int at = BLOCK * (a[1].node[j] + BLOCK * node_z);
        const float *const *sides = blocks[a[1].side[j]];
        double row_value = 0, row_slope = 0;
        for (int i = 0; i < 4; i++) {
            double c = (double)sides[a[0].side[i]][at + a[0].node[i]];
            row_value += a[0].value[i] * c;
            row_slope += a[0].slope[i] * c;
        }
        value += a[1].value[j] * row_value;
        sx += a[1].value[j] * row_slope;
        sy += a[1].slope[j] * row_value;
    }
    *slope_x = sx;
    *slope_y = sy;
    return value;
}

double baked_field_value(const baked_field *f, vec3 point, vec3 *gradient)
{
    const block_index *x = &f->index;
    double inverse = 1 / f->step;
    vec3 u = vec3_scale(vec3_sub(point, x->origin), inverse);
    axis_weights a[3];
    corner_blocks c;
    a[2].block = 0;
    a[2].blocks = 1;
    *gradient = (vec3){0, 0, 0};
    if (!weigh_axis(&a[0], u.x, inverse, x->groups[0]) ||
        !weigh_axis(&a[1], u.y, inverse, x->groups[1]) ||
        (x->dim == 3 && !weigh_axis(&a[2], u.z, inverse, x->groups[2])))
        return x->far == INSIDE ? 1 : 0;
    if (!find_blocks(f, a, &c))
        return (double)c.from[0][0][0][0];
    double value = 0;
    vec3 slope = {0, 0, 0};
    if (x->dim == 2) {
        value = sum_plane(a, c.from[0], 0, &slope.x, &slope.y);
    } else {
        for (int k = 0; k < 4; k++) {
            double sx, sy, plane;
            plane = sum_plane(a, c.from[a[2].side[k]], a[2].node[k], &sx, &sy);
            value += a[2].value[k] * plane;
            slope.x += a[2].value[k] * sx;
            slope.y += a[2].value[k] * sy;
            slope.z += a[2].slope[k] * plane;
        }
    }
    /* Rounding and the quadrature can leave the range by about 1e-4. */
    if (value <= 0 || value >= 1)
        return value <= 0 ? 0 : 1;
    *gradient = slope;
    return value;
}
