/* Where particles and bodies meet, against a search through everything. */
#include "couple/meeting.h"
#include "support/rigid.h"

static const double SPACING = 0.05, RADIUS = 0.025;

/* A cloud of particles around bodies of several shapes, on a floor. */
static weir_world *make_cloud(int dim, bool periodic)
{
    weir_world_def def = small_world_def(dim, SPACING);
    def.coupling.mode = WEIR_COUPLING_CONTACT_LCP;
    if (periodic)
        def.period[0] = (weir_axis_period){true, -1, 1};
    weir_world *world = make_world(&def);
    weir_fluid_id water = make_fluid(world, 1000, 0);
    make_floor(world, 0, 0, 0);
    weir_body_def box = box_def(v3(-0.3, 0.35, 0), v3(0.2, 0.3, 0.25));
    box.pose.rotation = turn_about(v3(0, 0, 1), 0.4);
    box.velocity = v3(1, -0.5, 0);
    box.spin = v3(0, 0, 2);
    weir_body_def ball = ball_def(v3(0.45, 0.4, 0.1), 0.3);
    ball.velocity = v3(-2, 0, 0);
    ball.stickiness = 100;
    ball.stick_distance = 0.04;
    make_body(world, &box);
    make_body(world, &ball);
    weir_vec3 at[2000];
    for (uint64_t k = 0; k < COUNT_OF(at); k++)
        at[k] = v3(2 * random_unit(3, 3 * k) - 1, random_unit(3, 3 * k + 1),
                   dim == 3 ? random_unit(3, 3 * k + 2) - 0.5 : 0);
    weir_error error = {0};
    if (!weir_world_add_particles(world, water, at, COUNT_OF(at), v3(0, -1, 0), &error))
        fail_msg("%s", error.text);
    flow *f = &world->flow;
    assert_true(neighbours_build(&f->near, &f->p, &error));
    assert_true(walls_find(&f->walls, &f->p, &f->near, f->bodies, f->body_count, &error));
    return world;
}

/* The nearest image of body k as it will be, and its distance from particle i. */
static double distance_ahead(const weir_world *w, size_t k, size_t i, double dt, vec3 *normal)
{
    body ahead = w->flow.bodies[k];
    ahead.pose = body_predict(&w->flow.bodies[k], 0, dt);
    vec3 local = walls_local_point(&w->flow.near, &ahead, flow_position(&w->flow, i));
    double d = shape_distance(ahead.shape, local, normal);
    *normal = quat_rotate(ahead.pose.rotation, *normal);
    return d;
}

static const meeting *find(const meeting_list *list, size_t i, size_t k)
{
    for (size_t n = 0; n < list->fluid_count; n++)
        if (list->items[n].particle == i && list->items[n].b == k)
            return &list->items[n];
    return NULL;
}

static void check_cloud(int dim, bool periodic)
{
    weir_world *w = make_cloud(dim, periodic);
    flow *f = &w->flow;
    double dt = 0.01, wall = 0.01;
    meeting_finder finder;
    meeting_list list = {0};
    weir_error error = {0};
    assert_true(meeting_finder_init(&finder, f, RADIUS, &error));
    assert_true(meetings_find(&finder, &list, f, wall, 0, dt, &error));
    size_t expected = 0, touching = 0;
    for (size_t i = 0; i < f->p.count; i++) {
        size_t of_bodies = 0;
        for (size_t n = 0; n < f->body_count; n++) {
            size_t k = (n + 1) % f->body_count; /* the floor last */
            bool fixed = !body_has_mass(&f->bodies[k]);
            vec3 normal;
            double gap = distance_ahead(w, k, i, dt, &normal) - (fixed ? wall : RADIUS);
            double reach = finder.margin + f->bodies[k].stick_distance;
            /* Deep inside, where no sphere is near, there is nothing to find; nothing gets there.
             */
            if (gap >= reach || (!fixed && gap < -2 * RADIUS) || (fixed && of_bodies == 0))
                continue;
            const meeting *m = find(&list, i, k);
            if (!m)
                fail_msg("particle %zu and body %zu, %g m apart, are not listed", i, k, gap);
            assert_near(m->gap, gap, 1e-12);
            assert_near(vec3_dot(m->normal, normal), 1, 1e-12);
            vec3 v = vec3_sub(flow_velocity(f, i), body_velocity_at(&f->bodies[k], m->point));
            assert_near(m->speed, vec3_dot(v, normal), 1e-9);
            expected++;
            of_bodies += !fixed;
            touching += gap < 0;
        }
    }
    size_t deep = 0; /* near spheres all the same */
    for (size_t n = 0; n < list.fluid_count; n++)
        deep += list.items[n].gap < -2 * RADIUS && body_has_mass(&f->bodies[list.items[n].b]);
    assert_true(list.fluid_count >= expected && list.fluid_count <= expected + 2 * deep);
    assert_true(touching > 20);
    meeting_list_free(&list, f->mem);
    meeting_finder_free(&finder);
    weir_world_destroy(w);
}

