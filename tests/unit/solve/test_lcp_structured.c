/* Contact problems in structured form: against the dense solvers, their physics, their cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/vec.h"
#include "lcp_check.h"
#include "solve/lcp.h"

enum { MOST_ROWS = 4000, DENSE_ROWS = 200, MOST_BODIES = 10, SOLVERS = 4 };

/* What a scene may contain besides fluid that hits bodies, each particle in one place. */
enum {
    SHARED_POINTS = 1, /* a particle touches several spheres */
    BODY_BODY = 2,
    BODY_WALL = 4,
    FLAT_FACES = 8, /* equal normals: redundant contacts */
    PLANE = 16,     /* 2D bodies */
    SOFT = 32,
    ALL_FEATURES = 64
};

typedef struct fixture {
    memory memory;
    lcp_workspace work;
    uint64_t seed, counter;
    lcp_contacts problem;
    lcp_contact rows[MOST_ROWS];
    lcp_body body[MOST_BODIES];
    vec3 velocity[MOST_BODIES], spin[MOST_BODIES];
    vec3 point_velocity[MOST_ROWS];
    double point_inverse_mass[MOST_ROWS], softness[MOST_ROWS], q[MOST_ROWS];
    double z[SOLVERS][MOST_ROWS], w[SOLVERS][MOST_ROWS], dense_z[DENSE_ROWS], dense_w[DENSE_ROWS];
    double m[DENSE_ROWS * DENSE_ROWS];
    bool set[MOST_ROWS];
    lcp_result result[SOLVERS];
    weir_error error;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (!f)
        return -1;
    f->memory = memory_with_hooks(NULL);
    lcp_workspace_init(&f->work, &f->memory);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    lcp_workspace_free(&f->work);
    int held = f->memory.bytes == 0 ? 0 : -1;
    free(f);
    return held;
}

static double uniform(fixture *f, double low, double high)
{
    return low + (high - low) * random_unit(f->seed, f->counter++);
}

static int integer(fixture *f, int low, int high)
{
    return low + (int)((double)(high - low + 1) * random_unit(f->seed, f->counter++));
}

static vec3 vector(fixture *f, int features)
{
    double x = uniform(f, -1, 1), y = uniform(f, -1, 1), z = uniform(f, -1, 1);
    return vec3_make(x, y, features & PLANE ? 0 : z);
}

static void make_body(fixture *f, int b, int features, double mass)
{
    lcp_body *body = &f->body[b];
    double inverse = 1 / (mass * uniform(f, 0.5, 2));
    *body = (lcp_body){.inverse_mass = {inverse, inverse, features & PLANE ? 0 : inverse}};
    vec3 axis[3];
    for (int k = 0; k < 3; k++)
        axis[k] = vector(f, 0);
    /* Positive definite: the unit matrix and three products. */
    for (int i = 0; i < 9; i++) {
        double sum = i % 4 == 0 ? 1 : 0;
        for (int k = 0; k < 3; k++) {
            const double a[3] = {axis[k].x, axis[k].y, axis[k].z};
            sum += a[i / 3] * a[i % 3];
        }
        bool turns = !(features & PLANE) || i == 8;
        body->inverse_inertia[i] = turns ? 5 * inverse * sum : 0;
    }
    f->velocity[b] = vector(f, features);
    vec3 spin = vector(f, 0);
    f->spin[b] = features & PLANE ? vec3_make(0, 0, spin.z) : spin;
}

static vec3 normal(fixture *f, int features)
{
    if (!(features & FLAT_FACES))
        return vec3_unit(vector(f, features), vec3_make(1, 0, 0));
    int face = integer(f, 0, features & PLANE ? 1 : 2);
    return vec3_make(face == 0, face == 1, face == 2);
}

static void put_body(lcp_contact *row, int side, int body, vec3 arm, vec3 direction)
{
    row->body[side] = body;
    row->linear[side] = direction;
    row->angular[side] = vec3_cross(arm, direction);
}

