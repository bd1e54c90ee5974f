#include "five_boxes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double FLUID_DENSITY = 100; /* kg/m² */

static five_boxes_plan make_plan(double spacing)
{
    five_boxes_plan p = {0};
    p.spacing = spacing;
    p.tank_width = 12;
    p.tank_height = 8;
    p.pool_depth = 2.5;
    p.box_width = 1.2;
    p.box_height = 0.8;
    p.gravity = 9.82;
    p.y = 3.2;
    p.step = 1.0 / 60;
    p.end = 20;
    p.measured_from = 10;
    for (int k = 0; k < FIVE_BOXES; k++) {
        p.x[k] = 1.6 + 2.2 * k;
        p.density[k] = 50 + 25 * k;
    }
    return p;
}

static bool pour(five_boxes *run, weir_fluid_id fluid, weir_error *error)
{
    const five_boxes_plan *p = &run->plan;
    int columns = (int)(p->tank_width / p->spacing), rows = (int)(p->pool_depth / p->spacing);
    size_t count = (size_t)columns * (size_t)rows;
    weir_vec3 *at = (weir_vec3 *)calloc(count, sizeof *at), still = {0, 0, 0};
    if (!at)
        return false;
    for (size_t k = 0; k < count; k++) {
        at[k].x = ((double)(k % (size_t)columns) + 0.5) * p->tank_width / columns;
        at[k].y = ((double)(k / (size_t)columns) + 0.5) * p->spacing;
    }
    bool ok = weir_world_add_particles(run->world, fluid, at, count, still, error);
    free(at);
    return ok;
}

bool five_boxes_begin(five_boxes *run, const char *method, double spacing, weir_error *error)
{
    weir_world_def def = weir_world_def_default();
    weir_method which;
    five_boxes fresh = {0};
    *run = fresh;
    run->plan = make_plan(spacing);
    if (!weir_method_find(method, &which)) {
        if (error)
            snprintf(error->text, sizeof error->text, "there is no method '%s'", method);
        return false;
    }
    weir_world_def_use_method(&def, which);
    def.dim = 2;
    def.spacing = spacing;
    def.gravity.y = -run->plan.gravity;
    def.threads = 1; /* a few thousand particles are not worth more */
    run->world = weir_world_create(&def, error);
    if (!run->world)
        return false;
    weir_fluid_def fluid = weir_fluid_def_default();
    fluid.density = FLUID_DENSITY;
    weir_fluid_id id = weir_fluid_create(run->world, &fluid, error);
    return id.slot != 0 && pour(run, id, error);
}

/* Half the width of a box however it is turned, and room for what clings to it. */
static bool is_free(const five_boxes *run, double x, const five_boxes_place at[FIVE_BOXES])
{
    double half = hypot(run->plan.box_width, run->plan.box_height) / 2 + 2 * run->plan.spacing;
    for (int k = 0; k < FIVE_BOXES; k++)
        if (fabs(x - at[k].x) < half)
            return false;
    return true;
}

/* The level by volume: particles above half the depth, in columns that hold no box, each spread
 * over a spacing of height. NAN where boxes are everywhere. */
static double find_level(const five_boxes *run, const five_boxes_place at[FIVE_BOXES])
{
    const five_boxes_plan *p = &run->plan;
    weir_particle_view view = weir_world_get_particles(run->world);
    double from = p->pool_depth / 2, area = 0, width = 0;
    double column = p->tank_width / floor(p->tank_width / p->spacing / 2);
    for (double x = column / 2; x < p->tank_width; x += column) {
        if (!is_free(run, x, at))
            continue;
        width += column;
        for (size_t i = 0; i < view.count; i++)
            if (fabs(view.position[0][i] - x) < column / 2) {
                double above = (view.position[1][i] - from) / p->spacing + 0.5;
                area += fmin(fmax(above, 0), 1) * p->spacing * p->spacing;
            }
    }
    return from + area / width;
}

void five_boxes_watch(five_boxes *run, const five_boxes_place at[FIVE_BOXES])
{
    if (weir_world_get_time(run->world) < run->plan.measured_from)
        return;
    double level = find_level(run, at);
    if (isnan(level))
        return;
    run->level_sum += level;
    for (int k = 0; k < FIVE_BOXES; k++)
        run->height_sum[k] += at[k].y;
    run->counted++;
}

bool five_boxes_judge(const five_boxes *run, const char *title)
{
    const five_boxes_plan *p = &run->plan;
    bool all = run->counted > 0;
    double level = run->level_sum / run->counted;
    printf("%s, %zu particles, level %.3f m\n", title, weir_world_get_particles(run->world).count,
           level);
    for (int k = 0; k < FIVE_BOXES; k++) {
        double bottom = run->height_sum[k] / run->counted - p->box_height / 2;
        double share = (level - bottom) / p->box_height, expected = p->density[k] / FLUID_DENSITY;
        bool floats = expected < 1;
        bool good = floats            ? fabs(share - expected) <= 0.05 * expected
                    : expected == 1.0 ? share > 0.95
                                      : bottom < p->box_height / 2; /* it may lean on another */
        if (floats)
            printf("  %3.0f kg/m2: %.3f below the surface, by Archimedes %.2f%s\n", p->density[k],
                   share, expected, good ? "" : "  WRONG");
        else
            printf("  %3.0f kg/m2: %.3f m above the floor%s\n", p->density[k], bottom,
                   good ? "" : "  WRONG");
        all = all && good;
    }
    return all;
}

void five_boxes_end(five_boxes *run)
{
    weir_world_destroy(run->world);
}
