#include "verify.h"

#include "verify_floaters.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>

weir_world *verify_world(const verify_setup *s, weir_vec3 gravity, weir_error *error)
{
    weir_world_def def = weir_world_def_default();
    weir_world_def_use_method(&def, s->method);
    def.dim = s->dim;
    def.spacing = s->spacing;
    def.threads = s->threads;
    def.gravity = gravity;
    return weir_world_create(&def, error);
}

bool verify_tank_open(verify_tank *t, const verify_setup *s, weir_vec3 size, weir_error *error)
{
    *t = (verify_tank){.size = size};
    t->world = verify_world(s, (weir_vec3){0, -9.81, 0}, error);
    if (!t->world)
        return false;
    weir_fluid_def fluid = weir_fluid_def_default();
    t->water = weir_fluid_create(t->world, &fluid, error);
    weir_body_def walls = weir_body_def_default();
    walls.name = "tank";
    walls.shape.kind = WEIR_SHAPE_BOX;
    walls.shape.complement = true;
    walls.shape.half_extents = (weir_vec3){size.x / 2, size.y / 2, s->dim == 3 ? size.z / 2 : 1};
    walls.pose.position = (weir_vec3){size.x / 2, size.y / 2, s->dim == 3 ? size.z / 2 : 0};
    return t->water.slot != 0 && weir_body_create(t->world, &walls, error).slot != 0;
}

bool verify_tank_fill(verify_tank *t, const verify_setup *s, double level, weir_error *error)
{
    double d = s->spacing;
    int count[3] = {(int)lround(t->size.x / d), (int)lround(level / d),
                    s->dim == 3 ? (int)lround(t->size.z / d) : 1};
    weir_vec3 *at = malloc((size_t)count[0] * (size_t)count[1] * (size_t)count[2] * sizeof *at);
    if (!at)
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for the particles of a tank");
    size_t kept = 0;
    for (int k = 0; k < count[2]; k++)
        for (int j = 0; j < count[1]; j++)
            for (int i = 0; i < count[0]; i++) {
                weir_vec3 x = {(i + 0.5) * d, (j + 0.5) * d, s->dim == 3 ? (k + 0.5) * d : 0};
                bool dry = t->dry && floater_covers(t->dry, t->dry_pose, x);
                if (!dry && weir_world_distance(t->world, x, NULL) > 0.4 * d)
                    at[kept++] = x;
            }
    bool ok = weir_world_add_particles(t->world, t->water, at, kept, (weir_vec3){0, 0, 0}, error);
    free(at);
    t->fluid_volume = (double)kept * pow(d, s->dim);
    return ok;
}

bool verify_run(weir_world *world, double seconds, weir_error *error)
{
    int steps = (int)ceil(seconds * 60);
    for (int k = 0; k < steps; k++)
        if (weir_world_step(world, 1.0 / 60, error) & WEIR_STEP_FAILED)
            return false;
    return true;
}
