/* Gauss-Seidel sweeps over the one system: against a serial twin on the dense matrix in the same
 * order, against the conditions of the solution, and against another solver. */
#include "couple/row_parts.h"
#include "support/rigid.h"

enum { SWEEPS = 7 };

static weir_world_def sweep_def(int dim, const char *simd, int threads)
{
    weir_world_def def = small_world_def(dim, 0.1);
    weir_world_def_use_method(&def, WEIR_METHOD_CONSTRAINT);
    def.simd = simd;
    def.threads = threads;
    set_parameter(&def, "solver", SOLVER_GAUSS_SEIDEL);
    set_parameter(&def, "warm_start", 0);
    return def;
}

/* Particles with jitter in a tank around a ball that is moved, some of them on the walls. */
static weir_world *make_pool(const weir_world_def *def, double side)
{
    weir_world *w = make_world(def);
    weir_fluid_id fluids[2] = {make_fluid(w, 1000, 0.001), make_fluid(w, 500, 0.001)};
    make_tank(w, v3(0, 0, 0), v3(side, 2, side));
    weir_body_def ball = ball_def(v3(side / 2, side / 2, def->dim == 3 ? side / 2 : 0), 0.2);
    ball.density = 700;
    make_body(w, &ball);
    int n = (int)(side / 0.1 + 0.5);
    for (int i = 0; i < (def->dim == 3 ? n * n * n : n * n); i++) {
        const int at[3] = {i % n, i / n % n, i / n / n};
        double x[3];
        for (int a = 0; a < 3; a++)
            x[a] = 0.1 * (at[a] + 0.5 + 0.3 * (random_unit((uint64_t)a, (uint64_t)i) - 0.5));
        weir_vec3 point = v3(x[0], 0.96 * x[1] - 0.03, def->dim == 3 ? x[2] : 0);
        weir_vec3 velocity = v3(2 * x[1] - 1, 1 - 2 * x[0], 0);
        if (weir_world_distance(w, point, NULL) > 0)
            assert_true(weir_world_add_particles(w, fluids[i % 3 == 0], &point, 1, velocity, NULL));
    }
    return w;
}

/* A of the last solve, scaled, column by column. */
static double *find_matrix(row_system *s, size_t n)
{
    double *matrix = calloc(n * n, sizeof *matrix);
    float *x = calloc(n + 16, sizeof *x), *y = calloc(n + 16, sizeof *y);
    assert_true(matrix && x && y);
    for (size_t j = 0; j < n; j++) {
        memset(x, 0, n * sizeof *x);
        x[j] = 1;
        row_system_multiply(s, x, y);
        for (size_t i = 0; i < n; i++)
            matrix[i * n + j] = y[i];
    }
    free(x);
    free(y);
    return matrix;
}

static double residual_of(const row_system *s, const double *matrix, const double *x, size_t n,
                          size_t i)
{
    double sum = s->rhs[i];
    for (size_t j = 0; j < n; j++)
        sum -= matrix[i * n + j] * x[j];
    return sum;
}

static size_t row_in_order(const row_system *s, size_t k)
{
    return k < s->f->p.count ? s->sweep.cells.sort.order[k] : k;
}

static void sweep_serially(const row_system *s, const double *matrix, double *x, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        size_t i = row_in_order(s, k);
        double to = x[i] + residual_of(s, matrix, x, n, i);
        x[i] = fmin(fmax(to, s->lo[i]), s->hi[i]);
    }
}

/* One step of SPOOK, whose only solve is that of the velocities: what the solver saw is still
 * there. */
static weir_world *step_once(int dim, int sweeps)
{
    weir_world_def def = sweep_def(dim, NULL, 1);
    set_parameter(&def, "stepping", 1);
    set_parameter(&def, "iterations", sweeps);
    set_parameter(&def, "min_iterations", sweeps);
    set_parameter(&def, "tolerance", 0);
    set_parameter(&def, "density_tolerance", 0);
    def.substeps = 1;
    def.allow_unstable = true;
    weir_world *w = make_pool(&def, dim == 2 ? 1.2 : 0.7);
    step_world(w, 0.004);
    return w;
}

