/* The volume of solids that a particle of the constraint method will have after its move, against
 * what solids have at the place where it comes to be. */
#include "support/worlds.h"
#include "world/state.h"

#include "method/constraint_walls.h"

static const double SPACING = 0.1, STEP = 0.02;

static const weir_vec3 VELOCITIES[] = {
    {0, 0, 0}, {0.3, -1.8, 0.2}, {-1.4, -0.9, 0.5}, {1, 1.5, -1}};

/* Particles in a corner of a tank, moving to and from its walls; a dynamic body where asked for. */
static weir_world *make_corner(int dim, bool with_body)
{
    weir_error error = {0};
    weir_world_def def = small_world_def(dim, SPACING);
    weir_world_def_use_method(&def, WEIR_METHOD_CONSTRAINT);
    weir_world *w = make_world(&def);
    weir_fluid_id water = make_fluid(w, 1000, 0);
    make_tank(w, v3(0, 0, dim == 3 ? 0 : -1), v3(2, 2, dim == 3 ? 2 : 1));
    weir_body_def ball = weir_body_def_default();
    ball.kind = WEIR_BODY_DYNAMIC;
    ball.shape.kind = WEIR_SHAPE_SPHERE;
    ball.shape.radius = 0.2;
    ball.pose.position = v3(0.12, 0.55, dim == 3 ? 0.15 : 0);
    if (with_body)
        make_body(w, &ball);
    for (size_t k = 0; k < COUNT_OF(VELOCITIES); k++) {
        double n = (double)k;
        weir_vec3 x = {0.08 + 0.11 * n, 0.06 + 0.04 * n, dim == 3 ? 0.07 + 0.03 * n : 0};
        weir_vec3 v = VELOCITIES[k];
        v.z = dim == 3 ? v.z : 0;
        assert_true(weir_world_add_particles(w, water, &x, 1, v, &error));
    }
    flow *f = &w->flow;
    assert_true(world_prepare(w, &error));
    assert_true(neighbours_build(&f->near, &f->p, &error));
    assert_true(walls_find(&f->walls, &f->p, &f->near, f->bodies, f->body_count, &error));
    return w;
}

/* Volume of the tank after the move, and by its gradient before it. */
static double volume_after(const flow *f, size_t i, double *by_gradient)
{
    vec3 way = vec3_scale(flow_velocity(f, i), STEP), gradient;
    const body *tank = &f->bodies[0];
    vec3 from = walls_local_point(&f->near, tank, flow_position(f, i));
    double before = boundary_volume(tank->map, from, &gradient);
    *by_gradient = before + vec3_dot(gradient, way);
    return boundary_volume(tank->map, vec3_add(from, way), NULL);
}

static void volumes_are_those_after_the_move(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world *w = make_corner(dim, false);
        const flow *f = &w->flow;
        double bend = 0;
        for (size_t i = 0; i < f->p.count; i++) {
            double by_gradient, after = volume_after(f, i, &by_gradient);
            assert_true(fabs(constraint_walls_predict(f, i, STEP, 0, NULL) - after) < 1e-6);
            bend = fmax(bend, fabs(by_gradient - after));
        }
        /* It would be far off along the gradient: otherwise this shows nothing. */
        assert_true(bend > 0.02);
        weir_world_destroy(w);
    }
}

/* The gradient that goes with it, next to differences of the volume there. */
static void gradients_are_those_after_the_move(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world *w = make_corner(dim, false);
        flow *f = &w->flow;
        const double by = 2e-3 * f->spacing;
        double change = 0;
        for (size_t i = 0; i < f->p.count; i++) {
            vec3 there;
            constraint_walls_predict(f, i, STEP, 0, &there);
            const double slope[3] = {there.x, there.y, there.z};
            for (int a = 0; a < dim; a++) {
                float *v = &f->p.v[a][i], kept = *v;
                *v = kept + (float)(by / STEP);
                double beyond = constraint_walls_predict(f, i, STEP, 0, NULL);
                *v = kept - (float)(by / STEP);
                double difference = (beyond - constraint_walls_predict(f, i, STEP, 0, NULL));
                *v = kept;
                assert_true(fabs(slope[a] - difference / (2 * by)) * f->spacing < 2e-3);
                float present = 0;
                for (uint32_t k = 0; k < f->walls.spans[i].count; k++)
                    present += f->walls.spans[i].contacts[k].gradient[a];
                change = fmax(change, fabs(slope[a] - present) * f->spacing);
            }
        }
        /* That of the present is another. */
        assert_true(change > 0.02);
        weir_world_destroy(w);
    }
}

/* The weight that a prediction leaves out goes along the gradient of the present. */
static void weight_is_left_to_the_gradient(void **state)
{
    (void)state;
    weir_world *w = make_corner(2, false);
    flow *f = &w->flow;
    const double fallen = 0.5 * STEP;
    f->force = (vec3){3, -9.81, 0};
    for (size_t i = 0; i < f->p.count; i++) {
        float along = 0;
        for (uint32_t k = 0; k < f->walls.spans[i].count; k++)
            along += (float)vec3_dot((vec3){f->walls.spans[i].contacts[k].gradient[0],
                                            f->walls.spans[i].contacts[k].gradient[1], 0},
                                     vec3_scale(f->force, fallen * STEP));
        float without = constraint_walls_predict(f, i, STEP, 0, NULL);
        f->p.v[0][i] += (float)(fallen * f->force.x);
        f->p.v[1][i] += (float)(fallen * f->force.y);
        float with = constraint_walls_predict(f, i, STEP, fallen, NULL);
        assert_true(without == 0 || fabs(with - without - along) < 1e-6);
    }
    weir_world_destroy(w);
}

/* What fluid moves is met along its gradient: its rows push back. A fixed solid beside it is not.
 */
static void moved_bodies_go_along_their_gradient(void **state)
{
    (void)state;
    weir_world *w = make_corner(3, true);
    const flow *f = &w->flow;
    int both = 0;
    for (size_t i = 0; i < f->p.count; i++) {
        const wall_span *solids = &f->walls.spans[i];
        double before = 0, along = 0, ignored, after = volume_after(f, i, &ignored);
        vec3 way = vec3_scale(flow_velocity(f, i), STEP);
        for (uint32_t k = 0; k < solids->count; k++) {
            const wall_contact *c = &solids->contacts[k];
            if (c->body == 0) {
                before = c->volume;
                continue;
            }
            along = vec3_dot((vec3){c->gradient[0], c->gradient[1], c->gradient[2]}, way);
            both += solids->count > 1;
        }
        /* Volumes of several solids overlap as chances do: what is left is a product. */
        double left = (1 - solids->volume) * (1 - after) / (1 - before);
        double expected = fmax(1 - left + along, 0);
        assert_true(fabs(constraint_walls_predict(f, i, STEP, 0, NULL) - expected) < 1e-5);
    }
    assert_true(both > 0);
    weir_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(volumes_are_those_after_the_move),
                                       cmocka_unit_test(gradients_are_those_after_the_move),
                                       cmocka_unit_test(weight_is_left_to_the_gradient),
                                       cmocka_unit_test(moved_bodies_go_along_their_gradient)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
