/* The neighbour lists against all pairs by brute force: each true neighbour of each particle is
 * among its cluster's candidates exactly once, seen through the right periodic image. */
#include "base/random.h"
#include "space/neighbours.h"
#include "support/counting_memory.h"
#include "support/unit.h"

static const weir_axis_period open_axes[3];

typedef struct cloud {
    counting_memory counter;
    memory mem;
    particles p;
    neighbours near;
} cloud;

typedef struct cloud_def {
    int dim, threads;
    double h;
    weir_axis_period period[3];
    lane_level level;
} cloud_def;

static void cloud_init(cloud *c, const cloud_def *def, const float (*points)[3], size_t count)
{
    weir_hooks hooks = counting_hooks(&c->counter);
    c->mem = memory_with_hooks(&hooks);
    particles_init(&c->p, def->dim, 0, 0);
    assert_true(particles_reserve(&c->p, &c->mem, count));
    particles_append(&c->p, count);
    for (size_t i = 0; i < count; i++)
        for (int a = 0; a < def->dim; a++)
            c->p.x[a][i] = points[i][a];
    weir_error error = {0};
    assert_true(
        neighbours_init(&c->near, &c->mem, def->dim, def->h, def->period, def->threads, &error));
    c->near.level = def->level;
    assert_true(neighbours_build(&c->near, &c->p, &error));
}

static void cloud_free(cloud *c)
{
    neighbours_free(&c->near);
    particles_free(&c->p, &c->mem);
    assert_int_equal(c->counter.live_blocks, 0);
}

/* ----------------------------------------------------------------- pairs */

typedef struct pair {
    uint32_t i, j, image; /* indices of particles after sorting */
} pair;

typedef struct pair_list {
    pair *pairs;
    size_t count, capacity;
} pair_list;

static void add_pair(pair_list *list, uint32_t i, uint32_t j, uint32_t image)
{
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 1000;
        list->pairs = realloc(list->pairs, list->capacity * sizeof *list->pairs);
        assert_non_null(list->pairs);
    }
    list->pairs[list->count++] = (pair){i, j, image};
}

static int compare_pairs(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    if (x->i != y->i)
        return x->i < y->i ? -1 : 1;
    if (x->j != y->j)
        return x->j < y->j ? -1 : 1;
    return x->image < y->image ? -1 : x->image > y->image;
}

/* Whether j, moved by the image's shift, is within h of i. */
static bool is_near(const cloud *c, uint32_t i, uint32_t j, uint32_t image)
{
    double r2 = 0;
    for (int a = 0; a < c->p.dim; a++) {
        double r = (double)c->p.x[a][i] - c->p.x[a][j] - c->near.shift[image][a];
        r2 += r * r;
    }
    return r2 < c->near.h * c->near.h;
}

static pair_list list_by_clusters(const cloud *c)
{
    pair_list list = {0};
    for (size_t k = 0; k < c->near.cluster_count; k++) {
        const cluster *group = &c->near.clusters[k];
        for (uint32_t s = 0; s < group->span_count; s++)
            for (uint32_t n = 0; n < group->spans[s].count; n++)
                for (uint32_t i = group->first; i < group->first + group->count; i++) {
                    uint32_t j = group->spans[s].candidates[n], image = group->spans[s].image;
                    if (is_near(c, i, j, image))
                        add_pair(&list, i, j, image);
                }
    }
    return list;
}

static pair_list list_by_brute_force(const cloud *c, const cloud_def *def)
{
    pair_list list = {0};
    for (uint32_t image = 0; image < IMAGE_COUNT; image++) {
        const uint32_t step[3] = {image % 3, image / 3 % 3, image / 9};
        bool exists = true;
        for (int a = 0; a < 3; a++)
            exists = exists && (step[a] == 1 || (a < def->dim && def->period[a].enabled));
        for (uint32_t i = 0; exists && i < c->p.count; i++)
            for (uint32_t j = 0; j < c->p.count; j++)
                if (is_near(c, i, j, image))
                    add_pair(&list, i, j, image);
    }
    return list;
}

