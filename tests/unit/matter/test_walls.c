/* Contacts of particles with solids, against distances and boundary volumes asked one by one. */
#include "matter/walls.h"
#include "support/worlds.h"
#include "world/state.h"

/* A world of loose particles among several solids, after a short step that freed those that were
 * put inside of one; contacts belong to the positions as they are now. */
static weir_world *make_solids(int dim, int threads, bool periodic)
{
    weir_world_def def = small_world_def(dim, 0.05);
    def.threads = threads;
    def.gravity = v3(0, 0, 0);
    if (periodic)
        def.period[0] = (weir_axis_period){true, 0, 1};
    weir_world *world = make_world(&def);
    weir_fluid_id water = make_fluid(world, 1000, 0.1);
    weir_body_def ground = plane_def(v3(0, 0, 0), v3(0, 1, 0), WEIR_WALL_NO_SLIP);
    make_body(world, &ground);
    weir_body_def ball = weir_body_def_default();
    ball.shape.kind = WEIR_SHAPE_SPHERE;
    ball.shape.radius = 0.15;
    ball.pose.position = v3(0.02, 0.15, 0.5); /* touches the floor and, if any, the period's end */
    ball.kind = WEIR_BODY_ANIMATED;
    ball.motion.velocity = v3(0.3, 0.1, 0);
    ball.motion.spin = v3(0, 0, 2);
    make_body(world, &ball);
    weir_body_def box = weir_body_def_default();
    box.shape.kind = WEIR_SHAPE_BOX;
    box.shape.half_extents = v3(0.1, 0.2, 0.1);
    box.pose = (weir_pose){{0.6, 0.2, 0.5}, quat_from_rotation_vector((vec3){0, 0, 0.4})};
    make_body(world, &box);
    weir_body_def tank = weir_body_def_default();
    tank.shape.kind = WEIR_SHAPE_BOX;
    tank.shape.complement = true;
    tank.shape.half_extents = v3(0.55, 0.35, 0.55);
    tank.pose.position = v3(0.5, 0.3, 0.5);
    make_body(world, &tank);
    fill_box(world, water, dim, 0.05, v3(0, 0, 0), v3(1, 0.6, 1), 0.2, v3(0, 0, 0));
    step_world(world, 1e-5);
    flow *f = &world->flow;
    assert_true(neighbours_build(&f->near, &f->p, NULL));
    assert_true(walls_find(&f->walls, &f->p, &f->near, f->bodies, f->body_count, NULL));
    return world;
}

static void check_contacts(int dim, bool periodic)
{
    weir_world *world = make_solids(dim, 1, periodic);
    const flow *f = &world->flow;
    size_t total = 0;
    for (size_t i = 0; i < f->p.count; i++) {
        const wall_span *span = &f->walls.spans[i];
        vec3 x = flow_position(f, i);
        double left = 1;
        uint32_t next = 0;
        for (uint32_t b = 0; b < f->body_count; b++) {
            const body *solid = &f->bodies[b];
            vec3 local = walls_local_point(&f->near, solid, x), normal;
            double distance = shape_distance(solid->shape, local, &normal);
            if (distance >= f->h)
                continue;
            assert_true(next < span->count);
            const wall_contact *c = &span->contacts[next++];
            assert_int_equal(c->body, b);
            assert_near(c->distance, distance, 1e-7);
            vec3 turned = quat_rotate(solid->pose.rotation, normal);
            assert_near(c->normal[0], turned.x, 1e-6);
            assert_near(c->normal[1], turned.y, 1e-6);
            assert_near(c->volume, boundary_volume(solid->map, local, NULL), 1e-6);
            vec3 velocity = body_velocity_at(solid, flow_nearest(f, x, solid));
            assert_near(c->velocity[0], velocity.x, 1e-6);
            assert_near(c->velocity[1], velocity.y, 1e-6);
            left *= 1 - c->volume;
        }
        assert_int_equal(span->count, next);
        assert_near(span->volume, 1 - left, 1e-6);
        total += next;
    }
    assert_true(total > 50);
    weir_world_destroy(world);
}

static void contacts_are_what_the_distances_say(void **state)
{
    (void)state;
    check_contacts(2, false);
    check_contacts(3, false);
}

