/* The loops of the accelerated gradients: against plain ones, with the same bits at every
 * instruction level, and with rows that fill no group of lanes. */
#include "base/random.h"
#include "solve/accelerated.h"
#include "solve/accelerated_passes.h"
#include "support/unit.h"

enum { MOST = 1100, VECTORS = 8, GUARD = 16 };

/* Rows on their bounds, inside, pinned and without bounds. Behind each vector lies a guard, whose
 * numbers would spoil every sum. */
typedef struct sample {
    float of[VECTORS][MOST + GUARD];
} sample;

static void make_sample(sample *s, size_t count)
{
    for (size_t v = 0; v < VECTORS; v++)
        for (size_t i = 0; i < MOST + GUARD; i++)
            s->of[v][i] = i < count ? (float)(2 * random_unit(v, i) - 1) : 1e9f;
    float *lo = s->of[1], *hi = s->of[2], *x = s->of[3];
    for (size_t i = 0; i < count; i++) {
        lo[i] = i % 5 == 0 ? -INFINITY : 0;
        hi[i] = i % 7 == 0 ? 0.25f : INFINITY;
        if (i % 11 == 0)
            lo[i] = hi[i] = 0.125f;
        x[i] = fminf(fmaxf(x[i], lo[i]), hi[i]);
    }
}

static accelerated_vectors vectors_of(sample *s, size_t count)
{
    return (accelerated_vectors){count,    s->of[0], s->of[1], s->of[2], s->of[3],
                                 s->of[4], s->of[7], s->of[5], s->of[6], 0.5f};
}

/* The part of a gradient that bounds leave, and the sums in full precision. */
static void check_measure(const sample *before, const sample *after, size_t count,
                          const double *sums, double peak)
{
    bounded_system bounds = {.lo = before->of[1], .hi = before->of[2]};
    double squares = 0, move = 0, mixed = 0, change = 0, uphill = 0, smooth = 0, block = 0,
           most = 0;
    for (size_t i = 0; i < count; i++) {
        float g = before->of[5][i] - before->of[0][i], x = before->of[3][i];
        double part = bounded_free_part(&bounds, x, g, i) + bounded_chopped_part(&bounds, x, g, i);
        double s = before->of[4][i], y = g - before->of[6][i];
        assert_true(after->of[5][i] == g);
        squares += part * part / 4;
        move += s * s / 4;
        mixed += s * y / 4;
        change += y * y / 4;
        uphill += s * g / 4;
        most = fmax(most, fabs(part));
        block += part / 2;
        if (i % 64 == 63 || i + 1 == count) {
            smooth += block * block / 64;
            block = 0;
        }
    }
    double slack = 1e-6 * (double)count;
    assert_near(sums[ACCELERATED_RESIDUAL], squares, slack);
    assert_near(sums[ACCELERATED_SMOOTH], smooth, slack);
    assert_near(sums[ACCELERATED_MOVE], move, slack);
    assert_near(sums[ACCELERATED_MIXED], mixed, slack);
    assert_near(sums[ACCELERATED_CHANGE], change, slack);
    assert_near(sums[ACCELERATED_UPHILL], uphill, slack);
    assert_near(peak, most, 0);
}

static void check_move(const sample *before, const sample *after, size_t count, float step,
                       float momentum)
{
    bounded_system bounds = {.lo = before->of[1], .hi = before->of[2]};
    for (size_t i = 0; i < count; i++) {
        float x = before->of[3][i], base = bounded_clamp(&bounds, x - step * before->of[5][i], i);
        float on = momentum * (base - before->of[7][i]), to = bounded_clamp(&bounds, base + on, i);
        assert_true(after->of[3][i] == to && after->of[4][i] == to - x && after->of[7][i] == base);
    }
}

static void check_count(size_t count)
{
    static sample start, now, moved, first;
    const float step = 0.7f, momentum = 0.6f;
    double first_sums[ACCELERATED_SUM_COUNT];
    make_sample(&start, count);
    for (int level = 0; level <= (int)lane_level_last(); level++) {
        const accelerated_passes *passes = accelerated_passes_of((lane_level)level);
        double sums[ACCELERATED_SUM_COUNT] = {0}, peak = 0;
        now = start;
        accelerated_vectors v = vectors_of(&now, count);
        passes->measure(&v, 0, accelerated_group_count(count), sums, &peak);
        check_measure(&start, &now, count, sums, peak);
        moved = now;
        v = vectors_of(&moved, count);
        passes->move(&v, step, momentum, 0, accelerated_group_count(count));
        check_move(&now, &moved, count, step, momentum);
        for (int k = 0; k < VECTORS; k++)
            assert_memory_equal(moved.of[k] + count, start.of[k] + count, GUARD * sizeof(float));
        if (level == 0) {
            first = moved;
            memcpy(first_sums, sums, sizeof sums);
        }
        assert_memory_equal(&moved, &first, sizeof first);
        assert_memory_equal(sums, first_sums, sizeof sums);
    }
}

static void test_passes(void **state)
{
    (void)state;
    for (size_t count = 1; count <= 80; count++)
        check_count(count);
    check_count(1000);
    check_count(1031);
    check_count(MOST);
}

/* A row is tied to its neighbours. */
static void multiply_chain(void *context, const float *x, float *y)
{
    size_t n = *(const size_t *)context;
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] - 0.45f * ((i > 0 ? x[i - 1] : 0) + (i + 1 < n ? x[i + 1] : 0));
}

