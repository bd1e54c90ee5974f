/* Random numbers by counter: published values, spread, and independence of neighbouring streams. */
#include "base/error.h"
#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>

static void mixing_is_splitmix64(void **state)
{
    (void)state;
    /* The first outputs of SplitMix64 with seed 1234567, as its reference program gives them. */
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    assert_true(random_mix(1234567 + golden) == UINT64_C(6457827717110365317));
    assert_true(random_mix(1234567 + 2 * golden) == UINT64_C(3203168211198807973));
    assert_true(random_mix(1234567 + 3 * golden) == UINT64_C(9817491932198370423));
}

static void units_are_uniform(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    for (uint64_t seed = 0; seed < 4; seed++) {
        double sum = 0;
        double squares = 0;
        double products = 0; /* with the neighbouring stream */
        for (uint64_t i = 0; i < COUNT; i++) {
            double u = random_unit(seed, i) - 0.5;
            assert_true(u >= -0.5 && u < 0.5);
            sum += u;
            squares += u * u;
            products += u * (random_unit(seed + 1, i) - 0.5);
        }
        /* Five standard deviations of the sums. */
        assert_true(fabs(sum) < 5 * sqrt(COUNT / 12.0));
        assert_true(fabs(squares - COUNT / 12.0) < 5 * sqrt(COUNT / 180.0));
        assert_true(fabs(products) < 5 * sqrt(COUNT) / 12);
    }
}

static void every_bit_moves(void **state)
{
    (void)state;
    for (int bit = 0; bit < 64; bit++) {
        uint64_t ones = 0;
        for (uint64_t i = 0; i < 4096; i++)
            ones += random_bits(7, i) >> bit & 1;
        assert_in_range(ones, 2048 - 200, 2048 + 200);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixing_is_splitmix64),
        cmocka_unit_test(units_are_uniform),
        cmocka_unit_test(every_bit_moves),
    };
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