static void put_point(fixture *f, int i, int features, vec3 n)
{
    lcp_contacts *p = &f->problem;
    bool shared = features & SHARED_POINTS && p->points > 0 && integer(f, 0, 2) == 0;
    if (!shared) {
        f->point_inverse_mass[p->points] = 1 / uniform(f, 0.5, 1.5);
        f->point_velocity[p->points++] = vector(f, features);
    }
    f->rows[i].point = p->points - 1;
    f->rows[i].point_direction = n;
}

static double speed(const fixture *f, int i)
{
    const lcp_contact *row = &f->rows[i];
    double sum = 0;
    for (int side = 0; side < 2; side++)
        if (row->body[side] >= 0)
            sum += vec3_dot(row->linear[side], f->velocity[row->body[side]]) +
                   vec3_dot(row->angular[side], f->spin[row->body[side]]);
    if (row->point >= 0)
        sum += vec3_dot(row->point_direction, f->point_velocity[row->point]);
    return sum;
}

static void make_scene(fixture *f, uint64_t seed, int n, int bodies, int features, double mass)
{
    f->seed = seed;
    f->counter = 0;
    f->problem = (lcp_contacts){.n = n,
                                .bodies = bodies,
                                .rows = f->rows,
                                .point_inverse_mass = f->point_inverse_mass,
                                .body = f->body,
                                .softness = features & SOFT ? f->softness : NULL,
                                .q = f->q};
    for (int b = 0; b < bodies; b++)
        make_body(f, b, features, mass);
    for (int i = 0; i < n; i++) {
        vec3 n_i = normal(f, features), away = vec3_scale(n_i, -1);
        int b = integer(f, 0, bodies - 1), which = integer(f, 0, 9);
        f->rows[i] = (lcp_contact){.point = -1, .body = {-1, -1}};
        put_body(&f->rows[i], 0, b, vector(f, features), away);
        if (which == 0 && features & BODY_BODY && bodies > 1)
            put_body(&f->rows[i], 1, (b + 1) % bodies, vector(f, features), n_i);
        else if (which != 1 || !(features & BODY_WALL))
            put_point(f, i, features, n_i);
        f->softness[i] = uniform(f, 0, 0.1);
        f->q[i] = 1.3 * speed(f, i);
    }
}

static const char *solver_name(int solver)
{
    static const char *names[] = {"Lemke, cold", "Lemke, predicted", "Lemke, given",
                                  "block pivoting"};
    return names[solver];
}

static void solve(fixture *f, int solver)
{
    static const lcp_start start[] = {LCP_START_COLD, LCP_START_PREDICTED, LCP_START_GIVEN,
                                      LCP_START_PREDICTED};
    lcp_options options = {.start = start[solver], .start_set = f->set};
    bool (*method)(const lcp_contacts *, const lcp_options *, lcp_workspace *, double *, double *,
                   lcp_result *, weir_error *) =
        solver == 3 ? block_pivot_solve_contacts : lemke_solve_contacts;
    if (!method(&f->problem, &options, &f->work, f->z[solver], f->w[solver], &f->result[solver],
                &f->error))
        fail_msg("%s: %s", solver_name(solver), f->error.text);
}