static void check_clusters(const cloud *c)
{
    uint32_t next = 0;
    for (size_t k = 0; k < c->near.cluster_count; k++) {
        assert_int_equal(c->near.clusters[k].first, next);
        assert_in_range(c->near.clusters[k].count, 1, CLUSTER_SIZE);
        next += c->near.clusters[k].count;
    }
    assert_int_equal(next, c->p.count);
}

static void check_pairs(const cloud_def *def, const float (*points)[3], size_t count)
{
    cloud c;
    cloud_init(&c, def, points, count);
    check_clusters(&c);
    pair_list found = list_by_clusters(&c), expected = list_by_brute_force(&c, def);
    assert_int_equal(found.count, expected.count);
    if (found.count > 0) {
        qsort(found.pairs, found.count, sizeof *found.pairs, compare_pairs);
        qsort(expected.pairs, expected.count, sizeof *expected.pairs, compare_pairs);
    }
    for (size_t k = 0; k < found.count; k++)
        assert_int_equal(compare_pairs(&found.pairs[k], &expected.pairs[k]), 0);
    free(found.pairs);
    free(expected.pairs);
    cloud_free(&c);
}

/* ---------------------------------------------------------------- clouds */

enum { COUNT = 700 };
static float points[COUNT][3];

static void scatter(uint64_t seed, double lo, double hi)
{
    for (size_t i = 0; i < COUNT; i++)
        for (size_t a = 0; a < 3; a++)
            points[i][a] = (float)(lo + (hi - lo) * random_unit(seed, 3 * i + a));
}

static void random_clouds(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (uint64_t seed = 0; seed < 4; seed++) {
            scatter(seed, -1, 1);
            check_pairs(&(cloud_def){dim, 1, dim == 2 ? 0.15 : 0.3, {{0}}, LANE_LEVEL_SCALAR},
                        points, COUNT);
        }
}

static void lattices_with_neighbours_at_exactly_h(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (double support = 1; support <= 3; support += 0.5) {
            size_t side = dim == 2 ? 26 : 8, count = dim == 2 ? 26 * 26 : 8 * 8 * 8;
            for (size_t i = 0; i < count; i++) {
                const size_t at[3] = {i % side, i / side % side, i / side / side};
                for (size_t a = 0; a < 3; a++)
                    points[i][a] = 0.125f * (float)at[a] - 0.5f;
            }
            check_pairs(&(cloud_def){dim, 1, 0.125 * support, {{0}}, LANE_LEVEL_SCALAR}, points,
                        count);
        }
}

/* A few dense blobs with nothing between them, and a line of stragglers. */
static void clustered_clouds(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        scatter(5, -0.2, 0.2);
        for (size_t i = 0; i < COUNT; i++)
            for (size_t a = 0; a < 3; a++) {
                if (i < 600)
                    points[i][a] += 3 * (float)((i % 5 + a) % 4);
                else
                    points[i][a] = a == 0 ? 0.02f * (float)i : 0;
            }
        check_pairs(&(cloud_def){dim, 1, 0.1, {{0}}, LANE_LEVEL_SCALAR}, points, COUNT);
    }
}

static void all_particles_in_one_point(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        for (size_t i = 0; i < 100; i++)
            points[i][0] = points[i][1] = points[i][2] = 0.3f;
        check_pairs(&(cloud_def){dim, 1, 0.1, {{0}}, LANE_LEVEL_SCALAR}, points, 100);
    }
}

static void one_particle_and_none(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        points[0][0] = points[0][1] = points[0][2] = -1;
        check_pairs(&(cloud_def){dim, 1, 0.1, {{0}}, LANE_LEVEL_SCALAR}, points, 1);
        check_pairs(&(cloud_def){dim, 1, 0.1, {{0}}, LANE_LEVEL_SCALAR}, points, 0);
    }
}

