/* Bodies and joints as one operator, against dense elimination. */
#include "base/random.h"
#include "couple/mechanism.h"
#include "support/unit.h"

enum { BODIES = 5, ROWS = 9 };

typedef struct machine {
    memory mem;
    mechanism m;
    body bodies[BODIES];
} machine;

static double number(uint64_t seed, uint64_t n)
{
    return 2 * random_unit(seed, n) - 1;
}

/* Bodies of different masses and inertias, turned; the last one is fixed. */
static void make_machine(machine *k, uint64_t seed, bool planar)
{
    memset(k, 0, sizeof *k);
    k->mem = memory_with_hooks(NULL);
    mechanism_init(&k->m, &k->mem);
    for (int b = 0; b < BODIES; b++) {
        body *x = &k->bodies[b];
        x->alive = x->jointed = true;
        x->planar = planar;
        x->kind = WEIR_BODY_DYNAMIC;
        x->inverse_mass = b == BODIES - 1 ? 0 : 1 / (0.1 + random_unit(seed, (uint64_t)b));
        x->mass = x->inverse_mass > 0 ? 1 / x->inverse_mass : 0;
        x->pose = pose_identity();
        if (!planar)
            x->pose.rotation = quat_from_rotation_vector(
                (vec3){number(seed, 10), number(seed, 11), number(seed, 12)});
        for (int a = 0; a < 3; a++) {
            x->inertia[a][a] = 0.1 + random_unit(seed, (uint64_t)(20 + 3 * b + a));
            x->inverse_inertia[a][a] = 1 / x->inertia[a][a];
        }
        x->velocity = (vec3){number(seed, 40), number(seed, 41), planar ? 0 : number(seed, 42)};
        x->spin = (vec3){0, 0, number(seed, 43)};
    }
    mechanism_clear(&k->m, k->bodies, BODIES, 0, 0.01);
}

static void add_random_rows(machine *k, uint64_t seed, int count, double softness)
{
    for (int r = 0; r < count; r++) {
        joint_row *row = mechanism_add_row(&k->m);
        assert_non_null(row);
        int a = r % (BODIES - 1), b = (a + 1) % BODIES;
        row->body_a = a;
        row->body_b = k->bodies[b].inverse_mass > 0 ? b : -1;
        for (int e = 0; e < 6; e++) {
            row->on_a[e] = number(seed, (uint64_t)(100 + 12 * r + e));
            row->on_b[e] = row->body_b >= 0 ? number(seed, (uint64_t)(106 + 12 * r + e)) : 0;
        }
        row->bound = number(seed, (uint64_t)(400 + r));
        row->softness = softness;
    }
}

static double row_speed(const joint_row *row, const double *work)
{
    double sum = 0;
    for (int e = 0; e < 6; e++) {
        if (row->body_a >= 0)
            sum += row->on_a[e] * work[6 * row->body_a + e];
        if (row->body_b >= 0)
            sum += row->on_b[e] * work[6 * row->body_b + e];
    }
    return sum;
}

static double present_speed(const machine *k, const joint_row *row)
{
    double work[6 * BODIES];
    for (int b = 0; b < BODIES; b++) {
        const body *x = &k->bodies[b];
        const double v[6] = {x->velocity.x, x->velocity.y, x->velocity.z,
                             x->spin.x,     x->spin.y,     x->spin.z};
        memcpy(work + 6 * b, v, sizeof v);
    }
    return row_speed(row, work);
}

static void test_velocities_fulfil_the_rows(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        machine k;
        bool planar = seed % 2 == 0;
        double softness = seed % 3 == 0 ? 0.3 : 0;
        make_machine(&k, seed, planar);
        add_random_rows(&k, seed, planar ? 5 : ROWS, softness);
        assert_true(mechanism_factor(&k.m, NULL));
        mechanism_project_velocities(&k.m);
        for (size_t r = 0; r < k.m.row_count; r++) {
            const joint_row *row = &k.m.rows[r];
            assert_near(present_speed(&k, row) + softness * row->impulse, row->bound, 1e-9);
        }
        mechanism_free(&k.m);
        assert_int_equal(k.mem.bytes, 0);
    }
}

/* Impulses on bodies give changes that keep J v, and as little motion as possible: the operator is
 * symmetric and positive semidefinite. */
static void test_operator_is_symmetric(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 30; seed++) {
        machine k;
        make_machine(&k, seed, false);
        add_random_rows(&k, seed, ROWS, seed % 2 ? 0.2 : 0);
        assert_true(mechanism_factor(&k.m, NULL));
        double p[2][6 * BODIES], v[2][6 * BODIES], dots[2][2] = {{0}};
        for (int n = 0; n < 2; n++)
            for (int e = 0; e < 6 * BODIES; e++)
                p[n][e] = v[n][e] = number(seed, (uint64_t)(900 + 100 * n + e));
        for (int n = 0; n < 2; n++)
            mechanism_apply(&k.m, v[n]);
        for (int n = 0; n < 2; n++)
            for (int q = 0; q < 2; q++)
                for (int e = 0; e < 6 * BODIES; e++)
                    dots[n][q] += p[n][e] * v[q][e];
        assert_near(dots[0][1], dots[1][0], 1e-10);
        assert_true(dots[0][0] >= 0 && dots[1][1] >= 0);
        for (size_t r = 0; r < k.m.row_count && seed % 2 == 0; r++)
            assert_near(row_speed(&k.m.rows[r], v[0]), 0, 1e-9);
        mechanism_free(&k.m);
    }
}

