#include "surface/iso_field.h"

#include "base/error.h"
#include "par/parallel.h"
#include "surface/iso_level.h"
#include "surface/iso_passes.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Half the box around the support: as long as the rows of G⁻¹ are. */
static void find_extents(const float m[6], int dim, double steps, iso_field_kernel *k)
{
    const double rows[3][3] = {{m[0], m[1], m[2]}, {m[1], m[3], m[4]}, {m[2], m[4], m[5]}};
    for (int a = 0; a < dim; a++) {
        double z = dim == 3 ? rows[a][2] : 0;
        /* A little more than that, so that rounding never cuts off a contribution. */
        k->extent[a] =
            (float)(steps * sqrt(rows[a][0] * rows[a][0] + rows[a][1] * rows[a][1] + z * z) *
                        1.0001 +
                    0.001);
    }
}

/* The centre of particle i's kernel, split. */
static void locate(const iso_field *f, const kernel_shape *source, size_t i, iso_field_kernel *k)
{
    const surface_particles *p = f->particles;
    const float *axes[3] = {p->x, p->y, p->z};
    double steps = p->spacing / f->step; /* per spacing */
    assert(f->dim <= 3);
    for (int a = 0; a < f->dim; a++) {
        double centre = axes[a][i] / f->step + source->shift[a] * steps;
        k->node[a] = (int32_t)floor(centre);
        k->offset[a] = (float)(centre - k->node[a]);
    }
}

/* Places particle i's kernel at number `n` in the order of the bins. */
static void place(iso_field *f, const kernel_shape *source, size_t i, size_t n)
{
    double steps = f->particles->spacing / f->step;
    iso_field_kernel k = {.weight = source->weight, .particle = (uint32_t)i};
    k.exposed = source->exposed;
    locate(f, source, i, &k);
    for (int m = 0; m < 6; m++) {
        k.inverse[m] = source->inverse[m] / (float)steps;
        f->axes[m][n] = source->axes[m] * (float)steps;
    }
    find_extents(source->axes, f->dim, steps, &k);
    for (int a = 0; a < 3; a++) {
        f->node[a][n] = k.node[a];
        f->offset[a][n] = k.offset[a];
    }
    f->kernels[n] = k;
}

static bool allocate(iso_field *f, size_t count)
{
    size_t room = count + ISO_ROOM;
    f->kernels = malloc(room * sizeof *f->kernels);
    bool done = f->kernels;
    for (int a = 0; a < 3; a++) {
        f->node[a] = calloc(room, sizeof *f->node[a]);
        f->offset[a] = calloc(room, sizeof *f->offset[a]);
        done = done && f->node[a] && f->offset[a];
    }
    for (int n = 0; n < 6; n++) {
        f->axes[n] = calloc(room, sizeof *f->axes[n]);
        done = done && f->axes[n];
    }
    return done;
}

typedef struct sort_loop {
    iso_field *field;
    const kernel_shape *shapes;
    uint64_t *keys;
} sort_loop;

static void find_bins(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sort_loop *l = context;
    int size = l->field->bin_nodes;
    for (size_t i = begin; i < end; i++) {
        iso_field_kernel k = {.weight = 0};
        locate(l->field, &l->shapes[i], i, &k);
        l->keys[i] =
            keymap_key(iso_floor_divide(k.node[0], size), iso_floor_divide(k.node[1], size),
                       iso_floor_divide(k.node[2], size));
    }
}

static void place_some(void *context, size_t begin, size_t end, double *sums, double *maxima)
{
    (void)sums;
    const sort_loop *l = context;
    for (size_t n = begin; n < end; n++) {
        size_t i = l->field->bins.order[n];
        place(l->field, &l->shapes[i], i, n);
        for (int a = 0; a < 3; a++)
            maxima[0] = fmax(maxima[0], l->field->kernels[n].extent[a]);
    }
}

static bool sort_kernels(iso_field *f, const kernel_shape *shapes)
{
    size_t count = f->particles->count;
    sort_loop l = {f, shapes, malloc((count + 1) * sizeof *l.keys)};
    double margin = 0;
    if (l.keys)
        parallel_for(f->threads, count, 4096, find_bins, &l);
    bool done = l.keys && bins_build(&f->bins, l.keys, count) && allocate(f, count);
    free(l.keys);
    if (done)
        parallel_reduce(f->threads, count, place_some, &l, NULL, 0, &margin, 1);
    f->margin = (float)margin;
    return done;
}

bool iso_field_assemble(iso_field *f, const surface_particles *p, const surface_settings *s,
                        const kernel_shape *shapes, weir_error *error)
{
    *f = (iso_field){.particles = p, .kind = s->kind, .dim = p->dim, .step = s->cell * p->spacing};
    static const iso_passes *const levels[LANE_LEVEL_COUNT] = LANE_TABLE(iso_passes_);
    f->by = levels[lane_level_find(s->simd)];
    f->threads = kernels_threads(s);
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
    *f = (iso_field){.particles = none,
                     .solid = solid,
                     .dim = none->dim,
                     .step = step,
                     .threads = parallel_cores()};
}

void iso_field_free(iso_field *f)
{
    free(f->kernels);
    for (int a = 0; a < 3; a++) {
        free(f->node[a]);
        free(f->offset[a]);
    }
    for (int n = 0; n < 6; n++)
        free(f->axes[n]);
    bins_free(&f->bins);
    *f = (iso_field){0};
}
