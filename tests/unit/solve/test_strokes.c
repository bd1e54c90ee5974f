/* Strokes: when they may end a solve, against a look at each row; what they change; and that a
 * solve which they end is as good as one that is measured to its end. */
#include "base/random.h"
#include "solve/accelerated.h"
#include "solve/strokes.h"
#include "support/unit.h"

enum { ROWS = 4000 };

/* Rows with bounds of every kind, and residuals of which some are beyond a peak of 1. */
typedef struct sample {
    float rhs[ROWS], lo[ROWS], hi[ROWS], x[ROWS], gradient[ROWS];
} sample;

static void no_product(void *context, const float *x, float *y)
{
    (void)context;
    (void)x;
    (void)y;
}

static void no_work(void *context, const float *x)
{
    (void)context;
    (void)x;
}

static void fill(sample *s, uint64_t seed, double beyond)
{
    for (uint64_t i = 0; i < ROWS; i++) {
        bool out = random_unit(seed, 3 * i) < beyond;
        double size = (out ? 1.1 : 0.9) * random_unit(seed, 3 * i + 1) + (out ? 0.9 : 0);
        s->rhs[i] = 0;
        s->lo[i] = 0;
        s->hi[i] = i % 5 == 0 ? 2 : INFINITY;
        s->x[i] = i % 3 == 0 ? 0 : i % 5 == 0 && i % 2 == 0 ? 2 : 1;
        s->gradient[i] = (float)(random_unit(seed, 3 * i + 2) < 0.5 ? -size : size);
    }
}

static bounded_system system_of(const sample *s, int threads)
{
    return (bounded_system){.count = ROWS,
                            .rhs = s->rhs,
                            .lo = s->lo,
                            .hi = s->hi,
                            .multiply = no_product,
                            .apply = no_work,
                            .threads = threads,
                            .level = lane_level_best()};
}

static bool may_move(const sample *s, size_t i)
{
    return s->gradient[i] > 0 ? s->x[i] > s->lo[i] : s->x[i] < s->hi[i];
}

/* A peak of 1. */
static solve_options options_of(double few)
{
    return (solve_options){
        .tolerance = 0.5, .peak = 1, .few = few, .far = 3, .single = ROWS, .scale = 2};
}

static void test_they_suffice_where_few_rows_are_beyond(void **state)
{
    (void)state;
    static sample s;
    fill(&s, 1, 0.01);
    size_t beyond = 0;
    for (size_t i = 0; i < ROWS; i++)
        beyond += may_move(&s, i) && fabsf(s.gradient[i]) > 1;
    assert_true(beyond > 10 && beyond < ROWS / 50);
    solve_options just = options_of((double)beyond / ROWS), fewer = options_of(0.9 * just.few);
    double squares = 0.5 * ROWS; /* of an rms of 0.7, with a tolerance of 1 */
    for (int threads = 1; threads <= 3; threads++) {
        bounded_system system = system_of(&s, threads);
        assert_true(strokes_suffice(&system, &just, s.gradient, s.x, squares, 2));
        assert_false(strokes_suffice(&system, &fewer, s.gradient, s.x, squares, 2));
        assert_false(strokes_suffice(&system, &just, s.gradient, s.x, 2.1 * squares, 2));
        assert_false(strokes_suffice(&system, &just, s.gradient, s.x, squares, 3.1));
    }
    bounded_system without = system_of(&s, 1);
    without.apply = NULL;
    assert_false(strokes_suffice(&without, &just, s.gradient, s.x, squares, 2));
    solve_options never = options_of(0);
    bounded_system system = system_of(&s, 1);
    assert_false(strokes_suffice(&system, &never, s.gradient, s.x, 0, 0));
}