/* Pairs of close particles, the pairs up to a thousand kilometres apart. */
static void particles_far_apart(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        scatter(7, -1e6, 1e6);
        for (size_t i = 0; i + 1 < COUNT; i += 2)
            for (size_t a = 0; a < 3; a++)
                points[i + 1][a] = points[i][a] + (a == i / 2 % 3 ? 0.0625f : 0);
        check_pairs(&(cloud_def){dim, 1, 0.1, {{0}}, LANE_LEVEL_SCALAR}, points, COUNT);
    }
}

static void every_combination_of_periods(void **state)
{
    (void)state;
    /* Short periods, in which one particle sees another from both sides, and long ones. */
    static const double lengths[] = {2.0, 2.05, 2.9, 3.5, 9.7};
    double h = 0.25;
    for (int dim = 2; dim <= 3; dim++)
        for (int axes = 1; axes < 1 << dim; axes++)
            for (size_t l = 0; l < COUNT_OF(lengths); l++) {
                cloud_def def = {dim, 1, h, {{0}}, LANE_LEVEL_SCALAR};
                double length = lengths[l] * h, lo = -0.3;
                for (int a = 0; a < dim; a++)
                    if (axes >> a & 1)
                        def.period[a] = (weir_axis_period){true, lo, lo + length};
                scatter(11 + l, lo, lo + length);
                for (size_t a = 0; a < 3; a++)
                    points[0][a] = (float)lo; /* on the very edge */
                check_pairs(&def, points, dim == 2 ? 200 : 120);
            }
}

static void positions_that_are_not_finite_do_no_harm(void **state)
{
    (void)state;
    static const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f};
    for (int dim = 2; dim <= 3; dim++)
        for (int periodic = 0; periodic <= 1; periodic++)
            for (size_t k = 0; k < COUNT_OF(odd); k++) {
                cloud_def def = {dim, 2, 0.1, {{0}}, LANE_LEVEL_SCALAR};
                for (int a = 0; a < dim; a++)
                    def.period[a] = (weir_axis_period){periodic != 0, 0, 1};
                scatter(13, 0, 1);
                points[5][0] = odd[k];
                points[6][1] = odd[k];
                points[7][2] = odd[k];
                points[8][0] = points[8][1] = points[8][2] = odd[k];
                cloud c;
                cloud_init(&c, &def, points, COUNT);
                check_clusters(&c);
                cloud_free(&c);
            }
}

/* ---------------------------------------------------- threads and memory */

static void check_same_lists(const cloud *one, const cloud *other)
{
    assert_memory_equal(one->p.id, other->p.id, one->p.count * sizeof *one->p.id);
    assert_int_equal(one->near.cluster_count, other->near.cluster_count);
    assert_int_equal(one->near.candidate_count, other->near.candidate_count);
    for (size_t k = 0; k < one->near.cluster_count; k++) {
        const cluster *a = &one->near.clusters[k], *b = &other->near.clusters[k];
        assert_int_equal(a->first, b->first);
        assert_int_equal(a->span_count, b->span_count);
        for (uint32_t s = 0; s < a->span_count; s++) {
            assert_int_equal(a->spans[s].image, b->spans[s].image);
            assert_int_equal(a->spans[s].count, b->spans[s].count);
            assert_memory_equal(a->spans[s].candidates, b->spans[s].candidates,
                                a->spans[s].count * sizeof(uint32_t));
        }
    }
}

/* With and without periods, and with positions that are in no place. */
static void lists_do_not_depend_on_lanes(void **state)
{
    (void)state;
    for (int k = 0; k < 12; k++) {
        bool odd = k % 2 == 1, periodic = k / 2 % 2 == 1;
        int dim = k < 6 ? 2 : 3;
        cloud_def def = {.dim = dim, .threads = 1, .h = k % 3 == 0 ? 0.1 : 0.3};
        for (int a = 0; a < dim; a++)
            def.period[a] = (weir_axis_period){periodic, 0, 1};
        scatter(21 + (unsigned)k, 0, 1);
        if (odd) {
            points[3][1] = NAN;
            points[4][0] = -NAN;
            points[5][0] = 3e38f;
            points[6][1] = -INFINITY;
        }
        cloud one;
        cloud_init(&one, &def, points, COUNT);
        for (int level = LANE_LEVEL_WIDE4; level <= (int)lane_level_last(); level++) {
            cloud other;
            def.level = (lane_level)level;
            cloud_init(&other, &def, points, COUNT);
            check_same_lists(&one, &other);
            cloud_free(&other);
        }
        cloud_free(&one);
    }
}

