/* Numbers with units: the same bits as the number written in SI, or a reason. */
#include "scene/quantity.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static double value_of(const char *text, const char *unit)
{
    double value = 0;
    quantity_result result = quantity_parse(text, unit, &value);
    if (result != QUANTITY_OK)
        print_message("'%s' in '%s'\n", text, unit ? unit : "");
    assert_int_equal(result, QUANTITY_OK);
    return value;
}

static void gives(const char *text, const char *unit, double expected)
{
    double value = value_of(text, unit);
    if (value != expected)
        print_message("'%s' gives %.17g, not %.17g\n", text, value, expected);
    assert_true(value == expected);
}

static void gives_about(const char *text, const char *unit, double expected)
{
    assert_true(fabs(value_of(text, unit) - expected) <= 4e-16 * fabs(expected));
}

static void is(const char *text, const char *unit, quantity_result expected)
{
    double value;
    if (quantity_parse(text, unit, &value) != expected)
        print_message("'%s' in '%s'\n", text, unit ? unit : "");
    assert_int_equal(quantity_parse(text, unit, &value), expected);
}

static void reads_numbers(void **state)
{
    (void)state;
    gives("5", NULL, 5);
    gives("-1.5e3", "m", -1500);
    gives("+.5", "m", 0.5);
    gives("5.", "m", 5);
    gives(" 5 ", "m", 5);
    gives("1e-400", "m", 0);
    gives("0.1000000000000000055511151231257827021181583404541015625", "m", 0.1);
    gives("1/120", "s", 1.0 / 120);
    gives("1 / 3", NULL, 1.0 / 3);
    gives("50 %", NULL, 0.5);
    gives("50 %", "1", 0.5);
}

static void reads_units_of_the_field(void **state)
{
    (void)state;
    gives("2 cm", "m", 0.02);
    gives("5cm", "m", 0.05);
    gives("3 km", "m", 3000);
    gives("15 um", "m", 15e-6);
    gives("5 ms", "s", 0.005);
    gives("2 min", "s", 120);
    gives("1/120 s", "s", 1.0 / 120);
    gives("1000/120 ms", "s", 1.0 / 120);
    gives("250 g", "kg", 0.25);
    gives("36 km/h", "m/s", 10);
    gives("1 g/cm3", "kg/m3", 1000);
    gives("1 cP", "Pa s", 0.001);
    gives("1 mPa s", "Pa s", 0.001);
    gives("72.8 mN/m", "N/m", 0.0728);
    gives("3 Hz", "Hz", 3);
    gives("3 1/s", "1/s", 3);
    gives("3 Hz", "1/s", 3);
    gives("60 l/min", "m3/s", 0.001);
    gives("7 W", "W", 7);
    gives_about("180 deg", "rad", 3.14159265358979323846);
    gives_about("60 rpm", "rad/s", 2 * 3.14159265358979323846);
}

static void reads_other_spellings(void **state)
{
    (void)state;
    gives("15 µm", "m", 15e-6);
    gives("15 μm", "m", 15e-6);
    gives("1 kg/m³", "kg/m3", 1);
    gives("1 kg/m^3", "kg/m3", 1);
    gives("1 g/cm3", "kg/m³", 1000);
    gives("2 Pa·s", "Pa s", 2);
    gives("2 Pa*s", "Pa s", 2);
    gives("2 Pa  s", "Pa s", 2);
    gives("3 L", "m3", 0.003);
    gives_about("90°", "rad", 1.57079632679489661923);
}

/* A prefix moves the decimal point and must not round: 7 cm is 0.07. */
static void prefixes_do_not_round(void **state)
{
    (void)state;
    for (int i = 1; i < 5000; i++) {
        char written[40], plain[40];
        snprintf(written, sizeof written, "%d.%d mm", i / 10, i % 10);
        snprintf(plain, sizeof plain, "%d.%de-3", i / 10, i % 10);
        assert_true(value_of(written, "m") == value_of(plain, "m"));
        snprintf(plain, sizeof plain, "0.%03d", i % 1000);
        snprintf(written, sizeof written, "%d g", i % 1000);
        assert_true(value_of(written, "kg") == value_of(plain, "kg"));
    }
}

