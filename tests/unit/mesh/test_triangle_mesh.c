/* Reading meshes: every format gives the mesh back; every damage gives a sentence. */
#include "mesh_samples.h"

#include "base/random.h"

#include <locale.h>
#include <unistd.h>

static bool parse_text(triangle_mesh *mesh, mesh_format format, const char *text, weir_error *error)
{
    return triangle_mesh_parse(mesh, "test", format, text, strlen(text), error);
}

static void assert_refused(mesh_format format, const char *text, const char *sentence)
{
    triangle_mesh mesh = {0};
    weir_error error = {0};
    assert_false(parse_text(&mesh, format, text, &error));
    if (!strstr(error.text, sentence))
        fail_msg("\"%s\" does not say \"%s\"", error.text, sentence);
    assert_null(mesh.points);
    assert_null(mesh.triangles);
}

static void formats_round_trip(void **state)
{
    (void)state;
    triangle_mesh torus = {0};
    sample_torus(&torus, 1.25, 0.3, 17, 9);
    /* STL holds floats: the mesh that is to come back has coordinates of 21 bits. */
    for (size_t i = 0; i < torus.point_count; i++) {
        vec3 *p = &torus.points[i];
        *p = vec3_make(ldexp(nearbyint(ldexp(p->x, 20)), -20),
                       ldexp(nearbyint(ldexp(p->y, 20)), -20),
                       ldexp(nearbyint(ldexp(p->z, 20)), -20));
    }
    for (int format = 0; format < SAMPLE_FORMAT_COUNT; format++) {
        size_t size;
        char *bytes = sample_write(&torus, (sample_format)format, &size);
        triangle_mesh mesh = {0};
        weir_error error = {0};
        if (!triangle_mesh_parse(&mesh, "test", sample_reader((sample_format)format), bytes, size,
                                 &error))
            fail_msg("format %d: %s", format, error.text);
        assert_int_equal(mesh.point_count, torus.point_count);
        assert_int_equal(mesh.triangle_count, torus.triangle_count);
        for (size_t t = 0; t < mesh.triangle_count; t++)
            for (int c = 0; c < 3; c++) {
                vec3 read = mesh.points[mesh.triangles[t].corner[c]];
                vec3 written = torus.points[torus.triangles[t].corner[c]];
                assert_memory_equal(&read, &written, sizeof read);
            }
        triangle_mesh_free(&mesh);
        free(bytes);
    }
    triangle_mesh_free(&torus);
}

static void obj_polygons_become_fans(void **state)
{
    (void)state;
    triangle_mesh mesh = {0};
    assert_true(parse_text(&mesh, MESH_OBJ,
                           "v 0 0 0\r\nv 1 0 0 1.0\r\nv 1.5 1 0\r\n\r\nv 0.5 2 0 # top\r\n"
                           "v -0.5 1 0\r\nvn 0 0 1\r\nf 1 2 3 \\\r\n 4 -1\r\n",
                           NULL));
    assert_int_equal(mesh.point_count, 5);
    assert_int_equal(mesh.triangle_count, 3);
    static const uint32_t expected[3][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}};
    assert_memory_equal(mesh.triangles, expected, sizeof expected);
    triangle_mesh_free(&mesh);
}

static void obj_faces_may_come_first(void **state)
{
    (void)state;
    triangle_mesh mesh = {0};
    assert_true(parse_text(&mesh, MESH_OBJ, "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0", NULL));
    assert_int_equal(mesh.triangle_count, 1);
    triangle_mesh_free(&mesh);
}

static void equal_points_are_welded(void **state)
{
    (void)state;
    triangle_mesh mesh = {0};
    /* Points 4 and 5 repeat 1 and 2 (with -0), 6 is unused, the last face degenerates. */
    assert_true(parse_text(&mesh, MESH_OBJ,
                           "v 0 0 0\nv 1 0 0\nv 0 1 0\nv -0 0 0\nv 1 -0 0\nv 9 9 9\nv 0 0 1\n"
                           "f 1 2 3\nf 5 4 7\nf 1 4 2\n",
                           NULL));
    assert_int_equal(mesh.point_count, 4);
    assert_int_equal(mesh.triangle_count, 2);
    triangle_mesh_free(&mesh);
}

static void numbers_ignore_the_locale(void **state)
{
    (void)state;
    triangle_mesh mesh = {0};
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "C"};
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++)
        if (setlocale(LC_ALL, locales[i]))
            break;
    bool ok = parse_text(&mesh, MESH_OBJ, "v 0.5 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", NULL);
    setlocale(LC_ALL, "C");
    assert_true(ok);
    assert_true(mesh.points[0].x == 0.5);
    triangle_mesh_free(&mesh);
}