/* Every solver against the dense Lemke: w always, z where it is unique. */
static void check_scene(fixture *f, int scene, bool unique)
{
    int n = f->problem.n;
    lcp_dense dense = {n, f->m, f->q};
    lcp_result reference;
    lcp_contacts_expand(&f->problem, f->m);
    assert_true(lemke_solve(&dense, NULL, &f->work, f->dense_z, f->dense_w, &reference, &f->error));
    assert_int_equal(reference.status, LCP_SOLVED);
    /* A guess with mistakes, as from a step ago. */
    for (int i = 0; i < n; i++)
        f->set[i] = (f->dense_z[i] > 0) != (integer(f, 0, 19) == 0);
    double size_w = check_largest(n, f->q), size_z = check_largest(n, f->dense_z);
    for (int s = 0; s < SOLVERS; s++) {
        solve(f, s);
        double residual = check_residual(&dense, f->z[s], f->w[s]);
        if (f->result[s].status != LCP_SOLVED || residual > 1e-9)
            fail_msg("scene %d, %s: %s, residual %g", scene, solver_name(s),
                     lcp_status_name(f->result[s].status), residual);
        if (check_distance(n, f->w[s], f->dense_w) > 1e-9 * size_w)
            fail_msg("scene %d, %s: w differs by %g", scene, solver_name(s),
                     check_distance(n, f->w[s], f->dense_w) / size_w);
        if (unique && check_distance(n, f->z[s], f->dense_z) > 1e-8 * size_z)
            fail_msg("scene %d, %s: z differs by %g", scene, solver_name(s),
                     check_distance(n, f->z[s], f->dense_z) / size_z);
    }
}

static void agrees_with_the_dense_form(void **state)
{
    fixture *f = *state;
    for (int scene = 0; scene < 10 * ALL_FEATURES; scene++) {
        int features = scene % ALL_FEATURES;
        f->seed = (uint64_t)scene;
        f->counter = 1u << 20;
        int n = (int)exp(uniform(f, log(2), log(DENSE_ROWS + 1)));
        int bodies = integer(f, 1, MOST_BODIES);
        make_scene(f, (uint64_t)scene, n, bodies, features, pow(10, uniform(f, -1, 3)));
        bool unique = !(features & (SHARED_POINTS | BODY_BODY | BODY_WALL)) || features & SOFT;
        check_scene(f, scene, unique);
    }
}

/* After the impulses: kinetic energy, and the momentum along the axes that all can move along. */
static void apply(fixture *f, const double *z)
{
    for (int i = 0; i < f->problem.n; i++) {
        const lcp_contact *row = &f->rows[i];
        for (int side = 0; side < 2; side++) {
            if (row->body[side] < 0)
                continue;
            const lcp_body *b = &f->body[row->body[side]];
            vec3 *v = &f->velocity[row->body[side]], *s = &f->spin[row->body[side]];
            const double *a = b->inverse_inertia;
            vec3 l = vec3_scale(row->linear[side], z[i]), t = vec3_scale(row->angular[side], z[i]);
            *v = vec3_add(*v, vec3_make(b->inverse_mass.x * l.x, b->inverse_mass.y * l.y,
                                        b->inverse_mass.z * l.z));
            *s = vec3_add(*s, vec3_make(a[0] * t.x + a[1] * t.y + a[2] * t.z,
                                        a[3] * t.x + a[4] * t.y + a[5] * t.z,
                                        a[6] * t.x + a[7] * t.y + a[8] * t.z));
        }
        if (row->point >= 0)
            f->point_velocity[row->point] =
                vec3_madd(f->point_velocity[row->point], z[i] * f->point_inverse_mass[row->point],
                          row->point_direction);
    }
}

/* The speeds of contact after the impulses are w − e · the speeds before: nothing approaches
 * without restitution, and then the energy of an inelastic impact, −½ zᵀ(v + v'), is not made but
 * lost. */
static void separates_and_never_pulls(void **state)
{
    fixture *f = *state;
    for (int scene = 0; scene < ALL_FEATURES / 2; scene++) {
        make_scene(f, (uint64_t)(700 + scene), 150, 4, scene, 30);
        double before[150], gain = 0;
        for (int i = 0; i < 150; i++)
            before[i] = f->q[i] = speed(f, i);
        solve(f, 3);
        assert_int_equal(f->result[3].status, LCP_SOLVED);
        apply(f, f->z[3]);
        double size = check_largest(150, before);
        for (int i = 0; i < 150; i++) {
            double after = speed(f, i);
            assert_true(f->z[3][i] >= 0);
            assert_true(after >= -1e-9 * size);
            assert_true(fabs(after - f->w[3][i]) <= 1e-9 * size);
            gain += 0.5 * f->z[3][i] * (before[i] + after);
        }
        assert_true(gain <= 0);
    }
}

