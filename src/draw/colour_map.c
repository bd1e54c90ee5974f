/* Oklab (Ottosson 2020, "A perceptual color space for image processing") to linear sRGB. Lightness
 * runs straight, hue turns evenly, and chroma stays inside what screens show. */
#include "draw/colour_map.h"

#include <math.h>
#include <stdio.h>

static float clamp(double x)
{
    return (float)(x < 0 ? 0 : x > 1 ? 1 : x);
}

float draw_colour_to_linear(float c)
{
    return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

float draw_colour_to_srgb(float c)
{
    return c <= 0.0031308f ? 12.92f * c : 1.055f * powf(c, 1 / 2.4f) - 0.055f;
}

/* Lightness 0 to 1, chroma, hue in degrees; as sRGB. */
static void from_oklab(double lightness, double chroma, double hue, float rgb[3])
{
    double angle = hue * acos(-1) / 180, a = chroma * cos(angle), b = chroma * sin(angle);
    double l = lightness + 0.3963377774 * a + 0.2158037573 * b;
    double m = lightness - 0.1055613458 * a - 0.0638541728 * b;
    double s = lightness - 0.0894841775 * a - 1.2914855480 * b;
    l = l * l * l, m = m * m * m, s = s * s * s;
    rgb[0] = draw_colour_to_srgb(clamp(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s));
    rgb[1] = draw_colour_to_srgb(clamp(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s));
    rgb[2] = draw_colour_to_srgb(clamp(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s));
}

void draw_colour_at(draw_colour_map map, double value, float rgb[3])
{
    double t = value >= 0 ? (value < 1 ? value : 1) : 0; /* not a number counts as 0 */
    if (map == DRAW_MAP_DIVERGING) {
        double away = fabs(2 * t - 1);
        from_oklab(0.96 - 0.5 * away, 0.17 * pow(away, 0.8), t < 0.5 ? 255 : 28, rgb);
        return;
    }
    double chroma = 0.10 + 0.07 * t - 0.05 * sin(acos(-1) * t);
    from_oklab(0.27 + 0.64 * t, chroma, 305 - 200 * pow(t, 1.1), rgb);
}

void draw_colour_of_fluid(int index, float rgb[3])
{
    static const double hues[] = {232, 60, 150, 340, 95, 190, 20, 290};
    int n = index < 0 ? 0 : index;
    from_oklab(n / 8 % 2 ? 0.72 : 0.62, 0.13, hues[n % 8], rgb);
}

void draw_colour_of_body(int index, float rgb[3])
{
    static const double hues[] = {55, 85, 25, 110, 350, 140, 70, 320};
    int n = index < 0 ? 0 : index;
    from_oklab(n / 8 % 2 ? 0.65 : 0.76, 0.105, hues[n % 8], rgb);
}

int draw_ticks(double low, double high, int wanted, double ticks[DRAW_MAX_TICKS])
{
    double range = high - low;
    if (!(range > 0) || !isfinite(range)) {
        ticks[0] = low;
        return 1;
    }
    double step = pow(10, floor(log10(range / wanted)));
    double ratio = range / wanted / step;
    step *= ratio > 5 ? 10 : ratio > 2 ? 5 : ratio > 1 ? 2 : 1;
    int count = 0;
    for (double k = ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) {
        if (count == DRAW_MAX_TICKS)
            break;
        ticks[count++] = k * step + 0.0; /* + 0: no "−0" */
    }
    return count;
}

void draw_format_tick(double value, double step, char text[32])
{
    double size = fmax(fabs(value), fabs(step));
    if (size >= 1e6 || (size > 0 && size < 1e-4)) {
        snprintf(text, 32, "%.3g", value);
        return;
    }
    int decimals = step > 0 ? (int)ceil(-log10(step) - 1e-9) : 3;
    snprintf(text, 32, "%.*f", decimals < 0 ? 0 : decimals > 8 ? 8 : decimals, value);
}
