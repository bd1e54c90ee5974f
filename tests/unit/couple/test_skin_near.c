/* Samples near a place, against a look at each of them. */
#include "base/random.h"
#include "couple/skin_near.h"
#include "support/counting_memory.h"
#include "support/unit.h"

enum { SAMPLES = 700, PLACES = 400 };
static const double REACH = 0.3;

static surface_point points[SAMPLES];
static bool wanted[SAMPLES];

static vec3 random_place(int dim, uint64_t seed, uint64_t n)
{
    return (vec3){4 * random_unit(seed, 3 * n) - 2, 4 * random_unit(seed, 3 * n + 1) - 2,
                  dim == 3 ? random_unit(seed, 3 * n + 2) : 0};
}

static surface_samples scatter(int dim, double share)
{
    for (size_t n = 0; n < SAMPLES; n++) {
        points[n] = (surface_point){.position = random_place(dim, 1, n)};
        wanted[n] = random_unit(2, n) < share;
    }
    return (surface_samples){.points = points, .count = SAMPLES, .capacity = SAMPLES};
}

/* Every sample within reach once, and no other. Returns how many. */
static size_t check_place(skin_near *s, const bool *listed, vec3 place, double reach, int dim)
{
    size_t times[SAMPLES] = {0};
    skin_near_find(s, place, reach, dim);
    for (size_t k = 0; k < s->count; k++)
        times[s->found[k]]++;
    for (size_t n = 0; n < SAMPLES; n++) {
        vec3 off = vec3_sub(points[n].position, place);
        bool near = vec3_dot(off, off) < reach * reach && (!listed || listed[n]);
        assert_int_equal(times[n], near);
    }
    return s->count;
}

static void finds_what_is_near(void **state)
{
    (void)state;
    counting_memory counter;
    weir_hooks hooks = counting_hooks(&counter);
    memory m = memory_with_hooks(&hooks);
    skin_near s = {0};
    for (int dim = 2; dim <= 3; dim++) {
        /* Few are looked at one by one. */
        static const double shares[] = {1, 0.45, 0.1};
        for (size_t k = 0; k < COUNT_OF(shares); k++) {
            surface_samples skin = scatter(dim, shares[k]);
            const bool *listed = shares[k] < 1 ? wanted : NULL;
            size_t found = 0;
            assert_true(skin_near_list(&s, &m, &skin, listed, REACH));
            for (uint64_t n = 0; n < PLACES; n++)
                found += check_place(&s, listed, random_place(dim, 3, n),
                                     n % 2 == 0 ? REACH : REACH / 2, dim);
            assert_true((double)found > 0.8 * shares[k] * PLACES);
        }
    }
    /* Its memory serves again. */
    size_t calls = counter.calls;
    surface_samples skin = scatter(3, 1);
    assert_true(skin_near_list(&s, &m, &skin, NULL, 2 * REACH));
    assert_int_equal(counter.calls, calls);
    skin_near_free(&s, &m);
    assert_int_equal(counter.live_blocks, 0);
}

static void no_memory_is_told(void **state)
{
    (void)state;
    surface_samples skin = scatter(2, 1);
    counting_memory counter;
    weir_hooks hooks = counting_hooks(&counter);
    memory m = memory_with_hooks(&hooks);
    bool done = false;
    for (size_t left = 0; !done; left++) {
        skin_near s = {0};
        counter.calls_left = left;
        done = skin_near_list(&s, &m, &skin, NULL, REACH);
        skin_near_free(&s, &m);
        assert_int_equal(counter.live_blocks, 0);
        assert_true(left < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_what_is_near),
                                       cmocka_unit_test(no_memory_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