static void finds_what_a_search_through_all_finds(void **state)
{
    (void)state;
    check_cloud(2, false);
    check_cloud(3, false);
    check_cloud(2, true);
}

static void finds_the_nearest_sphere(void **state)
{
    (void)state;
    weir_world *w = make_cloud(3, false);
    const surface_samples *skin = &w->flow.bodies[1].skin;
    skin_cells cells;
    assert_true(skin_cells_create(&cells, w->flow.mem, skin, 0.1));
    int found = 0;
    for (uint64_t k = 0; k < 2000; k++) {
        vec3 at = {random_unit(5, 3 * k) - 0.5, random_unit(5, 3 * k + 1) - 0.5,
                   random_unit(5, 3 * k + 2) - 0.5};
        uint32_t nearest = SKIN_NONE;
        double least = 0.1;
        for (size_t s = 0; s < skin->count; s++) {
            double d = vec3_length(vec3_sub(skin->points[s].position, at));
            if (d < least) {
                least = d;
                nearest = (uint32_t)s;
            }
        }
        assert_int_equal(skin_cells_nearest(&cells, skin, at), nearest);
        found += nearest != SKIN_NONE;
    }
    assert_true(found > 200 && found < 1800);
    skin_cells_destroy(&cells, w->flow.mem);
    weir_world_destroy(w);
}

/* One particle in the middle of many balls, across a period. */
static void finds_many_bodies_at_once(void **state)
{
    (void)state;
    enum { BALLS = 40 };
    weir_world_def def = small_world_def(3, SPACING);
    def.coupling.mode = WEIR_COUPLING_CONTACT_LCP;
    def.period[0] = (weir_axis_period){true, -1, 1};
    weir_world *w = make_world(&def);
    weir_fluid_id water = make_fluid(w, 1000, 0);
    for (int k = 0; k < BALLS; k++) {
        double height = 1 - (2.0 * k + 1) / BALLS, ring = sqrt(1 - height * height);
        weir_vec3 at = v3(ring * cos(2.4 * k), height, ring * sin(2.4 * k));
        weir_body_def ball = ball_def(v3(0.99 + 0.06 * at.x, 0.06 * at.y, 0.06 * at.z), 0.04);
        if (ball.pose.position.x > 1)
            ball.pose.position.x -= 2;
        make_body(w, &ball);
    }
    weir_error error = {0};
    weir_vec3 at = v3(0.99, 0, 0);
    assert_true(weir_world_add_particles(w, water, &at, 1, v3(0, 0, 0), &error));
    flow *f = &w->flow;
    assert_true(neighbours_build(&f->near, &f->p, &error));
    assert_true(walls_find(&f->walls, &f->p, &f->near, f->bodies, f->body_count, &error));
    meeting_finder finder;
    meeting_list list = {0};
    assert_true(meeting_finder_init(&finder, f, RADIUS, &error));
    assert_true(meetings_find(&finder, &list, f, 0, 0, 0.001, &error));
    assert_int_equal(list.fluid_count, BALLS);
    for (size_t k = 0; k < list.fluid_count; k++)
        assert_near(list.items[k].gap, 0.06 - 0.04 - RADIUS, 1e-6);
    meeting_list_free(&list, f->mem);
    meeting_finder_free(&finder);
    weir_world_destroy(w);
}

/* A box that falls on a ball on the floor: both directions, and the floor. */
static void finds_bodies(void **state)
{
    (void)state;
    weir_world_def def = small_world_def(3, SPACING);
    def.coupling.mode = WEIR_COUPLING_CONTACT_LCP;
    weir_world *w = make_world(&def);
    make_floor(w, 0, 0, 0);
    weir_body_def ball = ball_def(v3(0, 0.199, 0), 0.2);
    weir_body_def box = box_def(v3(0, 0.55, 0), v3(0.3, 0.1, 0.3));
    box.velocity = v3(0, -5.5, 0);
    make_body(w, &ball);
    make_body(w, &box);
    meeting_finder finder;
    meeting_list list = {0};
    weir_error error = {0};
    assert_true(meeting_finder_init(&finder, &w->flow, RADIUS, &error));
    assert_true(meetings_find(&finder, &list, &w->flow, 0, 0, 0.01, &error));
    int with_floor = 0, of_box = 0, of_ball = 0;
    for (size_t k = 0; k < list.count; k++) {
        const meeting *m = &list.items[k];
        assert_int_equal(m->particle, MEETING_NONE);
        if (m->b == 0) {
            with_floor++;
            assert_near(m->normal.y, 1, 1e-9);
            assert_near(m->speed, 0, 1e-9);
        } else {
            of_box += m->a == 2;
            of_ball += m->a == 1;
            assert_true(m->speed < 0 || fabs(m->normal.y) < 0.2);
        }
    }
    assert_true(with_floor > 0 && of_box > 0 && of_ball > 0);
    meeting_list_free(&list, w->flow.mem);
    meeting_finder_free(&finder);
    weir_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_a_search_through_all_finds),
        cmocka_unit_test(finds_the_nearest_sphere),
        cmocka_unit_test(finds_many_bodies_at_once),
        cmocka_unit_test(finds_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
