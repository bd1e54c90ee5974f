/* Marks of free surfaces against a plain twin: every pair in double precision, straight from what
 * the marks mean. And the same ones for every number of threads and every instruction set. */
#include "world/free_surface.h"

#include "support/worlds.h"
#include "world/state.h"

static const double SPACING = 0.1;

/* Sums in single precision may cross a threshold that they are so close to, and distances h. */
static const double DOUBT = 1e-4, DISTANCE_DOUBT = 1e-5;

typedef struct setting {
    int dim;
    weir_kernel kernel;
    bool periodic; /* along x, in place of walls there */
} setting;

/* ------------------------------------------------------------------- worlds */

/* A jittered pool of 12 layers, with spray above, where only one place in five is taken. */
static void fill_tank(weir_world *w, const setting *s, double length, double width)
{
    weir_fluid_id water = make_fluid(w, 1000, 0);
    int columns = (int)(length / SPACING + 0.5);
    int sheets = s->dim == 3 ? (int)(width / SPACING + 0.5) : 1;
    for (int n = 0; n < 24 * columns * sheets; n++) {
        const int at[3] = {n % columns, n / columns % 24, n / columns / 24};
        double x[3];
        for (int a = 0; a < 3; a++)
            x[a] = SPACING * (at[a] + 0.5 + 0.35 * (random_unit((uint64_t)a, (uint64_t)n) - 0.5));
        weir_vec3 place = v3(x[0], x[1], s->dim == 3 ? x[2] : 0);
        bool taken = at[1] < 12 || random_unit(7, (uint64_t)n) < 0.2;
        if (taken && weir_world_distance(w, place, NULL) > 0.02)
            assert_true(weir_world_add_particles(w, water, &place, 1, v3(0, 0, 0), NULL));
    }
}

static void add_ball(weir_world *w, weir_vec3 at)
{
    weir_body_def ball = weir_body_def_default();
    ball.shape.kind = WEIR_SHAPE_SPHERE;
    ball.shape.radius = 0.3;
    ball.pose.position = at;
    make_body(w, &ball);
}

/* As bodies do that fluid meets at contacts alone. */
static void fill_some_spans(flow *f)
{
    for (size_t i = 0; i < f->p.count; i++)
        if (f->walls.spans[i].count == 0 && f->p.id[i] % 17 == 0)
            f->walls.spans[i].volume = 0.2f;
}

/* Lists and solids are known; nothing has moved. */
static weir_world *make_pool(const setting *s)
{
    weir_world_def def = small_world_def(s->dim, SPACING);
    double length = s->dim == 3 ? 1.2 : 6, width = s->dim == 3 ? 1 : 0;
    def.kernel = s->kernel;
    if (s->periodic)
        def.period[0] = (weir_axis_period){true, 0, length};
    weir_world *w = make_world(&def);
    if (s->periodic) {
        weir_body_def floor = plane_def(v3(0, 0, 0), v3(0, 1, 0), WEIR_WALL_SLIP);
        make_body(w, &floor);
    } else
        make_tank(w, v3(0, 0, s->dim == 3 ? 0 : -1), v3(length, 4, s->dim == 3 ? width : 1));
    add_ball(w, v3(0.55 * length, 1, 0.5 * width));
    fill_tank(w, s, length, width);
    flow *f = &w->flow;
    weir_error error = {0};
    assert_true(world_prepare(w, &error));
    assert_true(neighbours_build(&f->near, &f->p, &error));
    assert_true(walls_find(&f->walls, &f->p, &f->near, f->bodies, f->body_count, &error));
    fill_some_spans(f);
    assert_true(f->near.cluster_count > CLUSTER_GRAIN);
    return w;
}

/* ----------------------------------------------------------------- the twin */

typedef enum answer { NO, MAYBE, YES } answer;

static answer compare(double value, double threshold, double doubt)
{
    return value > threshold + doubt ? YES : value < threshold - doubt ? NO : MAYBE;
}

/* Vector from j to the nearest image of i, and its length. */
static double separation(const flow *f, size_t i, size_t j, double r[3])
{
    double r2 = 0;
    for (int a = 0; a < f->dim; a++) {
        double period = f->period[a].hi - f->period[a].lo;
        r[a] = (double)f->p.x[a][i] - f->p.x[a][j];
        if (f->period[a].enabled)
            r[a] -= period * floor(r[a] / period + 0.5);
        r2 += r[a] * r[a];
    }
    return sqrt(r2);
}

static answer twin_is_open(const flow *f, size_t i)
{
    const wall_span *solids = &f->walls.spans[i];
    double volume = f->kappa * f->volume, gradient[3] = {0, 0, 0}, r[3], slope2 = 0;
    double sum = solids->volume + volume * kernel_value(f->kernel, f->dim, 0, f->h);
    for (size_t j = 0; j < f->p.count; j++) {
        double length = separation(f, i, j, r);
        if (j == i || length >= f->h)
            continue;
        sum += volume * kernel_value(f->kernel, f->dim, length, f->h);
        double slope = volume * kernel_derivative(f->kernel, f->dim, length, f->h) / length;
        for (int a = 0; a < f->dim; a++)
            gradient[a] += slope * r[a];
    }
    for (int a = 0; a < f->dim; a++) {
        for (uint32_t k = 0; k < solids->count; k++)
            gradient[a] += solids->contacts[k].gradient[a];
        slope2 += gradient[a] * gradient[a];
    }
    answer steep = compare(sqrt(slope2) * f->h, 0.8, DOUBT), empty = compare(0.8, sum, DOUBT);
    return steep > empty ? steep : empty;
}

