/* Each particle stands for the volume d0^D, so a fluid at rest ends half a spacing beyond its
 * last layer. We build a half-space of lattice points, evaluate its field, and take the level
 * whose surface lies there on average. This holds for every kernel, support and smoothing, and
 * needs no constants fitted by hand. */
#include "surface/iso_level.h"

#include "base/error.h"
#include "surface/iso_field.h"

#include <math.h>
#include <stdlib.h>

enum {
    HALF_WIDTH = 8, /* of the lattice: beyond reach + support of the column that is measured */
    DEPTH = 9,
    BLOCKS = 4, /* of one spacing each, from one below to three above the last layer */
    COLUMN_NODES = BLOCKS * BLOCK_CELLS + 1,
    COLUMNS = BLOCK_CELLS * BLOCK_CELLS,
};

typedef struct columns {
    int count;
    float values[COLUMNS][COLUMN_NODES]; /* upwards */
} columns;

/* Points with integer coordinates; the last layer is at height 0. The height is y in 2D. */
static size_t fill_lattice(int dim, float *x, float *y, float *z)
{
    size_t count = 0;
    for (int up = -DEPTH; up <= 0; up++)
        for (int i = -HALF_WIDTH; i <= HALF_WIDTH; i++)
            for (int j = -HALF_WIDTH; j <= HALF_WIDTH; j++) {
                if (dim == 2 && j != 0)
                    continue;
                x[count] = (float)i;
                y[count] = (float)(dim == 2 ? up : j);
                z[count] = (float)up;
                count++;
            }
    return count;
}

/* Evaluates the unit cell at the middle of the lattice: a block is one spacing wide. */
static bool sample(const iso_field *f, columns *c)
{
    iso_field_block b = {0};
    bool done = true;
    c->count = f->dim == 2 ? BLOCK_CELLS : COLUMNS;
    for (int k = 0; k < BLOCKS && done; k++) {
        done = iso_field_evaluate(
            f, f->dim == 2 ? keymap_key(0, k - 1, 0) : keymap_key(0, 0, k - 1), &b);
        for (int column = 0; column < c->count && done; column++)
            for (int up = 0; up < BLOCK_NODES; up++) {
                int x = column % BLOCK_CELLS, y = f->dim == 2 ? up : column / BLOCK_CELLS;
                int z = f->dim == 2 ? 0 : up;
                c->values[column][k * BLOCK_CELLS + up] =
                    b.values[(z * BLOCK_NODES + y) * BLOCK_NODES + x];
            }
    }
    iso_field_block_free(&b);
    return done;
}

/* Mean height of the level over the columns, in spacings. */
static double height(const columns *c, double level)
{
    double total = 0;
    for (int column = 0; column < c->count; column++) {
        const float *v = c->values[column];
        int up = COLUMN_NODES - 1;
        while (up > 0 && v[up] < level)
            up--;
        double part =
            up < COLUMN_NODES - 1 && v[up] >= level ? (v[up] - level) / (v[up] - v[up + 1]) : 0;
        total += (up + part) / BLOCK_CELLS - 1;
    }
    return total / c->count;
}

static double bisect(const columns *c)
{
    double low = 0, high = 0;
    for (int i = 0; i < c->count; i++)
        high = fmax(high, c->values[i][0]);
    for (int i = 0; i < 40; i++) {
        double middle = (low + high) / 2;
        if (height(c, middle) > 0.5)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* Half a spacing against what the support of the middle particle of the last layer reaches. */
static double splat_factor(const kernel_shape *shapes, int dim)
{
    size_t width = 2 * HALF_WIDTH + 1, layer = dim == 2 ? width : width * width;
    const kernel_shape *k = &shapes[layer * DEPTH + layer / 2];
    const float *a = k->axes;
    double reach = dim == 2 ? hypot(a[1], a[3]) : sqrt(a[2] * a[2] + a[4] * a[4] + a[5] * a[5]);
    return (0.5 - k->shift[dim - 1]) / reach;
}

bool iso_level_find(iso_level *out, int dim, const surface_settings *settings, weir_error *error)
{
    size_t width = 2 * HALF_WIDTH + 1, room = width * width * (DEPTH + 1);
    float *x = malloc(3 * room * sizeof *x);
    kernel_shape *shapes = malloc(room * sizeof *shapes);
    columns *c = malloc(sizeof *c);
    surface_settings fine = *settings;
    fine.cell = 1.0 / BLOCK_CELLS;
    surface_particles p = {.dim = dim, .spacing = 1, .x = x};
    iso_field f = {0};
    bool done = x && shapes && c;
    if (!done)
        fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for a surface");
    if (done) {
        p.y = x + room;
        p.z = dim == 3 ? x + 2 * room : NULL;
        p.count = fill_lattice(dim, x, x + room, x + 2 * room);
        done = kernels_build(shapes, &p, &fine, error) &&
               iso_field_assemble(&f, &p, &fine, shapes, error);
    }
    if (done && !(done = sample(&f, c)))
        fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for a surface");
    if (done)
        *out = (iso_level){bisect(c), splat_factor(shapes, dim)};
    iso_field_free(&f);
    free(x);
    free(shapes);
    free(c);
    return done;
}
