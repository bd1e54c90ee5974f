/* The constraint method's rows against a plain double-precision twin, its operator, and what it
 * conserves. */
#include "base/error.h"
#include "world/stages.h"

#include "method/constraint.h"
#include "method/constraint_walls.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define assert_near(measured, expected, tolerance)                                                 \
    assert_true(fabs((double)(measured) - (double)(expected)) <= (tolerance))

/* A block of fluid with jitter in a tank, with a ball that is moved inside; particles keep clear of
 * the ball. Lists and contacts are built. */
static weir_world *make_world(int dim, const char *simd, int threads)
{
    weir_error error = {0};
    weir_world_def def = weir_world_def_default();
    weir_world_def_use_method(&def, WEIR_METHOD_CONSTRAINT);
    def.dim = dim;
    def.spacing = 0.1;
    def.threads = threads;
    def.simd = simd;
    weir_world *w = weir_world_create(&def, &error);
    assert_non_null(w);
    weir_fluid_def heavy = weir_fluid_def_default(), light = weir_fluid_def_default();
    light.density = 500;
    weir_fluid_id fluids[2] = {weir_fluid_create(w, &heavy, &error),
                               weir_fluid_create(w, &light, &error)};
    weir_body_def tank = weir_body_def_default();
    tank.shape.kind = WEIR_SHAPE_BOX;
    tank.shape.complement = true;
    tank.shape.half_extents = (weir_vec3){0.6, 0.9, 0.4};
    tank.pose.position = (weir_vec3){0.6, 0.9, dim == 3 ? 0.4 : 0};
    assert_true(weir_body_create(w, &tank, &error).slot);
    weir_body_def ball = weir_body_def_default();
    ball.kind = WEIR_BODY_DYNAMIC;
    ball.shape.kind = WEIR_SHAPE_SPHERE;
    ball.shape.radius = 0.2;
    ball.density = 700;
    ball.pose.position = (weir_vec3){0.55, 0.5, dim == 3 ? 0.4 : 0};
    assert_true(weir_body_create(w, &ball, &error).slot);
    unsigned noise = 7;
    for (int k = 0; k < (dim == 3 ? 8 : 1); k++)
        for (int j = 0; j < 9; j++)
            for (int i = 0; i < 12; i++) {
                double jitter[3];
                for (int a = 0; a < 3; a++) {
                    noise = noise * 1664525u + 1013904223u;
                    jitter[a] = ((double)(noise >> 8) / 16777216.0 - 0.5) * 0.03;
                }
                weir_vec3 x = {(i + 0.5) * 0.1 + jitter[0], (j + 0.5) * 0.1 + jitter[1],
                               dim == 3 ? (k + 0.5) * 0.1 + jitter[2] : 0};
                weir_vec3 v = {jitter[1] * 10, jitter[0] * 10, dim == 3 ? jitter[2] * 10 : 0};
                if (weir_world_distance(w, x, NULL) > 0.03)
                    assert_true(weir_world_add_particles(w, fluids[i % 2], &x, 1, v, &error));
            }
    assert_true(world_prepare(w, &error));
    flow *f = &w->flow;
    assert_true(neighbours_build(&f->near, &f->p, &error));
    assert_true(walls_find(&f->walls, &f->p, &f->near, f->bodies, f->body_count, &error));
    return w;
}

/* Ratio, rate, slope and diagonal of row i by a sum over all particles. */
typedef struct twin_row {
    double ratio, rate, diagonal;
    double slope[3];
} twin_row;

static twin_row brute_force(const flow *f, size_t i)
{
    const constraint_data *data = f->method_data;
    double volume = f->kappa * f->volume;
    double gradient_volume = data->gradient_volume;
    twin_row sums = {0};
    for (size_t j = 0; j < f->p.count; j++) {
        vec3 r = vec3_sub(flow_position(f, i), flow_position(f, j));
        double length = vec3_length(r);
        if (length >= f->near.h) /* which is less than the kernel's h */
            continue;
        sums.ratio += volume * kernel_value(f->kernel, f->dim, length, f->h);
        if (j == i)
            continue;
        /* Weights are whole numbers. */
        double slope = kernel_derivative(f->kernel, f->dim, length, f->h) / length;
        double unit = f->kernel_factors.gradient / data->constants.weight_units;
        vec3 g = vec3_scale(r, gradient_volume * unit * floor(slope / unit + 0.5));
        sums.slope[0] += g.x;
        sums.slope[1] += g.y;
        sums.slope[2] += g.z;
        sums.rate += vec3_dot(g, vec3_sub(flow_velocity(f, i), flow_velocity(f, j)));
        sums.diagonal += vec3_dot(g, g) / f->fluids[f->p.fluid[j]].mass;
    }
    const wall_span *solids = &f->walls.spans[i];
    sums.ratio += solids->volume;
    for (uint32_t w = 0; w < solids->count; w++) {
        const wall_contact *c = &solids->contacts[w];
        vec3 v = vec3_sub(flow_velocity(f, i),
                          body_velocity_at(&f->bodies[c->body], flow_position(f, i)));
        sums.rate += vec3_dot((vec3){c->gradient[0], c->gradient[1], c->gradient[2]}, v);
        for (int a = 0; a < 3; a++)
            sums.slope[a] += c->gradient[a];
    }
    sums.diagonal += (sums.slope[0] * sums.slope[0] + sums.slope[1] * sums.slope[1] +
                      sums.slope[2] * sums.slope[2]) /
                     f->fluids[f->p.fluid[i]].mass;
    return sums;
}

