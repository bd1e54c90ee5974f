/* Bodies in water: floating depth, neutral density, rising from the floor. */
#include "verify.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>

static const double PI = 3.14159265358979323846;

/* A body whose volume below a level is known. Sizes are in spacings, so that every resolution
 * sees the same shape as well as it can. */
typedef struct floater {
    const char *name;
    weir_shape_def shape;
    double height, volume; /* m, m³ */
    bool ball;
} floater;

static floater make_box(const verify_setup *s)
{
    floater f = {.name = "box", .shape = weir_shape_def_default()};
    double d = s->spacing, w = 20 * d, h = 10 * d;
    f.shape.kind = WEIR_SHAPE_BOX;
    f.shape.half_extents = (weir_vec3){w / 2, h / 2, s->dim == 3 ? w / 2 : 1};
    f.height = h;
    f.volume = s->dim == 3 ? w * h * w : w * h;
    return f;
}

static floater make_ball(const verify_setup *s)
{
    double r = 7.5 * s->spacing;
    floater f = {.name = s->dim == 3 ? "sphere" : "circle", .shape = weir_shape_def_default()};
    f.shape.kind = WEIR_SHAPE_SPHERE;
    f.shape.radius = r;
    f.height = 2 * r;
    f.volume = s->dim == 3 ? 4.0 / 3 * PI * r * r * r : PI * r * r;
    f.ball = true;
    return f;
}

static double volume_below(const floater *f, const verify_setup *s, double depth)
{
    depth = fmin(fmax(depth, 0), f->height);
    if (!f->ball)
        return f->volume * depth / f->height;
    double r = f->height / 2;
    if (s->dim == 3)
        return PI * depth * depth * (3 * r - depth) / 3;
    return r * r * acos((r - depth) / r) -
           (r - depth) * sqrt(fmax(0, 2 * r * depth - depth * depth));
}

/* The share under water, with the water level from the volumes: the topmost particles would read
 * up to half a spacing low. */
static double submerged_share(const verify_tank *t, const verify_setup *s, const floater *f,
                              double y)
{
    double area = t->size.x * (s->dim == 3 ? t->size.z : 1);
    double share = 0.5;
    for (int k = 0; k < 60; k++) {
        double level = (t->fluid_volume + share * f->volume) / area;
        share = volume_below(f, s, level - (y - f->height / 2)) / f->volume;
    }
    return share;
}

/* Runs a body of the given density ratio that starts with its centre at `y`; gives the mean share
 * under water in the second half of the run, and the height at its end. */
static bool run_floater(const verify_setup *s, const floater *f, double ratio, double y,
                        double seconds, double *share, double *height, weir_error *error)
{
    verify_tank t;
    double d = s->spacing;
    weir_vec3 size = {s->dim == 3 ? 36 * d : 60 * d, 80 * d, 36 * d};
    weir_body_def def = weir_body_def_default();
    def.name = f->name;
    def.kind = WEIR_BODY_DYNAMIC;
    def.shape = f->shape;
    def.density = ratio * 1000;
    def.pose.position = (weir_vec3){size.x / 2, y, s->dim == 3 ? size.z / 2 : 0};
    bool ok = verify_tank_open(&t, s, size, error);
    weir_body_id body = ok ? weir_body_create(t.world, &def, error) : (weir_body_id){0, 0};
    ok = ok && body.slot != 0 && verify_tank_fill(&t, s, 24 * d, error);
    int frames = (int)(seconds * 60), counted = 0;
    *share = *height = 0;
    for (int k = 0; ok && k < frames; k++) {
        weir_body_state state;
        ok = verify_run(t.world, 1.0 / 60, error) && weir_body_get_state(t.world, body, &state);
        if (ok && k >= frames / 2) {
            *share += submerged_share(&t, s, f, state.pose.position.y);
            *height = state.pose.position.y;
            counted++;
        }
    }
    *share /= counted > 0 ? counted : 1;
    weir_world_destroy(t.world);
    return ok;
}

/* Waves and heave of a body take a time that grows with the root of its size. */
static double settle_time(const verify_setup *s)
{
    return (s->quick ? 12 : 30) * sqrt(20 * s->spacing / 9.81);
}

bool verify_floating(const verify_setup *s, verify_list *list, weir_error *error)
{
    static const double all[] = {0.25, 0.5, 0.75, 0.9}, few[] = {0.5};
    const double *ratios = s->quick ? few : all;
    int count = s->quick ? 1 : 4;
    double tolerance = s->method == WEIR_METHOD_CONSTRAINT ? (s->dim == 2 ? 0.01 : 0.02) : 0.05;
    floater shapes[] = {make_box(s), make_ball(s)};
    for (int n = 0; n < 2; n++)
        for (int k = 0; k < count; k++) {
            const floater *f = &shapes[n];
            double share, height, d = s->spacing;
            /* Dropped in at the height where it should float. */
            double y = 24 * d + f->height * (0.5 - ratios[k]);
            if (!run_floater(s, f, ratios[k], y, settle_time(s), &share, &height, error))
                return false;
            char what[96];
            snprintf(what, sizeof what, "share of a %s of %g times the density under water",
                     f->name, ratios[k]);
            verify_add(list, "floating", what, "", ratios[k], share, tolerance, true);
        }
    return true;
}

bool verify_floor(const verify_setup *s, verify_list *list, weir_error *error)
{
    static const double all[] = {0.25, 0.5, 0.75, 0.9, 1.05}, few[] = {0.5, 1.05};
    const double *ratios = s->quick ? few : all;
    int count = s->quick ? 2 : 5;
    floater box = make_box(s);
    for (int k = 0; k < count; k++) {
        double share, height;
        if (!run_floater(s, &box, ratios[k], box.height / 2, 1.5 * settle_time(s), &share, &height,
                         error))
            return false;
        double risen = (height - box.height / 2) / s->spacing;
        char what[96];
        bool rises = ratios[k] < 1;
        snprintf(what, sizeof what, "box of %g times the density, flush on the floor, %s",
                 ratios[k], rises ? "has risen" : "has stayed");
        verify_add(list, "floor", what, "", rises, risen > 1, 0.5, false);
    }
    /* Neutral: bodies a little lighter and heavier than water part ways. */
    floater ball = make_ball(s);
    for (int side = 0; side < 2; side++) {
        double share, height, ratio = side == 0 ? 0.98 : 1.02, y = 12 * s->spacing;
        if (!run_floater(s, &ball, ratio, y, settle_time(s), &share, &height, error))
            return false;
        char what[96];
        snprintf(what, sizeof what, "%s of %g times the density, released in the middle, %s",
                 ball.name, ratio, side == 0 ? "rises" : "sinks");
        verify_add(list, "neutral", what, "", 1, (height > y) == (side == 0), 0.5, false);
    }
    return true;
}
