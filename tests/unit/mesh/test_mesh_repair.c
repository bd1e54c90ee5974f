/* Cracks are welded, faces turned outwards, holes filled on request, and the rest is refused. */
#include "mesh_samples.h"

#include "base/random.h"
#include "mesh/mesh_repair.h"

static const mesh_repair_options careful = {.fill_holes = false};
static const mesh_repair_options filling = {.fill_holes = true};

static mesh_repair_report repair(triangle_mesh *mesh, const mesh_repair_options *options)
{
    mesh_repair_report report;
    weir_error error = {0};
    if (!mesh_repair(mesh, "thing.obj", options, &report, &error))
        fail_msg("%s", error.text);
    assert_true(report.mesh.closed);
    assert_true(report.mesh.volume > 0);
    return report;
}

static void assert_refused(triangle_mesh *mesh, const mesh_repair_options *options,
                           const char *sentence)
{
    mesh_repair_report report;
    weir_error error = {0};
    assert_false(mesh_repair(mesh, "thing.obj", options, &report, &error));
    assert_int_equal(error.code, WEIR_INVALID);
    if (!strstr(error.text, sentence))
        fail_msg("\"%s\" does not say \"%s\"", error.text, sentence);
}

static void flip(triangle_mesh *mesh, size_t t)
{
    uint32_t *corner = mesh->triangles[t].corner;
    uint32_t swapped = corner[1];
    corner[1] = corner[2];
    corner[2] = swapped;
}

static void a_sound_mesh_is_left_alone(void **state)
{
    (void)state;
    triangle_mesh box = {0};
    sample_box(&box, vec3_make(0, 0, 0), vec3_make(1, 2, 3));
    triangle before[12];
    memcpy(before, box.triangles, sizeof before);
    mesh_repair_report r = repair(&box, &careful);
    char note[200];
    mesh_repair_note(&r, note, sizeof note);
    assert_string_equal(note, "");
    assert_memory_equal(before, box.triangles, sizeof before);
    triangle_mesh_free(&box);
}

static void a_hole_is_refused_or_filled(void **state)
{
    (void)state;
    triangle_mesh box = {0};
    sample_box(&box, vec3_make(0, 0, 0), vec3_make(1, 2, 3));
    box.triangle_count -= 2;
    assert_refused(&box, &careful,
                   "thing.obj: the mesh is not closed: it has 4 open edges around 1 hole, the "
                   "widest of them 2.24 m wide at (0.5, 1, 3)");
    mesh_repair_report r = repair(&box, &filling);
    assert_int_equal(r.filled_holes, 1);
    assert_int_equal(r.added_triangles, 2);
    assert_near(r.mesh.volume, 6, 1e-12);
    assert_near(r.mesh.area, 22, 1e-12);
    char note[200];
    mesh_repair_note(&r, note, sizeof note);
    assert_string_equal(note, "holes filled: 1, triangles added: 2");
    triangle_mesh_free(&box);
}

static void cracks_are_welded(void **state)
{
    (void)state;
    triangle_mesh ball = {0};
    sample_ball(&ball, 1, 10, 16);
    mesh_report whole;
    assert_true(mesh_check(&ball, &whole, NULL));
    /* Every triangle gets points of its own, moved by up to a millionth. */
    triangle_mesh cracked = {0};
    for (size_t t = 0; t < ball.triangle_count; t++) {
        for (uint64_t c = 0; c < 3; c++) {
            vec3 p = ball.points[ball.triangles[t].corner[c]];
            sample_point(&cracked, p.x + 1e-6 * random_unit(1, 9 * t + 3 * c),
                         p.y + 1e-6 * random_unit(1, 9 * t + 3 * c + 1),
                         p.z + 1e-6 * random_unit(1, 9 * t + 3 * c + 2));
        }
        uint32_t first = (uint32_t)(3 * t);
        sample_triangle(&cracked, first, first + 1, first + 2);
    }
    mesh_repair_report r = repair(&cracked, &careful);
    assert_int_equal(cracked.point_count, ball.point_count);
    assert_int_equal(r.welded_points, 3 * ball.triangle_count - ball.point_count);
    assert_int_equal(r.mesh.triangle_count, ball.triangle_count);
    assert_near(r.mesh.volume, whole.volume, 1e-5);
    triangle_mesh_free(&cracked);
    triangle_mesh_free(&ball);
}

static void wide_cracks_need_a_wide_weld(void **state)
{
    (void)state;
    triangle_mesh boxes = {0};
    sample_box(&boxes, vec3_make(0, 0, 0), vec3_make(1, 1, 1));
    /* The last face moves onto points of its own, 5 mm away. */
    for (size_t t = 10; t < 12; t++)
        for (int c = 0; c < 3; c++) {
            vec3 p = boxes.points[boxes.triangles[t].corner[c]];
            sample_point(&boxes, p.x, p.y, p.z + 0.005);
            boxes.triangles[t].corner[c] = (uint32_t)boxes.point_count - 1;
        }
    assert_true(triangle_mesh_weld(&boxes, NULL));
    assert_refused(&boxes, &careful, "8 open edges around 2 holes");
    mesh_repair_options wide = {.weld_distance = 0.01};
    mesh_repair_report r = repair(&boxes, &wide);
    assert_int_equal(r.welded_points, 4);
    assert_int_equal(r.mesh.point_count, 8);
    triangle_mesh_free(&boxes);
}

