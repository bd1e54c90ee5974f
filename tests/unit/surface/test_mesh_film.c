/* Meshes over time in one glTF file: VTK, where it is installed, plays the animation. */
#include "cloud.h"

#include "base/vec.h"
#include "surface/mesh_film.h"

/* `count` separate triangles of the size 1. */
static surface_mesh make_triangles(size_t count)
{
    surface_mesh m = {.vertex_count = 3 * count, .triangle_count = count};
    m.positions = calloc(9 * count, sizeof *m.positions);
    m.triangles = calloc(3 * count, sizeof *m.triangles);
    assert_true(m.positions && m.triangles);
    for (size_t i = 0; i < count; i++) {
        m.positions[9 * i + 3] = 1;
        m.positions[9 * i + 7] = 1;
        for (uint32_t k = 0; k < 3; k++)
            m.triangles[3 * i + k] = (uint32_t)(3 * i) + k;
    }
    return m;
}

static const float grey[3] = {0.5f, 0.5f, 0.5f};

/* Frames at 1, 1.1, 1.2, 1.3 s of 5, 6, 0 and 7 triangles; a solid of 3 that moves along x and
 * turns about z by 90 degrees a frame. */
static void write_film(const char *name, size_t frames)
{
    static const size_t sizes[4] = {5, 6, 0, 7};
    weir_error error = {0};
    mesh_film *film = mesh_film_begin(scratch_path(name), 4, 1, &error);
    assert_non_null(film);
    surface_mesh solid = make_triangles(3);
    mesh_film_add_solid(film, "crate", &solid, grey);
    surface_mesh_free(&solid);
    for (size_t k = 0; k < frames; k++) {
        surface_mesh mesh = make_triangles(sizes[k]);
        quat turn = quat_from_rotation_vector((vec3){0, 0, 1.5707963267948966 * (double)k});
        weir_pose at = {{0.5 * (double)k, 0, 0}, turn};
        mesh_film_add(film, 1 + 0.1 * (double)k, &mesh, &at);
        surface_mesh_free(&mesh);
    }
    if (!mesh_film_end(film, &error))
        fail_msg("%s", error.text);
}

static uint32_t word(const char *bytes, size_t at)
{
    uint32_t value;
    memcpy(&value, bytes + at, sizeof value);
    return value;
}

static void a_film_is_well_formed(void **state)
{
    (void)state;
    size_t size;
    write_film("a.glb", 4);
    char *bytes = scratch_get(scratch_path("a.glb"), &size);
    assert_memory_equal(bytes, "glTF", 4);
    assert_int_equal(word(bytes, 8), size);
    uint32_t text = word(bytes, 12);
    assert_int_equal(28 + text + word(bytes, 20 + text), size);
    bytes[20 + text] = '\0';
    assert_non_null(strstr(bytes + 20, "\"animations\""));
    assert_non_null(strstr(bytes + 20, "\"STEP\""));
    assert_non_null(strstr(bytes + 20, "\"fluid_00003\""));
    assert_null(strstr(bytes + 20, "\"fluid_00002\"")); /* has no triangles */
    free(bytes);
}

/* Polygons and extents of what is not of size 0, at a time. */
static const char script[] =
    "import sys, vtk\n"
    "vtk.vtkLogger.SetStderrVerbosity(vtk.vtkLogger.VERBOSITY_OFF)\n"
    "r = vtk.vtkGLTFReader(); r.SetFileName(sys.argv[1]); r.UpdateInformation()\n"
    "assert r.GetNumberOfAnimations() == 1 and abs(r.GetAnimationDuration(0) - 0.3) < 1e-6\n"
    "r.EnableAnimation(0); r.SetFrameRate(60); r.UpdateInformation()\n"
    "def shown(t):\n"
    "    r.UpdateTimeStep(t); i = r.GetOutputDataObject(0).NewIterator(); out = {}\n"
    "    while not i.IsDoneWithTraversal():\n"
    "        d = i.GetCurrentDataObject(); b = d.GetBounds(); i.GoToNextItem()\n"
    "        if b[1] - b[0] > 1e-6: out[d.GetNumberOfPolys()] = b\n"
    "    return out\n"
    "for t, n in ((0, 5), (0.05, 5), (0.11, 6), (0.15, 6), (0.21, None), (0.31, 7)):\n"
    "    s = shown(t); assert set(s) == {3, n} - {None}, (t, s)\n"
    "x = [shown(t)[3] for t in (0, 0.05, 0.1)]\n"
    "assert abs(x[0][0]) < 1e-5 and abs(x[0][1] - 1) < 1e-5\n"
    "assert abs(x[2][0] + 0.5) < 1e-5 and abs(x[2][1] - 0.5) < 1e-5\n"
    "assert abs(x[1][0] + 0.7071 - 0.25) < 1e-3 and abs(x[1][1] - 0.7071 - 0.25) < 1e-3\n";

static void vtk_plays_it(void **state)
{
    (void)state;
    const char *python = scratch_find_python("vtk");
    write_film("v.glb", 4);
    if (!python)
        skip();
    assert_int_equal(scratch_run_python(python, script, scratch_path("v.glb"), ""), 0);
}

/* A run that failed early: what there is of it. A film of nothing is an empty scene. */
static void short_films_are_written(void **state)
{
    (void)state;
    size_t size;
    write_film("one.glb", 1);
    char *bytes = scratch_get(scratch_path("one.glb"), &size);
    bytes[20 + word(bytes, 12)] = '\0';
    assert_null(strstr(bytes + 20, "\"animations\""));
    free(bytes);
    weir_error error = {0};
    mesh_film *film = mesh_film_begin(scratch_path("none.glb"), 4, 0, &error);
    assert_non_null(film);
    assert_true(mesh_film_end(film, &error));
    free(scratch_get(scratch_path("none.glb"), &size));
    film = mesh_film_begin(scratch_path("gone.glb"), 4, 0, &error);
    assert_non_null(film);
    mesh_film_discard(film);
    assert_int_equal(access(scratch_path("gone.glb"), F_OK), -1);
    film = mesh_film_begin(scratch_path("no/folder.glb"), 4, 0, &error);
    assert_non_null(film);
    assert_false(mesh_film_end(film, &error));
    assert_non_null(strstr(error.text, "no/folder.glb"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_film_is_well_formed),
        cmocka_unit_test(vtk_plays_it),
        cmocka_unit_test(short_films_are_written),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