/* The ball reaches over the end of the period and is felt at its other end. */
static void solids_are_seen_across_periods(void **state)
{
    (void)state;
    check_contacts(2, true);
    check_contacts(3, true);
    weir_world *world = make_solids(2, 1, true);
    weir_body_id nearest;
    assert_near(weir_world_distance(world, v3(0.92, 0.3, 0), &nearest), hypot(0.1, 0.15) - 0.15,
                1e-4);
    assert_int_equal(nearest.slot, 2);
    weir_world_destroy(world);
}

/* Each gradient carries the share that the other solids leave: together they are the gradient of
 * 1 − Π(1 − B). */
static void gradients_of_several_solids_add_up(void **state)
{
    (void)state;
    weir_world *world = make_solids(2, 1, false);
    const flow *f = &world->flow;
    size_t corners = 0;
    for (size_t i = 0; i < f->p.count; i++) {
        const wall_span *span = &f->walls.spans[i];
        if (span->count < 2)
            continue;
        corners++;
        for (int a = 0; a < 2; a++) {
            double step = 1e-5, value[2], sum = 0;
            for (int side = 0; side < 2; side++) {
                vec3 x = flow_position(f, i);
                *(a == 0 ? &x.x : &x.y) += side ? step : -step;
                double left = 1;
                for (uint32_t k = 0; k < span->count; k++) {
                    const body *b = &f->bodies[span->contacts[k].body];
                    left *= 1 - boundary_volume(b->map, walls_local_point(&f->near, b, x), NULL);
                }
                value[side] = 1 - left;
            }
            for (uint32_t k = 0; k < span->count; k++)
                sum += span->contacts[k].gradient[a];
            assert_near(sum, (value[1] - value[0]) / (2 * step), 1e-3 / f->h);
        }
    }
    assert_true(corners > 5);
    weir_world_destroy(world);
}

static void particles_that_touch_are_listed(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads += 2) {
        weir_world *world = make_solids(3, threads, false);
        const flow *f = &world->flow;
        size_t next = 0;
        for (size_t i = 0; i < f->p.count; i++) {
            assert_int_equal(walls_first_touching(&f->walls, i), next);
            if (f->walls.spans[i].count > 0)
                assert_int_equal(f->walls.touching[next++], i);
        }
        assert_int_equal(f->walls.touching_count, next);
        assert_true(next > 100 && next < f->p.count);
        weir_world_destroy(world);
    }
}

static void contacts_do_not_depend_on_threads(void **state)
{
    (void)state;
    weir_world *one = make_solids(3, 1, true);
    static const int threads[] = {2, 7};
    for (size_t t = 0; t < COUNT_OF(threads); t++) {
        weir_world *other = make_solids(3, threads[t], true);
        assert_int_equal(one->flow.walls.contact_count, other->flow.walls.contact_count);
        for (size_t i = 0; i < one->flow.p.count; i++) {
            const wall_span *a = &one->flow.walls.spans[i], *b = &other->flow.walls.spans[i];
            assert_int_equal(a->count, b->count);
            if (a->count > 0)
                assert_memory_equal(a->contacts, b->contacts, a->count * sizeof *a->contacts);
        }
        weir_world_destroy(other);
    }
    weir_world_destroy(one);
}

static void destroyed_solids_are_not_felt(void **state)
{
    (void)state;
    weir_world *world = make_solids(2, 1, false);
    size_t before = world->flow.walls.contact_count;
    assert_true(weir_body_destroy(world, weir_world_body_at(world, 0), NULL));
    step_world(world, 1e-5);
    assert_true(world->flow.walls.contact_count < before);
    for (size_t i = 0; i < world->flow.p.count; i++)
        for (uint32_t k = 0; k < world->flow.walls.spans[i].count; k++)
            assert_int_not_equal(world->flow.walls.spans[i].contacts[k].body, 0);
    weir_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_what_the_distances_say),
        cmocka_unit_test(solids_are_seen_across_periods),
        cmocka_unit_test(gradients_of_several_solids_add_up),
        cmocka_unit_test(particles_that_touch_are_listed),
        cmocka_unit_test(contacts_do_not_depend_on_threads),
        cmocka_unit_test(destroyed_solids_are_not_felt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
