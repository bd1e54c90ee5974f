/* Bodies in water: floating depth, neutral density, rising from the floor. */
#include "verify_floaters.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>

/* A body in a tank. Sizes are in spacings, so that what is measured is how well a body of so many
 * spacings is resolved, whatever they are in metres. */
typedef struct trial {
    const floater *body;
    double ratio;        /* of its mass to that of the water which it can displace */
    double width, level; /* of the tank, of the water; m */
    double start;        /* m, height of the body's lowest point at first */
    double seconds;
    /* results: means over the second half */
    double share;  /* under water */
    double height; /* m, of the lowest point as first placed, at the end */
} trial;

/* The level follows from the volumes of water and body: the topmost particles would read up to half
 * a spacing low. The water's is that which it has: what the solver's tolerance leaves it compressed
 * by, 0.04 %, lowers the level of water 48 spacings deep by 0.02 of one. */
static double submerged_share(const verify_tank *t, int dim, const floater *f, weir_pose at)
{
    double area = t->size.x * (dim == 3 ? t->size.z : 1), below = 0;
    double water = t->fluid_volume / (1 + weir_world_get_statistics(t->world).compression_mean);
    for (int k = 0; k < 15; k++)
        below = floater_volume_below(f, at, (water + below) / area);
    return below / f->volume;
}

/* How deep the body lies when a given share is under water. */
static double find_draught(const floater *f, double share)
{
    weir_pose at = weir_body_def_default().pose;
    double bottom = 0, top = f->height, lowest = -f->lowest;
    for (int k = 0; k < 30; k++) {
        double middle = (bottom + top) / 2;
        at.position.y = lowest;
        if (floater_volume_below(f, at, middle) < share * f->volume)
            bottom = middle;
        else
            top = middle;
    }
    return (bottom + top) / 2;
}

static bool place(verify_tank *t, const verify_setup *s, const trial *c, weir_body_id *body,
                  weir_error *error)
{
    const floater *f = c->body;
    weir_vec3 size = {c->width, 2 * c->level + 2 * f->height, c->width};
    weir_body_def def = weir_body_def_default();
    def.name = f->name;
    def.kind = WEIR_BODY_DYNAMIC;
    def.shape = f->shape;
    def.mass = c->ratio * 1000 * f->volume;
    def.pose.position = (weir_vec3){size.x / 2, c->start - f->lowest, s->dim == 3 ? size.z / 2 : 0};
    if (!verify_tank_open(t, s, size, error))
        return false;
    *body = weir_body_create(t->world, &def, error);
    if (body->slot == 0)
        return false;
    t->dry = f;
    t->dry_pose = def.pose;
    return verify_tank_fill(t, s, c->level, error);
}

static bool run_trial(const verify_setup *s, trial *c, weir_error *error)
{
    verify_tank t;
    weir_body_id body = {0, 0};
    bool ok = place(&t, s, c, &body, error);
    int frames = (int)(c->seconds * 60), counted = 0;
    c->share = c->height = 0;
    for (int k = 0; ok && k < frames; k++) {
        weir_body_state state;
        ok = verify_run(t.world, 1.0 / 60, error) && weir_body_get_state(t.world, body, &state);
        if (!ok || k < frames / 2)
            continue;
        c->height = state.pose.position.y + c->body->lowest;
        if (k % 3 == 0) {
            c->share += submerged_share(&t, s->dim, c->body, state.pose);
            counted++;
        }
    }
    c->share /= counted > 0 ? counted : 1;
    weir_world_destroy(t.world);
    return ok;
}

/* Waves and heave of a body take a time that grows with the root of its size. Quick runs in 3D do
 * not wait for the last of them. */
static double settle_time(const verify_setup *s, double size)
{
    return (s->quick && s->dim == 3 ? 12 : 20) * sqrt(size / 9.81);
}

/* Quick runs in 3D have smaller tanks and bodies: a third of the particles. */
static double base_scale(const verify_setup *s)
{
    return s->dim == 3 && s->quick ? 0.7 : 1;
}

/* ------------------------------------------------------------------ floating */

/* Water under the waterline over its width: what an error of the level is measured by. A box draws
 * all of it, what is pointed or round below less. */
static double mean_draught(const floater *f, double ratio)
{
    weir_pose at = weir_body_def_default().pose;
    double draught = find_draught(f, ratio), step = f->cell;
    at.position.y = -f->lowest;
    double width = (floater_volume_below(f, at, draught + step) -
                    floater_volume_below(f, at, draught - step)) /
                   (2 * step);
    return width > 0 ? ratio * f->volume / width : draught;
}

/* Bodies lie up to about 0.03 spacings off by the tolerance of the solves: that is 1 % of a mean
 * draught of 3 spacings and 2 % of half of that. Bodies that would draw less are made larger. What
 * leans at its waterline is off by more, see docs/theory/constraint.md. */
static bool choose_growth(const verify_setup *s, floater_kind kind, double ratio, double scale,
                          double *growth, weir_error *error)
{
    double least = s->dim == 2 ? 3 : 1.5;
    floater f = {0};
    bool ok = floater_make(&f, kind, s, scale, error);
    if (ok)
        *growth = fmax(least * s->spacing / mean_draught(&f, ratio), 1);
    floater_free(&f);
    return ok;
}

/* Settled particles hold a body where it came to rest, up to 0.04 spacings off: in 2D it is let go
 * half a spacing too high and as much too low, and the mean counts. In 3D, where twice as much is
 * allowed and a run takes minutes, it begins where it should float. */