static void lists_do_not_depend_on_threads(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    float(*many)[3] = malloc(MANY * sizeof *many);
    for (size_t i = 0; i < MANY; i++)
        for (size_t a = 0; a < 3; a++)
            many[i][a] = (float)random_unit(17, 3 * i + a);
    static const int threads[] = {2, 3, 7};
    for (int dim = 2; dim <= 3; dim++) {
        cloud one;
        cloud_def def = {
            dim, 1, dim == 2 ? 0.015 : 0.05, {{true, 0, 1}, {0}, {0}}, LANE_LEVEL_SCALAR};
        cloud_init(&one, &def, many, MANY);
        for (size_t t = 0; t < COUNT_OF(threads); t++) {
            cloud other;
            def.threads = threads[t];
            cloud_init(&other, &def, many, MANY);
            check_same_lists(&one, &other);
            cloud_free(&other);
        }
        cloud_free(&one);
    }
    free(many);
}

/* The same particles in a drop or spread over a thousand kilometres. */
static void memory_grows_with_particles_not_with_space(void **state)
{
    (void)state;
    enum { MANY = 5000 };
    float(*many)[3] = malloc(MANY * sizeof *many);
    for (int dim = 2; dim <= 3; dim++)
        for (double size = 1; size < 1e7; size *= 1e3) {
            for (size_t i = 0; i < MANY; i++)
                for (size_t a = 0; a < 3; a++)
                    many[i][a] = (float)(size * random_unit(19, 3 * i + a));
            cloud c;
            cloud_init(&c, &(cloud_def){dim, 1, dim == 2 ? 0.015 : 0.08, {{0}}, LANE_LEVEL_SCALAR},
                       many, MANY);
            assert_in_range(c.mem.peak_bytes / MANY, 1, 400);
            cloud_free(&c);
        }
    free(many);
}

/* A long channel: whole rows must not be set aside for each cluster that might look across the
 * ends. */
static void memory_of_long_periodic_rows_is_bounded(void **state)
{
    (void)state;
    enum { MANY = 40000 };
    float(*many)[3] = malloc(MANY * sizeof *many);
    for (size_t i = 0; i < MANY; i++) {
        many[i][0] = 0.01f * (float)(i % 10000);
        many[i][1] = 0.01f * (float)(i / 10000);
    }
    cloud c;
    cloud_init(&c, &(cloud_def){2, 1, 0.025, {{true, 0, 100}, {0}, {0}}, LANE_LEVEL_SCALAR}, many,
               MANY);
    assert_in_range(c.mem.peak_bytes / MANY, 1, 400);
    cloud_free(&c);
    free(many);
}

/* Lists are built anew every step: once their size was seen, from the same memory. */
static void rebuilding_takes_no_new_memory(void **state)
{
    (void)state;
    scatter(23, 0, 1);
    cloud c;
    cloud_init(&c, &(cloud_def){3, 3, 0.2, {{0}}, LANE_LEVEL_SCALAR}, points, COUNT);
    weir_error error = {0};
    assert_true(neighbours_build(&c.near, &c.p, &error)); /* takes some in reserve */
    size_t calls = c.counter.calls;
    for (int k = 0; k < 5; k++)
        assert_true(neighbours_build(&c.near, &c.p, &error));
    assert_int_equal(c.counter.calls, calls);
    cloud_free(&c);
}

