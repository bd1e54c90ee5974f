/* Products with the matrix of the density rows, in channels so long that places are counted from
 * several origins: by moments against those by differences (which test_constraint.c holds against
 * sums over all pairs), and what they conserve. */
#include "world/state.h"

#include "method/constraint.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double SPACING = 0.1;
enum { LONG = 280, DEEP = 7, WIDE = 4 };

static double noise(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 16777216.0;
}

/* Free of solids, from `from` on along x, which may be a period. Lists and weights are there. */
static weir_world *make_channel(int dim, double from, bool periodic)
{
    weir_error error = {0};
    weir_world_def def = weir_world_def_default();
    weir_world_def_use_method(&def, WEIR_METHOD_CONSTRAINT);
    def.dim = dim;
    def.spacing = SPACING;
    def.period[0] = (weir_axis_period){periodic, from, from + LONG * SPACING};
    weir_world *w = weir_world_create(&def, &error);
    assert_non_null(w);
    weir_fluid_def water = weir_fluid_def_default();
    weir_fluid_id id = weir_fluid_create(w, &water, &error);
    unsigned state = 5;
    for (int k = 0; k < (dim == 3 ? WIDE : 1); k++)
        for (int j = 0; j < DEEP; j++)
            for (int i = 0; i < LONG; i++) {
                weir_vec3 x = {from + (i + 0.35 + 0.3 * noise(&state)) * SPACING,
                               (j + 0.3 * noise(&state)) * SPACING,
                               dim == 3 ? (k + 0.3 * noise(&state)) * SPACING : 0};
                assert_true(weir_world_add_particles(w, id, &x, 1, (weir_vec3){0, 0, 0}, &error));
            }
    assert_true(world_prepare(w, &error));
    flow *f = &w->flow;
    assert_true(neighbours_build(&f->near, &f->p, &error));
    assert_true(walls_find(&f->walls, &f->p, &f->near, f->bodies, f->body_count, &error));
    w->method->accelerate(f, 0);
    return w;
}

/* A product: velocities of all particles, then rows. */
typedef struct product {
    double *velocities; /* three a particle */
    double *rows;
} product;

static product multiply(const weir_world *w)
{
    flow *f = (flow *)(uintptr_t)&w->flow;
    size_t count = f->p.count;
    float *nu = calloc(count + PARTICLE_PADDING, sizeof *nu);
    float *rows = calloc(count + PARTICLE_PADDING, sizeof *rows);
    product of = {calloc(3 * count, sizeof(double)), calloc(count, sizeof(double))};
    unsigned state = 11;
    for (size_t i = 0; i < count; i++)
        nu[i] = (float)noise(&state);
    w->method->rows->push(f, nu);
    w->method->rows->pull(f, rows);
    for (size_t i = 0; i < count; i++) {
        of.rows[i] = rows[i];
        for (int a = 0; a < f->dim; a++)
            of.velocities[3 * i + (size_t)a] = f->p.field[CONSTRAINT_WORK_X + a][i];
    }
    free(nu);
    free(rows);
    return of;
}

static void product_free(product *p)
{
    free(p->velocities);
    free(p->rows);
}

/* The largest difference, over the largest value. */
static double find_difference(const double *a, const double *b, size_t count)
{
    double most = 0, difference = 0;
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, fabs(b[i]));
        difference = fmax(difference, fabs(a[i] - b[i]));
    }
    return difference / most;
}

/* Linear and angular momentum, next to the sum of all impulses and of their moments. */
static void check_momentum(const flow *f, const product *of, double tolerance)
{
    vec3 sum = {0, 0, 0}, moment = {0, 0, 0};
    double all = 0, moments = 0;
    for (size_t i = 0; i < f->p.count; i++) {
        const double *v = of->velocities + 3 * i;
        vec3 impulse = {v[0], v[1], v[2]}, turn = vec3_cross(flow_position(f, i), impulse);
        sum = vec3_add(sum, impulse);
        moment = vec3_add(moment, turn);
        all += vec3_length(impulse);
        moments += vec3_length(turn);
    }
    assert_true(vec3_length(sum) < tolerance * all);
    if (!f->period[0].enabled) /* arms of pairs across it are not those of their places */
        assert_true(vec3_length(moment) < tolerance * moments);
}

/* How many clusters see but one block. */
static size_t count_in_block(const flow *f)
{
    const constraint_data *data = f->method_data;
    size_t count = 0;
    for (size_t c = 0; c < f->near.cluster_count; c++)
        count += data->constants.in_block[c] != 0;
    return count;
}

static void check_channel(int dim, double from, bool periodic)
{
    weir_world *w = make_channel(dim, from, periodic);
    const flow *f = &w->flow;
    const constraint_data *data = f->method_data;
    size_t clusters = f->near.cluster_count, inside = count_in_block(f);
    assert_true(inside > 3 * clusters / 4 && inside < clusters);
    product by_moments = multiply(w);
    memset(data->constants.in_block, 0, clusters);
    product by_differences = multiply(w);
    /* Places are up to 16 h from their origins: so much more than that of differences is what
     * rounding leaves. */
    size_t count = f->p.count;
    assert_true(find_difference(by_moments.velocities, by_differences.velocities, 3 * count) <
                5e-5);
    assert_true(find_difference(by_moments.rows, by_differences.rows, count) < 5e-5);
    check_momentum(f, &by_moments, 1e-6);
    check_momentum(f, &by_differences, 1e-7);
    product_free(&by_moments);
    product_free(&by_differences);
    weir_world_destroy(w);
}

static void places_from_several_origins_give_the_same_products(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int periodic = 0; periodic <= 1; periodic++) {
            check_channel(dim, -13, periodic);
            check_channel(dim, 20, periodic);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_from_several_origins_give_the_same_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
