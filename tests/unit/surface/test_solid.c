/* Solids as meshes and outlines: exact volumes and areas, outward normals, placed by their pose. */
#include "cloud.h"

#include "surface/solid.h"

static weir_shape_def shape_of(weir_shape_kind kind)
{
    weir_shape_def def = weir_shape_def_default();
    def.kind = kind;
    def.radius = 0.5;
    def.half_length = 0.75;
    def.half_extents = vec3_make(0.5, 1, 1.5);
    return def;
}

static surface_mesh mesh_of(const weir_shape_def *def)
{
    surface_mesh mesh;
    weir_error error;
    if (!solid_mesh_build(&mesh, def, 0, &error))
        fail_msg("%s", error.text);
    return mesh;
}

/* Normals agree with the triangles; the turning direction is that of the volume's sign. */
static void assert_normals_agree(const surface_mesh *m)
{
    for (size_t t = 0; t < m->triangle_count; t++) {
        vec3 p[3], mean = {0, 0, 0};
        for (int k = 0; k < 3; k++) {
            uint32_t v = m->triangles[3 * t + (size_t)k];
            p[k] = vec3_make(m->positions[3 * v], m->positions[3 * v + 1], m->positions[3 * v + 2]);
            mean = vec3_add(
                mean, vec3_make(m->normals[3 * v], m->normals[3 * v + 1], m->normals[3 * v + 2]));
        }
        vec3 n = vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0]));
        assert_true(vec3_length(n) > 0);
        assert_true(vec3_dot(n, mean) > 0);
    }
}

static void primitives_have_right_volumes(void **state)
{
    (void)state;
    const double pi = acos(-1);
    const struct {
        weir_shape_kind kind;
        double volume;
    } cases[] = {{WEIR_SHAPE_BOX, 6},
                 {WEIR_SHAPE_SPHERE, pi / 6},
                 {WEIR_SHAPE_CAPSULE, pi / 6 + pi * 0.25 * 1.5},
                 {WEIR_SHAPE_CYLINDER, pi * 0.25 * 1.5}};
    for (int i = 0; i < 4; i++) {
        weir_shape_def def = shape_of(cases[i].kind);
        def.pose.position = vec3_make(3, -2, 1);
        def.pose.rotation = quat_from_rotation_vector(vec3_make(0.3, 0.5, -0.7));
        surface_mesh mesh = mesh_of(&def);
        assert_true(fabs(surface_mesh_volume(&mesh) / cases[i].volume - 1) < 0.01);
        assert_normals_agree(&mesh);
        surface_mesh_free(&mesh);
        def.complement = true;
        mesh = mesh_of(&def);
        assert_true(fabs(surface_mesh_volume(&mesh) / cases[i].volume + 1) < 0.01);
        assert_normals_agree(&mesh);
        surface_mesh_free(&mesh);
    }
}

static void rounded_box_is_marched(void **state)
{
    (void)state;
    const double pi = acos(-1), r = 0.25;
    weir_shape_def def = shape_of(WEIR_SHAPE_BOX);
    def.rounding = r;
    surface_mesh mesh = mesh_of(&def);
    double faces = 2 * (1 * 2 + 2 * 3 + 3 * 1), edges = 4 * (1 + 2 + 3);
    double volume = 6 + faces * r + edges * pi / 4 * r * r + 4 * pi / 3 * r * r * r;
    assert_true(fabs(surface_mesh_volume(&mesh) / volume - 1) < 0.01);
    assert_closed(mesh.triangles, mesh.triangle_count, mesh.vertex_count);
    assert_normals_agree(&mesh);
    surface_mesh_free(&mesh);
}

static void unions_hold_their_parts(void **state)
{
    (void)state;
    weir_shape_def parts[2] = {shape_of(WEIR_SHAPE_BOX), shape_of(WEIR_SHAPE_BOX)};
    parts[1].pose.position.x = 5;
    weir_shape_def def = shape_of(WEIR_SHAPE_UNION);
    def.children = parts;
    def.child_count = 2;
    surface_mesh mesh = mesh_of(&def);
    assert_int_equal(mesh.triangle_count, 24);
    assert_true(fabs(surface_mesh_volume(&mesh) - 12) < 1e-5);
    surface_mesh_free(&mesh);
}

static void endless_shapes_give_nothing(void **state)
{
    (void)state;
    weir_shape_def def = shape_of(WEIR_SHAPE_HALF_SPACE);
    def.normal = vec3_make(0, 1, 0);
    surface_mesh mesh = mesh_of(&def);
    assert_int_equal(mesh.triangle_count, 0);
    surface_mesh_free(&mesh);
    surface_outline o;
    assert_true(solid_outline_build(&o, &def, 0, NULL));
    assert_int_equal(o.loop_count, 0);
    surface_outline_free(&o);
}