/* Candidates lie within half a block of the origin of their span, counted as they lie. */
static void check_span(const cloud *c, const candidate_span *span)
{
    for (uint32_t n = 0; n < span->count; n++)
        for (int a = 0; a < c->p.dim; a++) {
            const neighbour_axis *axis = &c->near.axis[a];
            double half = axis->edge * BLOCK_CELLS * (a == 0 ? BINS_PER_H : 1) / 2;
            double x = c->p.x[a][span->candidates[n]];
            assert_true(fabs(x - span->origin[a]) <= half * (1 + 1e-5));
        }
}

static void check_spans(const cloud_def *def)
{
    cloud c;
    cloud_init(&c, def, points, COUNT);
    size_t slots = 0, several = 0;
    for (size_t k = 0; k < c.near.cluster_count; k++) {
        const cluster *group = &c.near.clusters[k];
        assert_int_equal(group->base, slots);
        for (uint32_t s = 0; s < group->span_count; s++) {
            const candidate_span *span = &group->spans[s];
            check_span(&c, span);
            assert_int_equal(span->slots % CANDIDATES_AT_ONCE, 0);
            assert_true(span->slots >= span->count &&
                        span->slots < span->count + CANDIDATES_AT_ONCE);
            for (uint32_t n = span->count; n < span->slots; n++)
                assert_int_equal(span->candidates[n], span->candidates[span->count - 1]);
            slots += span->slots;
        }
        several += group->span_count > 1;
    }
    assert_int_equal(c.near.slot_count, slots);
    assert_true(several > 0 && several < c.near.cluster_count / 2);
    cloud_free(&c);
}

/* Strips of a hundred cells along each axis, so that faces of blocks cut the lists. */
static void spans_lie_in_one_block_each(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int along = 0; along < dim; along++)
            for (int periodic = 0; periodic <= 1; periodic++) {
                scatter(31, -1, 1);
                for (size_t i = 0; i < COUNT; i++)
                    for (int a = 0; a < dim; a++)
                        points[i][a] *= a == along ? 1 : 0.02f;
                cloud_def def = {dim, 1, 0.02, {{0}}, LANE_LEVEL_SCALAR};
                def.period[along] = (weir_axis_period){periodic, -1, 1};
                check_pairs(&def, points, COUNT);
                check_spans(&def);
            }
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    scatter(29, 0, 1);
    /* Fails at every allocation in turn. */
    for (size_t allowed = 0;; allowed++) {
        cloud c;
        weir_hooks hooks = counting_hooks(&c.counter);
        c.mem = memory_with_hooks(&hooks);
        particles_init(&c.p, 3, 0, 0);
        assert_true(particles_reserve(&c.p, &c.mem, COUNT));
        particles_append(&c.p, COUNT);
        for (size_t i = 0; i < COUNT; i++)
            for (int a = 0; a < 3; a++)
                c.p.x[a][i] = points[i][a];
        c.counter.calls_left = allowed;
        weir_error error = {0};
        bool ok = neighbours_init(&c.near, &c.mem, 3, 0.1, open_axes, 1, &error) &&
                  neighbours_build(&c.near, &c.p, &error);
        if (!ok)
            assert_error(error, WEIR_OUT_OF_MEMORY, "no memory");
        cloud_free(&c);
        if (ok)
            break;
        assert_true(allowed < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_clouds),
        cmocka_unit_test(lattices_with_neighbours_at_exactly_h),
        cmocka_unit_test(clustered_clouds),
        cmocka_unit_test(all_particles_in_one_point),
        cmocka_unit_test(one_particle_and_none),
        cmocka_unit_test(particles_far_apart),
        cmocka_unit_test(every_combination_of_periods),
        cmocka_unit_test(positions_that_are_not_finite_do_no_harm),
        cmocka_unit_test(lists_do_not_depend_on_lanes),
        cmocka_unit_test(lists_do_not_depend_on_threads),
        cmocka_unit_test(memory_grows_with_particles_not_with_space),
        cmocka_unit_test(memory_of_long_periodic_rows_is_bounded),
        cmocka_unit_test(rebuilding_takes_no_new_memory),
        cmocka_unit_test(spans_lie_in_one_block_each),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