/* Two bodies that share nothing are two islands; a particle between them makes one. */
static void splits_into_islands(void **state)
{
    fixture *f = *state;
    make_scene(f, 5, 60, 2, 0, 10);
    solve(f, 3);
    assert_int_equal(f->result[3].islands, 2);
    double alone = f->w[3][0];
    /* A body that cannot move joins nothing. */
    for (int i = 0; i < 60; i++)
        put_body(&f->rows[i], 1, 2, vec3_make(1, 2, 3), vec3_make(0, 1, 0));
    f->problem.bodies = 3;
    f->body[2] = (lcp_body){0};
    solve(f, 3);
    assert_int_equal(f->result[3].islands, 2);
    assert_true(f->w[3][0] == alone);
    int first = f->rows[0].body[0];
    for (int i = 1; i < 60; i++)
        if (f->rows[i].body[0] != first) {
            f->rows[i].point = f->rows[0].point;
            break;
        }
    solve(f, 3);
    assert_int_equal(f->result[3].islands, 1);
}

/* The paper's case, fluid against two bodies, at 1,000 and 4,000 contacts: the rows touched grow
 * with the contacts, so a solve takes four times the work; the dense form takes 64 times. */
static void costs_grow_with_the_contacts(void **state)
{
    fixture *f = *state;
    int64_t visits[2][SOLVERS];
    static const int sizes[2] = {1000, 4000};
    for (int features = 0; features <= BODY_BODY; features += BODY_BODY)
        for (int k = 0; k < 2; k++) {
            make_scene(f, 11, sizes[k], 2, features, 0.5 * sizes[k]);
            for (int s = 1; s < SOLVERS; s += 2) {
                solve(f, s);
                assert_int_equal(f->result[s].status, LCP_SOLVED);
                assert_true(f->result[s].block_steps <= 20);
                visits[k][s] = f->result[s].row_visits;
                assert_true(k == 0 || visits[1][s] <= 5 * visits[0][s]);
            }
            assert_int_equal(f->result[3].pivots, 0);
            assert_true(f->result[1].pivots <= 30);
            double size = check_largest(sizes[k], f->q);
            assert_true(check_distance(sizes[k], f->w[1], f->w[3]) < 1e-9 * size);
        }
}

/* From z = 0 about one pivot per contact that pushes; from the set of a step ago a few. */
static void starts_warm(void **state)
{
    fixture *f = *state;
    make_scene(f, 21, 600, 2, 0, 300);
    solve(f, 0);
    int pushing = 0;
    for (int i = 0; i < 600; i++) {
        f->set[i] = f->z[0][i] > 0;
        pushing += f->set[i];
    }
    assert_true(f->result[0].pivots >= pushing && f->result[0].pivots <= 2 * pushing);
    for (int i = 0; i < 600; i++)
        f->q[i] += uniform(f, -0.02, 0.02);
    solve(f, 2);
    assert_int_equal(f->result[2].status, LCP_SOLVED);
    assert_true(f->result[2].pivots < pushing / 10);
}

/* A box face on a hundred equal contacts: w is unique, z is not; block pivoting shares the load
 * by symmetry, Lemke ends at a vertex. */