static void rows_equal_brute_force(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world *w = make_world(dim, NULL, 1);
        flow *f = &w->flow;
        w->method->accelerate(f, 0);
        w->method->rows->measure(f, 0);
        for (size_t i = 0; i < f->p.count; i++) {
            twin_row twin = brute_force(f, i);
            assert_near(f->p.field[CONSTRAINT_RATIO][i], twin.ratio, 2e-5);
            assert_near(f->p.field[CONSTRAINT_RATE][i], twin.rate, 2e-4);
            assert_near(f->p.field[CONSTRAINT_DIAGONAL][i] / twin.diagonal, 1, 1e-4);
            for (int a = 0; a < dim; a++)
                assert_near(f->p.field[CONSTRAINT_SLOPE_X + a][i], twin.slope[a], 1e-3);
        }
        weir_world_destroy(w);
    }
}

/* The density of particle i after a move by dt v; solids are a test of their own. */
static double density_after(const flow *f, size_t i, double dt)
{
    double sum = dt > 0 ? constraint_walls_predict(f, i, dt, 0, NULL) : f->walls.spans[i].volume;
    for (size_t j = 0; j < f->p.count; j++) {
        vec3 r = vec3_sub(flow_position(f, i), flow_position(f, j));
        vec3 way = vec3_scale(vec3_sub(flow_velocity(f, i), flow_velocity(f, j)), dt);
        double length = vec3_length(vec3_add(r, way));
        if (length < f->near.h)
            sum += f->kappa * f->volume * kernel_value(f->kernel, f->dim, length, f->h);
    }
    return sum;
}

/* What a step of the usual length mends of a density: 0.05 of the rest density at most; of a crowd
 * beside a solid that stays 0.3 of what is beyond 1.15, 0.15 at most, too. */
static double mended_of(double density, bool beside_solid)
{
    double beyond = beside_solid ? fmax(density - 1.15, 0) : 0;
    return fmin(fmax(density - 1, 0), 0.05) + fmin(0.3 * beyond, 0.15);
}

/* Near the tank, and not near the ball, which is moved. */
static bool is_beside_tank(const flow *f, size_t i)
{
    const wall_span *solids = &f->walls.spans[i];
    for (uint32_t w = 0; w < solids->count; w++)
        if (solids->contacts[w].body != 0)
            return false;
    return solids->count > 0;
}

/* Those near the corner at the origin come twice as near. */
static void press_into_corner(flow *f)
{
    weir_error error = {0};
    for (size_t i = 0; i < f->p.count; i++)
        if (vec3_length(flow_position(f, i)) < 0.35)
            for (int a = 0; a < f->dim; a++)
                f->p.x[a][i] *= 0.5f;
    assert_true(neighbours_build(&f->near, &f->p, &error));
    assert_true(walls_find(&f->walls, &f->p, &f->near, f->bodies, f->body_count, &error));
}

/* By itself, a step that ends behind the wall, whose reach has hardly begun. */
static void throw_at_wall(weir_world *w, double dt)
{
    weir_error error = {0};
    flow *f = &w->flow;
    weir_vec3 at = {1.2 - 0.9 * f->h, 1.35, f->dim == 3 ? 0.4 : 0};
    assert_true(weir_world_add_particles(w, (weir_fluid_id){1, 1}, &at, 1,
                                         (vec3){1.5 * f->h / dt, 0, 0}, &error));
}

