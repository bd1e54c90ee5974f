#include "draw/sheet.h"

/* Inks and the plates under them, which keep text readable over anything. */
typedef struct style {
    float ink[4], plate[4];
    float text, pad; /* pixels */
} style;

static style style_for(const draw_scene *scene, float height)
{
    float text = fmaxf(height / 50, 7);
    return scene->dark ? (style){{0.92f, 0.93f, 0.95f, 1}, {0, 0, 0, 0.55f}, text, 1.3f * text}
                       : (style){{0.13f, 0.15f, 0.18f, 1}, {1, 1, 1, 0.72f}, text, 1.3f * text};
}

/* A line of text on a plate; `base` is its base line. */
static void add_line(overlay *o, const style *s, const char *text, float base, float size)
{
    float width = overlay_text_width(text, size);
    overlay_rectangle(o, 0.5f * s->pad, base - size - 0.6f * s->pad, 1.5f * s->pad + width,
                      base + 0.6f * s->pad, s->plate);
    overlay_text(o, text, s->pad, base, size, 0, s->ink);
}

static void add_legend(overlay *o, const style *s, const overlay_legend *legend, float width,
                       float height)
{
    float bar = 0.42f * height, wide = overlay_legend_width(legend, bar, s->text);
    float left = width - wide - 1.2f * s->pad, top = 1.2f * s->pad;
    overlay_rectangle(o, left - 0.7f * s->pad, 0.5f * s->pad, width - 0.5f * s->pad,
                      top + 2.2f * s->text + bar + s->pad, s->plate);
    overlay_add_legend(o, legend, left, top, bar, s->text, s->ink);
}

bool sheet_has_legend(const draw_scene *scene)
{
    const draw_fluid *fluid = &scene->fluid;
    return fluid->look == DRAW_PARTICLES && fluid->values && fluid->value_name;
}

void sheet_add(overlay *o, const draw_scene *scene, float width, float height, double low,
               double high)
{
    const draw_fluid *fluid = &scene->fluid;
    style s = style_for(scene, height);
    if (scene->title)
        add_line(o, &s, scene->title, 1.1f * s.pad + 1.25f * s.text, 1.25f * s.text);
    if (scene->caption)
        add_line(o, &s, scene->caption, height - 1.1f * s.pad, s.text);
    if (sheet_has_legend(scene)) {
        overlay_legend legend = {fluid->value_name, fluid->map, low, high};
        add_legend(o, &s, &legend, width, height);
    }
}
