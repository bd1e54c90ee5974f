/* Small worlds for tests. Each function fails the test when the engine refuses. */
#ifndef WEIR_TESTS_WORLDS_H
#define WEIR_TESTS_WORLDS_H

#include "base/random.h"
#include "support/unit.h"
#include "weir/weir.h"

static inline weir_vec3 v3(double x, double y, double z)
{
    return (weir_vec3){x, y, z};
}

static inline weir_world_def small_world_def(int dim, double spacing)
{
    weir_world_def def = weir_world_def_default();
    weir_world_def_use_method(&def, WEIR_METHOD_SPH);
    def.dim = dim;
    def.spacing = spacing;
    def.threads = 1;
    return def;
}

static inline void set_parameter(weir_world_def *def, const char *name, double value)
{
    weir_error error = {0};
    if (!weir_world_def_set(def, name, value, &error))
        fail_msg("%s", error.text);
}

static inline weir_world *make_world(const weir_world_def *def)
{
    weir_error error = {0};
    weir_world *world = weir_world_create(def, &error);
    if (!world)
        fail_msg("%s", error.text);
    return world;
}

static inline weir_fluid_id make_fluid(weir_world *world, double density, double viscosity)
{
    weir_error error = {0};
    weir_fluid_def def = weir_fluid_def_default();
    def.density = density;
    def.viscosity = viscosity;
    weir_fluid_id id = weir_fluid_create(world, &def, &error);
    if (id.slot == 0)
        fail_msg("%s", error.text);
    return id;
}

static inline weir_body_id make_body(weir_world *world, const weir_body_def *def)
{
    weir_error error = {0};
    weir_body_id id = weir_body_create(world, def, &error);
    if (id.slot == 0)
        fail_msg("%s", error.text);
    return id;
}

/* A container: everything outside of the box from lo to hi is solid. */
static inline weir_body_id make_tank(weir_world *world, weir_vec3 lo, weir_vec3 hi)
{
    weir_body_def def = weir_body_def_default();
    def.name = "tank";
    def.shape.kind = WEIR_SHAPE_BOX;
    def.shape.complement = true;
    def.shape.half_extents = v3((hi.x - lo.x) / 2, (hi.y - lo.y) / 2, (hi.z - lo.z) / 2);
    def.pose.position = v3((hi.x + lo.x) / 2, (hi.y + lo.y) / 2, (hi.z + lo.z) / 2);
    return make_body(world, &def);
}

/* A half-space below the plane through `at`. */
static inline weir_body_def plane_def(weir_vec3 at, weir_vec3 normal, weir_wall wall)
{
    weir_body_def def = weir_body_def_default();
    def.name = "plane";
    def.shape.kind = WEIR_SHAPE_HALF_SPACE;
    def.shape.normal = normal;
    def.pose.position = at;
    def.wall = wall;
    return def;
}

/* Adds particles on a lattice that fills the box from lo to hi, moved at random by up to `jitter`
 * spacings; in 2D one layer at z = 0. Returns how many. */
static inline size_t fill_box(weir_world *world, weir_fluid_id liquid, int dim, double spacing,
                              weir_vec3 lo, weir_vec3 hi, double jitter, weir_vec3 velocity)
{
    const double length[3] = {hi.x - lo.x, hi.y - lo.y, hi.z - lo.z};
    size_t n[3] = {1, 1, 1};
    for (int a = 0; a < dim; a++)
        n[a] = (size_t)floor(length[a] / spacing + 0.5);
    size_t count = n[0] * n[1] * n[2];
    weir_vec3 *points = malloc(count * sizeof *points);
    assert_non_null(points);
    for (size_t i = 0; i < count; i++) {
        const size_t at[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
        double x[3];
        for (size_t a = 0; a < 3; a++)
            x[a] = spacing * ((double)at[a] + 0.5 + jitter * (2 * random_unit(a, i) - 1));
        points[i] = v3(lo.x + x[0], lo.y + x[1], dim == 3 ? lo.z + x[2] : 0);
    }
    weir_error error = {0};
    if (!weir_world_add_particles(world, liquid, points, count, velocity, &error))
        fail_msg("%s", error.text);
    free(points);
    return count;
}

/* Advances by dt and returns the flags of the step, which must not be a failure. */
static inline uint32_t step_world(weir_world *world, double dt)
{
    weir_error error = {0};
    uint32_t flags = weir_world_step(world, dt, &error);
    if (flags & WEIR_STEP_FAILED)
        fail_msg("%s", error.text);
    return flags;
}

static inline void step_many(weir_world *world, double dt, int steps)
{
    for (int k = 0; k < steps; k++)
        step_world(world, dt);
}

#endif
