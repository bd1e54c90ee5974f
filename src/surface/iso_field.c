#include "surface/iso_field.h"

#include "base/error.h"
#include "surface/iso_level.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int floor_divide(int a, int b)
{
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}

static void place(const iso_field *f, iso_field_kernel *k, const kernel_shape *source, size_t i,
                  double spacing)
{
    const surface_particles *p = f->particles;
    const float *axes[3] = {p->x, p->y, p->z};
    static const int row[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    double steps = spacing / f->step; /* per spacing */
    *k = (iso_field_kernel){.weight = source->weight, .particle = (uint32_t)i};
    k->exposed = source->exposed;
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
        keys[i] = keymap_key(floor_divide(k->node[0], f->bin_nodes),
                             floor_divide(k->node[1], f->bin_nodes),
                             floor_divide(k->node[2], f->bin_nodes));
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

/* Adds a kernel to every node of the block that it reaches. */
static void add_kernel(const iso_field *f, const iso_field_kernel *k, iso_field_block *b)
{
    int low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    for (int a = 0; a < f->dim; a++) {
        float centre = (float)(k->node[a] - b->node[a]) + k->offset[a];
        low[a] = (int)fmaxf(0, ceilf(centre - k->extent[a]));
        high[a] = (int)fminf((float)(b->count[a] - 1), floorf(centre + k->extent[a]));
        if (low[a] > high[a])
            return;
    }
    const float *g = k->inverse, weight = k->weight;
    bool ball = f->kind == SURFACE_ISOTROPIC;
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++) {
            /* Differences of integers are exact, so that blocks agree on the nodes they share. */
            float dy = (float)(b->node[1] + y - k->node[1]) - k->offset[1];
            float dz = (float)(b->node[2] + z - k->node[2]) - k->offset[2];
            float ux = g[1] * dy + g[2] * dz, uy = g[3] * dy + g[4] * dz,
                  uz = g[4] * dy + g[5] * dz;
            float *row = b->values + (z * b->count[1] + y) * b->count[0];
            int base = b->node[0] - k->node[0];
            if (ball) {
                for (int x = low[0]; x <= high[0]; x++) {
                    float dx = (float)(base + x) - k->offset[0];
                    float qx = g[0] * dx + ux, qy = g[1] * dx + uy, qz = g[2] * dx + uz;
                    float q = 1 - sqrtf(qx * qx + qy * qy + qz * qz);
                    q = q > 0 ? q : 0;
                    row[x] += weight * q * q;
                }
            } else {
                for (int x = low[0]; x <= high[0]; x++) {
                    float dx = (float)(base + x) - k->offset[0];
                    float qx = g[0] * dx + ux, qy = g[1] * dx + uy, qz = g[2] * dx + uz;
                    float q = 1 - (qx * qx + qy * qy + qz * qz);
                    q = q > 0 ? q : 0;
                    row[x] += weight * q * q * q;
                }
            }
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
        low[a] = floor_divide(b->node[a] - margin, f->bin_nodes);
        high[a] = floor_divide(b->node[a] + b->count[a] - 1 + margin, f->bin_nodes);
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

static double depth_in_solid(const iso_field *f, const iso_field_block *b, const float at[3])
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
                    (float)depth_in_solid(f, b, (float[3]){(float)x, (float)y, (float)z});
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

/* Central differences: across an edge of the solid they give the mean of both sides. */
static iso_field_sample sample_solid(const iso_field *f, const iso_field_block *b,
                                     const float point[3])
{
    iso_field_sample s = {.value = (float)depth_in_solid(f, b, point)};
    for (int a = 0; a < f->dim; a++) {
        float low[3] = {point[0], point[1], point[2]}, high[3] = {point[0], point[1], point[2]};
        low[a] -= 0.1f;
        high[a] += 0.1f;
        s.gradient[a] = (float)((depth_in_solid(f, b, high) - depth_in_solid(f, b, low)) * 5);
    }
    return s;
}

iso_field_sample iso_field_sample_at(const iso_field *f, const iso_field_block *b,
                                     const float point[3])
{
    if (f->solid)
        return sample_solid(f, b, point);
    const surface_particles *p = f->particles;
    iso_field_sample s = {0};
    float total = 0, largest = 0;
    for (size_t n = 0; n < b->kernel_count; n++) {
        const iso_field_kernel *k = &f->kernels[b->kernels[n]];
        const float *g = k->inverse;
        float d[3];
        for (int a = 0; a < 3; a++)
            d[a] = (float)(b->node[a] - k->node[a]) + point[a] - k->offset[a];
        float u[3] = {g[0] * d[0] + g[1] * d[1] + g[2] * d[2],
                      g[1] * d[0] + g[3] * d[1] + g[4] * d[2],
                      g[2] * d[0] + g[4] * d[1] + g[5] * d[2]};
        float q2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
        if (q2 >= 1)
            continue;
        float share, slope; /* the kernel's value, and its derivative by q² */
        if (f->kind == SURFACE_ISOTROPIC) {
            float q = sqrtf(q2);
            share = k->weight * (1 - q) * (1 - q);
            slope = q > 0 ? -k->weight * (1 - q) / q : 0;
        } else {
            share = k->weight * (1 - q2) * (1 - q2) * (1 - q2);
            slope = -3 * k->weight * (1 - q2) * (1 - q2);
        }
        s.gradient[0] += 2 * slope * (g[0] * u[0] + g[1] * u[1] + g[2] * u[2]);
        s.gradient[1] += 2 * slope * (g[1] * u[0] + g[3] * u[1] + g[4] * u[2]);
        s.gradient[2] += 2 * slope * (g[2] * u[0] + g[4] * u[1] + g[5] * u[2]);
        total += share;
        if (p->vx) {
            s.velocity[0] += share * p->vx[k->particle];
            s.velocity[1] += share * p->vy[k->particle];
            s.velocity[2] += p->vz ? share * p->vz[k->particle] : 0;
        }
        if (p->fluid && share > largest)
            s.fluid = p->fluid[k->particle];
        largest = fmaxf(largest, share);
    }
    s.value = f->kind == SURFACE_ISOTROPIC ? sqrtf(total) : total;
    for (int a = 0; a < 3 && total > 0; a++)
        s.velocity[a] /= total;
    return s;
}

typedef struct key_list {
    uint64_t *keys;
    size_t count, capacity;
} key_list;

/* Adds the blocks [low, high]. */
static bool add_blocks(key_list *list, const int low[3], const int high[3])
{
    size_t more = (size_t)(high[0] - low[0] + 1) * (size_t)(high[1] - low[1] + 1) *
                  (size_t)(high[2] - low[2] + 1);
    if (list->count + more > list->capacity) {
        size_t capacity = 2 * (list->count + more);
        uint64_t *grown = realloc(list->keys, capacity * sizeof *grown);
        if (!grown)
            return false;
        list->keys = grown;
        list->capacity = capacity;
    }
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++)
            for (int x = low[0]; x <= high[0]; x++)
                list->keys[list->count++] = keymap_key(x, y, z);
    return true;
}

static bool add_blocks_of_kernel(const iso_field *f, const iso_field_kernel *k, key_list *list)
{
    int low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    for (int a = 0; a < f->dim; a++) {
        int first = k->node[a] + (int)floorf(k->offset[a] - k->extent[a]);
        int last = k->node[a] + (int)ceilf(k->offset[a] + k->extent[a]);
        /* A node on a lower face belongs to the block below, too. */
        low[a] = floor_divide(first - 1, BLOCK_CELLS);
        high[a] = floor_divide(last, BLOCK_CELLS);
    }
    return add_blocks(list, low, high);
}

/* Blocks of the bounding box that may hold some of the solid: distances change by at most the
 * way, so the one at a block's middle rules out those that are farther than its corners. */
static bool add_blocks_of_solid(const iso_field *f, bool surface_only, key_list *list)
{
    bounds box = shape_bounds(f->solid);
    const double lows[3] = {box.lo.x, box.lo.y, box.lo.z},
                 highs[3] = {box.hi.x, box.hi.y, box.hi.z};
    double width = BLOCK_CELLS * f->step, corner = 0.5 * width * sqrt(f->dim) + f->step;
    int low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    for (int a = 0; a < f->dim; a++) {
        low[a] = (int)floor((lows[a] - f->step) / width);
        high[a] = (int)floor((highs[a] + f->step) / width);
    }
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++)
            for (int x = low[0]; x <= high[0]; x++) {
                vec3 middle = {(x + 0.5) * width, (y + 0.5) * width, (z + 0.5) * width};
                double distance = shape_distance(f->solid, middle, NULL);
                if (distance > corner || (surface_only && distance < -corner))
                    continue;
                int block[3] = {x, y, z};
                if (!add_blocks(list, block, block))
                    return false;
            }
    return true;
}

bool iso_field_blocks(const iso_field *f, bool surface_only, keymap *blocks)
{
    /* A kernel touches few blocks and neighbours touch the same ones: collect, then sort. */
    key_list list = {0};
    bool done = !f->solid || add_blocks_of_solid(f, surface_only, &list);
    for (size_t i = 0; done && i < f->particles->count; i++)
        if (!surface_only || f->kernels[i].exposed)
            done = add_blocks_of_kernel(f, &f->kernels[i], &list);
    done = done && keymap_build_unsorted(blocks, list.keys, list.count);
    free(list.keys);
    return done;
}
