/* Numbers as people write them in a scene: 0.02, "2 cm", "1/120 s", "36 km/h".
 * A decimal prefix moves the decimal point of the text before it is read, so that "7 cm" has
 * the same bits as 0.07. */
#ifndef WEIR_SCENE_QUANTITY_H
#define WEIR_SCENE_QUANTITY_H

#include "weir/types.h"

typedef enum quantity_result {
    QUANTITY_OK,
    QUANTITY_NOT_A_NUMBER,
    QUANTITY_NOT_FINITE, /* .nan, .inf, 1e999, 1/0 */
    QUANTITY_WRONG_UNIT,
} quantity_result;

/* Reads a number, or a fraction of two, with an optional unit. `unit` is the SI unit of the
 * value ("m", "kg/m3", "Pa s"), or NULL or "1" for a pure number. */
quantity_result quantity_parse(const char *text, const char *unit, double *value);

/* A whole number without a unit. Also reads 1e6, which YAML and JSON count as one. */
quantity_result quantity_parse_integer(const char *text, int64_t *value);

/* Whether YAML takes the text for a number: 5, -1.5e3, .nan, -.inf, but not 2 cm. */
bool quantity_is_plain(const char *text);

/* The i-th other unit that is accepted where `unit` is expected; NULL behind the last. */
const char *quantity_alternative(const char *unit, int i);

#endif