static bool float_body(const verify_setup *s, trial *c, weir_error *error)
{
    bool twice = s->dim == 2;
    double right = c->start, sum = 0;
    for (int side = -1; side <= 1; side += 2) {
        c->start = twice ? right + side * 0.5 * s->spacing : right;
        if (!run_trial(s, c, error))
            return false;
        sum += c->share;
        if (!twice)
            return true;
    }
    c->share = sum / 2;
    return true;
}

static bool measure_depth(const verify_setup *s, floater_kind kind, double ratio, double scale,
                          verify_list *list, weir_error *error)
{
    floater f = {0};
    double grown = 1, d = s->spacing;
    bool ok = choose_growth(s, kind, ratio, scale, &grown, error) &&
              floater_make(&f, kind, s, grown * scale, error);
    double draught = ok ? find_draught(&f, ratio) : 0;
    char what[VERIFY_WORDS];
    if (ok)
        snprintf(what, sizeof what, "%s of %g times the density, size %g, draught of %.1f spacings",
                 f.name, ratio, scale, draught / d);
    if (ok && verify_is_asked_for(s, what)) {
        trial c = {.body = &f, .ratio = ratio};
        /* Under a large body that draws little the water may be shallower. Beside it is as much
         * water as under it in 2D: what little water there is at the sides would take up all that
         * the volume is off at the walls. */
        c.width = round(((s->dim == 3 ? 16 : 40) + 20 * grown) * scale) * d;
        if (s->dim == 2)
            c.width = fmax(c.width, round(2 * f.width / d) * d);
        c.level = round((grown > 1.3 ? 14 : 24) * scale) * d;
        c.start = c.level - draught;
        c.seconds = settle_time(s, 20 * grown * scale * d);
        ok = float_body(s, &c, error);
        double tolerance = s->method != WEIR_METHOD_CONSTRAINT ? 0.05 : s->dim == 2 ? 0.01 : 0.02;
        if (ok)
            verify_add(list, "floating", what, "", ratio, c.share, tolerance, true);
    }
    floater_free(&f);
    return ok;
}

bool verify_floating(const verify_setup *s, verify_list *list, weir_error *error)
{
    static const double ratios[] = {0.5, 0.1, 0.25, 0.75, 0.9, 0.95}, sizes[] = {1, 1.5, 2};
    int size_count = s->quick ? 1 : 3;
    int kinds = s->quick && s->dim == 3 ? FLOATER_BALL + 1 : FLOATER_KINDS;
    for (int n = 0; n < size_count; n++)
        for (int kind = 0; kind < kinds; kind++) {
            /* Light bodies are the first that a solver's tolerance lifts: a quick run has one. */
            int quick_count = kind == FLOATER_BOX && s->dim == 2 ? 2 : 1;
            for (int k = 0; k < (s->quick ? quick_count : 6); k++) {
                /* Water runs into a boat that lies so deep. */
                if (kind == FLOATER_BOAT && ratios[k] > 0.8)
                    continue;
                /* A light body is large already; a few ratios show what size does. */
                if (n > 0 && k != 0 && k != 2 && k != 4)
                    continue;
                if (!measure_depth(s, (floater_kind)kind, ratios[k], base_scale(s) * sizes[n], list,
                                   error))
                    return false;
            }
        }
    return true;
}

/* --------------------------------------------------------------------- floor */

static bool run_sunken(const verify_setup *s, floater_kind kind, double ratio, double start,
                       double time, double *risen, weir_error *error)
{
    floater f = {0};
    double scale = base_scale(s);
    trial c = {.body = &f,
               .ratio = ratio,
               .width = round((s->dim == 3 ? 36 : 60) * scale) * s->spacing,
               .level = round(24 * scale) * s->spacing,
               .start = start * s->spacing};
    c.seconds = time * settle_time(s, 20 * scale * s->spacing);
    bool ok = floater_make(&f, kind, s, scale, error) && run_trial(s, &c, error);
    *risen = (c.height - c.start) / s->spacing;
    floater_free(&f);
    return ok;
}

bool verify_floor(const verify_setup *s, verify_list *list, weir_error *error)
{
    static const double all[] = {0.25, 0.5, 0.75, 0.9, 1.05}, few[] = {0.5, 1.05};
    const double *ratios = s->quick ? few : all;
    int count = s->quick ? 2 : 5;
    double risen;
    char what[VERIFY_WORDS];
    for (int k = 0; k < count; k++) {
        bool rises = ratios[k] < 1;
        snprintf(what, sizeof what, "box of %g times the density, flush on the floor, %s",
                 ratios[k], rises ? "has risen" : "has stayed");
        if (!verify_is_asked_for(s, what))
            continue;
        if (!run_sunken(s, FLOATER_BOX, ratios[k], 0, 1.5, &risen, error))
            return false;
        verify_add(list, "floor", what, "", rises, risen > 1, 0.5, false);
    }
    /* Neutral: bodies a little lighter and heavier than water part ways. */
    for (int side = 0; side < 2; side++) {
        double ratio = side == 0 ? 0.98 : 1.02;
        snprintf(what, sizeof what, "%s of %g times the density, released in the middle, %s",
                 s->dim == 3 ? "sphere" : "circle", ratio, side == 0 ? "rises" : "sinks");
        if (!verify_is_asked_for(s, what))
            continue;
        if (!run_sunken(s, FLOATER_BALL, ratio, 5, 1, &risen, error))
            return false;
        verify_add(list, "neutral", what, "", 1, (risen > 0) == (side == 0), 0.5, false);
    }
    return true;
}
