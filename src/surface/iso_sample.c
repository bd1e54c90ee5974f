/* The field at single points, with what vertices carry: gradient, velocity, fluid. */
#include "surface/iso_passes.h"

#include <assert.h>

/* Central differences: across an edge of the solid they give the mean of both sides. */
static iso_field_sample sample_solid(const iso_field *f, const iso_field_block *b,
                                     const float point[3])
{
    iso_field_sample s = {0};
    assert(f->dim <= 3);
    for (int a = 0; a < f->dim; a++) {
        float low[3] = {point[0], point[1], point[2]}, high[3] = {point[0], point[1], point[2]};
        low[a] -= 0.1f;
        high[a] += 0.1f;
        s.gradient[a] = (float)((iso_field_depth(f, b, high) - iso_field_depth(f, b, low)) * 5);
    }
    return s;
}

/* The boxes of the block's kernels, side by side for lanes. */
static void place_boxes(const iso_field *f, const iso_field_block *b)
{
    for (size_t n = 0; n < b->kernel_count; n++) {
        const iso_field_kernel *k = &f->kernels[b->kernels[n]];
        for (int a = 0; a < f->dim; a++) {
            float centre = (float)(k->node[a] - b->node[a]) + k->offset[a];
            b->boxes[2 * a][n] = centre - k->extent[a];
            b->boxes[2 * a + 1][n] = centre + k->extent[a];
        }
    }
}

/* A last group that is not full repeats its last point. */
static void take_points(float (*from)[3], size_t count, iso_points *p)
{
    p->count = count < ISO_POINTS ? (int)count : ISO_POINTS;
    for (int i = 0; i < ISO_POINTS; i++)
        for (int a = 0; a < 3; a++)
            p->at[a][i] = from[i < p->count ? i : p->count - 1][a];
}

static void give(const iso_field *f, const iso_sums *sums, int i, iso_field_sample *s)
{
    float total = sums->total[i];
    *s = (iso_field_sample){.fluid = (uint8_t)sums->fluid[i]};
    for (int a = 0; a < 3; a++) {
        s->gradient[a] = a < f->dim ? sums->gradient[a][i] : 0;
        s->velocity[a] = total > 0 ? sums->velocity[a][i] / total : 0;
    }
}

void iso_field_sample_at(const iso_field *f, const iso_field_block *b, float (*points)[3],
                         size_t count, iso_field_sample *samples)
{
    if (f->solid) {
        for (size_t i = 0; i < count; i++)
            samples[i] = sample_solid(f, b, points[i]);
        return;
    }
    place_boxes(f, b);
    for (size_t first = 0; first < count; first += ISO_POINTS) {
        iso_points group;
        iso_sums sums;
        take_points(points + first, count - first, &group);
        f->by->sample(f, b, &group, b->near, &sums);
        for (int i = 0; i < group.count; i++)
            give(f, &sums, i, &samples[first + (size_t)i]);
    }
}
