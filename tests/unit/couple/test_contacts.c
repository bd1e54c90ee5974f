/* Which bodies meet, where they touch, and with what rows. */
#include "support/rigid.h"

static bool never(const void *context, size_t a, size_t b)
{
    (void)context;
    (void)a;
    (void)b;
    return false;
}

/* Writes the rows for the world as it stands and returns how many there are. */
static size_t find_rows(weir_world *world, double dt)
{
    row_system_clear(&world->system);
    assert_true(
        contacts_find(&world->contacts, &world->mem, &world->flow, never, world, dt, NULL) &&
        contact_rows_add(&world->system, &world->flow, &world->contacts, dt, NULL));
    return world->system.row_count;
}

static bool boxes_overlap(bounds a, bounds b)
{
    return a.lo.x <= b.hi.x && b.lo.x <= a.hi.x && a.lo.y <= b.hi.y && b.lo.y <= a.hi.y &&
           a.lo.z <= b.hi.z && b.lo.z <= a.hi.z;
}

/* Whether balls about the centres overlap that hold the bodies. */
static bool balls_overlap(const body *a, const body *b)
{
    return vec3_length(vec3_sub(a->pose.position, b->pose.position)) <= a->radius + b->radius;
}

/* Every pair whose boxes and balls overlap is found, each once, in order. */
static void test_broad_phase_finds_all_pairs(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world *world = make_rigid_world(dim, 9.81);
        make_floor(world, 0, 0.5, 0);
        for (uint64_t k = 0; k < 120; k++) {
            weir_vec3 at = v3(random_unit(1, k), 0.6 * random_unit(2, k),
                              dim == 3 ? 0.4 * random_unit(3, k) : 0);
            weir_body_def def = box_def(at, v3(0.03, 0.05, 0.04));
            def.pose.rotation = turn_about(v3(0, 0, 1), 6 * random_unit(4, k));
            if (k % 7 == 0)
                def.kind = WEIR_BODY_STATIC;
            make_body(world, &def);
        }
        flow *f = &world->flow;
        broad_phase near = {0};
        assert_true(broad_phase_find(&near, &world->mem, f, 0));
        size_t expected = 0, next = 0;
        for (uint32_t a = 0; a < f->body_count; a++)
            for (uint32_t b = a + 1; b < f->body_count; b++) {
                const body *x = &f->bodies[a], *y = &f->bodies[b];
                if (!body_is_moved(x) && !body_is_moved(y))
                    continue;
                while (
                    next < near.pair_count &&
                    (near.pairs[next].a < a || (near.pairs[next].a == a && near.pairs[next].b < b)))
                    next++;
                bool found =
                    next < near.pair_count && near.pairs[next].a == a && near.pairs[next].b == b;
                bounds box = body_world_bounds(y);
                /* The floor is the only one that does not end. */
                if (x->bounded ? boxes_overlap(body_world_bounds(x), box) && balls_overlap(x, y)
                               : box.lo.y <= 0) {
                    expected++;
                    assert_true(found);
                }
            }
        /* Not many more: boxes are grown a little. */
        assert_between((double)near.pair_count, (double)expected, 1.3 * (double)expected);
        broad_phase_free(&near, &world->mem);
        weir_world_destroy(world);
    }
}

/* Pairs that are looked through again and again are those that a new search finds. */
static void test_broad_phase_keeps_up(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, 9.81);
    make_floor(world, 0, 0.5, 0);
    for (uint64_t k = 0; k < 60; k++) {
        weir_body_def def =
            box_def(v3(0.5 * random_unit(1, k), 0.5 * random_unit(2, k), 0.3 * random_unit(3, k)),
                    v3(0.03, 0.05, 0.04));
        def.velocity = v3(random_unit(4, k) - 0.5, random_unit(5, k) - 0.5, 0);
        make_body(world, &def);
    }
    flow *f = &world->flow;
    broad_phase kept = {0};
    for (int round = 0; round < 50; round++) {
        double dt = round % 10 == 9 ? 0.2 : 0.002; /* now and then far out of their boxes */
        broad_phase fresh = {0};
        assert_true(broad_phase_find(&kept, &world->mem, f, dt));
        assert_true(broad_phase_find(&fresh, &world->mem, f, dt));
        assert_int_equal(kept.pair_count, fresh.pair_count);
        assert_memory_equal(kept.pairs, fresh.pairs, fresh.pair_count * sizeof *fresh.pairs);
        broad_phase_free(&fresh, &world->mem);
        for (size_t k = 1; k < f->body_count; k++)
            f->bodies[k].pose.position =
                vec3_madd(f->bodies[k].pose.position, dt, f->bodies[k].velocity);
        if (round == 25) { /* one that goes must not be met any more */
            weir_error error = {0};
            assert_true(weir_body_destroy(world, weir_world_body_at(world, 7), &error));
        }
    }
    broad_phase_free(&kept, &world->mem);
    weir_world_destroy(world);
}