static void faces_are_turned_outwards(void **state)
{
    (void)state;
    triangle_mesh torus = {0};
    sample_torus(&torus, 1, 0.3, 24, 12);
    size_t flipped = 0;
    for (size_t t = 0; t < torus.triangle_count; t++)
        if (random_bits(5, t) % 3 == 0) {
            flip(&torus, t);
            flipped++;
        }
    mesh_repair_report r = repair(&torus, &careful);
    assert_true(r.mesh.oriented);
    assert_int_equal(r.flipped_triangles, flipped);
    for (size_t t = 0; t < torus.triangle_count; t++)
        flip(&torus, t);
    r = repair(&torus, &careful);
    assert_int_equal(r.flipped_triangles, torus.triangle_count);
    triangle_mesh_free(&torus);
}

static void cavities_stay_and_inverted_parts_turn(void **state)
{
    (void)state;
    triangle_mesh boxes = {0};
    sample_box(&boxes, vec3_make(0, 0, 0), vec3_make(3, 3, 3));
    sample_box(&boxes, vec3_make(1, 1, 1), vec3_make(2, 2, 2)); /* a cavity */
    sample_box(&boxes, vec3_make(5, 5, 5), vec3_make(6, 6, 6)); /* inside out */
    for (size_t t = 12; t < 36; t++)
        flip(&boxes, t);
    mesh_repair_report r = repair(&boxes, &careful);
    assert_int_equal(r.flipped_triangles, 12);
    assert_near(r.mesh.volume, 27 - 1 + 1, 1e-9);
    triangle_mesh_free(&boxes);
}

/* Holes of every kind at once: many, touching in a point, and one above 256 edges. */
static void many_holes_are_filled(void **state)
{
    (void)state;
    triangle_mesh ball = {0};
    sample_ball(&ball, 1, 40, 300);
    mesh_report whole;
    assert_true(mesh_check(&ball, &whole, NULL));
    size_t kept = 0;
    for (size_t t = 0; t < ball.triangle_count; t++) {
        double z = ball.points[ball.triangles[t].corner[1]].z;
        bool band = z > 0.95; /* the cap over a ring of 300 edges */
        if (!band && random_bits(3, t) % 20 != 0)
            ball.triangles[kept++] = ball.triangles[t];
    }
    ball.triangle_count = kept;
    assert_true(triangle_mesh_weld(&ball, NULL));
    mesh_repair_report r = repair(&ball, &filling);
    assert_true(r.filled_holes > 100);
    assert_int_equal(r.mesh.open_edge_count, 0);
    assert_true(fabs(r.mesh.volume - whole.volume) < 0.02 * whole.volume);
    triangle_mesh_free(&ball);
}

/* Every third of the triangles missing at random: whatever is left becomes a closed surface. */
static void torn_meshes_are_closed(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        triangle_mesh torus = {0};
        sample_torus(&torus, 1, 0.4, 12, 8);
        size_t kept = 0;
        for (size_t t = 0; t < torus.triangle_count; t++)
            if (random_bits(seed, t) % 3 != 0)
                torus.triangles[kept++] = torus.triangles[t];
        torus.triangle_count = kept;
        size_t holes;
        size_t added;
        mesh_report r;
        assert_true(mesh_repair_fill(&torus, &holes, &added, NULL));
        assert_true(mesh_check(&torus, &r, NULL));
        assert_true(holes > 0 && added > 0);
        assert_int_equal(r.unbalanced_edge_count, 0);
        triangle_mesh_free(&torus);
    }
}

static void what_has_no_inside_is_refused(void **state)
{
    (void)state;
    triangle_mesh band = {0};
    sample_band(&band);
    assert_refused(&band, &filling, "one-sided");
    triangle_mesh_free(&band);

    triangle_mesh walled = {0}; /* a box with a wall across: edges of three triangles */
    sample_box(&walled, vec3_make(0, 0, 0), vec3_make(1, 1, 1));
    sample_triangle(&walled, 0, 1, 7);
    sample_triangle(&walled, 0, 7, 6);
    assert_refused(&walled, &careful, "the mesh is not closed");
    triangle_mesh_free(&walled);

    triangle_mesh flat = {0};
    for (uint32_t i = 0; i < 3; i++)
        sample_point(&flat, i == 1, i == 2, 0);
    sample_triangle(&flat, 0, 1, 2);
    sample_triangle(&flat, 0, 2, 1);
    assert_refused(&flat, &careful, "encloses no volume");
    triangle_mesh_free(&flat);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_mesh_is_left_alone),
        cmocka_unit_test(a_hole_is_refused_or_filled),
        cmocka_unit_test(cracks_are_welded),
        cmocka_unit_test(wide_cracks_need_a_wide_weld),
        cmocka_unit_test(faces_are_turned_outwards),
        cmocka_unit_test(cavities_stay_and_inverted_parts_turn),
        cmocka_unit_test(many_holes_are_filled),
        cmocka_unit_test(torn_meshes_are_closed),
        cmocka_unit_test(what_has_no_inside_is_refused),
    };
    return cmocka_run_group_tests_name("mesh_repair", tests, NULL, NULL);
}
