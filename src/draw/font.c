/* Each glyph is a list of strokes on a grid. A point is two characters: '0' + x, then a letter for
 * y with 'e' on the base line ('a' = −4, 'm' = 8, 'q' = 12). A stroke is straight; with '~' its
 * points control a smooth curve that begins in the first and ends in the last, with '@' a closed
 * one. The curves are quadratic B-splines, drawn through the middles of the control polygon's
 * sides. */
#include "draw/font.h"

enum { MAX_POINTS = 160, MAX_CONTROLS = 16, CURVE_STEPS = 6, GAP = 3 };

typedef struct glyph {
    uint32_t code;
    int width;
    const char *strokes;
} glyph;

static const glyph glyphs[] = {
    {' ', 3, ""},
    {'!', 2, "1q1i 1e1f"},
    {'"', 3, "0q0n 3q3n"},
    {'#', 8, "1e3q 5e7q 0i8i 0m8m"},
    {'$', 7, "~7o6q0q0k7k7e1e0g 4r4d"},
    {'%', 8, "0e8q @0n3n3q0q @5e8e8h5h"},
    {'&', 8, "~8e2n2q6q6n0j0e5e8j"},
    {'\'', 2, "1q1n"},
    {'(', 3, "~3r0n0f3b"},
    {')', 3, "~0r3n3f0b"},
    {'*', 6, "3h3n 0i6m 0m6i"},
    {'+', 6, "0j6j 3g3m"},
    {',', 2, "1f0c"},
    {'-', 5, "0j5j"},
    {'.', 2, "1e1f"},
    {'/', 5, "0c5q"},
    {'0', 7, "@0e7e7q0q"},
    {'1', 7, "1o4q4e"},
    {'2', 7, "~0n0q7q7l5j0e 0e7e"},
    {'3', 7, "~0o1q7q7k3k ~3k7k7e1e0g"},
    {'4', 7, "5e5q0h7h"},
    {'5', 7, "6q1q0k ~0k2m7m7e1e0g"},
    {'6', 7, "~6q2p0k0i @0e7e7l0l"},
    {'7', 7, "0q7q2e"},
    {'8', 7, "@1k6k6q1q @0e7e7k0k"},
    {'9', 7, "@0j7j7q0q ~7m7i5f1e"},
    {':', 2, "1e1f 1k1l"},
    {';', 2, "1f0c 1k1l"},
    {'<', 6, "6m0j6g"},
    {'=', 6, "0h6h 0l6l"},
    {'>', 6, "0m6j0g"},
    {'?', 6, "~0o0q6q6l3k3i 3e3f"},
    {'@', 9, "@2h6h6n2n ~6n6h9h9q0q0e7e"},
    {'A', 8, "0e4q8e 1h7h"},
    {'B', 8, "0e0q ~0q4q7q7k4k0k ~0k4k8k8e4e0e"},
    {'C', 8, "~8n7q0q0e7e8h"},
    {'D', 8, "0e0q ~0q4q8q8e4e0e"},
    {'E', 6, "6q0q0e6e 0k5k"},
    {'F', 6, "6q0q0e 0k5k"},
    {'G', 8, "~8n7q0q0e8e8j 8j5j"},
    {'H', 8, "0e0q 8e8q 0k8k"},
    {'I', 2, "1e1q"},
    {'J', 5, "5q5h ~5h5e0e0h"},
    {'K', 7, "0e0q 7q0i 3l7e"},
    {'L', 6, "0q0e6e"},
    {'M', 8, "0e0q4g8q8e"},
    {'N', 8, "0e0q8e8q"},
    {'O', 9, "@0e9e9q0q"},
    {'P', 7, "0e0q ~0q4q7q7j4j0j"},
    {'Q', 9, "@0e9e9q0q 5h9d"},
    {'R', 7, "0e0q ~0q4q7q7j4j0j 3j7e"},
    {'S', 7, "~7o6q0q0k7k7e1e0g"},
    {'T', 8, "0q8q 4q4e"},
    {'U', 8, "~0q0i0e8e8i8q"},
    {'V', 8, "0q4e8q"},
    {'W', 10, "0q3e5o7e:q"},
    {'X', 8, "0e8q 0q8e"},
    {'Y', 8, "0q4k8q 4k4e"},
    {'Z', 7, "0q7q0e7e"},
    {'[', 3, "3r0r0b3b"},
    {'\\', 5, "0q5c"},
    {']', 3, "0r3r3b0b"},
    {'^', 6, "0m3q6m"},
    {'_', 7, "0d7d"},
    {'`', 3, "0q3n"},
    {'a', 6, "@0e6e6m0m 6m6e"},
    {'b', 6, "0q0e @0e6e6m0m"},
    {'c', 6, "~6k5m0m0e5e6g"},
    {'d', 6, "6q6e @0e6e6m0m"},
    {'e', 6, "0i6i ~6i6m0m0e5e6g"},
    {'f', 5, "~5q2q2n2e 0m5m"},
    {'g', 6, "@0e6e6m0m 6m6e ~6e6a1a0b"},
    {'h', 6, "0q0e ~0i0m6m6i6e"},
    {'i', 2, "1m1e 1o1p"},
    {'j', 2, "2m2e ~2e2a0a 2o2p"},
    {'k', 6, "0q0e 6m0h 2j6e"},
    {'l', 2, "1q1e"},
    {'m', 10, "0m0e ~0i0m5m5i5e ~5i5m:m:i:e"},
    {'n', 6, "0m0e ~0i0m6m6i6e"},
    {'o', 7, "@0e7e7m0m"},
    {'p', 6, "0m0a @0e6e6m0m"},
    {'q', 6, "6m6a @0e6e6m0m"},
    {'r', 4, "0m0e ~0i0m4m"},
    {'s', 5, "~5l5m0m0i5i5e0e0f"},
    {'t', 5, "~2p2h2e5e 0m5m"},
    {'u', 6, "~0m0i0e6e6i6m 6m6e"},
    {'v', 6, "0m3e6m"},
    {'w', 8, "0m2e4l6e8m"},
    {'x', 6, "0e6m 0m6e"},
    {'y', 6, "0m3e 6m1a"},
    {'z', 6, "0m6m0e6e"},
    {'{', 4, "~4r2r2k0j ~0j2i2b4b"},
    {'|', 2, "1r1b"},
    {'}', 4, "~0r2r2k4j ~4j2i2b0b"},
    {'~', 7, "~0i2l5h7k"},
    {0xb0, 3, "@0n3n3q0q"},                    /* degree */
    {0xb2, 4, "~0p0q4q4o0l 0l4l"},             /* superscript 2 */
    {0xb3, 4, "~0q4q4o1o ~1o4o4l0l"},          /* superscript 3 */
    {0xb5, 6, "0m0a ~0m0i0e6e6i6m 6m6e"},      /* micro */
    {0xb7, 2, "1i1j"},                         /* middle dot */
    {0xd7, 6, "0g6m 0m6g"},                    /* times */
    {0xe4, 6, "@0e6e6m0m 6m6e 1o1p 5o5p"},     /* a with dots */
    {0xe8, 6, "0i6i ~6i6m0m0e5e6g 2q4o"},      /* e with grave */
    {0xe9, 6, "0i6i ~6i6m0m0e5e6g 2o4q"},      /* e with acute */
    {0xf6, 7, "@0e7e7m0m 2o2p 5o5p"},          /* o with dots */
    {0xfc, 6, "~0m0i0e6e6i6m 6m6e 1o1p 5o5p"}, /* u with dots */
    {0x394, 8, "0e4q8e0e"},                    /* Delta */
    {0x3bb, 7, "1q7e 4k0e"},                   /* lambda */
    {0x3bc, 6, "0m0a ~0m0i0e6e6i6m 6m6e"},     /* mu */
    {0x3c1, 6, "0i0a @0e6e6m0m"},              /* rho */
    {0x2013, 6, "0j6j"},                       /* dash */
    {0x2212, 6, "0j6j"},                       /* minus */
};