static void refuses_the_rest(void **state)
{
    (void)state;
    is("", "m", QUANTITY_NOT_A_NUMBER);
    is("heavy", "m", QUANTITY_NOT_A_NUMBER);
    is("-", "m", QUANTITY_NOT_A_NUMBER);
    is("cm", "m", QUANTITY_NOT_A_NUMBER);
    is("1,5", "m", QUANTITY_NOT_A_NUMBER);
    is("1_000", "m", QUANTITY_NOT_A_NUMBER);
    is("1/", "m", QUANTITY_NOT_A_NUMBER);
    is("1//2", "m", QUANTITY_NOT_A_NUMBER);
    is("5 s", "m", QUANTITY_WRONG_UNIT);
    is("5 m", NULL, QUANTITY_WRONG_UNIT);
    is("5 m", "1", QUANTITY_WRONG_UNIT);
    is("5 m m", "m", QUANTITY_WRONG_UNIT);
    is("5 CM", "m", QUANTITY_WRONG_UNIT);
    is("5 %", "m", QUANTITY_WRONG_UNIT);
    is("0x10", "m", QUANTITY_WRONG_UNIT);
    is("5 a unit that is longer than any that there is", "m", QUANTITY_WRONG_UNIT);
    is("1e999", "m", QUANTITY_NOT_FINITE);
    is("1e308 km", "m", QUANTITY_NOT_FINITE);
    is("1e99999999999999999999", "m", QUANTITY_NOT_FINITE);
    is("1/0", "m", QUANTITY_NOT_FINITE);
    is("0/0", "m", QUANTITY_NOT_FINITE);
    is(".nan", "m", QUANTITY_NOT_FINITE);
    is("-.INF", "m", QUANTITY_NOT_FINITE);
    is("NaN", "m", QUANTITY_NOT_FINITE);
}

static void reads_whole_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        quantity_result result;
        int64_t value;
    } cases[] = {
        {"12", QUANTITY_OK, 12},
        {"-3", QUANTITY_OK, -3},
        {"1e6", QUANTITY_OK, 1000000},
        {"2.0", QUANTITY_OK, 2},
        {"9007199254740992", QUANTITY_OK, INT64_C(9007199254740992)},
        {"9007199254740994", QUANTITY_NOT_A_NUMBER, 0},
        {"1e300", QUANTITY_NOT_A_NUMBER, 0},
        {"1.5", QUANTITY_NOT_A_NUMBER, 0},
        {"1 m", QUANTITY_NOT_A_NUMBER, 0},
        {"one", QUANTITY_NOT_A_NUMBER, 0},
        {".inf", QUANTITY_NOT_FINITE, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t value = 0;
        assert_int_equal(quantity_parse_integer(cases[i].text, &value), cases[i].result);
        assert_true(value == cases[i].value);
    }
}

static void names_the_alternatives(void **state)
{
    (void)state;
    assert_string_equal(quantity_alternative("kg/m³", 0), "g/cm3");
    assert_string_equal(quantity_alternative("kg/m3", 1), "kg/l");
    assert_null(quantity_alternative("kg/m3", 2));
    assert_null(quantity_alternative("W", 0));
    assert_string_equal(quantity_alternative(NULL, 0), "%");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_numbers),          cmocka_unit_test(reads_units_of_the_field),
        cmocka_unit_test(reads_other_spellings),  cmocka_unit_test(prefixes_do_not_round),
        cmocka_unit_test(refuses_the_rest),       cmocka_unit_test(reads_whole_numbers),
        cmocka_unit_test(names_the_alternatives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