static void errors_name_the_line(void **state)
{
    (void)state;
    const char *points = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    char text[300];
    snprintf(text, sizeof text, "%sf 1 2 4\n", points);
    assert_refused(MESH_OBJ, text, "test, line 4: the face names point 4");
    snprintf(text, sizeof text, "%sf 1 2 -4\n", points);
    assert_refused(MESH_OBJ, text, "test, line 4: the face names point \"-4\"");
    snprintf(text, sizeof text, "%sf 1 2 0\n", points);
    assert_refused(MESH_OBJ, text, "test, line 4: the face names point \"0\"");
    snprintf(text, sizeof text, "%sf 1 2\n", points);
    assert_refused(MESH_OBJ, text, "test, line 4: a face has 2 corners");
    snprintf(text, sizeof text, "%sf 1 2 x/1\n", points);
    assert_refused(MESH_OBJ, text, "test, line 4: \"x\" is not a whole number");
    assert_refused(MESH_OBJ, "v 0 0 0\nv 1 nan 0\n", "test, line 2: \"nan\" is not a finite");
    assert_refused(MESH_OBJ, "v 0 0 1e400\n", "line 1: \"1e400\" is not a finite");
    assert_refused(MESH_OBJ, "v 0 0 1e13\n", "beyond the limit");
    assert_refused(MESH_OBJ, "v 0 0\n", "a point has 2 of 3 coordinates");
    assert_refused(MESH_OBJ, "v 0 0 1,5\n", "\"1,5\" is not a number");
    assert_refused(MESH_OBJ, "hello world\n", "\"hello\" is no keyword");
    assert_refused(MESH_OBJ, "", "has no triangles");
    assert_refused(MESH_OBJ, points, "has no triangles");
}

static void stl_errors(void **state)
{
    (void)state;
    assert_refused(MESH_STL, "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0\n",
                   "line 6: a point has 2 of 3 coordinates");
    assert_refused(MESH_STL, "solid x\nfacet normal 0 0 1\nouter loop\nendloop\n",
                   "line 4: \"endloop\" stands where \"vertex\" is expected");
    assert_refused(MESH_STL, "solid x\n", "ends before \"endsolid\"");
    assert_refused(MESH_STL, "solid x\nendsolid x\n", "has no triangles");
    assert_refused(MESH_STL, "short", "too few for an STL file");
    char bytes[200] = "binary";
    bytes[80] = 100;
    triangle_mesh mesh = {0};
    weir_error error;
    assert_false(triangle_mesh_parse(&mesh, "test", MESH_STL, bytes, 184, &error));
    assert_non_null(strstr(error.text, "announces 100 triangles, which take 5084 bytes"));
    bytes[80] = 1;
    memset(bytes + 84, 0xff, 50);
    assert_false(triangle_mesh_parse(&mesh, "test", MESH_STL, bytes, 134, &error));
    assert_non_null(strstr(error.text, "byte 96: triangle 0 has a coordinate"));
}

static void ply_errors(void **state)
{
    (void)state;
#define PLY_HEAD "ply\nformat ascii 1.0\n"
#define PLY_POINTS "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
#define PLY_FACES "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
    assert_refused(MESH_PLY, "obj\n", "starts with a line \"ply\"");
    assert_refused(MESH_PLY, "ply\nformat morse 1.0\n", "line 2: the format \"morse\"");
    assert_refused(MESH_PLY, PLY_HEAD "element vertex -1\n", "line 3: an element has the count -1");
    assert_refused(MESH_PLY, PLY_HEAD "property float x\n", "before the first element");
    assert_refused(MESH_PLY, PLY_HEAD "element vertex 3\nproperty half x\n", "\"half\" is no type");
    assert_refused(MESH_PLY, PLY_HEAD PLY_POINTS "end_header\n", "cloud of points");
    assert_refused(MESH_PLY, PLY_HEAD PLY_POINTS, "ends before \"end_header\"");
    assert_refused(MESH_PLY, "ply\n" PLY_POINTS PLY_FACES, "no line \"format\"");
    assert_refused(MESH_PLY,
                   PLY_HEAD "element face 9\nproperty list uchar int vertex_indices\n"
                            "end_header\n",
                   "no element \"vertex\"");
    assert_refused(MESH_PLY, PLY_HEAD PLY_POINTS PLY_FACES "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n",
                   "line 13: a face names point 3 of 3");
    assert_refused(MESH_PLY, PLY_HEAD PLY_POINTS PLY_FACES "0 0 0\n1 0 0\n0 1 0\n3 0 1 0.5\n",
                   "a face names point 0.5");
    assert_refused(MESH_PLY, PLY_HEAD PLY_POINTS PLY_FACES "0 0 0\n1 0 0\n0 1 0\n9e9 0 1 2\n",
                   "a list has the length 9e+09");
    assert_refused(MESH_PLY, PLY_HEAD PLY_POINTS PLY_FACES "0 0 0\n1 0 0\n0 1 inf\n3 0 1 2\n",
                   "line 12: \"inf\" is not a finite");
    assert_refused(MESH_PLY, PLY_HEAD PLY_POINTS PLY_FACES "0 0 0\n1 0 0\n",
                   "line 12: the file ends inside its data");
    assert_refused(MESH_PLY,
                   "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\n"
                   "property float x\nproperty float y\nproperty float z\n" PLY_FACES "abc",
                   "announces more data than the file has");
}