static void shares_redundant_contacts(void **state)
{
    fixture *f = *state;
    f->body[0] = (lcp_body){{0.5, 0.5, 0.5}, {3, 0, 0, 0, 3, 0, 0, 0, 3}};
    for (int i = 0; i < 100; i++) {
        vec3 arm = vec3_make(0.1 * (i % 10) - 0.45, -0.5, 0.1 * (i / 10) - 0.45);
        f->rows[i] = (lcp_contact){.point = -1, .body = {-1, -1}};
        put_body(&f->rows[i], 0, 0, arm, vec3_make(0, 1, 0));
        f->q[i] = -1;
    }
    f->problem = (lcp_contacts){.n = 100, .bodies = 1, .rows = f->rows, .body = f->body, .q = f->q};
    double total[SOLVERS] = {0};
    int pushing[SOLVERS] = {0};
    for (int s = 0; s < SOLVERS; s++) {
        solve(f, s);
        assert_int_equal(f->result[s].status, LCP_SOLVED);
        for (int i = 0; i < 100; i++) {
            total[s] += f->z[s][i];
            pushing[s] += f->z[s][i] > 0;
            assert_true(fabs(f->w[s][i]) < 1e-12);
        }
        assert_true(fabs(total[s] - 2) < 1e-11);
    }
    assert_true(pushing[0] <= 6);
    assert_int_equal(pushing[3], 100);
    for (int i = 0; i < 100; i++)
        assert_true(fabs(f->z[3][i] - f->z[3][99 - i]) < 1e-6);
}

/* Ten bodies in contact with each other and the floor, flat faces, particles in corners: sets of
 * contacts that have no inverse, which send whole steps astray. The set is found all the same. */
static void is_not_misled_by_redundant_contacts(void **state)
{
    fixture *f = *state;
    for (uint64_t seed = 8; seed < 12; seed++) {
        make_scene(f, seed, 1000, 10, SHARED_POINTS | BODY_BODY | BODY_WALL | FLAT_FACES, 500);
        for (int s = 1; s < SOLVERS; s += 2) {
            solve(f, s);
            assert_int_equal(f->result[s].status, LCP_SOLVED);
            assert_true(f->result[s].residual < 1e-10);
        }
        assert_false(f->result[3].used_lemke);
        double size = check_largest(1000, f->q);
        assert_true(check_distance(1000, f->w[1], f->w[3]) < 1e-9 * size);
    }
}

/* A body between two walls that close: no impulse can help, and both methods prove it. */
static void proves_that_there_is_none(void **state)
{
    fixture *f = *state;
    make_scene(f, 31, 400, 2, BODY_WALL, 50);
    for (int i = 0; i < 8; i++) {
        vec3 n = vec3_make(i & 1 ? 1 : -1, 0, 0);
        vec3 arm = vec3_make(i & 1 ? -1 : 1, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5);
        f->rows[i] = (lcp_contact){.point = -1, .body = {-1, -1}};
        put_body(&f->rows[i], 0, 0, arm, n);
        f->q[i] = -1;
    }
    for (int s = 0; s < SOLVERS; s++) {
        solve(f, s);
        assert_int_equal(f->result[s].status, LCP_RAY);
        assert_true(f->result[s].infeasible);
    }
    /* The same for one row that nothing can change. */
    f->problem.n = 1;
    f->problem.bodies = 1;
    f->body[0] = (lcp_body){0};
    f->rows[0].body[1] = -1;
    solve(f, 3);
    assert_int_equal(f->result[3].status, LCP_RAY);
}

static void solves_small_cases(void **state)
{
    fixture *f = *state;
    f->problem = (lcp_contacts){0};
    for (int s = 0; s < SOLVERS; s++) {
        solve(f, s);
        assert_int_equal(f->result[s].status, LCP_SOLVED);
        assert_int_equal(f->result[s].islands, 0);
    }
    /* One particle of 2 kg meets a wall at 3 m/s; another leaves it. */
    static const lcp_contact rows[] = {
        {.point = 0, .body = {-1, -1}, .point_direction = {0, 1, 0}},
        {.point = 1, .body = {-1, -1}, .point_direction = {0, 1, 0}},
    };
    static const double inverse_mass[] = {0.5, 0.5}, q[] = {-3, 1};
    f->problem = (lcp_contacts){
        .n = 2, .points = 2, .rows = rows, .point_inverse_mass = inverse_mass, .q = q};
    for (int s = 0; s < SOLVERS; s++) {
        solve(f, s);
        assert_true(fabs(f->z[s][0] - 6) < 1e-14 && f->z[s][1] == 0);
        assert_true(fabs(f->w[s][0]) < 1e-14 && f->w[s][1] == 1);
    }
}

