/* Sums of what particles give back to solids, against a plain loop: the same bits for any number of
 * threads, also where there are more than are held at a time. */
#include "base/random.h"
#include "matter/reactions.h"
#include "support/worlds.h"
#include "world/state.h"

/* A thin sheet on the ground, long enough for 70,000 contacts, and a ball in it that is moved. */
static weir_world *make_sheet(int threads, double length)
{
    weir_world_def def = small_world_def(2, 0.01);
    def.threads = threads;
    weir_world *world = make_world(&def);
    weir_fluid_id water = make_fluid(world, 1000, 0.1);
    weir_body_def ground = plane_def(v3(0, 0, 0), v3(0, 1, 0), WEIR_WALL_NO_SLIP);
    make_body(world, &ground);
    weir_body_def ball = weir_body_def_default();
    ball.kind = WEIR_BODY_DYNAMIC;
    ball.density = 500;
    ball.shape.kind = WEIR_SHAPE_SPHERE;
    ball.shape.radius = 0.2;
    ball.pose.position = v3(length / 3, 0.2, 0);
    make_body(world, &ball);
    fill_box(world, water, 2, 0.01, v3(0, 0, 0), v3(length, 0.03, 0), 0.2, v3(0, 0, 0));
    step_world(world, 1e-6);
    flow *f = &world->flow;
    assert_true(neighbours_build(&f->near, &f->p, NULL));
    assert_true(walls_find(&f->walls, &f->p, &f->near, f->bodies, f->body_count, NULL));
    return world;
}

static void find(const void *context, size_t i, uint32_t w, reaction *out)
{
    const flow *f = context;
    double a = random_unit(3, 8 * i + w), b = random_unit(4, 8 * i + w);
    out->point = flow_nearest(f, flow_position(f, i), &f->bodies[out->body]);
    out->pressure = (vec3){a - 0.5, b, 0};
    out->viscous = (vec3){b - 0.5, 0.1 * a, 0};
    out->owed = (vec3){a, 0.3 * b, 0};
    if (a < 0.1)
        out->body = REACTION_NONE;
}

/* What is done with each reaction, and the same in a plain loop. */
typedef enum { PUSH, NOTE, OWE } manner;

static bool sum(flow *f, manner m, double *owed)
{
    if (m == PUSH)
        return reactions_push(f, find, f);
    return m == NOTE ? reactions_note(f, find, f) : reactions_owe(f, find, f, owed);
}

static void add_one(flow *f, const reaction *one, manner m, double *owed)
{
    body *b = &f->bodies[one->body];
    if (m == PUSH) {
        body_push(b, one->point, one->pressure, one->viscous);
        return;
    }
    body_note_push(b, one->point, one->pressure, one->viscous);
    if (m == NOTE || !body_is_moved(b))
        return;
    vec3 turn = vec3_cross(vec3_sub(one->point, body_centre(b)), one->owed);
    owed[6 * one->body] += one->owed.x;
    owed[6 * one->body + 1] += one->owed.y;
    owed[6 * one->body + 5] += turn.z;
}

static void add_one_by_one(flow *f, manner m, double *owed)
{
    for (size_t i = 0; i < f->p.count; i++)
        for (uint32_t w = 0; w < f->walls.spans[i].count; w++) {
            reaction one = {.body = f->walls.spans[i].contacts[w].body};
            find(f, i, w, &one);
            if (one.body != REACTION_NONE)
                add_one(f, &one, m, owed);
        }
}

static void check_bodies(const flow *f, const flow *g)
{
    for (size_t k = 0; k < f->body_count; k++) {
        const body *a = &f->bodies[k], *b = &g->bodies[k];
        assert_memory_equal(&a->velocity, &b->velocity, sizeof a->velocity);
        assert_memory_equal(&a->spin, &b->spin, sizeof a->spin);
        assert_memory_equal(&a->pressure_impulse, &b->pressure_impulse, sizeof(vec3));
        assert_memory_equal(&a->viscous_impulse, &b->viscous_impulse, sizeof(vec3));
        assert_memory_equal(&a->angular_impulse, &b->angular_impulse, sizeof(vec3));
    }
}

static void check_length(double length, size_t least, manner m)
{
    for (int threads = 1; threads <= 3; threads++) {
        weir_world *world = make_sheet(threads, length), *plain = make_sheet(1, length);
        flow *f = &world->flow, *g = &plain->flow;
        double owed[2][12] = {{0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6},
                              {0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6}};
        assert_true(f->walls.contact_count >= least);
        assert_true(sum(f, m, owed[0]));
        add_one_by_one(g, m, owed[1]);
        check_bodies(f, g);
        assert_memory_equal(owed[0], owed[1], sizeof owed[0]);
        assert_true(vec3_length(f->bodies[0].pressure_impulse) > 0);
        assert_true(m != PUSH || vec3_length(f->bodies[1].velocity) > 0);
        weir_world_destroy(world);
        weir_world_destroy(plain);
    }
}

static void sums_have_one_order(void **state)
{
    (void)state;
    check_length(2, 400, PUSH);
    check_length(270, 66000, PUSH); /* in several turns */
}

static void notes_and_debts_have_one_order(void **state)
{
    (void)state;
    check_length(2, 400, NOTE);
    check_length(20, 4000, NOTE);
    check_length(2, 400, OWE);
    check_length(20, 4000, OWE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_have_one_order),
                                       cmocka_unit_test(notes_and_debts_have_one_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