/* Random damage to good files must never crash, hang or leave a mesh with bad indices behind. */
static void damaged_files_are_survived(void **state)
{
    (void)state;
    triangle_mesh box = {0};
    sample_box(&box, vec3_make(0, 0, 0), vec3_make(1, 2, 3));
    for (int format = 0; format < SAMPLE_FORMAT_COUNT; format++) {
        size_t size;
        char *good = sample_write(&box, (sample_format)format, &size);
        char *bad = malloc(size + 1);
        int accepted = 0;
        for (uint64_t round = 0; round < 4000; round++) {
            uint64_t seed = round + 10000 * (uint64_t)format;
            memcpy(bad, good, size + 1);
            uint64_t changes = 1 + random_bits(seed, 0) % 8;
            for (uint64_t i = 0; i < changes; i++) {
                size_t at = (size_t)(random_bits(seed, 3 * i + 1) % size);
                static const char favourites[] = "0919-/.e \n\\#";
                uint64_t bits = random_bits(seed, 3 * i + 2);
                bad[at] = bits & 1 ? (char)(bits >> 8)
                                   : favourites[(bits >> 8) % (sizeof favourites - 1)];
            }
            size_t length =
                random_bits(seed, 99) % 3 ? size : (size_t)(random_bits(seed, 98) % size);
            bad[length] = 0;
            triangle_mesh mesh = {0};
            weir_error error = {0};
            if (triangle_mesh_parse(&mesh, "test", sample_reader((sample_format)format), bad,
                                    length, &error)) {
                accepted++;
                assert_true(mesh.triangle_count > 0);
                for (size_t t = 0; t < mesh.triangle_count; t++)
                    for (int c = 0; c < 3; c++)
                        assert_true(mesh.triangles[t].corner[c] < mesh.point_count);
                for (size_t i = 0; i < mesh.point_count; i++)
                    assert_true(vec3_is_finite(mesh.points[i]));
            } else {
                assert_true(strlen(error.text) > 10);
                assert_null(mesh.points);
            }
            triangle_mesh_free(&mesh);
        }
        assert_in_range(accepted, 40, 3960);
        free(bad);
        free(good);
    }
    triangle_mesh_free(&box);
}

static void transforms_apply_in_order(void **state)
{
    (void)state;
    triangle_mesh mesh = {0};
    sample_box(&mesh, vec3_make(0, 0, 0), vec3_make(1, 2, 3));
    mesh_transform t = mesh_transform_identity();
    t.scale = 2;
    t.rotation = quat_from_rotation_vector(vec3_make(0, 0, acos(-1) / 2));
    t.translation = vec3_make(10, 0, 0);
    assert_true(triangle_mesh_transform(&mesh, &t, NULL));
    bounds box = triangle_mesh_bounds(&mesh);
    assert_near(box.lo.x, 6, 1e-12);
    assert_near(box.hi.x, 10, 1e-12);
    assert_near(box.hi.y, 2, 1e-12);
    assert_near(box.hi.z, 6, 1e-12);
    weir_error error;
    t.scale = -1;
    assert_false(triangle_mesh_transform(&mesh, &t, &error));
    assert_non_null(strstr(error.text, "scale of the mesh is -1"));
    t.scale = 1e300;
    assert_false(triangle_mesh_transform(&mesh, &t, &error));
    assert_non_null(strstr(error.text, "beyond 1e+12 m"));
    triangle_mesh_free(&mesh);
}

static void files_are_found_or_named(void **state)
{
    (void)state;
    triangle_mesh mesh = {0};
    weir_error error;
    assert_false(triangle_mesh_read(&mesh, "/nowhere/x.obj", NULL, &error));
    assert_string_equal(error.text,
                        "/nowhere/x.obj: the mesh cannot be opened: No such file or directory");
    assert_false(triangle_mesh_read(&mesh, "x.3ds", NULL, &error));
    assert_non_null(strstr(error.text, "must end in .obj, .ply or .stl"));
    char path[] = "/tmp/weir-mesh-XXXXXX.OBJ";
    int file = mkstemps(path, 4);
    assert_true(file >= 0);
    const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    mesh_transform t = mesh_transform_identity();
    t.scale = 0.001;
    bool ok = triangle_mesh_read(&mesh, path, &t, &error);
    unlink(path);
    assert_true(ok);
    assert_true(mesh.points[1].x == 0.001);
    triangle_mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_round_trip),
        cmocka_unit_test(obj_polygons_become_fans),
        cmocka_unit_test(obj_faces_may_come_first),
        cmocka_unit_test(equal_points_are_welded),
        cmocka_unit_test(numbers_ignore_the_locale),
        cmocka_unit_test(errors_name_the_line),
        cmocka_unit_test(stl_errors),
        cmocka_unit_test(ply_errors),
        cmocka_unit_test(damaged_files_are_survived),
        cmocka_unit_test(transforms_apply_in_order),
        cmocka_unit_test(files_are_found_or_named),
    };
    return cmocka_run_group_tests_name("triangle_mesh", tests, NULL, NULL);
}
