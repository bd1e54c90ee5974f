/* Pools, momentum and joints. */
#include "verify.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>

/* ---------------------------------------------------------------------- pool */

/* How much a particle counts as of the bulk: 0 up to two spacings from walls and surface, 1 from
 * six. It fades in, because beside walls particles lie in layers, and a sharp edge would count a
 * layer more or less. */
static double bulk_weight(double distance)
{
    double share = fmin(fmax((distance - 2) / 4, 0), 1);
    return share * share * (3 - 2 * share);
}

/* Mean of pressure over what depth says, away from walls and surface. The level is twice the height
 * of the centre of mass. */
static double pressure_ratio(const verify_tank *t, const verify_setup *s)
{
    const float *pressure = weir_world_get_field(t->world, "pressure");
    weir_particle_view p = weir_world_get_particles(t->world);
    double measured = 0, expected = 0, level = 0;
    for (size_t i = 0; i < p.count; i++)
        level += 2.0 * p.position[1][i] / (double)p.count;
    for (size_t i = 0; pressure && i < p.count; i++) {
        weir_vec3 x = {p.position[0][i], p.position[1][i], s->dim == 3 ? p.position[2][i] : 0};
        double distance = fmin(weir_world_distance(t->world, x, NULL), level - x.y);
        double weight = bulk_weight(distance / s->spacing);
        measured += weight * pressure[i];
        expected += weight * 1000 * 9.81 * (level - x.y);
    }
    return expected > 0 && pressure ? measured / expected : NAN;
}

bool verify_pool(const verify_setup *s, verify_list *list, weir_error *error)
{
    verify_tank t;
    double d = s->spacing, level = 20 * d;
    weir_vec3 size = {24 * d, 60 * d, 12 * d};
    bool ok = verify_tank_open(&t, s, size, error) && verify_tank_fill(&t, s, level, error) &&
              verify_run(t.world, s->quick ? 1 : 3, error);
    if (ok) {
        double early = weir_world_get_statistics(t.world).kinetic_energy;
        /* Pressure of single substeps flickers: the mean of a while is what counts. */
        double ratio = 0;
        int samples = 20;
        for (int k = 0; ok && k < samples; k++) {
            ok = verify_run(t.world, 3.0 / 60, error);
            ratio += pressure_ratio(&t, s) / samples;
        }
        weir_statistics now = weir_world_get_statistics(t.world);
        double weight = now.mass * 9.81 * level;
        verify_add(list, "pressure", "hydrostatic, mean over the bulk", "", 1, ratio, 0.02, true);
        verify_add(list, "volume", "of a settled pool", "", 0, now.volume_error, 0.02, false);
        verify_add(list, "density", "mean compression", "", 0, now.compression_mean, 0.01, false);
        verify_add(list, "energy", "kinetic, over the pool's weight times depth, settling", "", 0,
                   fmax(now.kinetic_energy - early, 0) / weight, 1e-4, false);
    }
    weir_world_destroy(t.world);
    return ok;
}

/* ------------------------------------------------------------------ momentum */

/* A drop that turns and flies, with a body inside of it in case of a method that couples. */
bool verify_momentum(const verify_setup *s, verify_list *list, weir_error *error)
{
    weir_world *w = verify_world(s, (weir_vec3){0, 0, 0}, error);
    if (!w)
        return false;
    weir_fluid_def fluid = weir_fluid_def_default();
    weir_fluid_id water = weir_fluid_create(w, &fluid, error);
    weir_body_def ball = weir_body_def_default();
    ball.name = "ball";
    ball.kind = WEIR_BODY_DYNAMIC;
    ball.shape.kind = WEIR_SHAPE_SPHERE;
    ball.shape.radius = 3 * s->spacing;
    weir_body_id body = weir_body_create(w, &ball, error);
    bool ok = water.slot != 0 && body.slot != 0;
    double d = s->spacing;
    int half = s->dim == 2 ? 10 : 7;
    for (int k = s->dim == 3 ? -half : 0; ok && k <= (s->dim == 3 ? half : 0); k++)
        for (int j = -half; ok && j <= half; j++)
            for (int i = -half; ok && i <= half; i++) {
                weir_vec3 x = {i * d, j * d, k * d};
                double r = sqrt(x.x * x.x + x.y * x.y + x.z * x.z);
                if (r > half * d || weir_world_distance(w, x, NULL) < 0.45 * d)
                    continue;
                weir_vec3 v = {0.3 - 2 * x.y, 2 * x.x, 0};
                ok = weir_world_add_particles(w, water, &x, 1, v, error);
            }
    weir_statistics before = weir_world_get_statistics(w);
    double scale = before.mass * 0.3;
    ok = ok && verify_run(w, 0.5, error);
    if (ok) {
        weir_statistics after = weir_world_get_statistics(w);
        weir_body_state state = {0};
        weir_body_get_state(w, body, &state);
        double x = after.momentum.x + state.mass * state.velocity.x - before.momentum.x;
        double y = after.momentum.y + state.mass * state.velocity.y - before.momentum.y;
        verify_add(list, "momentum", "of a drop with a body in free space, change", "", 0,
                   hypot(x, y) / scale, 1e-4, false);
    }
    weir_world_destroy(w);
    return ok;
}

/* -------------------------------------------------------------------- joints */

/* A chain of ten links that swings with a hundred times the weight of a link at its end. */
bool verify_joints(const verify_setup *s, verify_list *list, weir_error *error)
{
    enum { LINKS = 10 };
    weir_world *w = verify_world(s, (weir_vec3){0, -9.81, 0}, error);
    if (!w)
        return false;
    weir_fluid_def fluid = weir_fluid_def_default();
    bool ok = weir_fluid_create(w, &fluid, error).slot != 0;
    double length = 0.1;
    weir_body_id last = {0, 0};
    for (int k = 0; ok && k < LINKS; k++) {
        weir_body_def link = weir_body_def_default();
        link.kind = WEIR_BODY_DYNAMIC;
        link.shape.kind = WEIR_SHAPE_BOX;
        link.shape.half_extents = (weir_vec3){length / 2, 0.01, 0.01};
        link.mass = k == LINKS - 1 ? 1.0 : 0.01;
        link.pose.position = (weir_vec3){(k + 0.5) * length, 0, 0};
        link.collides = 0;
        weir_body_id id = weir_body_create(w, &link, error);
        weir_joint_def hinge = weir_joint_def_default();
        hinge.kind = WEIR_JOINT_HINGE;
        hinge.a = id;
        hinge.b = last;
        hinge.anchor = (weir_vec3){k * length, 0, 0};
        ok = id.slot != 0 && weir_joint_create(w, &hinge, error).slot != 0;
        last = id;
    }
    ok = ok && verify_run(w, s->quick ? 1 : 5, error);
    double drift = 0;
    for (int k = 0; ok && k < weir_world_joint_count(w); k++)
        drift = fmax(drift, weir_world_joint_state(w, k).drift);
    if (ok)
        verify_add(list, "joints", "drift of a chain of 10 links with a load of 100:1", "m", 0,
                   drift, 1e-3, false);
    weir_world_destroy(w);
    return ok;
}
