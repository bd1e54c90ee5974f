/* Holes, orientation, volume and parts of meshes of known shape. */
#include "mesh_samples.h"

#include "mesh/mesh_check.h"

static mesh_report check(const triangle_mesh *mesh)
{
    mesh_report report;
    weir_error error = {0};
    if (!mesh_check(mesh, &report, &error))
        fail_msg("%s", error.text);
    return report;
}

static void a_box_is_sound(void **state)
{
    (void)state;
    triangle_mesh box = {0};
    sample_box(&box, vec3_make(100, 0, 0), vec3_make(101, 2, 3));
    mesh_report r = check(&box);
    assert_true(r.closed && r.manifold && r.oriented);
    assert_int_equal(r.component_count, 1);
    assert_int_equal(r.open_edge_count, 0);
    assert_near(r.volume, 6, 1e-12);
    assert_near(r.area, 22, 1e-12);
    assert_true(r.box.lo.x == 100 && r.box.hi.z == 3);
    triangle_mesh_free(&box);
}

static void a_missing_face_is_found(void **state)
{
    (void)state;
    triangle_mesh box = {0};
    sample_box(&box, vec3_make(0, 0, 0), vec3_make(1, 2, 3));
    box.triangle_count -= 2; /* the face at z = 3 */
    mesh_report r = check(&box);
    assert_false(r.closed || r.manifold);
    assert_int_equal(r.open_edge_count, 4);
    assert_int_equal(r.hole_count, 1);
    assert_near(r.hole_centre.x, 0.5, 1e-12);
    assert_near(r.hole_centre.y, 1, 1e-12);
    assert_near(r.hole_centre.z, 3, 1e-12);
    assert_near(r.hole_width, sqrt(5), 1e-12);
    triangle_mesh_free(&box);
}

static void two_holes_are_two(void **state)
{
    (void)state;
    triangle_mesh ball = {0};
    sample_ball(&ball, 1, 12, 20);
    /* The triangles at the poles: one at the north, two neighbours at the south. */
    mesh_report whole = check(&ball);
    assert_true(whole.closed);
    size_t kept = 0;
    uint32_t north = (uint32_t)ball.point_count - 2;
    int dropped_south = 0;
    bool dropped_north = false;
    for (size_t t = 0; t < ball.triangle_count; t++) {
        uint32_t apex = ball.triangles[t].corner[0];
        bool drop = (apex == north && !dropped_north) || (apex == north + 1 && dropped_south < 2);
        dropped_north = dropped_north || (drop && apex == north);
        dropped_south += drop && apex == north + 1;
        if (!drop)
            ball.triangles[kept++] = ball.triangles[t];
    }
    ball.triangle_count = kept;
    mesh_report r = check(&ball);
    assert_int_equal(r.open_edge_count, 7);
    assert_int_equal(r.hole_count, 2);
    assert_true(r.hole_centre.z < -0.9);
    triangle_mesh_free(&ball);
}

static void a_flipped_triangle_is_seen(void **state)
{
    (void)state;
    triangle_mesh box = {0};
    sample_box(&box, vec3_make(0, 0, 0), vec3_make(1, 1, 1));
    uint32_t swapped = box.triangles[5].corner[0];
    box.triangles[5].corner[0] = box.triangles[5].corner[1];
    box.triangles[5].corner[1] = swapped;
    mesh_report r = check(&box);
    assert_int_equal(r.clashing_edge_count, 3);
    assert_int_equal(r.one_sided_count, 0);
    assert_int_equal(r.open_edge_count, 0);
    assert_false(r.closed || r.oriented);
    triangle_mesh_free(&box);
}

static void parts_and_crowded_edges_are_counted(void **state)
{
    (void)state;
    triangle_mesh boxes = {0};
    sample_box(&boxes, vec3_make(0, 0, 0), vec3_make(1, 1, 1));
    sample_box(&boxes, vec3_make(1, 1, 0), vec3_make(2, 2, 1)); /* touches along an edge */
    sample_box(&boxes, vec3_make(5, 5, 5), vec3_make(6, 6, 6));
    assert_true(triangle_mesh_weld(&boxes, NULL));
    mesh_report r = check(&boxes);
    assert_int_equal(r.component_count, 3);
    assert_int_equal(r.crowded_edge_count, 1);
    assert_near(r.crowded_place.z, 0.5, 1e-12);
    assert_true(r.closed);
    assert_false(r.manifold);
    assert_near(r.volume, 3, 1e-9);
    triangle_mesh_free(&boxes);
}

static void a_one_sided_band_is_seen(void **state)
{
    (void)state;
    triangle_mesh band = {0};
    sample_band(&band);
    mesh_report r = check(&band);
    assert_true(r.one_sided_count > 0);
    assert_int_equal(r.open_edge_count, 5);
    triangle_mesh_free(&band);
}

static void volumes_approach_the_formula(void **state)
{
    (void)state;
    const double pi = acos(-1);
    triangle_mesh torus = {0};
    sample_torus(&torus, 2, 0.5, 200, 100);
    mesh_report r = check(&torus);
    assert_true(r.closed && r.manifold && r.oriented);
    assert_near(r.volume, 2 * pi * pi * 2 * 0.25, 0.01);
    assert_near(r.area, 4 * pi * pi * 2 * 0.5, 0.03);
    triangle_mesh_free(&torus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_is_sound),
        cmocka_unit_test(a_missing_face_is_found),
        cmocka_unit_test(two_holes_are_two),
        cmocka_unit_test(a_flipped_triangle_is_seen),
        cmocka_unit_test(parts_and_crowded_edges_are_counted),
        cmocka_unit_test(a_one_sided_band_is_seen),
        cmocka_unit_test(volumes_approach_the_formula),
    };
    return cmocka_run_group_tests_name("mesh_check", tests, NULL, NULL);
}