static void sweeps_equal_a_serial_twin(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world *w = step_once(dim, SWEEPS);
        row_system *s = &w->system;
        size_t n = w->flow.p.count + s->row_count;
        double *x = calloc(n, sizeof *x), *matrix = find_matrix(s, n), most = 0, off = 0;
        assert_non_null(x);
        assert_int_equal(s->velocity_result.iterations, SWEEPS);
        assert_int_equal(s->velocity_result.history_count, SWEEPS);
        assert_true(s->coupling_count > 10 && s->row_count > 5);
        for (int k = 0; k < SWEEPS; k++)
            sweep_serially(s, matrix, x, n);
        for (size_t i = 0; i < n; i++) {
            most = fmax(most, fabs(x[i]));
            off = fmax(off, fabs(x[i] - (double)s->solution[i]));
        }
        print_message("%dD: %zu rows, off by %.2g\n", dim, n, off / most);
        assert_true(off < 5e-4 * most);
        free(x);
        free(matrix);
        weir_world_destroy(w);
    }
}

/* Feasible, and nothing left to gain: the projected residual is small next to the right side. */
static void many_sweeps_solve_the_problem(void **state)
{
    (void)state;
    weir_world *w = step_once(2, 3000);
    row_system *s = &w->system;
    size_t n = w->flow.p.count + s->row_count;
    double *x = calloc(n, sizeof *x), *matrix = find_matrix(s, n), drive = 0, left = 0;
    size_t active = 0;
    assert_non_null(x);
    for (size_t i = 0; i < n; i++)
        x[i] = s->solution[i];
    for (size_t i = 0; i < n; i++) {
        double r = residual_of(s, matrix, x, n, i);
        assert_true(x[i] >= s->lo[i] && x[i] <= s->hi[i]);
        active += x[i] > s->lo[i];
        drive = fmax(drive, fabs((double)s->rhs[i]));
        left = fmax(left, x[i] > s->lo[i] ? fabs(r) : fmax(r, 0));
    }
    print_message("residual %.2g of the right side, %zu of %zu rows act\n", left / drive, active,
                  n);
    assert_true(active > n / 4 && active < n);
    assert_true(left < 1e-3 * drive);
    free(x);
    free(matrix);
    weir_world_destroy(w);
}

/* Threads work on cells of one colour at once: no particle may belong to two of them. */
static void cells_of_a_colour_share_no_particle(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int periodic = 0; periodic < 2; periodic++) {
            weir_world_def def = sweep_def(dim, NULL, 1);
            def.support = 2;
            def.gravity = v3(0, 0, 0);
            double side = dim == 2 ? 3 : 1.4;
            for (int a = 0; a < dim && periodic; a++)
                def.period[a] = (weir_axis_period){true, 0, side};
            weir_world *w = make_world(&def);
            fill_box(w, make_fluid(w, 1000, 0.001), dim, 0.1, v3(0, 0, 0), v3(side, side, side),
                     0.3, v3(0, 0, 0));
            step_world(w, 1e-3);
            const row_sweep *sweep = &w->system.sweep;
            const cell_colours *cells = &sweep->cells;
            uint32_t *owner = calloc(w->flow.p.count, sizeof *owner);
            size_t rows = 0;
            assert_non_null(owner);
            assert_int_equal(cells->colour_count, dim == 2 ? 4 : 8);
            for (int k = 0; k < cells->colour_count; k++) {
                memset(owner, 0, w->flow.p.count * sizeof *owner);
                for (size_t c = cells->colours[k]; c < cells->colours[k + 1]; c++)
                    for (size_t n = cells->cells[c]; n < cells->cells[c + 1]; n++, rows++) {
                        size_t i = cells->sort.order[n];
                        for (size_t m = sweep->starts[i]; m < sweep->starts[i + 1]; m++) {
                            uint32_t *of = &owner[sweep->members[m]];
                            assert_true(*of == 0 || *of == c + 1);
                            *of = (uint32_t)c + 1;
                        }
                    }
            }
            assert_int_equal(rows, w->flow.p.count);
            free(owner);
            weir_world_destroy(w);
        }
}

