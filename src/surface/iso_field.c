#include "surface/iso_field.h"

#include "base/error.h"
#include "surface/iso_level.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void place(const iso_field *f, iso_field_kernel *k, const kernel_shape *source, size_t i,
                  double spacing)
{
    const surface_particles *p = f->particles;
    const float *axes[3] = {p->x, p->y, p->z};
    static const int row[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    double steps = spacing / f->step; /* per spacing */
    *k = (iso_field_kernel){.weight = source->weight, .particle = (uint32_t)i};
    k->exposed = source->exposed;
    assert(f->dim <= 3);
    for (int a = 0; a < f->dim; a++) {
        double centre = axes[a][i] / f->step + source->shift[a] * steps;
        k->node[a] = (int32_t)floor(centre);
        k->offset[a] = (float)(centre - k->node[a]);
    }
    for (int n = 0; n < 6; n++)
        k->inverse[n] = source->inverse[n] / (float)steps;
    for (int a = 0; a < f->dim; a++) {
        const float *m = source->axes;
        float x = m[row[a][0]], y = m[row[a][1]], z = f->dim == 3 ? m[row[a][2]] : 0;
        /* A little more than the support, so that rounding never cuts off a contribution. */
        k->extent[a] = (float)steps * sqrtf(x * x + y * y + z * z) * 1.0001f + 0.001f;
    }
}

static bool sort_kernels(iso_field *f, const kernel_shape *shapes)
{
    size_t count = f->particles->count;
    iso_field_kernel *placed = malloc((count + 1) * sizeof *placed);
    uint64_t *keys = calloc(count + 1, sizeof *keys);
    f->kernels = malloc((count + 1) * sizeof *f->kernels);
    bool done = placed && keys && f->kernels;
    for (size_t i = 0; done && i < count; i++) {
        iso_field_kernel *k = &placed[i];
        place(f, k, &shapes[i], i, f->particles->spacing);
        for (int a = 0; a < f->dim; a++)
            f->margin = fmaxf(f->margin, k->extent[a]);
        keys[i] = keymap_key(iso_floor_divide(k->node[0], f->bin_nodes),
                             iso_floor_divide(k->node[1], f->bin_nodes),
                             iso_floor_divide(k->node[2], f->bin_nodes));
    }
    done = done && bins_build(&f->bins, keys, count);
    for (size_t i = 0; done && i < count; i++)
        f->kernels[i] = placed[f->bins.order[i]];
    free(placed);
    free(keys);
    return done;
}

bool iso_field_assemble(iso_field *f, const surface_particles *p, const surface_settings *s,
                        const kernel_shape *shapes, weir_error *error)
{
    *f = (iso_field){.particles = p, .kind = s->kind, .dim = p->dim, .step = s->cell * p->spacing};
    f->bin_nodes = (int)ceil(1.5 / s->cell);
    f->level = s->level;
    if (sort_kernels(f, shapes))
        return true;
    iso_field_free(f);
    return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the surface of %zu particles",
                p->count);
}

bool iso_field_build(iso_field *f, const surface_particles *p, const surface_settings *settings,
                     weir_error *error)
{
    surface_settings s = *settings;
    *f = (iso_field){0};
    iso_level found;
    if (!kernels_check(p, &s, error))
        return false;
    if (s.level == 0) {
        if (!iso_level_find(&found, p->dim, &s, error))
            return false;
        s.level = found.level;
    }
    kernel_shape *shapes = malloc((p->count + 1) * sizeof *shapes);
    if (!shapes)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the surface of %zu particles",
                    p->count);
    bool built = kernels_build(shapes, p, &s, error);
    if (built)
        kernels_shrink_lonely(shapes, p->count, p->dim, &s);
    built = built && iso_field_assemble(f, p, &s, shapes, error);
    free(shapes);
    return built;
}

void iso_field_of_solid(iso_field *f, const shape *solid, double step,
                        const surface_particles *none)
{
    *f = (iso_field){.particles = none, .solid = solid, .dim = none->dim, .step = step};
}

void iso_field_free(iso_field *f)
{
    free(f->kernels);
    bins_free(&f->bins);
    *f = (iso_field){0};
}

/* Adds a kernel to a row of nodes, all of them: outside its support it adds 0. A loop of fixed
 * length becomes SIMD code, which is faster than a shorter one that does not. `first` is the place
 * of the first node and u is G d there without the part of x. */
static void add_row(const iso_field *f, const iso_field_kernel *k, int first, const float u[3],
                    float *row)
{
    enum { PADDED = (BLOCK_NODES + 3) / 4 * 4 };
    const float *g = k->inverse, weight = k->weight, offset = k->offset[0];
    float sum[PADDED];
    if (f->kind == SURFACE_ISOTROPIC) {
        for (int x = 0; x < PADDED; x++) {
            float dx = (float)(first + x) - offset;
            float qx = g[0] * dx + u[0], qy = g[1] * dx + u[1], qz = g[2] * dx + u[2];
            float q = 1 - sqrtf(qx * qx + qy * qy + qz * qz);
            q = q > 0 ? q : 0;
            sum[x] = weight * q * q;
        }
    } else {
        for (int x = 0; x < PADDED; x++) {
            float dx = (float)(first + x) - offset;
            float qx = g[0] * dx + u[0], qy = g[1] * dx + u[1], qz = g[2] * dx + u[2];
            float q = 1 - (qx * qx + qy * qy + qz * qz);
            q = q > 0 ? q : 0;
            sum[x] = weight * q * q * q;
        }
    }
    for (int x = 0; x < BLOCK_NODES; x++)
        row[x] += sum[x];
}

