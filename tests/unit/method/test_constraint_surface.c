/* What makes up for the energy of free surfaces, against a plain twin; what it keeps, and where it
 * acts. */
#include "method/constraint_surface.h"

#include "base/error.h"
#include "kernel/kernel.h"
#include "method/constraint.h"
#include "method/constraint_weigh.h"
#include "world/state.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double SPACING = 0.1, STEP = 0.004;

/* A pool of two liquids with a ball in its surface, in 3D in a narrow tank. The upper layers lie
 * `gap` spacings apart: less than 1 as they come to rest, more (all layers, then) as in fluid that
 * falls apart. Lists, solids and slopes are known; nothing moves. */
static weir_world *make_pool(int dim, const char *simd, int threads, double gap,
                             weir_body_kind kind)
{
    weir_error error = {0};
    weir_world_def def = weir_world_def_default();
    weir_world_def_use_method(&def, WEIR_METHOD_CONSTRAINT);
    def.dim = dim;
    def.spacing = SPACING;
    def.threads = threads;
    def.simd = simd;
    weir_world *w = weir_world_create(&def, &error);
    assert_non_null(w);
    weir_fluid_def heavy = weir_fluid_def_default(), light = weir_fluid_def_default();
    light.density = 800;
    weir_fluid_id fluids[2] = {weir_fluid_create(w, &heavy, &error),
                               weir_fluid_create(w, &light, &error)};
    weir_body_def tank = weir_body_def_default(), ball = weir_body_def_default();
    tank.shape.kind = WEIR_SHAPE_BOX;
    tank.shape.complement = true;
    int columns = dim == 3 ? 20 : 40, sheets = dim == 3 ? 16 : 1;
    double middle = columns * SPACING / 2, depth = sheets * SPACING / 2;
    tank.shape.half_extents = (weir_vec3){middle, 2, dim == 3 ? depth : 1};
    tank.pose.position = (weir_vec3){middle, 2, dim == 3 ? depth : 0};
    assert_true(weir_body_create(w, &tank, &error).slot);
    ball.kind = kind;
    ball.shape.kind = WEIR_SHAPE_SPHERE;
    ball.shape.radius = 0.4;
    ball.density = 500;
    ball.pose.position = (weir_vec3){middle + 0.03, 1.05, dim == 3 ? depth : 0};
    assert_true(weir_body_create(w, &ball, &error).slot);
    unsigned noise = 11;
    for (int n = 0; n < 12 * columns * sheets; n++) {
        int i = n % columns, j = n / columns % 12, k = n / columns / 12;
        double jitter[3];
        for (int a = 0; a < 3; a++) {
            noise = noise * 1664525u + 1013904223u;
            jitter[a] = ((double)(noise >> 8) / 16777216.0 - 0.5) * 0.02;
        }
        double wide = fmax(gap, 1), y = j < 8 ? wide * (j + 0.5) : wide * 8.5 + gap * (j - 8);
        weir_vec3 x = {(i + 0.5) * SPACING + jitter[0], y * SPACING + jitter[1],
                       dim == 3 ? (k + 0.5) * SPACING + jitter[2] : 0};
        if (weir_world_distance(w, x, NULL) > 0.03)
            assert_true(
                weir_world_add_particles(w, fluids[i % 2], &x, 1, (weir_vec3){0, 0, 0}, &error));
    }
    assert_true(world_prepare(w, &error));
    flow *f = &w->flow;
    f->force = (vec3){0, -9.81, 0};
    assert_true(neighbours_build(&f->near, &f->p, &error));
    assert_true(walls_find(&f->walls, &f->p, &f->near, f->bodies, f->body_count, &error));
    constraint_weigh(f);
    return w;
}

static vec3 pull_of(const flow *f, size_t i)
{
    float *const *pull = &f->p.field[CONSTRAINT_WORK_X];
    return (vec3){pull[0][i], pull[1][i], f->dim == 3 ? pull[2][i] : 0};
}

/* W'/r, and how it bends: ∇∇W p = (W'/r) p + (W'/r)' (r·p) r/|r|, the second by differences. */
static double weight_of(const flow *f, double r)
{
    return kernel_derivative(f->kernel, f->dim, r, f->h) / r;
}

static vec3 bend(const flow *f, vec3 r, vec3 p)
{
    double length = vec3_length(r), step = 1e-5 * f->h;
    double change = (weight_of(f, length + step) - weight_of(f, length - step)) / (2 * step);
    return vec3_add(vec3_scale(p, weight_of(f, length)),
                    vec3_scale(r, change * vec3_dot(r, p) / length));
}

static vec3 brute_force(const flow *f, size_t i)
{
    const constraint_data *data = f->method_data;
    vec3 sum = {0, 0, 0};
    for (size_t j = 0; j < f->p.count; j++) {
        vec3 r = vec3_sub(flow_position(f, i), flow_position(f, j));
        if (j != i && vec3_length(r) < f->near.h)
            sum = vec3_add(sum, bend(f, r, vec3_sub(pull_of(f, i), pull_of(f, j))));
    }
    double mass = f->fluids[f->p.fluid[i]].mass;
    return vec3_scale(sum, -STEP * f->volume * data->gradient_volume / mass);
}