static void threads_and_widths_give_the_same_bits(void **state)
{
    (void)state;
    const int threads[] = {1, 2, 3, 7};
    for (int stepping = 0; stepping < 2; stepping++) {
        uint64_t first = 0;
        for (int t = 0; t < 4; t++)
            for (const char *const *simd = weir_simd_levels(); *simd; simd++) {
                weir_world_def def = sweep_def(3, *simd, threads[t]);
                set_parameter(&def, "stepping", stepping);
                set_parameter(&def, "iterations", 5);
                set_parameter(&def, "warm_start", 0.8);
                weir_world *w = make_pool(&def, 1.4);
                assert_true(w->flow.p.count > 2000); /* fewer run on one thread */
                step_many(w, 0.004, 2);
                uint64_t hash = weir_world_hash(w);
                first = first ? first : hash;
                assert_true(hash == first);
                weir_world_destroy(w);
            }
    }
}

/* A light paddle on a hinge with a motor, in fluid, beside a crate on the floor. */
static weir_world *make_mill(int solver, weir_body_id *paddle, weir_body_id *crate)
{
    weir_world_def def = sweep_def(2, NULL, 1);
    def.spacing = 0.05;
    set_parameter(&def, "solver", solver);
    set_parameter(&def, "iterations", 4000);
    set_parameter(&def, "tolerance", 1e-6);
    set_parameter(&def, "density_tolerance", 1e-7);
    def.substeps = 1;
    weir_world *w = make_world(&def);
    weir_fluid_id water = make_fluid(w, 1000, 0.001);
    make_tank(w, v3(0, 0, -1), v3(2, 3, 1));
    weir_body_def arm = box_def(v3(0.8, 0.5, 0), v3(0.3, 0.05, 1));
    arm.density = 100;
    *paddle = make_body(w, &arm);
    weir_body_def box = box_def(v3(1.6, 0.15, 0), v3(0.15, 0.15, 1));
    box.density = 1500;
    box.velocity = v3(0.2, 0, 0);
    *crate = make_body(w, &box);
    weir_joint_def hinge = joint_def(WEIR_JOINT_HINGE, *paddle, NOTHING, v3(0.6, 0.5, 0));
    hinge.motor = WEIR_MOTOR_SPEED;
    hinge.target = 2;
    hinge.max_effort = 400;
    make_joint(w, &hinge);
    for (int i = 0; i < 40 * 18; i++) {
        weir_vec3 x = v3(0.05 * (i % 40 + 0.5), 0.05 * (i / 40 + 0.5), 0);
        if (weir_world_distance(w, x, NULL) > 0.024)
            assert_true(weir_world_add_particles(w, water, &x, 1, v3(0, 0, 0), NULL));
    }
    return w;
}

static void machines_move_as_with_another_solver(void **state)
{
    (void)state;
    weir_body_state swept[2], reference[2];
    for (int k = 0; k < 2; k++) {
        weir_body_id paddle, crate;
        weir_world *w = make_mill(k == 0 ? SOLVER_GAUSS_SEIDEL : SOLVER_MPRGP, &paddle, &crate);
        step_many(w, 0.002, 3);
        weir_body_state *to = k == 0 ? swept : reference;
        assert_true(weir_body_get_state(w, paddle, &to[0]));
        assert_true(weir_body_get_state(w, crate, &to[1]));
        weir_world_destroy(w);
    }
    print_message("spin %.5f and %.5f rad/s, slide %.5f and %.5f m/s\n", swept[0].spin.z,
                  reference[0].spin.z, swept[1].velocity.x, reference[1].velocity.x);
    assert_true(fabs(reference[0].spin.z) > 0.05);
    assert_near(swept[0].spin.z, reference[0].spin.z, 0.01 * fabs(reference[0].spin.z));
    assert_near(swept[1].velocity.x, reference[1].velocity.x, 0.01 * 0.2);
    assert_near(swept[1].velocity.y, reference[1].velocity.y, 0.01 * 0.2);
    /* The hinge holds. */
    assert_near(swept[0].velocity.x, -swept[0].spin.z * (swept[0].centre.y - 0.5), 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps_equal_a_serial_twin),
        cmocka_unit_test(many_sweeps_solve_the_problem),
        cmocka_unit_test(cells_of_a_colour_share_no_particle),
        cmocka_unit_test(threads_and_widths_give_the_same_bits),
        cmocka_unit_test(machines_move_as_with_another_solver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