static answer twin_sees_open(const flow *f, size_t i, const answer *open)
{
    answer best = NO;
    double r[3];
    for (size_t j = 0; j < f->p.count; j++) {
        answer near = compare(f->h, separation(f, i, j, r), DISTANCE_DOUBT * f->h);
        answer both = near < open[j] ? near : open[j];
        best = both > best ? both : best;
    }
    return best;
}

/* ------------------------------------------------------------------- checks */

/* How many of each answer the twin gave. */
typedef size_t tally[YES + 1];

static void check_mark(uint8_t mark, answer expected, tally count)
{
    count[expected]++;
    assert_true(mark <= 1);
    if (expected != MAYBE)
        assert_int_equal(mark, expected == YES);
}

static void check_tally(const tally count)
{
    size_t all = count[NO] + count[MAYBE] + count[YES];
    assert_true(count[NO] > all / 50);
    assert_true(count[YES] > all / 50);
    assert_true(count[MAYBE] <= all / 100);
}

enum { UNTOUCHED = 7 };

/* All marks, or with `number` those of some pools; others stay what they are. */
static void check_marks(const flow *f, const uint32_t *number, const uint32_t *pool_of)
{
    size_t count = f->p.count;
    uint8_t *open = calloc(2, count), *surface = open + count;
    answer *twin = calloc(count, sizeof *twin);
    tally of_open = {0}, of_surface = {0};
    memset(surface, UNTOUCHED, count);
    surface_find(f, number, pool_of, open, surface);
    for (size_t i = 0; i < count; i++)
        if (!number || number[pool_of[i]] != 0) {
            twin[i] = twin_is_open(f, i);
            check_mark(open[i], twin[i], of_open);
        } else
            assert_int_equal(open[i], 0);
    for (size_t i = 0; i < count; i++)
        if (!number || number[pool_of[i]] != 0)
            check_mark(surface[i], twin_sees_open(f, i, twin), of_surface);
        else
            assert_int_equal(surface[i], UNTOUCHED);
    check_tally(of_open);
    check_tally(of_surface);
    assert_true(of_surface[YES] > of_open[YES]);
    free(open);
    free(twin);
}

static void marks_equal_brute_force(void **state)
{
    for (int kernel = WEIR_KERNEL_WENDLAND_C2; kernel <= WEIR_KERNEL_SPIKY; kernel++)
        for (int periodic = 0; periodic < 2; periodic++) {
            setting s = {*(const int *)*state, (weir_kernel)kernel, periodic != 0};
            weir_world *w = make_pool(&s);
            check_marks(&w->flow, NULL, NULL);
            weir_world_destroy(w);
        }
}

/* Here pools are mixed within clusters, as none are, so that a lane too many is seen. */
static void only_wanted_pools_are_marked(void **state)
{
    static const uint32_t number[4] = {3, 0, 1, 2};
    setting s = {*(const int *)*state, WEIR_KERNEL_WENDLAND_C2, true};
    weir_world *w = make_pool(&s);
    const flow *f = &w->flow;
    uint32_t *pool_of = calloc(f->p.count, sizeof *pool_of);
    for (size_t i = 0; i < f->p.count; i++)
        pool_of[i] = i % 40 < 16 ? 1 : f->p.id[i] % 4;
    check_marks(f, number, pool_of);
    free(pool_of);
    weir_world_destroy(w);
}

static void same_marks_everywhere(void **state)
{
    static const int threads[] = {1, 3};
    setting s = {*(const int *)*state, WEIR_KERNEL_WENDLAND_C2, true};
    weir_world *w = make_pool(&s);
    flow *f = &w->flow;
    size_t count = 2 * f->p.count;
    uint8_t *first = calloc(2, count), *marks = first + count;
    surface_find(f, NULL, NULL, first, first + f->p.count);
    for (int level = 0; level <= (int)lane_level_last(); level++)
        for (size_t t = 0; t < COUNT_OF(threads); t++) {
            f->level = (lane_level)level;
            f->threads = threads[t];
            memset(marks, UNTOUCHED, count);
            surface_find(f, NULL, NULL, marks, marks + f->p.count);
            assert_memory_equal(marks, first, count);
        }
    free(first);
    weir_world_destroy(w);
}

int main(void)
{
    int flat = 2, solid = 3;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(marks_equal_brute_force, &flat),
        cmocka_unit_test_prestate(marks_equal_brute_force, &solid),
        cmocka_unit_test_prestate(only_wanted_pools_are_marked, &flat),
        cmocka_unit_test_prestate(only_wanted_pools_are_marked, &solid),
        cmocka_unit_test_prestate(same_marks_everywhere, &flat),
        cmocka_unit_test_prestate(same_marks_everywhere, &solid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