static double tank_distance(const flow *f, size_t i)
{
    const body *tank = &f->bodies[0];
    return shape_distance(tank->shape, pose_local_point(tank->pose, flow_position(f, i)), NULL);
}

/* Of particles farther than `margin` from the tank's walls. */
static double largest_speed(const flow *f, double margin)
{
    double largest = 0;
    for (size_t i = 0; i < f->p.count; i++)
        if (tank_distance(f, i) >= margin)
            largest = fmax(largest, vec3_length(flow_velocity(f, i)));
    return largest;
}

static void pairs_equal_brute_force(void **state)
{
    int dim = *(const int *)*state;
    weir_world *w = make_pool(dim, NULL, 1, 0.8, WEIR_BODY_DYNAMIC);
    flow *f = &w->flow;
    constraint_surface_balance(f, STEP);
    double largest = largest_speed(f, 0);
    assert_true(largest > 0.01 * STEP * 9.81);
    for (size_t i = 0; i < f->p.count; i++)
        if (f->walls.spans[i].count == 0)
            assert_true(vec3_length(vec3_sub(flow_velocity(f, i), brute_force(f, i))) <
                        1e-5 * largest);
    weir_world_destroy(w);
}

/* All of the fluid and the body that floats; the tank takes the rest. */
static void keeps_momentum(void **state)
{
    int dim = *(const int *)*state;
    weir_world *w = make_pool(dim, NULL, 1, 0.8, WEIR_BODY_DYNAMIC);
    flow *f = &w->flow;
    constraint_surface_balance(f, STEP);
    vec3 sum = {0, 0, 0};
    double most = 0;
    for (size_t i = 0; i < f->p.count; i++) {
        vec3 given = vec3_scale(flow_velocity(f, i), f->fluids[f->p.fluid[i]].mass);
        sum = vec3_add(sum, given);
        most += vec3_length(given);
    }
    for (size_t k = 0; k < f->body_count; k++)
        sum = vec3_add(sum, f->bodies[k].pressure_impulse);
    vec3 ball = vec3_scale(f->bodies[1].velocity, f->bodies[1].mass);
    assert_true(vec3_length(ball) > 0);
    assert_true(vec3_length(vec3_sub(ball, f->bodies[1].pressure_impulse)) < 1e-9 * most);
    assert_true(vec3_length(sum) < 1e-6 * most);
    weir_world_destroy(w);
}

static void same_bits_everywhere(void **state)
{
    int dim = *(const int *)*state;
    weir_world *first = make_pool(dim, NULL, 1, 0.8, WEIR_BODY_DYNAMIC);
    constraint_surface_balance(&first->flow, STEP);
    for (const char *const *simd = weir_simd_levels(); *simd; simd++)
        for (int threads = 1; threads <= 3; threads += 2) {
            weir_world *w = make_pool(dim, *simd, threads, 0.8, WEIR_BODY_DYNAMIC);
            constraint_surface_balance(&w->flow, STEP);
            for (int a = 0; a < dim; a++)
                assert_memory_equal(w->flow.p.v[a], first->flow.p.v[a],
                                    first->flow.p.count * sizeof(float));
            weir_world_destroy(w);
        }
    weir_world_destroy(first);
}

/* Nothing in fluid that moves fast, without gravity, where nothing floats, and at surfaces that do
 * not lie on other fluid: those have far less than the rest density, but for the edges of a tank,
 * whose walls are most of what there is. */
static void acts_where_bodies_float(void **state)
{
    int dim = *(const int *)*state;
    static const struct {
        double gap, speed, gravity;
        weir_body_kind kind;
    } none[] = {{0.8, 10, 9.81, WEIR_BODY_DYNAMIC},
                {0.8, 0, 0, WEIR_BODY_DYNAMIC},
                {0.8, 0, 9.81, WEIR_BODY_STATIC},
                {2, 0, 9.81, WEIR_BODY_DYNAMIC}};
    for (size_t k = 0; k < sizeof none / sizeof none[0]; k++) {
        weir_world *w = make_pool(dim, NULL, 1, none[k].gap, none[k].kind);
        w->flow.speed_max = none[k].speed;
        w->flow.force.y = -none[k].gravity;
        constraint_surface_balance(&w->flow, STEP);
        assert_true(largest_speed(&w->flow, 0.5) == 0);
        weir_world_destroy(w);
    }
}

int main(void)
{
    int flat = 2, solid = 3;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(pairs_equal_brute_force, &flat),
        cmocka_unit_test_prestate(pairs_equal_brute_force, &solid),
        cmocka_unit_test_prestate(keeps_momentum, &flat),
        cmocka_unit_test_prestate(keeps_momentum, &solid),
        cmocka_unit_test_prestate(same_bits_everywhere, &flat),
        cmocka_unit_test_prestate(same_bits_everywhere, &solid),
        cmocka_unit_test_prestate(acts_where_bodies_float, &flat),
        cmocka_unit_test_prestate(acts_where_bodies_float, &solid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
