/* Colour maps whose steps look equal: built in Oklab, so that lightness is linear in the value. */
#ifndef WEIR_DRAW_COLOUR_MAP_H
#define WEIR_DRAW_COLOUR_MAP_H

#include "weir/types.h"

typedef enum draw_colour_map {
    DRAW_MAP_SEQUENTIAL, /* dark violet over teal to yellow: one direction */
    DRAW_MAP_DIVERGING,  /* blue over white to red: two directions from a middle */
    DRAW_MAP_COUNT,
} draw_colour_map;

/* The colour of a value between 0 and 1, as sRGB 0 to 1. */
void draw_colour_at(draw_colour_map map, double value, float rgb[3]);

/* Colours of fluids and bodies by number: easy to tell apart, also for the colour-blind. */
void draw_colour_of_fluid(int index, float rgb[3]);
void draw_colour_of_body(int index, float rgb[3]);

/* sRGB to linear light and back. */
float draw_colour_to_linear(float value);
float draw_colour_to_srgb(float value);

/* Round numbers for a legend between low and high, ascending: returns how many (at most 12) and
 * the decimals they need. */
enum { DRAW_MAX_TICKS = 12 };
int draw_ticks(double low, double high, int wanted, double ticks[DRAW_MAX_TICKS]);

/* A number as short as the step between ticks allows. */
void draw_format_tick(double value, double step, char text[32]);

#endif