static const glyph missing = {0, 6, "0e6e6q0q0e"};

static const glyph *find(uint32_t code)
{
    for (size_t i = 0; i < sizeof glyphs / sizeof glyphs[0]; i++)
        if (glyphs[i].code == code)
            return &glyphs[i];
    return &missing;
}

/* The next character of UTF-8 text; damaged bytes count as characters of their own. */
static uint32_t next_code(const char **text)
{
    const unsigned char *c = (const unsigned char *)*text;
    int more = c[0] >= 0xf0 ? 3 : c[0] >= 0xe0 ? 2 : c[0] >= 0xc0 ? 1 : 0;
    uint32_t code = more == 3 ? c[0] & 7 : more == 2 ? c[0] & 15 : more == 1 ? c[0] & 31 : c[0];
    for (int i = 1; i <= more; i++) {
        if ((c[i] & 0xc0) != 0x80) {
            (*text)++;
            return c[0];
        }
        code = code << 6 | (c[i] & 0x3f);
    }
    *text += more + 1;
    return code;
}

typedef struct curve {
    float points[2 * MAX_POINTS];
    size_t count;
} curve;

static void put(curve *c, float x, float y)
{
    if (c->count < MAX_POINTS) {
        c->points[2 * c->count] = x;
        c->points[2 * c->count + 1] = y;
        c->count++;
    }
}

