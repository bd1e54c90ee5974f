/* Damaged scenes: no bytes may crash, hang or leak. Some thousand mutations of good texts go
 * through parsing, an override, binding and the messages. Run it with the sanitizers to see the
 * most. */
#include "base/random.h"
#include "sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CASES = 20000, CAPACITY = 8192 };

static const char *const pieces[] = {
    "[",
    "]",
    "{",
    "}",
    ": ",
    "- ",
    "\n",
    "  ",
    "\t",
    ",",
    "&a ",
    "*a",
    "<<: ",
    "#",
    "'",
    "\"",
    "|\n",
    ">",
    "---\n",
    "...\n",
    "%",
    "!!x ",
    "? ",
    "~",
    "null",
    ".nan",
    "-.inf",
    "1e999",
    "-1",
    "0",
    "\"\\0",
    "\xff",
    "\xef\xbb\xbf",
    "\xc2",
    "\x01",
    "99999999999999999999",
    "1/0",
    " cm",
    "fluids",
    "shape: union\n",
};
enum { PIECES = sizeof pieces / sizeof pieces[0] };

static const char json_text[] =
    "{\"fluids\": {\"water\": {\"density\": 1000, \"color\": [0, 0.5, 1]}},\n"
    " \"solids\": [{\"shape\": \"union\", \"items\": [{\"shape\": \"ball\", \"radius\": \"2 "
    "cm\"}]}],\n"
    " \"gravity\": [0, -9.81, 0], \"solver\": \"pbf\", \"dt\": \"1/120\"}\n";

static const char *const overrides[] = {
    "fluids.water.density=5",
    "sources.tap.rate=1 l/s",
    "solids.0.items.1.radius=-1",
    "solids.0={shape: ball}",
    "a.b.c.d=[1, {e: f}]",
    "dt=&x [*x",
    "title=",
    "...=1",
};
enum { OVERRIDES = sizeof overrides / sizeof overrides[0] };

typedef struct dice {
    uint64_t seed, counter;
} dice;

static size_t roll(dice *d, size_t sides)
{
    return (size_t)(random_bits(d->seed, d->counter++) % (uint64_t)sides);
}

/* Puts `count` bytes in place of `cut` bytes at `place`, as far as they fit. */
static size_t splice(char *text, size_t length, size_t place, size_t cut, const char *bytes,
                     size_t count)
{
    if (length - cut + count > CAPACITY)
        return length;
    memmove(text + place + count, text + place + cut, length - place - cut);
    memcpy(text + place, bytes, count);
    return length - cut + count;
}

static size_t mutate(dice *d, char *text, size_t length)
{
    size_t place = roll(d, length + 1), span = roll(d, 30);
    span = span > length - place ? length - place : span;
    char copy[30];
    memcpy(copy, text + place, span);
    switch (roll(d, 5)) {
    case 0: /* a byte changed */
        if (place < length)
            text[place] = (char)roll(d, 256);
        return length;
    case 1: /* a part lost */
        return splice(text, length, place, span, "", 0);
    case 2: /* a part repeated elsewhere */
        return splice(text, length, roll(d, length + 1), 0, copy, span);
    case 3: /* cut off */
        return roll(d, 4) == 0 ? place : length;
    default: { /* a piece of YAML put in */
        const char *piece = pieces[roll(d, PIECES)];
        return splice(text, length, place, 0, piece, strlen(piece));
    }
    }
}

/* The whole way of a scene. Returns whether it was accepted. */
static bool load(dice *d, const char *text, size_t length)
{
    tree_limits limits = tree_limits_default();
    limits.nodes = 3000;
    weir_error error = {0};
    sample_scene scene;
    tree *t = tree_parse(text, length, "a.yaml", &limits, &error);
    bool ok =
        t && (roll(d, 2) || tree_set(t, "--set", overrides[roll(d, OVERRIDES)], &error)) &&
        record_bind(&sample_scene_record, t->root, &scene, &t->memory,
                    &(bind_options){.folder = "/no/such", .dim = (int)roll(d, 2) * 2}, &error);
    tree_free(t);
    assert_int_equal(error.code == WEIR_OK, ok);
    assert_int_equal(error.text[0] == '\0', ok);
    assert_true(strlen(error.text) < sizeof error.text);
    return ok;
}

static void survives_mutations(void **state)
{
    (void)state;
    char *text = malloc(CAPACITY);
    assert_non_null(text);
    int accepted = 0;
    for (uint64_t i = 0; i < CASES; i++) {
        dice d = {i, 0};
        const char *from = i % 4 == 0 ? json_text : sample_text;
        size_t length = strlen(from), changes = 1 + roll(&d, 6);
        memcpy(text, from, length);
        for (size_t k = 0; k < changes; k++)
            length = mutate(&d, text, length);
        accepted += load(&d, text, length);
    }
    free(text);
    /* Both ways were gone. */
    assert_in_range(accepted, CASES / 100, CASES / 2);
}

static void survives_noise(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 2000; i++) {
        dice d = {i + CASES, 0};
        char text[200];
        size_t length = roll(&d, sizeof text);
        for (size_t k = 0; k < length; k++)
            text[k] = i % 2 ? (char)roll(&d, 256) : "[]{}:-,&*#'\"|>%!? \na1"[roll(&d, 21)];
        load(&d, text, length);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_mutations),
        cmocka_unit_test(survives_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
