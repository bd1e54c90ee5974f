#include "scene/quantity.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* value in `unit` = value in `suffix` · 10^power · times / over */
typedef struct conversion {
    const char *unit, *suffix;
    int power;
    double times, over;
} conversion;

static const conversion conversions[] = {
    {"m", "km", 3, 1, 1},         {"m", "cm", -2, 1, 1},       {"m", "mm", -3, 1, 1},
    {"m", "um", -6, 1, 1},        {"m2", "cm2", -4, 1, 1},     {"m2", "mm2", -6, 1, 1},
    {"m3", "l", -3, 1, 1},        {"m3", "ml", -6, 1, 1},      {"m3", "cm3", -6, 1, 1},
    {"s", "ms", -3, 1, 1},        {"s", "us", -6, 1, 1},       {"s", "min", 0, 60, 1},
    {"s", "h", 0, 3600, 1},       {"Hz", "kHz", 3, 1, 1},      {"Hz", "1/s", 0, 1, 1},
    {"1/s", "Hz", 0, 1, 1},       {"kg", "g", -3, 1, 1},       {"kg", "mg", -6, 1, 1},
    {"kg", "t", 3, 1, 1},         {"rad", "deg", 0, PI, 180},  {"rad/s", "deg/s", 0, PI, 180},
    {"rad/s", "rpm", 0, PI, 30},  {"m/s", "cm/s", -2, 1, 1},   {"m/s", "mm/s", -3, 1, 1},
    {"m/s", "km/h", 1, 1, 36},    {"m/s2", "cm/s2", -2, 1, 1}, {"m3/s", "l/s", -3, 1, 1},
    {"m3/s", "l/min", -3, 1, 60}, {"m3/s", "ml/s", -6, 1, 1},  {"kg/s", "g/s", -3, 1, 1},
    {"kg/m3", "g/cm3", 3, 1, 1},  {"kg/m3", "kg/l", 3, 1, 1},  {"Pa", "hPa", 2, 1, 1},
    {"Pa", "kPa", 3, 1, 1},       {"Pa", "MPa", 6, 1, 1},      {"Pa", "bar", 5, 1, 1},
    {"Pa s", "mPa s", -3, 1, 1},  {"Pa s", "cP", -3, 1, 1},    {"m2/s", "mm2/s", -6, 1, 1},
    {"m2/s", "cSt", -6, 1, 1},    {"N", "mN", -3, 1, 1},       {"N", "kN", 3, 1, 1},
    {"N m", "mN m", -3, 1, 1},    {"N m", "kN m", 3, 1, 1},    {"N/m", "mN/m", -3, 1, 1},
    {"N/m", "kN/m", 3, 1, 1},     {"", "%", -2, 1, 1},
};
enum { CONVERSIONS = sizeof conversions / sizeof conversions[0] };

/* Spellings of one character, to the one of the table above. */
static const struct {
    const char *from, *to;
} spellings[] = {
    {"²", "2"}, {"³", "3"}, {"µ", "u"},   {"μ", "u"}, {"·", " "},
    {"*", " "}, {"^", ""},  {"°", "deg"}, {"L", "l"},
};

enum { UNIT_BYTES = 32, NUMBER_BYTES = 100 };

/* Writes `text` in the spelling of the table; false where it is too long to be a unit. */
static bool normalize(const char *text, char unit[UNIT_BYTES])
{
    size_t used = 0;
    while (*text) {
        char one[2] = {*text, 0};
        const char *to = one;
        size_t step = 1;
        for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++)
            if (strncmp(text, spellings[i].from, strlen(spellings[i].from)) == 0) {
                to = spellings[i].to;
                step = strlen(spellings[i].from);
            }
        if (used + strlen(to) >= UNIT_BYTES)
            return false;
        bool repeated = *to == ' ' && (used == 0 || unit[used - 1] == ' ');
        if (!repeated) {
            memcpy(unit + used, to, strlen(to));
            used += strlen(to);
        }
        text += step;
    }
    while (used > 0 && unit[used - 1] == ' ')
        used--;
    unit[used] = '\0';
    return true;
}

/* The unit of a field; pure numbers have the unit 1, or none. */
static bool normalize_wanted(const char *unit, char wanted[UNIT_BYTES])
{
    return normalize(!unit || strcmp(unit, "1") == 0 ? "" : unit, wanted);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *c)
{
    while (is_digit(*c))
        c++;
    return c;
}

static const char *skip_spaces(const char *c)
{
    while (*c == ' ' || *c == '\t')
        c++;
    return c;
}

typedef struct number_span {
    const char *begin, *exponent, *end; /* exponent: the 'e', or the end */
} number_span;