static void repeats_its_bits_without_new_memory(void **state)
{
    fixture *f = *state;
    for (int s = 0; s < SOLVERS; s++) {
        make_scene(f, 41, 150, 5, SHARED_POINTS | BODY_BODY | BODY_WALL | FLAT_FACES, 40);
        solve(f, s);
        memcpy(f->dense_z, f->z[s], 150 * sizeof(double));
        make_scene(f, 42, 90, 3, 0, 40);
        solve(f, s);
        make_scene(f, 41, 150, 5, SHARED_POINTS | BODY_BODY | BODY_WALL | FLAT_FACES, 40);
        uint64_t allocations = f->memory.allocations;
        solve(f, s);
        assert_memory_equal(f->dense_z, f->z[s], 150 * sizeof(double));
        assert_true(f->memory.allocations == allocations);
    }
}

static void refuse(fixture *f, const char *named)
{
    assert_false(block_pivot_solve_contacts(&f->problem, NULL, &f->work, f->z[0], f->w[0],
                                            &f->result[0], &f->error));
    assert_int_equal(f->result[0].status, LCP_INVALID);
    assert_int_equal(f->error.code, WEIR_INVALID);
    if (!strstr(f->error.text, named))
        fail_msg("\"%s\" does not name %s", f->error.text, named);
}

static void refuses_what_is_no_problem(void **state)
{
    fixture *f = *state;
    make_scene(f, 51, 20, 2, SOFT, 10);
    f->rows[3].point = 20;
    refuse(f, "point 20");
    make_scene(f, 51, 20, 2, SOFT, 10);
    f->rows[3].body[1] = 2;
    refuse(f, "body 2");
    make_scene(f, 51, 20, 2, SOFT, 10);
    f->rows[4].body[1] = f->rows[4].body[0];
    refuse(f, "both sides");
    make_scene(f, 51, 20, 2, SOFT, 10);
    f->rows[5].angular[0].y = NAN;
    refuse(f, "Contact 5");
    make_scene(f, 51, 20, 2, SOFT, 10);
    f->q[6] = INFINITY;
    refuse(f, "Contact 6");
    make_scene(f, 51, 20, 2, SOFT, 10);
    f->softness[7] = -1;
    refuse(f, "softness of contact 7");
    make_scene(f, 51, 20, 2, SOFT, 10);
    f->point_inverse_mass[8] = -1;
    refuse(f, "point 8");
    make_scene(f, 51, 20, 2, SOFT, 10);
    f->body[1].inverse_inertia[4] = -1;
    refuse(f, "body 1");
    make_scene(f, 51, 20, 2, SOFT, 10);
    f->body[1].inverse_inertia[1] += 1;
    refuse(f, "body 1");
    make_scene(f, 51, 20, 2, SOFT, 10);
    f->problem.n = -1;
    refuse(f, "-1 rows");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(agrees_with_the_dense_form, set_up, tear_down),
        cmocka_unit_test_setup_teardown(separates_and_never_pulls, set_up, tear_down),
        cmocka_unit_test_setup_teardown(splits_into_islands, set_up, tear_down),
        cmocka_unit_test_setup_teardown(costs_grow_with_the_contacts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(starts_warm, set_up, tear_down),
        cmocka_unit_test_setup_teardown(shares_redundant_contacts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(is_not_misled_by_redundant_contacts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(proves_that_there_is_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(solves_small_cases, set_up, tear_down),
        cmocka_unit_test_setup_teardown(repeats_its_bits_without_new_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_what_is_no_problem, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("lcp_structured", tests, NULL, NULL);
}
