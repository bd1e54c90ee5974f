/* Products with the matrix of the density rows, in channels so long that places are counted from
 * several origins: against the same sums by differences of places, and what they conserve. */
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

static float *make_multipliers(size_t count)
{
    float *nu = calloc(count + PARTICLE_PADDING, sizeof *nu);
    unsigned state = 11;
    for (size_t i = 0; i < count; i++)
        nu[i] = (float)noise(&state);
    return nu;
}

static product multiply(weir_world *w, const float *nu)
{
    flow *f = &w->flow;
    size_t count = f->p.count;
    float *rows = calloc(count + PARTICLE_PADDING, sizeof *rows);
    product of = {calloc(3 * count, sizeof(double)), calloc(count, sizeof(double))};
    w->method->rows->push(f, nu);
    w->method->rows->pull(f, rows);
    for (size_t i = 0; i < count; i++) {
        of.rows[i] = rows[i];
        for (int a = 0; a < f->dim; a++)
            of.velocities[3 * i + (size_t)a] = f->p.field[CONSTRAINT_WORK_X + a][i];
    }
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
    size_t count = 0;
    for (size_t c = 0; c < f->near.cluster_count; c++)
        count += f->near.clusters[c].span_count == 1;
    return count;
}

/* A pair as a cluster's list has it, with the weight that is stored for it; r over h. */
typedef void (*pair_function)(void *context, size_t i, size_t j, double weight, const double r[3]);

static void find_offset(const flow *f, size_t i, size_t j, uint32_t image, double r[3])
{
    r[2] = 0;
    for (int a = 0; a < f->dim; a++) {
        const float *place = f->p.field[CONSTRAINT_PLACE_X + a];
        r[a] = (double)place[i] - (double)place[j] - (double)f->near.shift[image][a] / f->h;
    }
}

static void for_each_pair(const flow *f, pair_function visit, void *context)
{
    const constraint_data *data = f->method_data;
    for (size_t k = 0; k < f->near.cluster_count; k++) {
        const cluster *c = &f->near.clusters[k];
        const constraint_weight *weight = data->constants.weights + CLUSTER_SIZE * c->base;
        for (uint32_t s = 0; s < c->span_count; s++) {
            const candidate_span *span = &c->spans[s];
            for (uint32_t n = 0; n < span->count; n++)
                for (uint32_t m = 0; m < c->count; m++) {
                    double r[3];
                    find_offset(f, c->first + m, span->candidates[n], span->image, r);
                    visit(context, c->first + m, span->candidates[n], weight[CLUSTER_SIZE * n + m],
                          r);
                }
            weight += CLUSTER_SIZE * span->slots;
        }
    }
}

/* Of a product by differences: sums of each particle, then what becomes of them. */
typedef struct twin {
    const flow *f;
    const float *nu;
    product of;
} twin;

static void push_twin_pair(void *context, size_t i, size_t j, double weight, const double r[3])
{
    twin *t = context;
    double *sum = t->of.velocities + 3 * i;
    for (int a = 0; a < 3; a++)
        sum[a] += weight * (double)t->nu[j] * r[a];
}

static void pull_twin_pair(void *context, size_t i, size_t j, double weight, const double r[3])
{
    twin *t = context;
    const double *v = t->of.velocities + 3 * j;
    t->of.rows[i] += weight * (r[0] * v[0] + r[1] * v[1] + r[2] * v[2]);
}

static product multiply_twin(const flow *f, const float *nu)
{
    const constraint_data *data = f->method_data;
    size_t count = f->p.count;
    double factor = data->constants.gradient;
    twin t = {f, nu, {calloc(3 * count, sizeof(double)), calloc(count, sizeof(double))}};
    for_each_pair(f, push_twin_pair, &t);
    for (size_t i = 0; i < count; i++)
        for (int a = 0; a < f->dim; a++) {
            double own = (double)nu[i] * (double)f->p.field[CONSTRAINT_SLOPE_X + a][i];
            double *v = &t.of.velocities[3 * i + (size_t)a];
            *v = -(double)f->p.field[CONSTRAINT_INVERSE_MASS][i] * (own + factor * *v);
        }
    for_each_pair(f, pull_twin_pair, &t);
    for (size_t i = 0; i < count; i++) {
        t.of.rows[i] *= -factor;
        for (int a = 0; a < f->dim; a++)
            t.of.rows[i] +=
                (double)f->p.field[CONSTRAINT_SLOPE_X + a][i] * t.of.velocities[3 * i + (size_t)a];
    }
    return t.of;
}

static void check_channel(int dim, double from, bool periodic)
{
    weir_world *w = make_channel(dim, from, periodic);
    const flow *f = &w->flow;
    size_t clusters = f->near.cluster_count, inside = count_in_block(f), count = f->p.count;
    assert_true(inside > 3 * clusters / 4 && inside < clusters);
    float *nu = make_multipliers(count);
    product found = multiply(w, nu), expected = multiply_twin(f, nu);
    /* Places are up to 16 h from their origins, which rounding leaves so much of. */
    assert_true(find_difference(found.velocities, expected.velocities, 3 * count) < 5e-5);
    assert_true(find_difference(found.rows, expected.rows, count) < 5e-5);
    check_momentum(f, &found, 1e-6);
    check_momentum(f, &expected, 1e-7);
    product_free(&found);
    product_free(&expected);
    free(nu);
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