static void test_they_raise_single_rows(void **state)
{
    (void)state;
    static sample before, after;
    fill(&before, 2, 0.02);
    solve_options options = options_of(1);
    options.single = ROWS / 2;
    for (int threads = 1; threads <= 3; threads++) {
        memcpy(&after, &before, sizeof after);
        bounded_system system = system_of(&after, threads);
        strokes_make(&system, &options, after.gradient, after.x);
        size_t raised = 0;
        for (size_t i = 0; i < ROWS; i++) {
            float g = before.gradient[i], x = before.x[i];
            bool lacks = i < options.single && g < -0.6f && x < before.hi[i];
            raised += lacks;
            assert_near(after.x[i], lacks ? fminf(x - 0.9f * g, before.hi[i]) : x, 0);
            assert_near(after.gradient[i], lacks ? 0 : g, 0);
        }
        assert_true(raised > 100);
    }
}

/* Each row is tied to three on either side, as densities are. */
typedef struct chain {
    int products, strokes; /* solves that these have ended */
    float product[ROWS];   /* of what was applied last */
} chain;

static void tie(const float *x, float *y)
{
    static const float by[] = {0.76f, 0.46f, 0.18f};
    for (size_t i = 0; i < ROWS; i++) {
        y[i] = x[i];
        for (size_t k = 1; k <= COUNT_OF(by); k++)
            y[i] += by[k - 1] * ((i >= k ? x[i - k] : 0) + (i + k < ROWS ? x[i + k] : 0));
    }
}

static void multiply(void *context, const float *x, float *y)
{
    ((chain *)context)->products++;
    tie(x, y);
}

static void apply(void *context, const float *x)
{
    ((chain *)context)->strokes++;
    tie(x, ((chain *)context)->product);
}

/* What the bounds leave of rows that lack something, the largest. */
static double solve(sample *s, double few, int *products)
{
    memory mem = memory_with_hooks(NULL);
    static chain c;
    memset(&c, 0, sizeof c);
    bounded_system system = system_of(s, 1);
    system.multiply = multiply;
    system.apply = apply;
    system.context = &c;
    solve_options options = {.tolerance = 2e-3,
                             .peak = 5,
                             .few = few,
                             .far = 3,
                             .single = ROWS,
                             .scale = 1,
                             .min_iterations = 2,
                             .max_iterations = 100};
    bounded_work work = {.norm = 3.8};
    assert_true(bounded_work_reserve(&work, &mem, ROWS));
    accelerated_solve(&work, &system, &options, s->x);
    bounded_work_free(&work, &mem);
    *products = c.products;
    if (few == 0 || c.strokes == 0)
        tie(s->x, c.product);
    double most = 0, squares = 0;
    for (size_t i = 0; i < ROWS; i++) {
        double lack = s->x[i] < s->hi[i] ? s->rhs[i] - c.product[i] : 0;
        most = fmax(most, lack);
        squares += fmax(lack, 0) * fmax(lack, 0);
    }
    assert_true(sqrt(squares / ROWS) <= options.tolerance);
    return most / (options.peak * options.tolerance);
}

/* Nearly all rows ask for little, one in forty for a hundred times as much. */
static void test_a_solve_ends_sooner_and_as_well(void **state)
{
    (void)state;
    static sample s;
    int measured = 0, stroked = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        for (int with = 0; with <= 1; with++) {
            int products;
            for (uint64_t i = 0; i < ROWS; i++) {
                double large = random_unit(seed, 2 * i) < 0.025 ? 0.1 : 0.001;
                s.rhs[i] = (float)(large * (2 * random_unit(seed, 2 * i + 1) - 1));
                s.lo[i] = s.x[i] = 0;
                s.hi[i] = INFINITY;
            }
            double most = solve(&s, with ? 0.005 : 0, &products);
            assert_true(most <= 1);
            *(with ? &stroked : &measured) += products;
        }
    }
    print_message("products: %d measured to the end, %d with strokes\n", measured, stroked);
    assert_true(stroked < 0.9 * measured);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_they_suffice_where_few_rows_are_beyond),
        cmocka_unit_test(test_they_raise_single_rows),
        cmocka_unit_test(test_a_solve_ends_sooner_and_as_well),
    };
    return cmocka_run_group_tests_name("strokes", tests, NULL, NULL);
}
