/* What makes up for the energy of free surfaces, against a plain twin; what it keeps, and where it
 * acts. */
#include "method/constraint_surface.h"

#include "base/error.h"
#include "kernel/kernel.h"
#include "method/constraint.h"
#include "method/constraint_rows.h"
#include "world/state.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double SPACING = 0.1, STEP = 0.004;

/* A pool of two liquids with a ball in its surface. The upper layers lie `gap` spacings apart: less
 * than 1 as they come to rest, more (all layers, then) as in fluid that falls apart. Lists, solids
 * and slopes are known; nothing moves. */
static weir_world *make_pool(const char *simd, int threads, double gap, weir_body_kind kind)
{
    weir_error error = {0};
    weir_world_def def = weir_world_def_default();
    weir_world_def_use_method(&def, WEIR_METHOD_CONSTRAINT);
    def.dim = 2;
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
    tank.shape.half_extents = (weir_vec3){2, 2, 1};
    tank.pose.position = (weir_vec3){2, 2, 0};
    assert_true(weir_body_create(w, &tank, &error).slot);
    ball.kind = kind;
    ball.shape.kind = WEIR_SHAPE_SPHERE;
    ball.shape.radius = 0.4;
    ball.density = 500;
    ball.pose.position = (weir_vec3){2.03, 1.05, 0};
    assert_true(weir_body_create(w, &ball, &error).slot);
    unsigned noise = 11;
    for (int j = 0; j < 12; j++)
        for (int i = 0; i < 40; i++) {
            double jitter[2];
            for (int a = 0; a < 2; a++) {
                noise = noise * 1664525u + 1013904223u;
                jitter[a] = ((double)(noise >> 8) / 16777216.0 - 0.5) * 0.02;
            }
            double wide = fmax(gap, 1), y = j < 8 ? wide * (j + 0.5) : wide * 8.5 + gap * (j - 8);
            weir_vec3 x = {(i + 0.5) * SPACING + jitter[0], y * SPACING + jitter[1], 0};
            if (weir_world_distance(w, x, NULL) > 0.03)
                assert_true(weir_world_add_particles(w, fluids[i % 2], &x, 1, (weir_vec3){0, 0, 0},
                                                     &error));
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
    return (vec3){f->p.field[CONSTRAINT_WORK_X][i], f->p.field[CONSTRAINT_WORK_Y][i], 0};
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

static double largest_speed(const flow *f)
{
    double largest = 0;
    for (size_t i = 0; i < f->p.count; i++)
        largest = fmax(largest, vec3_length(flow_velocity(f, i)));
    return largest;
}

static void pairs_equal_brute_force(void **state)
{
    (void)state;
    weir_world *w = make_pool(NULL, 1, 0.8, WEIR_BODY_DYNAMIC);
    flow *f = &w->flow;
    constraint_surface_balance(f, STEP);
    double largest = largest_speed(f);
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
    (void)state;
    weir_world *w = make_pool(NULL, 1, 0.8, WEIR_BODY_DYNAMIC);
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
    (void)state;
    weir_world *first = make_pool(NULL, 1, 0.8, WEIR_BODY_DYNAMIC);
    constraint_surface_balance(&first->flow, STEP);
    for (const char *const *simd = weir_simd_levels(); *simd; simd++)
        for (int threads = 1; threads <= 3; threads += 2) {
            weir_world *w = make_pool(*simd, threads, 0.8, WEIR_BODY_DYNAMIC);
            constraint_surface_balance(&w->flow, STEP);
            for (int a = 0; a < 2; a++)
                assert_memory_equal(w->flow.p.v[a], first->flow.p.v[a],
                                    first->flow.p.count * sizeof(float));
            weir_world_destroy(w);
        }
    weir_world_destroy(first);
}

/* Nothing in fluid that moves fast, without gravity, where nothing floats, and at surfaces that do
 * not lie on other fluid: those have far less than the rest density. */
static void acts_where_bodies_float(void **state)
{
    (void)state;
    static const struct {
        double gap, speed, gravity;
        weir_body_kind kind;
    } none[] = {{0.8, 10, 9.81, WEIR_BODY_DYNAMIC},
                {0.8, 0, 0, WEIR_BODY_DYNAMIC},
                {0.8, 0, 9.81, WEIR_BODY_STATIC},
                {2, 0, 9.81, WEIR_BODY_DYNAMIC}};
    for (size_t k = 0; k < sizeof none / sizeof none[0]; k++) {
        weir_world *w = make_pool(NULL, 1, none[k].gap, none[k].kind);
        w->flow.speed_max = none[k].speed;
        w->flow.force.y = -none[k].gravity;
        constraint_surface_balance(&w->flow, STEP);
        assert_true(largest_speed(&w->flow) == 0);
        weir_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_equal_brute_force),
        cmocka_unit_test(keeps_momentum),
        cmocka_unit_test(same_bits_everywhere),
        cmocka_unit_test(acts_where_bodies_float),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
