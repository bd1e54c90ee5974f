/* One solve of contacts by itself: impulses, momentum, energy. */
#include "couple/contact_lcp.h"
#include "support/rigid.h"

/* Particles at random around three bodies on a floor, with random velocities. */
static weir_world *make_crowd(int dim, double restitution)
{
    weir_world_def def = small_world_def(dim, 0.05);
    def.coupling.mode = WEIR_COUPLING_CONTACT_LCP;
    def.coupling.restitution = restitution;
    weir_world *world = make_world(&def);
    weir_fluid_id water = make_fluid(world, 1000, 0);
    make_floor(world, 0, 0, restitution);
    for (int k = 0; k < 3; k++) {
        weir_body_def box = box_def(v3(0.5 * k - 0.5, 0.199 + 0.05 * k, 0), v3(0.2, 0.2, 0.2));
        box.pose.rotation = turn_about(v3(0, 0, 1), 0.1 * k);
        box.density = 100 * (k + 1) * (k + 1);
        box.velocity = v3(1 - k, -1, 0);
        box.spin = v3(0, 0, k - 1);
        box.friction = 0;
        box.restitution = restitution;
        make_body(world, &box);
    }
    weir_vec3 at[3000];
    for (uint64_t k = 0; k < COUNT_OF(at); k++)
        at[k] = v3(2 * random_unit(3, 3 * k) - 1, 0.02 + 0.7 * random_unit(3, 3 * k + 1),
                   dim == 3 ? 0.6 * random_unit(3, 3 * k + 2) - 0.3 : 0);
    weir_error error = {0};
    if (!weir_world_add_particles(world, water, at, COUNT_OF(at), v3(0, 0, 0), &error))
        fail_msg("%s", error.text);
    flow *f = &world->flow;
    for (size_t i = 0; i < f->p.count; i++)
        for (int a = 0; a < dim; a++)
            f->p.v[a][i] = (float)(2 * random_unit(9, 3 * i + (uint64_t)a) - 1);
    assert_true(neighbours_build(&f->near, &f->p, &error));
    assert_true(walls_find(&f->walls, &f->p, &f->near, f->bodies, f->body_count, &error));
    return world;
}

static double energy_of(const flow *f, vec3 *momentum)
{
    double sum = 0;
    *momentum = (vec3){0, 0, 0};
    for (size_t i = 0; i < f->p.count; i++) {
        vec3 v = flow_velocity(f, i);
        sum += f->fluids[0].mass / 2 * vec3_dot(v, v);
        *momentum = vec3_madd(*momentum, f->fluids[0].mass, v);
    }
    for (size_t k = 0; k < f->body_count; k++) {
        const body *b = &f->bodies[k];
        sum += b->mass / 2 * vec3_dot(b->velocity, b->velocity) +
               vec3_dot(b->spin, body_inertia(b, b->spin)) / 2;
        *momentum = vec3_madd(*momentum, b->mass, b->velocity);
    }
    return sum;
}

/* Impulses along normals that only push; A v⁺ >= −e v; momentum but for what the floor gave; energy
 * lost, never won. */
static void check_crowd(int dim, double restitution, weir_lcp_solver solver)
{
    weir_world *w = make_crowd(dim, restitution);
    flow *f = &w->flow;
    weir_error error = {0};
    contact_lcp c;
    w->def.coupling.solver = solver;
    assert_true(contact_lcp_init(&c, f, &w->def.coupling, &error));
    double dt = 0.005;
    vec3 before, after, floor = {0, 0, 0};
    double energy = energy_of(f, &before);
    assert_true(contact_lcp_solve(&c, f, 0, 0, dt, &error));
    double lost = energy - energy_of(f, &after);
    assert_int_equal(c.result.status, LCP_SOLVED);
    size_t pushing = 0, of_bodies = 0;
    double exact = solver < WEIR_LCP_PGS ? 1e-5 : 1e-3;
    for (size_t k = 0; k < c.meetings.count; k++) {
        const meeting *m = &c.meetings.items[k];
        const body *b = &f->bodies[m->b];
        bool particle = m->particle != MEETING_NONE;
        vec3 v =
            particle ? flow_velocity(f, m->particle) : body_velocity_at(&f->bodies[m->a], m->point);
        double speed = vec3_dot(m->normal, vec3_sub(v, body_velocity_at(b, m->point)));
        assert_true(m->impulse >= 0);
        if (m->impulse > 0 && m->b == 0)
            floor = vec3_madd(floor, m->impulse, m->normal);
        /* What it was allowed: to close its gap, or −e times what it had. */
        double gap = fmax(m->gap - dt * m->speed, 0),
               bounce = particle && m->b == 0 ? 0 : restitution;
        double least = bounce > 0 && m->gap < 0 && m->speed < 0 ? -bounce * m->speed : -gap / dt;
        if (m->gap < c.finder.margin)
            assert_true(speed >= least - exact);
        if (m->impulse > 0)
            assert_near(speed, least, exact);
        pushing += m->impulse > 0;
        of_bodies += m->impulse > 0 && !particle;
    }
    assert_true(pushing > 50 && of_bodies > 2);
    assert_true(lost > -1e-6 * energy);
    vec3 change = vec3_sub(vec3_sub(after, before), floor);
    assert_true(vec3_length(change) < 1e-6 * (1 + vec3_length(floor)) * 100);
    contact_lcp_free(&c);
    weir_world_destroy(w);
}

