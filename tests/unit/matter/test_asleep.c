/* Cells of sleeping fluid against all pairs; particles that sleep in the arrays of others. */
#include "base/random.h"
#include "matter/asleep.h"
#include "support/unit.h"

enum { POOLS = 40, PER_POOL = 12, AWAKE = 30 };

/* Pools are balls of a few particles, strewn at random; awake particles likewise. */
static flow make_flow(memory *m, int dim, bool periodic, uint64_t seed)
{
    flow f = {.dim = dim, .threads = 2, .spacing = 0.1, .h = 0.25, .mem = m};
    f.near.h = 0.25;
    f.near.periodic = periodic;
    for (int a = 0; a < dim; a++)
        f.period[a] = (weir_axis_period){periodic, -1, 2};
    particles_init(&f.p, dim, 1, 0);
    f.p.may_sleep = true;
    size_t total = AWAKE + POOLS * PER_POOL;
    assert_true(particles_reserve(&f.p, m, total));
    particles_append(&f.p, total);
    f.p.count = AWAKE;
    for (size_t i = 0; i < total; i++) {
        size_t pool = i < AWAKE ? 0 : (i - AWAKE) % POOLS + 1;
        f.p.pool[i] = (uint32_t)pool;
        for (int a = 0; a < dim; a++) {
            double middle = i < AWAKE ? -1 + 3 * random_unit(seed + (uint64_t)a, i)
                                      : -1 + 3 * random_unit(seed + 10 + (uint64_t)a, pool);
            double x = middle + (i < AWAKE ? 0 : 0.2 * random_unit(seed + 20 + (uint64_t)a, i));
            f.p.x[a][i] = (float)(x >= 2 ? x - 3 : x);
        }
    }
    return f;
}

static double find_distance(const flow *f, size_t i, size_t j)
{
    double sum = 0;
    for (int a = 0; a < f->dim; a++) {
        double r = fabs((double)f->p.x[a][i] - f->p.x[a][j]);
        if (f->period[a].enabled)
            r = fmin(r, 3 - r);
        sum += r * r;
    }
    return sqrt(sum);
}

static void check_near_fluid(int dim, bool periodic, uint64_t seed)
{
    memory m = memory_with_hooks(NULL);
    flow f = make_flow(&m, dim, periodic, seed);
    asleep_memory s = {0};
    assert_true(asleep_rebuild(&s, &f));
    assert_int_equal(s.pool_count, POOLS);
    /* One wakes and another sleeps again: neither leaves anything behind. */
    asleep_forget(&s, 3);
    asleep_mark_near_fluid(&s, &f, 0);
    size_t woken = 0;
    for (uint32_t pool = 1; pool <= POOLS; pool++) {
        bool near = false;
        for (size_t j = AWAKE; j < f.p.total; j++)
            for (size_t i = 0; i < AWAKE && f.p.pool[j] == pool; i++)
                near = near || find_distance(&f, i, j) < f.near.h;
        near = near && pool != 3;
        assert_int_equal(atomic_load(&s.pools[pool - 1].wakes), near);
        woken += near;
    }
    assert_in_range(woken, 1, POOLS - 1);
    assert_int_equal(asleep_next_number(&s, 1), 3);
    assert_int_equal(asleep_next_number(&s, 4), POOLS + 1);
    asleep_free(&s, &m);
    particles_free(&f.p, &m);
    assert_int_equal(m.bytes, 0);
}

static void test_fluid_that_comes_near_is_found(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        check_near_fluid(2, false, 100 * seed);
        check_near_fluid(2, true, 100 * seed);
        check_near_fluid(3, false, 100 * seed);
        check_near_fluid(3, true, 100 * seed);
    }
}

static const vec3 ball_at = {0.3, 0.4, 0.2};

static double distance_to_ball(const void *context, vec3 place)
{
    const double *radius = context;
    return vec3_length(vec3_sub(place, ball_at)) - *radius;
}

static void test_visitors_are_found(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        memory m = memory_with_hooks(NULL);
        flow f = make_flow(&m, 3, false, 1000 + 100 * seed);
        asleep_memory s = {0};
        double radius = 0.02 * (double)(seed + 1);
        vec3 half = {radius, radius, radius};
        bounds box = {vec3_sub(ball_at, half), vec3_add(ball_at, half)};
        asleep_visitor visitor = {distance_to_ball, &radius, box, 0.25};
        assert_true(asleep_add(&s, &f, AWAKE, f.p.total));
        asleep_mark_near(&s, &f, &visitor);
        for (uint32_t pool = 1; pool <= POOLS; pool++) {
            bool near = false;
            for (size_t j = AWAKE; j < f.p.total; j++)
                near = near || (f.p.pool[j] == pool &&
                                distance_to_ball(&radius, flow_position(&f, j)) < 0.25);
            assert_int_equal(atomic_load(&s.pools[pool - 1].wakes), near);
        }
        asleep_free(&s, &m);
        particles_free(&f.p, &m);
    }
}

/* Everything of a particle goes where it goes: x is made of its id. */
static void check_particles(const particles *p, size_t count, size_t total)
{
    assert_int_equal(p->count, count);
    assert_int_equal(p->total, total);
    for (size_t i = 0; i < total; i++) {
        assert_true(p->x[0][i] == (float)p->id[i]);
        assert_true(p->field[0][i] == (float)p->id[i] + 0.5f);
        assert_int_equal(p->fluid[i], p->id[i] % 7);
        assert_int_equal(p->pool[i], i < count ? 0 : p->id[i] + 1);
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(p->id[i], p->id[k]);
    }
}

static void name_particles(particles *p, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        p->x[0][i] = (float)p->id[i];
        p->field[0][i] = (float)p->id[i] + 0.5f;
        p->fluid[i] = (uint8_t)(p->id[i] % 7);
    }
}

static void test_sleepers_make_room(void **state)
{
    (void)state;
    memory m = memory_with_hooks(NULL);
    particles p;
    particles_init(&p, 2, 1, 1);
    p.may_sleep = true;
    assert_true(particles_reserve(&p, &m, 10));
    particles_append(&p, 10);
    name_particles(&p, 0, 10);
    for (size_t i = 4; i < 10; i++)
        p.pool[i] = p.id[i] + 1;
    p.count = 4;
    for (size_t added = 1; added <= 9; added += 4) { /* less and more than sleep */
        assert_true(particles_reserve(&p, &m, p.total + added));
        size_t first = particles_append(&p, added);
        assert_int_equal(first, p.count - added);
        name_particles(&p, first, p.count);
    }
    check_particles(&p, 4 + 1 + 5 + 9, 10 + 1 + 5 + 9);
    uint32_t order[19];
    for (uint32_t k = 0; k < 19; k++)
        order[k] = 18 - k;
    particles_permute(&p, order, 2);
    check_particles(&p, 19, 25);
    /* few and many are removed */
    uint8_t gone[19] = {0};
    gone[0] = gone[7] = 1;
    particles_compact(&p, gone);
    check_particles(&p, 17, 23);
    memset(gone, 1, sizeof gone);
    gone[2] = 0;
    particles_compact(&p, gone);
    check_particles(&p, 1, 7);
    const uint32_t turned[6] = {6, 5, 4, 3, 2, 1};
    particles_rearrange(&p, 1, 7, turned);
    check_particles(&p, 1, 7);
    particles_free(&p, &m);
    assert_int_equal(m.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fluid_that_comes_near_is_found),
        cmocka_unit_test(test_visitors_are_found),
        cmocka_unit_test(test_sleepers_make_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