/* A box on a floor touches with its corners: four in 3D, two in 2D. */
static void test_box_on_floor(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world *world = make_rigid_world(dim, 9.81);
        make_floor(world, 0, 0.5, 0);
        weir_body_def def = box_def(v3(0, 0.05, 0), v3(0.1, 0.05, 0.07));
        weir_body_id box = make_body(world, &def);
        size_t rows = find_rows(world, 0.01), each = dim == 2 ? 2 : 3, normals = 0;
        assert_int_equal(rows, dim == 2 ? 4 : 12);
        for (size_t k = 0; k < rows; k += each) {
            const row *r = &world->system.rows[k];
            assert_int_equal(r->normal, ROW_NONE);
            /* Straight up, at a corner: gap 0. */
            assert_near(fabs(r->on_a[1] + r->on_b[1]), 1, 1e-9);
            assert_near(r->bound, 0, 1e-6);
            vec3 turn = {fabs(r->on_a[3] + r->on_b[3]), 0, fabs(r->on_a[5] + r->on_b[5])};
            assert_near(turn.z, 0.1, 2e-3);
            if (dim == 3)
                assert_near(turn.x, 0.07, 2e-3);
            for (size_t n = 1; n < each; n++)
                assert_int_equal(world->system.rows[k + n].normal, k);
            normals++;
        }
        assert_int_equal(normals, dim == 2 ? 2 : 4);
        assert_true(body_at(world, box)->samples.count > 0);
        weir_world_destroy(world);
    }
}

/* In a corner of a tank the rows point away from both walls. */
static void test_box_in_corner(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(2, 9.81);
    make_tank(world, v3(0, 0, 0), v3(1, 1, 1));
    weir_body_def def = box_def(v3(0.05, 0.05, 0), v3(0.05, 0.05, 0));
    make_body(world, &def);
    find_rows(world, 0.01);
    int up = 0, aside = 0;
    for (size_t k = 0; k < world->system.row_count; k++) {
        const row *r = &world->system.rows[k];
        if (r->normal != ROW_NONE)
            continue;
        double x = r->on_a[0] + r->on_b[0], y = r->on_a[1] + r->on_b[1];
        up += fabs(y) > 0.99;
        aside += fabs(x) > 0.99;
    }
    assert_true(up >= 2 && aside >= 2);
    weir_world_destroy(world);
}

/* An edge that glides along a face does not catch on the side behind it. */
static void test_sliding_over_a_seam(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        weir_world *world = make_rigid_world(dim, 9.81);
        for (int k = 0; k < 6; k++) {
            weir_body_def tile = box_def(v3(0.3 * k, -0.05, 0), v3(0.15, 0.05, 0.3));
            tile.kind = WEIR_BODY_STATIC;
            tile.friction = 0;
            make_body(world, &tile);
        }
        weir_body_def def = box_def(v3(0, 0.05, 0), v3(0.07, 0.05, 0.05));
        def.velocity = v3(2, 0, 0);
        def.friction = 0;
        weir_body_id box = make_body(world, &def);
        for (int k = 0; k < 40; k++) {
            step_world(world, 1.0 / 60);
            assert_near(body_at(world, box)->velocity.x, 2, 1e-3);
            assert_near(centre_of(world, box).y, 0.05, 2e-4);
        }
        weir_world_destroy(world);
    }
}

/* Fast things do not pass through thin walls. */
static void test_no_tunnelling(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int round = 0; round < 2; round++) {
            weir_world *world = make_rigid_world(dim, 0);
            weir_body_def wall = box_def(v3(1, 0, 0), v3(0.005, 1, 1));
            wall.kind = WEIR_BODY_STATIC;
            make_body(world, &wall);
            weir_body_def def =
                round ? ball_def(v3(0, 0, 0), 0.02) : box_def(v3(0, 0, 0), v3(0.02, 0.02, 0.02));
            def.velocity = v3(60, 3, 0);
            weir_body_id bullet = make_body(world, &def);
            step_many(world, 1.0 / 60, 10);
            assert_between(centre_of(world, bullet).x, 0.9, 0.98);
            weir_world_destroy(world);
        }
}