static void pushes_and_never_pulls(void **state)
{
    (void)state;
    const weir_lcp_solver solvers[] = {WEIR_LCP_STRUCTURED, WEIR_LCP_BLOCK, WEIR_LCP_LEMKE,
                                       WEIR_LCP_PGS};
    for (size_t s = 0; s < COUNT_OF(solvers); s++) {
        check_crowd(2, 0, solvers[s]);
        check_crowd(2, 0.5, solvers[s]);
    }
    check_crowd(3, 0, WEIR_LCP_STRUCTURED);
    check_crowd(3, 0, WEIR_LCP_BLOCK);
}

/* Springs and dampers: what is deep is pushed by dt (k_s d − k_d v). */
static void presses_by_springs(void **state)
{
    (void)state;
    weir_world *w = make_crowd(2, 0);
    weir_error error = {0};
    contact_lcp c;
    weir_coupling_def def = {
        .mode = WEIR_COUPLING_PENALTY, .radius = 0.025, .stiffness = 1000, .damping = 2};
    assert_true(contact_lcp_init(&c, &w->flow, &def, &error));
    double dt = 0.005;
    assert_true(contact_lcp_solve(&c, &w->flow, 0, 0, dt, &error));
    size_t pushing = 0;
    for (size_t k = 0; k < c.meetings.count; k++) {
        const meeting *m = &c.meetings.items[k];
        double depth = dt * m->speed - m->gap;
        double expected = depth > 0 ? fmax(dt * (1000 * depth - 2 * m->speed), 0) : 0;
        assert_near(m->impulse, expected, 1e-12);
        pushing += m->impulse > 0;
    }
    assert_true(pushing > 50);
    contact_lcp_free(&c);
    weir_world_destroy(w);
}

/* A particle at rest near a sticky ball: v = −dt k d (1 − d/d_stick) (Clavet et al. 2005, eq. 12),
 * and the ball gets what the particle got. */
static void pulls_what_sticks(void **state)
{
    (void)state;
    weir_world_def def = small_world_def(3, 0.04);
    def.coupling.mode = WEIR_COUPLING_CONTACT_LCP;
    def.coupling.radius = 0.02;
    weir_world *w = make_world(&def);
    weir_fluid_id water = make_fluid(w, 1000, 0);
    weir_body_def ball = ball_def(v3(0, 0, 0), 0.1);
    ball.stickiness = 100;
    ball.stick_distance = 0.04;
    make_body(w, &ball);
    const double gaps[] = {0.01, 0.02, 0.03, 0.045};
    weir_vec3 at[COUNT_OF(gaps)];
    for (size_t k = 0; k < COUNT_OF(gaps); k++) {
        double reach = 0.12 + gaps[k];
        at[k] = k < 2 ? v3(k == 0 ? reach : -reach, 0, 0) : v3(0, k == 2 ? reach : -reach, 0);
    }
    weir_error error = {0};
    assert_true(weir_world_add_particles(w, water, at, COUNT_OF(at), v3(0, 0, 0), &error));
    flow *f = &w->flow;
    assert_true(neighbours_build(&f->near, &f->p, &error));
    assert_true(walls_find(&f->walls, &f->p, &f->near, f->bodies, f->body_count, &error));
    contact_lcp c;
    double dt = 0.002;
    assert_true(contact_lcp_init(&c, f, &w->def.coupling, &error));
    assert_true(contact_lcp_solve(&c, f, 0, 0, dt, &error));
    vec3 sum = vec3_scale(f->bodies[0].velocity, f->bodies[0].mass);
    for (size_t i = 0; i < f->p.count; i++) {
        vec3 x = flow_position(f, i), v = flow_velocity(f, i);
        double gap = vec3_length(x) - 0.12;
        double pull = gap < 0.04 ? dt * 100 * gap * (1 - gap / 0.04) : 0;
        assert_near(vec3_dot(v, vec3_unit(x, x)), -pull, 1e-3 * pull + 1e-9);
        sum = vec3_madd(sum, f->fluids[0].mass, v);
    }
    assert_true(vec3_length(sum) < 1e-12);
    contact_lcp_free(&c);
    weir_world_destroy(w);
}

static weir_world_def contact_def(weir_method how)
{
    weir_world_def def = small_world_def(2, 0.04);
    weir_world_def_use_method(&def, how);
    def.coupling.mode = WEIR_COUPLING_CONTACT_LCP;
    return def;
}

static void refuses(void **state)
{
    (void)state;
    weir_error error = {0};
    weir_world_def def = contact_def(WEIR_METHOD_CONSTRAINT);
    assert_null(weir_world_create(&def, &error));
    assert_error(error, WEIR_INVALID, "rows of its own");
    def = contact_def(WEIR_METHOD_SPH);
    def.coupling.radius = 0.05;
    assert_null(weir_world_create(&def, &error));
    assert_error(error, WEIR_INVALID, "at most the spacing");
    def.coupling.radius = 0;
    def.coupling.restitution = 1.5;
    assert_null(weir_world_create(&def, &error));
    assert_error(error, WEIR_INVALID, "between 0 and 1");
    def.coupling.restitution = 0;
    weir_world *w = make_world(&def);
    weir_body_def box = box_def(v3(0, 0, 0), v3(0.1, 0.1, 0));
    weir_joint_def hinge = weir_joint_def_default();
    hinge.kind = WEIR_JOINT_HINGE;
    hinge.a = make_body(w, &box);
    assert_int_equal(weir_joint_create(w, &hinge, &error).slot, 0);
    assert_error(error, WEIR_UNSUPPORTED, "without joints");
    weir_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pushes_and_never_pulls),
        cmocka_unit_test(presses_by_springs),
        cmocka_unit_test(pulls_what_sticks),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