static void assert_outline(const weir_shape_def *def, double area, double length, double tolerance)
{
    surface_outline o;
    weir_error error;
    if (!solid_outline_build(&o, def, 0, &error))
        fail_msg("%s", error.text);
    assert_int_equal(o.loop_count, 1);
    assert_true(fabs(surface_outline_area(&o) / area - 1) < tolerance);
    assert_true(fabs(surface_outline_length(&o) / length - 1) < tolerance);
    surface_outline_free(&o);
}

static void outlines_have_right_areas(void **state)
{
    (void)state;
    const double pi = acos(-1);
    weir_shape_def def = shape_of(WEIR_SHAPE_BOX);
    def.pose.position = vec3_make(3, -2, 0);
    def.pose.rotation = quat_from_rotation_vector(vec3_make(0, 0, 0.4));
    assert_outline(&def, 2, 6, 1e-5);
    def.rounding = 0.2;
    assert_outline(&def, 2 + 6 * 0.2 + pi * 0.04, 6 + 2 * pi * 0.2, 0.01);
    def = shape_of(WEIR_SHAPE_SPHERE);
    assert_outline(&def, pi / 4, pi, 0.002);
    def = shape_of(WEIR_SHAPE_CAPSULE);
    assert_outline(&def, pi / 4 + 1.5, pi + 3, 0.002);
    def = shape_of(WEIR_SHAPE_CYLINDER);
    assert_outline(&def, 1.5, 5, 1e-5);
    /* A concave polygon with a corner on a straight side, clockwise. */
    const weir_vec3 points[] = {{0, 0, 0}, {0, 2, 0}, {1, 1, 0}, {2, 2, 0}, {2, 0, 0}, {1, 0, 0}};
    def = shape_of(WEIR_SHAPE_POLYGON);
    def.points = points;
    def.point_count = 6;
    assert_outline(&def, 3, 6 + 2 * sqrt(2), 1e-5);
}

/* A cube as a file would give it: eight points. Its faces keep their own normals. */
static void triangles_from_files_keep_edges(void **state)
{
    (void)state;
    triangle_mesh cube = {0};
    static const uint32_t faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int k = 0; k < 8; k++)
        assert_true(triangle_mesh_add_point(&cube, vec3_make(k & 1, k >> 1 & 1, k >> 2), NULL));
    for (int i = 0; i < 6; i++) {
        const uint32_t *f = faces[i];
        assert_true(triangle_mesh_add_triangle(&cube, f[0], f[1], f[2], NULL));
        assert_true(triangle_mesh_add_triangle(&cube, f[0], f[2], f[3], NULL));
    }
    surface_mesh mesh;
    assert_true(solid_mesh_of_triangles(&mesh, &cube, NULL));
    assert_true(fabs(surface_mesh_volume(&mesh) - 1) < 1e-6);
    assert_normals_agree(&mesh);
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        const float *n = mesh.normals + 3 * v;
        assert_true(fabsf(fmaxf(fmaxf(fabsf(n[0]), fabsf(n[1])), fabsf(n[2])) - 1) < 1e-6f);
    }
    surface_mesh_free(&mesh);
    triangle_mesh_free(&cube);
}

static void append_drops_what_is_not_shared(void **state)
{
    (void)state;
    weir_shape_def def = shape_of(WEIR_SHAPE_BOX);
    surface_mesh a = mesh_of(&def), b = mesh_of(&def);
    free(b.normals);
    b.normals = NULL;
    weir_pose place = pose_identity();
    place.position.x = 10;
    assert_true(surface_mesh_append(&a, &b, place, NULL));
    assert_null(a.normals);
    assert_int_equal(a.vertex_count, 48);
    assert_true(fabs(surface_mesh_volume(&a) - 12) < 1e-4);
    assert_true(a.positions[3 * 24] > 9);
    surface_mesh_free(&a);
    surface_mesh_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primitives_have_right_volumes),
        cmocka_unit_test(rounded_box_is_marched),
        cmocka_unit_test(unions_hold_their_parts),
        cmocka_unit_test(endless_shapes_give_nothing),
        cmocka_unit_test(outlines_have_right_areas),
        cmocka_unit_test(triangles_from_files_keep_edges),
        cmocka_unit_test(append_drops_what_is_not_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