/* Finds [-+]?(digits[.digits]|.digits)[e[-+]digits] at `c`; false where there is none. */
static bool scan_number(const char *c, number_span *span)
{
    span->begin = c;
    if (*c == '-' || *c == '+')
        c++;
    const char *whole = c;
    c = skip_digits(c);
    bool has_digits = c > whole;
    if (*c == '.') {
        const char *part = ++c;
        c = skip_digits(c);
        has_digits = has_digits || c > part;
    }
    if (!has_digits)
        return false;
    span->exponent = span->end = c;
    if (*c == 'e' || *c == 'E') {
        c++;
        if (*c == '-' || *c == '+')
            c++;
        if (is_digit(*c))
            span->end = skip_digits(c);
    }
    return true;
}

/* The span's value times 10^power. The C locale, because a host may have set another. */
static double read_span(number_span span, int power)
{
    char text[NUMBER_BYTES + 32];
    size_t mantissa = (size_t)(span.exponent - span.begin);
    long exponent = 0;
    if (span.end > span.exponent)
        exponent = strtol(span.exponent + 1, NULL, 10);
    if (mantissa > NUMBER_BYTES)
        return NAN;
    if (exponent > 100000 || exponent < -100000)
        exponent = exponent > 0 ? 100000 : -100000;
    snprintf(text, sizeof text, "%.*se%ld", (int)mantissa, span.begin, exponent + power);
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = plain ? strtod_l(text, NULL, plain) : NAN;
    if (plain)
        freelocale(plain);
    return value;
}

static bool is_special(const char *text)
{
    static const char *const names[] = {".nan", ".inf", "nan", "inf", "infinity"};
    if (*text == '-' || *text == '+')
        text++;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcasecmp(text, names[i]) == 0)
            return true;
    return false;
}

bool quantity_is_plain(const char *text)
{
    number_span span;
    if (scan_number(text, &span))
        return *span.end == '\0';
    return strchr(text, '.') && is_special(text);
}

/* The conversion from `suffix` to `unit`, both as normalize() writes them. */
static bool find_conversion(const char *unit, const char *suffix, conversion *found)
{
    *found = (conversion){unit, suffix, 0, 1, 1};
    if (strcmp(suffix, unit) == 0 || *suffix == '\0')
        return true;
    for (int i = 0; i < CONVERSIONS; i++)
        if (strcmp(conversions[i].unit, unit) == 0 && strcmp(conversions[i].suffix, suffix) == 0) {
            *found = conversions[i];
            return true;
        }
    return false;
}

quantity_result quantity_parse(const char *text, const char *unit, double *value)
{
    number_span top, bottom = {0};
    text = skip_spaces(text);
    if (is_special(text))
        return QUANTITY_NOT_FINITE;
    if (!scan_number(text, &top))
        return QUANTITY_NOT_A_NUMBER;
    const char *rest = skip_spaces(top.end);
    bool is_fraction = false;
    if (*rest == '/' && scan_number(skip_spaces(rest + 1), &bottom)) {
        is_fraction = true;
        rest = skip_spaces(bottom.end);
    }
    /* What follows must look like a unit, or "1,5" would be told to have the unit ",5". */
    bool has_unit = isalpha((unsigned char)*rest) || *rest == '%' || *rest == '1' ||
                    (unsigned char)*rest >= 0x80;
    if (*rest && !has_unit)
        return QUANTITY_NOT_A_NUMBER;
    char wanted[UNIT_BYTES], suffix[UNIT_BYTES];
    conversion by;
    if (!normalize_wanted(unit, wanted) || !normalize(rest, suffix) ||
        !find_conversion(wanted, suffix, &by))
        return QUANTITY_WRONG_UNIT;
    double result = read_span(top, by.power);
    if (is_fraction)
        result /= read_span(bottom, 0);
    result = result * by.times / by.over;
    if (!isfinite(result))
        return QUANTITY_NOT_FINITE;
    *value = result;
    return QUANTITY_OK;
}

quantity_result quantity_parse_integer(const char *text, int64_t *value)
{
    number_span span;
    if (is_special(text))
        return QUANTITY_NOT_FINITE;
    if (!scan_number(text, &span) || *span.end)
        return QUANTITY_NOT_A_NUMBER;
    double number = read_span(span, 0);
    /* Beyond 2^53 not every integer is a double. */
    if (!(fabs(number) <= 9007199254740992.0) || number != floor(number))
        return QUANTITY_NOT_A_NUMBER;
    *value = (int64_t)number;
    return QUANTITY_OK;
}

const char *quantity_alternative(const char *unit, int i)
{
    char wanted[UNIT_BYTES];
    if (!normalize_wanted(unit, wanted))
        return NULL;
    for (int k = 0; k < CONVERSIONS; k++)
        if (strcmp(conversions[k].unit, wanted) == 0 && i-- == 0)
            return conversions[k].suffix;
    return NULL;
}
