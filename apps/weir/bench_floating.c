/* Boxes that float in a pool whose floor grows with their number, so that each has as much fluid:
 * a step must cost as much for each of them, however many there are. */
#include "bench_scene.h"

#include <stdio.h>

enum { ACROSS = 8, DEPTH = 4, SIDE = 4 }; /* spacings: fluid for each box, and the box */

static const double spacing = 0.02; /* m */

static bool add_box(weir_world *world, double x, double z, weir_error *error)
{
    double half = SIDE * spacing / 2;
    weir_body_def box = weir_body_def_default();
    box.kind = WEIR_BODY_DYNAMIC;
    box.shape.kind = WEIR_SHAPE_BOX;
    box.shape.half_extents = (weir_vec3){half, half, half};
    box.density = 500;
    box.pose.position = (weir_vec3){x, DEPTH * spacing + half, z};
    return weir_body_create(world, &box, error).slot != 0;
}

static bool fill_pool(weir_world *world, size_t side, weir_error *error)
{
    size_t across = ACROSS * side;
    double length = (double)across * spacing;
    if (!bench_add_tank(world, (weir_vec3){length, 1, length}, error) ||
        !bench_add_block(world, 3, spacing, (weir_vec3){0, 0, 0}, (size_t[]){across, DEPTH, across},
                         0.001, error))
        return false;
    for (size_t i = 0; i < side; i++)
        for (size_t k = 0; k < side; k++)
            if (!add_box(world, ACROSS * spacing * ((double)i + 0.5),
                         ACROSS * spacing * ((double)k + 0.5), error))
                return false;
    return true;
}

bool bench_floating(const bench_options *o, bench_table *t, weir_error *error)
{
    enum { SIZES = 4 };
    static const size_t sides[SIZES] = {4, 8, 16, 32};
    static char labels[SIZES][16];
    t->label = "bodies";
    for (int k = 0; k < (o->quick ? 2 : SIZES); k++) {
        size_t bodies = sides[k] * sides[k];
        if (k > 0 && o->most > 0 && bodies * ACROSS * ACROSS * DEPTH > (size_t)o->most)
            break;
        weir_world_def def;
        if (!bench_world_def(o, 3, spacing, &def, error))
            return false;
        weir_world *world = weir_world_create(&def, error);
        if (!world)
            return false;
        bool ok = fill_pool(world, sides[k], error) &&
                  bench_run_scene(world, def.threads, o->seconds > 0 ? o->seconds : 0.25, t, error);
        weir_world_destroy(world);
        if (!ok)
            return false;
        snprintf(labels[k], sizeof labels[k], "%zu", bodies);
        t->labels[t->rows - 1] = labels[k];
    }
    return true;
}