/* Adds a kernel to every node of the block that it reaches. Differences of nodes are integers and
 * exact, so that blocks agree on the nodes they share. */
static void add_kernel(const iso_field *f, const iso_field_kernel *k, iso_field_block *b)
{
    int low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    for (int a = 1; a < f->dim; a++) {
        float centre = (float)(k->node[a] - b->node[a]) + k->offset[a];
        low[a] = (int)fmaxf(0, ceilf(centre - k->extent[a]));
        high[a] = (int)fminf((float)(b->count[a] - 1), floorf(centre + k->extent[a]));
    }
    const float *g = k->inverse;
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++) {
            float dy = (float)(b->node[1] + y - k->node[1]) - k->offset[1];
            float dz = (float)(b->node[2] + z - k->node[2]) - k->offset[2];
            float u[3] = {g[1] * dy + g[2] * dz, g[3] * dy + g[4] * dz, g[4] * dy + g[5] * dz};
            add_row(f, k, b->node[0] - k->node[0], u,
                    b->values + (z * b->count[1] + y) * BLOCK_NODES);
        }
}

static bool append(iso_field_block *b, uint32_t kernel)
{
    if (b->kernel_count == b->kernel_capacity) {
        size_t capacity = 2 * b->kernel_capacity + 256;
        uint32_t *grown = realloc(b->kernels, capacity * sizeof *grown);
        if (!grown)
            return false;
        b->kernels = grown;
        b->kernel_capacity = capacity;
    }
    b->kernels[b->kernel_count++] = kernel;
    return true;
}

static bool touches(const iso_field *f, const iso_field_kernel *k, const iso_field_block *b)
{
    for (int a = 0; a < f->dim; a++) {
        float centre = (float)(k->node[a] - b->node[a]) + k->offset[a];
        if (centre + k->extent[a] < 0 || centre - k->extent[a] > (float)(b->count[a] - 1))
            return false;
    }
    return true;
}

/* Lists the kernels that touch the block, in the order of the bins: every sum has one order. */
static bool gather(const iso_field *f, iso_field_block *b)
{
    int low[3] = {0, 0, 0}, high[3] = {0, 0, 0}, margin = (int)ceilf(f->margin) + 1;
    for (int a = 0; a < f->dim; a++) {
        low[a] = iso_floor_divide(b->node[a] - margin, f->bin_nodes);
        high[a] = iso_floor_divide(b->node[a] + b->count[a] - 1 + margin, f->bin_nodes);
    }
    b->kernel_count = 0;
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++)
            for (int x = low[0]; x <= high[0]; x++) {
                uint32_t first = 0;
                size_t count = bins_find(&f->bins, x, y, z, &first);
                for (uint32_t k = first; k < first + count; k++)
                    if (touches(f, &f->kernels[k], b) && !append(b, k))
                        return false;
            }
    return true;
}

static void add_kernels(const iso_field *f, iso_field_block *b, int values)
{
    memset(b->values, 0, (size_t)values * sizeof *b->values);
    for (size_t n = 0; n < b->kernel_count; n++)
        add_kernel(f, &f->kernels[b->kernels[n]], b);
    if (f->kind == SURFACE_ISOTROPIC)
        for (int i = 0; i < values; i++)
            b->values[i] = sqrtf(b->values[i]);
}

double iso_field_depth(const iso_field *f, const iso_field_block *b, const float at[3])
{
    vec3 point = {(b->node[0] + (double)at[0]) * f->step, (b->node[1] + (double)at[1]) * f->step,
                  (b->node[2] + (double)at[2]) * f->step};
    return -shape_distance(f->solid, point, NULL);
}

static void measure_solid(const iso_field *f, iso_field_block *b)
{
    int i = 0;
    for (int z = 0; z < b->count[2]; z++)
        for (int y = 0; y < b->count[1]; y++)
            for (int x = 0; x < b->count[0]; x++)
                b->values[i++] =
                    (float)iso_field_depth(f, b, (float[3]){(float)x, (float)y, (float)z});
}

bool iso_field_evaluate(const iso_field *f, uint64_t block, iso_field_block *b)
{
    for (int a = 0; a < 3; a++) {
        b->node[a] = keymap_coordinate(block, a) * BLOCK_CELLS;
        b->count[a] = a < f->dim ? BLOCK_NODES : 1;
    }
    if (f->solid) {
        measure_solid(f, b);
        return true;
    }
    if (!gather(f, b))
        return false;
    add_kernels(f, b, b->count[0] * b->count[1] * b->count[2]);
    return true;
}

void iso_field_block_free(iso_field_block *block)
{
    free(block->kernels);
    block->kernels = NULL;
    block->kernel_count = block->kernel_capacity = 0;
}