/* Values of x where forces are `size` times as large. */
static solve_result solve_chain(size_t n, int threads, float size, float *x)
{
    memory mem = memory_with_hooks(NULL);
    float *rows = calloc(3 * n, sizeof *rows), *rhs = rows, *lo = rows + n, *hi = rows + 2 * n;
    assert_non_null(rows);
    for (size_t i = 0; i < n; i++) {
        rhs[i] = size * (float)(2 * random_unit(3, i) - 1);
        hi[i] = INFINITY;
        x[i] = 0;
    }
    bounded_system system = {n, rhs, lo, hi, multiply_chain, &n, threads, lane_level_best(), NULL};
    solve_options options = {
        .tolerance = 1e-4, .smooth = 2, .scale = (double)size, .max_iterations = 200};
    bounded_work solver = {0};
    assert_true(bounded_work_reserve(&solver, &mem, n));
    solve_result result = accelerated_solve(&solver, &system, &options, x);
    bounded_work_free(&solver, &mem);
    free(rows);
    return result;
}

static void test_threads_give_the_same_bits(void **state)
{
    (void)state;
    enum { ROWS = 70003 };
    float *one = calloc(2 * ROWS, sizeof *one), *many = one + ROWS;
    assert_non_null(one);
    solve_result first = solve_chain(ROWS, 1, 1, one);
    assert_true(first.residual <= 1e-4 && first.iterations < 100);
    for (int threads = 2; threads <= 5; threads++) {
        solve_result result = solve_chain(ROWS, threads, 1, many);
        assert_int_equal(result.iterations, first.iterations);
        assert_memory_equal(many, one, ROWS * sizeof *one);
    }
    free(one);
}

/* Squares of 1e-25 and 1e25 are no floats. */
static void test_units_do_not_matter(void **state)
{
    (void)state;
    enum { ROWS = 500 };
    float plain[ROWS], other[ROWS];
    solve_result expected = solve_chain(ROWS, 1, 1, plain);
    const float sizes[] = {0x1p-83f, 0x1p83f};
    for (size_t k = 0; k < COUNT_OF(sizes); k++) {
        solve_result result = solve_chain(ROWS, 1, sizes[k], other);
        assert_int_equal(result.iterations, expected.iterations);
        assert_near(result.residual, expected.residual, 1e-12);
        for (int i = 0; i < ROWS; i++)
            assert_true(other[i] == plain[i] * sizes[k]);
    }
}

/* A chain that notes what it is asked for. */
typedef struct noted_chain {
    size_t n;
    int products, applied;
    float last[500]; /* the vector of either, of the latest call */
} noted_chain;

static void multiply_noted(void *context, const float *x, float *y)
{
    noted_chain *c = context;
    c->products++;
    memcpy(c->last, x, c->n * sizeof *x);
    multiply_chain(&c->n, x, y);
}

static void apply_noted(void *context, const float *x)
{
    noted_chain *c = context;
    c->applied++;
    memcpy(c->last, x, c->n * sizeof *x);
}

/* rms of what the bounds leave of A x − b, from 0 on. */
static double find_chain_residual(size_t n, const float *rhs, const float *x)
{
    float y[500];
    double sum = 0;
    multiply_chain(&n, x, y);
    for (size_t i = 0; i < n; i++) {
        double g = (double)y[i] - (double)rhs[i];
        sum += x[i] > 0 || g < 0 ? g * g : 0;
    }
    return sqrt(sum / (double)n);
}

/* The last step is not measured: a product less, its work is asked for, and it is as good. */
static void test_a_sure_step_is_not_measured(void **state)
{
    (void)state;
    enum { ROWS = 500 };
    memory mem = memory_with_hooks(NULL);
    float rhs[ROWS], lo[ROWS] = {0}, hi[ROWS], x[2][ROWS] = {{0}};
    for (size_t i = 0; i < ROWS; i++) {
        rhs[i] = (float)(2 * random_unit(3, i) - 1);
        hi[i] = INFINITY;
    }
    int products[2];
    for (int sure = 0; sure <= 1; sure++) {
        noted_chain chain = {.n = ROWS};
        bounded_system system = {
            ROWS, rhs, lo, hi, multiply_noted, &chain, 1, lane_level_best(), apply_noted};
        solve_options options = {
            .tolerance = 1e-3, .sure = sure ? 3 : 0, .scale = 1, .max_iterations = 200};
        bounded_work solver = {.norm = 1.9};
        assert_true(bounded_work_reserve(&solver, &mem, ROWS));
        solve_result result = accelerated_solve(&solver, &system, &options, x[sure]);
        bounded_work_free(&solver, &mem);
        products[sure] = chain.products;
        assert_int_equal(result.iterations, chain.products);
        assert_int_equal(chain.applied, sure);
        assert_memory_equal(chain.last, x[sure], sizeof chain.last);
        assert_true(result.residual <= (sure ? 3e-3 : 1e-3));
        assert_true(find_chain_residual(ROWS, rhs, x[sure]) < (sure ? 1.5e-3 : 1e-3 * 1.001));
    }
    assert_true(products[1] < products[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_passes),
        cmocka_unit_test(test_threads_give_the_same_bits),
        cmocka_unit_test(test_units_do_not_matter),
        cmocka_unit_test(test_a_sure_step_is_not_measured),
    };
    return cmocka_run_group_tests_name("accelerated passes", tests, NULL, NULL);
}