static void compare_foreseen_rates(int dim, double dt, double mending, double share)
{
    weir_world *w = make_world(dim, NULL, 1);
    flow *f = &w->flow;
    throw_at_wall(w, dt);
    press_into_corner(f);
    w->method->accelerate(f, 0);
    size_t dense = 0, crowds = 0, cut = 0;
    assert_true(w->method->rows->foresee(f, dt, mending));
    for (size_t i = 0; i < f->p.count; i++) {
        bool beside = is_beside_tank(f, i);
        double before = density_after(f, i, 0);
        double allowed = fmax(before, 1) - share * mended_of(before, beside);
        double excess = density_after(f, i, dt) - allowed;
        /* No more than what moves it, by itself, by two spacings. */
        double mass = f->fluids[f->p.fluid[i]].mass;
        double most = 2 * f->spacing * sqrt(mass * brute_force(f, i).diagonal);
        cut += excess > most;
        /* Pairs that come near by the move are in no list: a kernel of 1e-4 each. */
        assert_near(dt * (double)f->p.field[CONSTRAINT_RATE][i], fmin(excess, most), 4e-4);
        dense += before > 1.05;
        crowds += before > 1.15 && beside;
    }
    assert_true(dense > 0 && dense < f->p.count && crowds > 0 && cut == 1);
    weir_world_destroy(w);
}

/* Rates of a solve at once: what is above the rest density after the move, less what a step does
 * not mend of that which is above it before. Steps that are shorter than the time in which it is
 * to be mended take their share of it. */
static void foreseen_rates_equal_brute_force(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        compare_foreseen_rates(dim, 0.02, 0.01, 1);
        compare_foreseen_rates(dim, 0.02, 0.08, 0.25);
    }
}

/* The ratio of particle i by the pairs that are near now and were so where the search saw them; how
 * many are near now alone. */
static double density_of_pairs(const flow *f, size_t i, const vec3 *ahead, size_t *left_out)
{
    double sum = f->walls.spans[i].volume;
    for (size_t j = 0; j < f->p.count; j++) {
        double length = vec3_length(vec3_sub(flow_position(f, i), flow_position(f, j)));
        bool near = length < f->near.h, met = vec3_length(vec3_sub(ahead[i], ahead[j])) < f->near.h;
        if (near && met)
            sum += f->kappa * f->volume * kernel_value(f->kernel, f->dim, length, f->h);
        *left_out += near && !met;
    }
    return sum;
}

/* Where a step is long: ratios by pairs that both have each other in their lists, mean rates of the
 * way, and after it the ratios and gradients of its end. */
static void long_steps_equal_brute_force(void **state)
{
    (void)state;
    const double dt = 0.2;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world *w = make_world(dim, NULL, 1);
        flow *f = &w->flow;
        const density_rows *rows = w->method->rows;
        weir_error error = {0};
        f->speed_max = 1;
        stage_look_ahead(w, dt);
        assert_true(stage_search(w, &error));
        vec3 *ahead = malloc(f->p.count * sizeof *ahead);
        assert_non_null(ahead);
        for (size_t i = 0; i < f->p.count; i++)
            ahead[i] = flow_position(f, i);
        stage_look_back(w, dt);
        assert_true(stage_walls(w, &error));
        w->method->accelerate(f, dt);
        assert_true(rows->measure(f, dt));
        size_t left_out = 0;
        for (size_t i = 0; i < f->p.count; i++) {
            double before = density_of_pairs(f, i, ahead, &left_out);
            assert_near(f->p.field[CONSTRAINT_RATIO][i], before, 2e-5);
            assert_near(dt * (double)f->p.field[CONSTRAINT_RATE][i],
                        density_after(f, i, dt) - before, 4e-4);
        }
        assert_true(left_out > 0);
        assert_true(rows->predict(f, dt));
        /* Solids are a test of their own: here the pairs count. */
        vec3 *by_pairs = ahead;
        for (size_t i = 0; i < f->p.count; i++) {
            vec3 slope = {f->p.field[CONSTRAINT_SLOPE_X][i], f->p.field[CONSTRAINT_SLOPE_Y][i],
                          dim == 3 ? f->p.field[CONSTRAINT_SLOPE_Z][i] : 0};
            vec3 by_solids;
            constraint_walls_predict(f, i, dt, 0, &by_solids);
            by_pairs[i] = vec3_sub(slope, by_solids);
            assert_near(f->p.field[CONSTRAINT_RATIO][i], density_after(f, i, dt), 4e-4);
        }
        method_move(f, dt);
        for (size_t i = 0; i < f->p.count; i++) {
            f->walls.spans[i].count = 0;
            twin_row twin = brute_force(f, i);
            const double found[3] = {by_pairs[i].x, by_pairs[i].y, by_pairs[i].z};
            for (int a = 0; a < dim; a++)
                assert_near(found[a] * f->spacing, twin.slope[a] * f->spacing, 5e-3);
        }
        free(ahead);
        weir_world_destroy(w);
    }
}

