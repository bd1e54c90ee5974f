/* Values of blocks, and what vertices carry, against sums over all kernels in double precision. */
#include "cloud.h"

#include "surface/iso_field.h"

/* A slab that is torn, with drops above it, far from the origin. */
static void add_slab(cloud *c, int dim)
{
    for (int k = 0; k < (dim == 3 ? 12 : 1); k++)
        for (int j = 0; j < 5; j++)
            for (int i = 0; i < 12; i++)
                if ((i * 7 + k * 3) % 11 != 0)
                    cloud_add(c, 3000 + i, j - 2000, k - 7, 0.7);
    for (int i = 0; i < 6; i++)
        cloud_add(c, 3001 + 2 * i, -1992, -6 + i, 0.9);
    for (size_t i = 0; i < c->count; i++) {
        c->z[i] = dim == 3 ? c->z[i] : 0;
        c->vx[i] = (float)i;
        c->vy[i] = 1;
        c->fluid[i] = (uint8_t)(i % 3);
    }
}

typedef struct twin {
    double value, gradient[3], velocity[3], shares[3]; /* the largest of each fluid */
} twin;

static void add_twin(const iso_field *f, const iso_field_kernel *k, const double at[3], twin *t)
{
    static const int row[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    double d[3] = {0}, u[3] = {0}, q2 = 0;
    for (int a = 0; a < f->dim; a++)
        d[a] = at[a] - k->node[a] - (double)k->offset[a];
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++)
            u[a] += k->inverse[row[a][b]] * d[b];
        q2 += u[a] * u[a];
    }
    if (q2 >= 1)
        return;
    double rest = 1 - q2, q = sqrt(q2), share = k->weight * rest * rest * rest;
    double slope = -3 * k->weight * rest * rest;
    if (f->kind == SURFACE_ISOTROPIC) {
        share = k->weight * (1 - q) * (1 - q);
        slope = -k->weight * (1 - q) / fmax(q, 1e-9);
    }
    t->value += share;
    t->velocity[0] += share * f->particles->vx[k->particle];
    t->velocity[1] += share * f->particles->vy[k->particle];
    uint8_t fluid = f->particles->fluid[k->particle];
    t->shares[fluid] = fmax(t->shares[fluid], share);
    for (int a = 0; a < f->dim; a++)
        for (int b = 0; b < 3; b++)
            t->gradient[a] += 2 * slope * k->inverse[row[a][b]] * u[b];
}

static twin find_twin(const iso_field *f, const iso_field_block *b, const float point[3])
{
    twin t = {0};
    double at[3];
    for (int a = 0; a < 3; a++)
        at[a] = b->node[a] + (double)point[a];
    for (size_t n = 0; n < f->particles->count; n++)
        add_twin(f, &f->kernels[n], at, &t);
    return t;
}

static void check_nodes(const iso_field *f, const iso_field_block *b)
{
    const float *value = b->values;
    for (int z = 0; z < b->count[2]; z++)
        for (int y = 0; y < b->count[1]; y++)
            for (int x = 0; x < b->count[0]; x++) {
                twin t = find_twin(f, b, (float[3]){(float)x, (float)y, (float)z});
                double expected = f->kind == SURFACE_ISOTROPIC ? sqrt(t.value) : t.value;
                assert_true(fabs(*value++ - expected) < 2e-5 * (1 + expected));
            }
}

static void check_points(const iso_field *f, const iso_field_block *b, uint64_t seed)
{
    enum { POINTS = 21 };
    float points[POINTS][3] = {{0}};
    iso_field_sample samples[POINTS];
    for (uint64_t i = 0; i < POINTS; i++)
        for (uint64_t a = 0; a < (uint64_t)f->dim; a++)
            points[i][a] = (float)(BLOCK_CELLS * random_unit(seed, 3 * i + a));
    iso_field_sample_at(f, b, points, POINTS, samples);
    for (int i = 0; i < POINTS; i++) {
        twin t = find_twin(f, b, points[i]);
        double most = fmax(t.shares[0], fmax(t.shares[1], t.shares[2]));
        for (int a = 0; a < 3; a++) {
            assert_true(fabs(samples[i].gradient[a] - t.gradient[a]) < 2e-4);
            if (t.value > 0.01)
                assert_true(fabs(samples[i].velocity[a] - t.velocity[a] / t.value) <
                            1e-3 * (1 + t.velocity[0] / t.value));
        }
        assert_true(t.shares[samples[i].fluid] > most - 1e-4);
    }
}

static void check_field(surface_kind kind, int dim, double cell, const char *level)
{
    cloud c = cloud_create(2000);
    add_slab(&c, dim);
    surface_particles p = cloud_view(&c, dim, 1);
    p.vx = c.vx, p.vy = c.vy, p.vz = dim == 3 ? c.vz : NULL, p.fluid = c.fluid;
    surface_settings s = surface_settings_default();
    s.kind = kind, s.cell = cell, s.simd = level;
    iso_field f;
    keymap blocks;
    iso_field_block b = {0};
    assert_true(iso_field_build(&f, &p, &s, NULL));
    assert_true(iso_field_blocks(&f, false, &blocks));
    size_t every = blocks.count > 5 ? blocks.count / 5 : 1;
    for (size_t i = 0; i < blocks.count; i += every) {
        assert_true(iso_field_evaluate(&f, blocks.keys[i], &b));
        check_nodes(&f, &b);
        check_points(&f, &b, i);
    }
    iso_field_block_free(&b);
    keymap_free(&blocks);
    iso_field_free(&f);
    cloud_free(&c);
}

static void sums_are_those_of_all_kernels(void **state)
{
    (void)state;
    const double cells[] = {0.2, 0.5, 1};
    for (const char *const *level = weir_simd_levels(); *level; level++)
        for (int kind = 0; kind < 2; kind++)
            for (int dim = 2; dim <= 3; dim++)
                for (int i = 0; i < 3; i++)
                    check_field((surface_kind)kind, dim, cells[i], *level);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_all_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
