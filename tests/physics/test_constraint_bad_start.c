/* Fluid and bodies that start within each other come apart gently: nothing gets faster than by
 * falling through the pool, and what was inside a body is outside at last. */
#include "support/worlds.h"

#include "base/vec.h"

static const double GRAVITY = 9.81, WIDTH = 0.9, DEPTH = 0.45;
static const double HIGHEST = 0.55; /* m, of the level when bodies have displaced their volume */

typedef struct pool {
    weir_world *world;
    weir_fluid_id water;
    int dim;
    double spacing;
} pool;

static pool make_pool(int dim)
{
    double d = dim == 2 ? 0.03 : 0.045;
    weir_world_def def = small_world_def(dim, d);
    weir_world_def_use_method(&def, WEIR_METHOD_CONSTRAINT);
    def.gravity = v3(0, -GRAVITY, 0);
    pool p = {.world = make_world(&def), .dim = dim, .spacing = d};
    p.water = make_fluid(p.world, 1000, 0.001);
    make_tank(p.world, v3(0, 0, 0), v3(WIDTH, 3 * DEPTH, WIDTH / 2));
    return p;
}

static weir_body_id add_box(const pool *p, weir_vec3 at, double density)
{
    weir_body_def def = weir_body_def_default();
    def.kind = WEIR_BODY_DYNAMIC;
    def.shape.kind = WEIR_SHAPE_BOX;
    def.shape.half_extents = v3(0.12, 0.08, 0.12);
    def.pose.position = v3(at.x, at.y, p->dim == 3 ? at.z : 0);
    def.density = density;
    return make_body(p->world, &def);
}

static void flood(const pool *p, double jitter)
{
    fill_box(p->world, p->water, p->dim, p->spacing, v3(0, 0, 0), v3(WIDTH, DEPTH, WIDTH / 2),
             jitter, v3(0, 0, 0));
}

static double fastest(const pool *p, const weir_body_id *bodies, int count)
{
    double most = weir_world_get_statistics(p->world).speed_max;
    for (int k = 0; k < count; k++) {
        weir_body_state s;
        weir_body_get_state(p->world, bodies[k], &s);
        most = fmax(most, vec3_length(s.velocity));
    }
    return most;
}

/* How far the deepest particle is inside of a solid, in spacings. */
static double deepest(const pool *p)
{
    weir_particle_view view = weir_world_get_particles(p->world);
    double least = 0;
    for (size_t i = 0; i < view.count; i++) {
        weir_vec3 x =
            v3(view.position[0][i], view.position[1][i], p->dim == 3 ? view.position[2][i] : 0);
        least = fmin(least, weir_world_distance(p->world, x, NULL));
    }
    return -least / p->spacing;
}

static void check(const pool *p, const weir_body_id *bodies, int count, int steps)
{
    double most = 0;
    for (int k = 0; k < steps; k++) {
        step_world(p->world, 1.0 / 60);
        most = fmax(most, fastest(p, bodies, count));
    }
    double volume = weir_world_get_statistics(p->world).volume_error;
    print_message("%dD: up to %.2f m/s, at last %.3f m/s, %.2f spacings deep, volume error %.4f\n",
                  p->dim, most, fastest(p, bodies, count), deepest(p), volume);
    assert_true(most < sqrt(2 * GRAVITY * HIGHEST));
    assert_true(deepest(p) < 0.15);
    assert_true(fabs(volume) < 0.02);
}

static void fluid_inside_of_bodies(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        pool p = make_pool(dim);
        weir_body_id boxes[2] = {add_box(&p, v3(0.25, 0.2, 0.22), 500),
                                 add_box(&p, v3(0.65, 0.2, 0.22), 2000)};
        flood(&p, 0);
        check(&p, boxes, 2, dim == 2 ? 120 : 60);
        weir_world_destroy(p.world);
    }
}

static void bodies_inside_of_each_other_and_fluid(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        pool p = make_pool(dim);
        weir_body_id boxes[2] = {add_box(&p, v3(0.40, 0.2, 0.22), 700),
                                 add_box(&p, v3(0.48, 0.25, 0.22), 700)};
        flood(&p, 0);
        check(&p, boxes, 2, dim == 2 ? 120 : 60);
        weir_world_destroy(p.world);
    }
}

/* Twice the particles that the place holds. */
static void fluid_inside_of_fluid(void **state)
{
    (void)state;
    pool p = make_pool(2);
    flood(&p, 0);
    flood(&p, 0.3);
    check(&p, NULL, 0, 240);
    weir_world_destroy(p.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fluid_inside_of_bodies),
                                       cmocka_unit_test(bodies_inside_of_each_other_and_fluid),
                                       cmocka_unit_test(fluid_inside_of_fluid)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