/* A plate across two posts rests on their edges, which lie within its face. */
static void test_face_rests_on_edges(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, 9.81);
    for (int k = 0; k < 2; k++) {
        weir_body_def post = box_def(v3(0.4 * k - 0.2, 0.1, 0), v3(0.02, 0.1, 0.02));
        post.kind = WEIR_BODY_STATIC;
        make_body(world, &post);
    }
    weir_body_def plate = box_def(v3(0, 0.22, 0), v3(0.4, 0.02, 0.3));
    weir_body_id id = make_body(world, &plate);
    step_many(world, 1.0 / 60, 120);
    assert_near(centre_of(world, id).y, 0.22, 1e-4);
    assert_near(vec3_length(body_at(world, id)->spin), 0, 1e-3);
    weir_world_destroy(world);
}

static void test_contacts_are_remembered(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, 9.81);
    make_floor(world, 0, 0.5, 0);
    weir_body_def def = box_def(v3(0, 0.05, 0), v3(0.05, 0.05, 0.05));
    make_body(world, &def);
    step_many(world, 1.0 / 60, 5);
    assert_int_equal(world->contacts.count, 12);
    for (size_t k = 1; k < world->contacts.count; k++)
        assert_true(world->contacts.kept[k - 1].key < world->contacts.kept[k].key);
    find_rows(world, 1.0 / 60);
    double sum = 0;
    for (size_t k = 0; k < world->system.row_count; k++)
        sum += world->system.rows[k].normal == ROW_NONE ? world->system.rows[k].nu : 0;
    /* The weight over a substep: 1 kg, g, 1/120 s. */
    assert_near(sum, 9.81 * world->last_substep, 1e-4);
    weir_world_destroy(world);
}

/* Every shape of the library can lie on a floor. */
static void test_shapes_on_the_floor(void **state)
{
    (void)state;
    const weir_shape_kind kinds[] = {WEIR_SHAPE_BOX, WEIR_SHAPE_SPHERE, WEIR_SHAPE_CAPSULE,
                                     WEIR_SHAPE_CYLINDER};
    for (int dim = 2; dim <= 3; dim++)
        for (size_t k = 0; k < COUNT_OF(kinds); k++) {
            weir_world *world = make_rigid_world(dim, 9.81);
            make_floor(world, 0, 0.5, 0);
            weir_body_def def = weir_body_def_default();
            def.kind = WEIR_BODY_DYNAMIC;
            def.shape.kind = kinds[k];
            def.shape.half_extents = v3(0.1, 0.05, 0.1);
            def.shape.radius = 0.05;
            def.shape.half_length = 0.1;
            bool lying = kinds[k] == WEIR_SHAPE_CAPSULE;
            if (lying)
                def.pose.rotation = turn_about(v3(0, 0, 1), PI / 2);
            double height = kinds[k] == WEIR_SHAPE_CYLINDER ? 0.1 : 0.05;
            def.pose.position = v3(0, height + 0.01, 0);
            weir_body_id id = make_body(world, &def);
            step_many(world, 1.0 / 60, 60);
            assert_near(centre_of(world, id).y, height, 1e-3 * height);
            weir_world_destroy(world);
        }
}

/* A compound of two boxes: an L that stands on its foot. */
static void test_compound(void **state)
{
    (void)state;
    weir_world *world = make_rigid_world(3, 9.81);
    make_floor(world, 0, 0.5, 0);
    weir_shape_def parts[2];
    for (int k = 0; k < 2; k++) {
        parts[k] = weir_shape_def_default();
        parts[k].kind = WEIR_SHAPE_BOX;
    }
    parts[0].half_extents = v3(0.2, 0.02, 0.1);
    parts[0].pose.position = v3(0, 0.02, 0);
    parts[1].half_extents = v3(0.02, 0.2, 0.1);
    parts[1].pose.position = v3(-0.1, 0.22, 0);
    weir_body_def def = weir_body_def_default();
    def.kind = WEIR_BODY_DYNAMIC;
    def.shape.kind = WEIR_SHAPE_UNION;
    def.shape.children = parts;
    def.shape.child_count = 2;
    def.pose.position = v3(0, 0.005, 0);
    weir_body_id id = make_body(world, &def);
    step_many(world, 1.0 / 60, 90);
    assert_near(body_at(world, id)->pose.position.y, 0, 2e-4);
    assert_near(fabs(body_at(world, id)->pose.rotation.w), 1, 1e-5);
    weir_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broad_phase_finds_all_pairs),
        cmocka_unit_test(test_broad_phase_keeps_up),
        cmocka_unit_test(test_box_on_floor),
        cmocka_unit_test(test_box_in_corner),
        cmocka_unit_test(test_sliding_over_a_seam),
        cmocka_unit_test(test_no_tunnelling),
        cmocka_unit_test(test_face_rests_on_edges),
        cmocka_unit_test(test_contacts_are_remembered),
        cmocka_unit_test(test_shapes_on_the_floor),
        cmocka_unit_test(test_compound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