/* The response is the change that the joints add. */
static void test_response_and_apply_agree(void **state)
{
    (void)state;
    machine k;
    make_machine(&k, 5, false);
    add_random_rows(&k, 5, ROWS, 0.1);
    assert_true(mechanism_factor(&k.m, NULL));
    double whole[6 * BODIES], parts[6 * BODIES];
    for (int e = 0; e < 6 * BODIES; e++)
        whole[e] = parts[e] = number(6, (uint64_t)e);
    mechanism_apply(&k.m, whole);
    for (int b = 0; b < BODIES; b++) {
        double change[6];
        body_apply_impulse(&k.bodies[b], parts + 6 * b, change);
        memcpy(parts + 6 * b, change, sizeof change);
    }
    mechanism_respond(&k.m, parts);
    for (int e = 0; e < 6 * BODIES; e++)
        assert_near(parts[e], whole[e], 1e-14);
    mechanism_free(&k.m);
}

/* Rows that repeat or contradict others leave what the first ones say. */
static void test_repeated_rows_are_harmless(void **state)
{
    (void)state;
    machine k;
    make_machine(&k, 3, false);
    add_random_rows(&k, 3, 6, 0);
    for (int n = 0; n < 3; n++) {
        joint_row *copy = mechanism_add_row(&k.m);
        assert_non_null(copy);
        double bound = n == 2 ? 5 : k.m.rows[n].bound; /* the third one contradicts */
        *copy = k.m.rows[n];
        copy->bound = bound;
    }
    assert_true(mechanism_factor(&k.m, NULL));
    mechanism_project_velocities(&k.m);
    for (int r = 0; r < 6; r++)
        assert_near(present_speed(&k, &k.m.rows[r]), k.m.rows[r].bound, 1e-4);
    for (int b = 0; b < BODIES; b++)
        assert_true(vec3_length(k.bodies[b].velocity) < 100);
    mechanism_free(&k.m);
}

/* A row between bodies that cannot move has nothing to say. */
static void test_rows_without_bodies(void **state)
{
    (void)state;
    machine k;
    make_machine(&k, 4, false);
    joint_row *row = mechanism_add_row(&k.m);
    assert_non_null(row);
    row->bound = 1;
    assert_true(mechanism_factor(&k.m, NULL));
    vec3 before = k.bodies[0].velocity;
    mechanism_project_velocities(&k.m);
    assert_near(vec3_length(vec3_sub(k.bodies[0].velocity, before)), 0, 0);
    mechanism_free(&k.m);
}

/* Displacements that mend: J Δx = −violation. */
static void test_positions_are_mended(void **state)
{
    (void)state;
    machine k;
    make_machine(&k, 8, false);
    add_random_rows(&k, 8, ROWS, 0);
    for (size_t r = 0; r < k.m.row_count; r++)
        k.m.rows[r].violation = 0.01 * number(8, r);
    assert_true(mechanism_factor(&k.m, NULL));
    double work[6 * BODIES] = {0};
    mechanism_mend_positions(&k.m, work);
    for (size_t r = 0; r < k.m.row_count; r++)
        assert_near(row_speed(&k.m.rows[r], work), -k.m.rows[r].violation, 1e-12);
    mechanism_free(&k.m);
}

/* A long chain keeps a narrow factor: memory grows with its length, not with the square. */
static void test_chain_has_a_narrow_factor(void **state)
{
    (void)state;
    enum { LINKS = 200 };
    memory mem = memory_with_hooks(NULL);
    mechanism m;
    static body links[LINKS];
    mechanism_init(&m, &mem);
    mechanism_clear(&m, links, LINKS, 0, 0.01);
    for (int k = 0; k < LINKS; k++) {
        links[k] = (body){.alive = true, .jointed = true, .mass = 1, .inverse_mass = 1};
        links[k].pose = pose_identity();
        links[k].velocity = (vec3){0, -1, 0};
        for (int a = 0; a < 3; a++)
            links[k].inertia[a][a] = links[k].inverse_inertia[a][a] = 1;
        for (int a = 0; a < 3; a++) {
            joint_row *row = mechanism_add_row(&m);
            assert_non_null(row);
            row->body_a = k;
            row->body_b = k - 1;
            row->on_a[a] = 1;
            row->on_b[a] = -1;
        }
    }
    assert_true(mechanism_factor(&m, NULL));
    assert_true(m.factor_capacity < 3 * LINKS * 8);
    mechanism_project_velocities(&m);
    for (int k = 0; k < LINKS; k++)
        assert_near(vec3_length(links[k].velocity), 0, 1e-9);
    /* The first joint bears all of them. */
    assert_near(m.rows[1].impulse, LINKS, 1e-6);
    mechanism_free(&m);
    assert_int_equal(mem.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_velocities_fulfil_the_rows),
        cmocka_unit_test(test_operator_is_symmetric),
        cmocka_unit_test(test_response_and_apply_agree),
        cmocka_unit_test(test_repeated_rows_are_harmless),
        cmocka_unit_test(test_rows_without_bodies),
        cmocka_unit_test(test_positions_are_mended),
        cmocka_unit_test(test_chain_has_a_narrow_factor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