/* A quadratic arc from a to b with control c, without its first point. */
static void put_arc(curve *out, const float a[2], const float c[2], const float b[2])
{
    for (int i = 1; i <= CURVE_STEPS; i++) {
        float t = (float)i / CURVE_STEPS, u = 1 - t;
        put(out, u * u * a[0] + 2 * u * t * c[0] + t * t * b[0],
            u * u * a[1] + 2 * u * t * c[1] + t * t * b[1]);
    }
}

static void middle(float out[2], const float a[2], const float b[2])
{
    out[0] = (a[0] + b[0]) / 2;
    out[1] = (a[1] + b[1]) / 2;
}

static void build(curve *out, float (*p)[2], int count, char kind)
{
    out->count = 0;
    if (kind == '@') {
        float from[2], to[2];
        middle(from, p[count - 1], p[0]);
        put(out, from[0], from[1]);
        for (int i = 0; i < count; i++) {
            middle(to, p[i], p[(i + 1) % count]);
            put_arc(out, from, p[i], to);
            from[0] = to[0], from[1] = to[1];
        }
        return;
    }
    put(out, p[0][0], p[0][1]);
    if (kind != '~') {
        for (int i = 1; i < count; i++)
            put(out, p[i][0], p[i][1]);
        return;
    }
    float from[2] = {p[0][0], p[0][1]}, to[2];
    for (int i = 1; i + 1 < count; i++) {
        middle(to, p[i], p[i + 1]);
        const float *end = i + 2 == count ? p[i + 1] : to;
        put_arc(out, from, p[i], end);
        from[0] = end[0], from[1] = end[1];
    }
}

static void draw_glyph(const glyph *g, float left, font_stroke *stroke, void *user)
{
    for (const char *s = g->strokes; *s;) {
        char kind = *s == '~' || *s == '@' ? *s++ : '-';
        float controls[MAX_CONTROLS][2] = {{0}};
        int count = 0;
        for (; s[0] && s[0] != ' ' && count < MAX_CONTROLS; s += 2, count++) {
            controls[count][0] = left + (float)(s[0] - '0');
            controls[count][1] = (float)(s[1] - 'e');
        }
        while (*s == ' ')
            s++;
        curve c;
        build(&c, controls, count, kind);
        stroke(user, c.points, c.count);
    }
}

float font_draw(const char *text, font_stroke *stroke, void *user)
{
    float left = 0;
    while (*text) {
        const glyph *g = find(next_code(&text));
        if (stroke)
            draw_glyph(g, left, stroke, user);
        left += (float)(g->width + GAP);
    }
    return left > 0 ? left - GAP : 0;
}