/* G M⁻¹ Gᵀ is symmetric, and its diagonal is what `measure` says. */
static void operator_is_symmetric(void **state)
{
    (void)state;
    weir_world *w = make_world(2, NULL, 1);
    flow *f = &w->flow;
    const density_rows *rows = w->method->rows;
    size_t n = f->p.count;
    float *x = calloc(n + 16, sizeof *x), *y = calloc(n + 16, sizeof *y);
    double *matrix = calloc(n * n, sizeof *matrix);
    assert_true(x && y && matrix);
    w->method->accelerate(f, 0);
    rows->measure(f, 0);
    for (size_t j = 0; j < n; j++) {
        memset(x, 0, n * sizeof *x);
        x[j] = 1;
        rows->push(f, x);
        rows->pull(f, y);
        for (size_t i = 0; i < n; i++)
            matrix[i * n + j] = -y[i];
        assert_near(matrix[j * n + j] / f->p.field[CONSTRAINT_DIAGONAL][j], 1, 1e-4);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(fabs(matrix[i * n + j] - matrix[j * n + i]) <=
                        1e-5 * (matrix[i * n + i] + matrix[j * n + j]));
    free(x);
    free(y);
    free(matrix);
    weir_world_destroy(w);
}

static void threads_and_widths_give_the_same_bits(void **state)
{
    (void)state;
    const int threads[] = {1, 2, 3, 7};
    for (int dim = 2; dim <= 3; dim++) {
        uint64_t first = 0;
        for (int t = 0; t < 4; t++)
            for (const char *const *simd = weir_simd_levels(); *simd; simd++) {
                weir_error error = {0};
                weir_world *w = make_world(dim, *simd, threads[t]);
                for (int k = 0; k < 3; k++)
                    assert_false(weir_world_step(w, 0.005, &error) & WEIR_STEP_FAILED);
                uint64_t hash = weir_world_hash(w);
                first = first ? first : hash;
                assert_true(hash == first);
                weir_world_destroy(w);
            }
    }
}

/* A turning drop around a ball, in free space. */
static void momentum_is_conserved(void **state)
{
    (void)state;
    weir_error error = {0};
    weir_world_def def = weir_world_def_default();
    weir_world_def_use_method(&def, WEIR_METHOD_CONSTRAINT);
    def.dim = 2;
    def.spacing = 0.05;
    def.gravity = (weir_vec3){0, 0, 0};
    weir_world *w = weir_world_create(&def, &error);
    weir_fluid_def liquid = weir_fluid_def_default();
    liquid.viscosity = 0; /* a Laplacian of the velocity keeps linear momentum only */
    weir_fluid_id water = weir_fluid_create(w, &liquid, &error);
    weir_body_def ball = weir_body_def_default();
    ball.kind = WEIR_BODY_DYNAMIC;
    ball.shape.kind = WEIR_SHAPE_SPHERE;
    ball.shape.radius = 0.15;
    weir_body_id id = weir_body_create(w, &ball, &error);
    double angular_before = 0, mass = 0;
    for (int j = -10; j <= 10; j++)
        for (int i = -10; i <= 10; i++) {
            weir_vec3 x = {i * 0.05, j * 0.05, 0}, v = {0.2 - 3 * x.y, 3 * x.x, 0};
            if (hypot(x.x, x.y) > 0.5 || weir_world_distance(w, x, NULL) < 0.02)
                continue;
            assert_true(weir_world_add_particles(w, water, &x, 1, v, &error));
            angular_before += 1000 * 0.0025 * (x.x * v.y - x.y * v.x);
            mass += 1000 * 0.0025;
        }
    for (int k = 0; k < 30; k++)
        assert_false(weir_world_step(w, 1.0 / 60, &error) & WEIR_STEP_FAILED);
    weir_statistics now = weir_world_get_statistics(w);
    weir_body_state ball_now;
    assert_true(weir_body_get_state(w, id, &ball_now));
    double momentum = now.momentum.x + ball_now.mass * ball_now.velocity.x;
    double spin = now.angular_momentum.z +
                  ball_now.mass * (ball_now.centre.x * ball_now.velocity.y -
                                   ball_now.centre.y * ball_now.velocity.x) +
                  0.5 * ball_now.mass * 0.15 * 0.15 * ball_now.spin.z;
    assert_near(momentum / (0.2 * mass), 1, 1e-4);
    assert_near(now.momentum.y + ball_now.mass * ball_now.velocity.y, 0, 1e-4 * 0.2 * mass);
    print_message("angular momentum kept: %.7f\n", spin / angular_before);
    assert_near(spin / angular_before, 1, 1e-4);
    weir_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_equal_brute_force),
        cmocka_unit_test(foreseen_rates_equal_brute_force),
        cmocka_unit_test(long_steps_equal_brute_force),
        cmocka_unit_test(operator_is_symmetric),
        cmocka_unit_test(threads_and_widths_give_the_same_bits),
        cmocka_unit_test(momentum_is_conserved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
