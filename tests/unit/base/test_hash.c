/* The hash against values of the reference program, and its independence of the pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"

enum { LENGTH = 300 };

static void fill(unsigned char *bytes)
{
    for (int i = 0; i < LENGTH; i++)
        bytes[i] = (unsigned char)(i * 7 + 3);
}

/* Values made with xxhsum's library (XXH64). */
static void matches_the_reference(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed;
        size_t length;
        uint64_t hash;
    } cases[] = {
        {0, 0, UINT64_C(0xef46db3751d8e999)},
        {0, 1, UINT64_C(0x1f25c8d0bc1f4bb6)},
        {0, 3, UINT64_C(0x31d2363f52e564c9)},
        {0, 4, UINT64_C(0x9bb64b7d66ee9fda)},
        {0, 7, UINT64_C(0x9a7b149959ce60d8)},
        {0, 8, UINT64_C(0xdab99d95c6f90092)},
        {0, 12, UINT64_C(0xd52e407833af5133)},
        {0, 16, UINT64_C(0x434850232b787be2)},
        {0, 31, UINT64_C(0xa2aa5f33cc4a6119)},
        {0, 32, UINT64_C(0x23c3c17ef790fd97)},
        {0, 33, UINT64_C(0x50a7cfc7ba588784)},
        {0, 63, UINT64_C(0x5e3e54b431c7493c)},
        {0, 64, UINT64_C(0x0eb64b3ef6eeb01f)},
        {0, 101, UINT64_C(0xbad4d3bf033bda4c)},
        {0, 300, UINT64_C(0x240004dbee0ba6dc)},
        {UINT64_C(0x123456789abcdef0), 0, UINT64_C(0x7fef5b0c316777ed)},
        {UINT64_C(0x123456789abcdef0), 7, UINT64_C(0x8ba3f8e8dcfc9a32)},
        {UINT64_C(0x123456789abcdef0), 31, UINT64_C(0x2c9e9c9d631d0aaa)},
        {UINT64_C(0x123456789abcdef0), 32, UINT64_C(0xd1dc5d84aebdafb4)},
        {UINT64_C(0x123456789abcdef0), 300, UINT64_C(0x759f30907981b27e)},
    };
    unsigned char bytes[LENGTH];
    fill(bytes);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_true(hash_bytes(cases[i].seed, bytes, cases[i].length) == cases[i].hash);
    assert_true(hash_bytes(0, "abc", 3) == UINT64_C(0x44bc2cf5ad770999));
    assert_true(hash_bytes(0, NULL, 0) == UINT64_C(0xef46db3751d8e999));
}

static void does_not_depend_on_the_pieces(void **state)
{
    (void)state;
    unsigned char bytes[LENGTH];
    fill(bytes);
    uint64_t whole = hash_bytes(5, bytes, LENGTH);
    for (size_t first = 0; first <= 70; first++) {
        for (size_t piece = 1; piece <= 70; piece++) {
            hash_state hash = hash_begin(5);
            hash_add(&hash, bytes, first);
            for (size_t at = first; at < LENGTH; at += piece)
                hash_add(&hash, bytes + at, at + piece < LENGTH ? piece : LENGTH - at);
            hash_add(&hash, NULL, 0);
            assert_true(hash_end(&hash) == whole);
        }
    }
}

static void goes_on_after_an_end(void **state)
{
    (void)state;
    unsigned char bytes[LENGTH];
    fill(bytes);
    hash_state hash = hash_begin(0);
    for (size_t i = 0; i < LENGTH; i++) {
        assert_true(hash_end(&hash) == hash_bytes(0, bytes, i));
        hash_add(&hash, bytes + i, 1);
    }
}

static int count_bits(uint64_t value)
{
    int count = 0;
    for (; value; value &= value - 1)
        count++;
    return count;
}

/* One changed bit changes about half of the bits of the hash, wherever it is. */
static void mixes_every_bit(void **state)
{
    (void)state;
    unsigned char bytes[LENGTH];
    for (size_t length = 1; length <= 100; length += 9) {
        fill(bytes);
        uint64_t before = hash_bytes(0, bytes, length);
        double mean = 0;
        for (size_t bit = 0; bit < 8 * length; bit++) {
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            int changed = count_bits(before ^ hash_bytes(0, bytes, length));
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            assert_in_range(changed, 8, 56);
            mean += changed / (8.0 * (double)length);
        }
        assert_true(mean > 28 && mean < 36);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_the_reference),
        cmocka_unit_test(does_not_depend_on_the_pieces),
        cmocka_unit_test(goes_on_after_an_end),
        cmocka_unit_test(mixes_every_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
