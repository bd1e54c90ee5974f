/* The shape of every kernel against sums over all particles and eigenvectors in double precision,
 * and points by rows of cells against all points. */
#include "cloud.h"
#include "eigen_twin.h"

#include "surface/bins.h"
#include "surface/kernels.h"

/* A pool with a sheet, a thread and drops above it. */
static void add_waters(cloud *c, int dim)
{
    int depth = dim == 3 ? 9 : 1;
    for (int k = 0; k < depth; k++)
        for (int j = 0; j < 9; j++)
            for (int i = 0; i < 9; i++)
                cloud_add(c, i, j, k, 0.6);
    for (int i = 0; i < 12; i++) {
        cloud_add(c, 3, 14 + 0.8 * i, 3, 0.2);
        cloud_add(c, 30.0 + 7 * i, -10, 2, 0.5);
        for (int k = 0; k < depth; k++)
            cloud_add(c, i, -5, k, 0.3);
    }
    for (size_t i = 0; dim == 2 && i < c->count; i++)
        c->z[i] = 0;
}

static double smooth_step(double from, double to, double x)
{
    double t = fmin(fmax((x - from) / (to - from), 0), 1);
    return t * t * (3 - 2 * t);
}

typedef struct twin {
    double w, density, lean[3], axes[3][3], blend, product; /* of the axes in supports */
} twin;

static void sum_all(const cloud *c, size_t i, const surface_settings *s, double m[3][3], twin *out)
{
    for (size_t j = 0; j < c->count; j++) {
        const double d[3] = {(double)c->x[j] - c->x[i], (double)c->y[j] - c->y[i],
                             (double)c->z[j] - c->z[i]};
        double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], r = sqrt(r2);
        double w = fmax(1 - pow(r / s->reach, 3), 0);
        out->density += pow(fmax(1 - r2 / (s->support * s->support), 0), 3);
        out->w += w;
        for (int a = 0; a < 3; a++) {
            out->lean[a] += w * d[a];
            for (int b = 0; b < 3; b++)
                m[a][b] += w * d[a] * d[b];
        }
    }
    for (int a = 0; a < 3; a++)
        out->lean[a] /= out->w;
}

static twin find_twin(const cloud *c, size_t i, const surface_settings *s, int dim)
{
    twin out = {0};
    const double pi = acos(-1), r = s->reach;
    double full = dim == 2 ? 0.6 * pi * r * r : 2 * pi / 3 * r * r * r;
    double spread = (dim == 2 ? 5.0 / 28 : 0.15) * r * r, m[3][3] = {{0}};
    sum_all(c, i, s, m, &out);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            m[a][b] = (m[a][b] / out.w - out.lean[a] * out.lean[b]) / spread;
    double values[3], vectors[3][3];
    eigen_solve(&(symmetric3){m[0][0], m[0][1], m[0][2], m[1][1], m[1][2], m[2][2]}, values,
                vectors);
    double largest = fmin(values[0], 1.5);
    out.blend = smooth_step(0.05, 0.25, out.w / full);
    out.product = 1;
    for (int k = 0; k < 3; k++) {
        double axis = fmin(fmax(values[k], largest / s->stretch), largest);
        axis = out.blend * axis + 1 - out.blend;
        out.product *= k < dim ? axis : 1;
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                out.axes[a][b] += s->support * axis * vectors[k][a] * vectors[k][b];
    }
    return out;
}

/* G⁻¹, that G is its inverse, and the weight. */
static void check_shape(const kernel_shape *k, const twin *t, const surface_settings *s, int dim)
{
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int a = 0; a < 3; a++) {
        assert_true(fabs(k->lean[a] - t->lean[a]) < 1e-5);
        for (int b = 0; b < 3; b++) {
            double product = 0;
            for (int n = 0; n < 3; n++)
                product += (double)k->axes[at[a][n]] * k->inverse[at[n][b]];
            assert_true(fabs(product - (a == b)) < 1e-5);
            assert_true(fabs(k->axes[at[a][b]] - t->axes[a][b]) < 3e-5 * s->support);
        }
    }
    const double pi = acos(-1), h = s->support;
    double full = dim == 2 ? pi / 4 * h * h : 64 * pi / 315 * h * h * h, ratio = t->density / full;
    ratio += (1 - ratio) * smooth_step(0.35, 0.65, ratio);
    double weight = t->blend / (full * ratio * t->product) + 1 - t->blend;
    assert_true(fabs(k->weight - weight) < 3e-5 * weight);
}

static void shapes_are_those_of_all_particles(void **state)
{
    (void)state;
    for (const char *const *level = weir_simd_levels(); *level; level++)
        for (int dim = 2; dim <= 3; dim++)
            for (int wide = 0; wide < 2; wide++) {
                cloud c = cloud_create(2000);
                add_waters(&c, dim);
                surface_particles p = cloud_view(&c, dim, 1);
                surface_settings s = surface_settings_default();
                s.simd = *level;
                s.reach = wide ? 3.7 : 2.5;
                kernel_shape *shapes = calloc(c.count, sizeof *shapes);
                assert_true(shapes && kernels_check(&p, &s, NULL));
                assert_true(kernels_build(shapes, &p, &s, NULL));
                for (size_t i = 0; i < c.count; i++) {
                    twin t = find_twin(&c, i, &s, dim);
                    check_shape(&shapes[i], &t, &s, dim);
                }
                free(shapes);
                cloud_free(&c);
            }
}

static void runs_hold_the_points_of_their_cells(void **state)
{
    (void)state;
    enum { POINTS = 400 };
    uint64_t keys[POINTS];
    for (uint64_t i = 0; i < POINTS; i++) {
        /* Dense near 0, with gaps farther out. */
        int x = (int)(9 * random_unit(11, 3 * i)), far = i % 5 == 0 ? 400 : 1;
        keys[i] = keymap_key(far * (x - 4), (int)(3 * random_unit(11, 3 * i + 1)) - 1,
                             (int)(2 * random_unit(11, 3 * i + 2)));
    }
    bins b;
    assert_true(bins_build(&b, keys, POINTS));
    for (int n = 0; n < 2000; n++) {
        uint64_t k = 10000 + 4 * (uint64_t)n;
        int scale = n % 2 ? 12 : 2000, low = (int)(scale * (random_unit(11, k) - 0.5));
        int high = low + (int)(scale * random_unit(11, k + 1)), y = n / 2 % 4 - 2, z = n / 8 % 3;
        uint32_t first = 0;
        size_t count = bins_find_run(&b, low, high, y, z, &first), expected = 0;
        for (size_t i = 0; i < POINTS; i++)
            expected += keys[i] >= keymap_key(low, y, z) && keys[i] <= keymap_key(high, y, z);
        assert_int_equal(count, expected);
        for (size_t i = first; i < first + count; i++)
            assert_true(keys[b.order[i]] >= keymap_key(low, y, z) &&
                        keys[b.order[i]] <= keymap_key(high, y, z));
    }
    bins_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_those_of_all_particles),
        cmocka_unit_test(runs_hold_the_points_of_their_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
