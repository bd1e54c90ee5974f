/* Mesh files, opened by readers that are not ours: meshio and VTK, where they are installed. */
#include "cloud.h"

#include "surface/mesh_write.h"

static surface_mesh sample_mesh(void)
{
    cloud c = cloud_create(10000);
    cloud_add_ball(&c, 3, 5, 0.1);
    for (size_t i = 0; i < c.count; i++) {
        c.vx[i] = c.x[i];
        c.fluid[i] = c.x[i] > 0 ? 2 : 1;
    }
    surface_particles p = cloud_view(&c, 3, 1);
    p.vx = c.vx, p.vy = c.vy, p.vz = c.vz, p.fluid = c.fluid;
    surface_settings s = surface_settings_default();
    surface_mesh mesh;
    assert_true(surface_mesh_build(&mesh, &p, &s, NULL));
    cloud_free(&c);
    return mesh;
}

static void put(const char *name, const surface_mesh *mesh)
{
    surface_format format;
    weir_error error;
    const char *path = scratch_path(name);
    assert_true(surface_format_from_path(&format, path, &error));
    if (!surface_mesh_write(path, format, mesh, &error))
        fail_msg("%s", error.text);
}

/* Runs a script with the file and what it must find. */
static void check(const char *module, const char *script, const char *name,
                  const surface_mesh *mesh)
{
    const char *python = scratch_find_python(module);
    char expected[100];
    snprintf(expected, sizeof expected, "%zu %zu %.6f", mesh->vertex_count, mesh->triangle_count,
             surface_mesh_volume(mesh));
    if (python)
        assert_int_equal(scratch_run_python(python, script, scratch_path(name), expected), 0);
}

static const char meshio_script[] =
    "import sys, meshio\n"
    "n, t, volume = sys.argv[2].split()\n"
    "m = meshio.read(sys.argv[1])\n"
    "assert len(m.points) == int(n) and len(m.cells_dict['triangle']) == int(t)\n"
    "p = m.points; v = 0\n"
    "for a, b, c in m.cells_dict['triangle']:\n"
    "    v += float(p[a].dot(__import__('numpy').cross(p[b], p[c]))) / 6\n"
    "assert abs(v - float(volume)) < 1e-3 * abs(v) + 1e-6\n"
    "if sys.argv[1].endswith('ply'):\n"
    "    d = m.point_data\n"
    "    assert set(d['fluid']) == {1, 2} and abs(d['velocity_x'] - p[:, 0]).max() < 1.5\n"
    "    assert abs(d['nx']**2 + d['ny']**2 + d['nz']**2 - 1).max() < 1e-4\n";

static const char vtk_script[] =
    "import sys, vtk\n"
    "n, t, volume = sys.argv[2].split()\n"
    "r = vtk.vtkXMLPolyDataReader(); r.SetFileName(sys.argv[1]); r.Update(); m = r.GetOutput()\n"
    "assert m.GetNumberOfPoints() == int(n) and m.GetNumberOfPolys() == int(t)\n"
    "if int(t) > 0:\n"
    "    q = vtk.vtkMassProperties(); q.SetInputData(m); q.Update()\n"
    "    assert abs(q.GetVolume() - float(volume)) < 1e-3 * float(volume)\n"
    "    e = vtk.vtkFeatureEdges(); e.SetInputData(m); e.FeatureEdgesOff(); e.ManifoldEdgesOff()\n"
    "    e.Update(); assert e.GetOutput().GetNumberOfCells() == 0\n"
    "    assert m.GetPointData().GetArray('velocity').GetNumberOfComponents() == 3\n"
    "    assert m.GetPointData().GetArray('fluid').GetRange() == (1.0, 2.0)\n";

static const char gltf_script[] =
    "import sys, vtk\n"
    "n, t, volume = sys.argv[2].split()\n"
    "vtk.vtkLogger.SetStderrVerbosity(vtk.vtkLogger.VERBOSITY_OFF)\n"
    "r = vtk.vtkGLTFReader(); r.SetFileName(sys.argv[1]); r.Update()\n"
    "i = r.GetOutput().NewIterator(); i.InitTraversal(); m = i.GetCurrentDataObject()\n"
    "assert m.GetNumberOfPoints() == int(n) and m.GetNumberOfCells() == int(t)\n"
    "names = [m.GetPointData().GetArrayName(k) for k in "
    "range(m.GetPointData().GetNumberOfArrays())]\n"
    "assert {'NORMAL', '_VELOCITY', '_FLUID'} <= set(names)\n";

static void other_programs_read_the_files(void **state)
{
    (void)state;
    surface_mesh mesh = sample_mesh();
    put("a.ply", &mesh);
    put("a.obj", &mesh);
    put("a.vtp", &mesh);
    put("a.glb", &mesh);
    check("meshio", meshio_script, "a.ply", &mesh);
    check("meshio", meshio_script, "a.obj", &mesh);
    check("vtk", vtk_script, "a.vtp", &mesh);
    check("vtk", gltf_script, "a.glb", &mesh);
    surface_mesh_free(&mesh);
}

static uint32_t word(const char *bytes, size_t at)
{
    uint32_t value;
    memcpy(&value, bytes + at, sizeof value);
    return value;
}

/* The chunks of a GLB add up, and are padded to words. */
static void glb_is_well_formed(void **state)
{
    (void)state;
    surface_mesh mesh = sample_mesh();
    put("b.glb", &mesh);
    size_t size;
    char *bytes = scratch_get(scratch_path("b.glb"), &size);
    assert_memory_equal(bytes, "glTF", 4);
    assert_int_equal(word(bytes, 8), size);
    uint32_t text = word(bytes, 12);
    assert_int_equal(text % 4, 0);
    assert_memory_equal(bytes + 16, "JSON", 4);
    uint32_t data = word(bytes, 20 + text);
    assert_memory_equal(bytes + 24 + text, "BIN", 4);
    assert_int_equal(28 + text + data, size);
    assert_int_equal(data, 4 * (3 * mesh.triangle_count + 10 * mesh.vertex_count));
    assert_memory_equal(bytes + 28 + text, mesh.triangles, 12 * mesh.triangle_count);
    free(bytes);
    surface_mesh_free(&mesh);
}

static void empty_meshes_are_written(void **state)
{
    (void)state;
    surface_mesh none = {0};
    const char *names[] = {"none.ply", "none.obj", "none.vtp", "none.glb"};
    for (int i = 0; i < 4; i++)
        put(names[i], &none);
    check("vtk", vtk_script, "none.vtp", &none);
    size_t size;
    char *bytes = scratch_get(scratch_path("none.glb"), &size);
    assert_int_equal(word(bytes, 8), size);
    free(bytes);
}

static void outlines_are_written(void **state)
{
    (void)state;
    cloud c = cloud_create(1000);
    cloud_add_ball(&c, 2, 6, 0.1);
    surface_particles p = cloud_view(&c, 2, 1);
    p.vx = c.vx, p.vy = c.vy, p.fluid = c.fluid;
    surface_settings s = surface_settings_default();
    surface_outline o;
    assert_true(surface_outline_build(&o, &p, &s, NULL));
    assert_true(surface_outline_write_vtp(scratch_path("o.vtp"), &o, NULL));
    const char *python = scratch_find_python("vtk");
    char expected[100];
    snprintf(expected, sizeof expected, "%zu %zu", o.point_count, o.triangle_count);
    static const char script[] =
        "import sys, vtk\n"
        "n, t = map(int, sys.argv[2].split())\n"
        "r = vtk.vtkXMLPolyDataReader(); r.SetFileName(sys.argv[1]); r.Update(); m = "
        "r.GetOutput()\n"
        "assert m.GetNumberOfPoints() == n and m.GetNumberOfPolys() == t\n"
        "assert m.GetNumberOfLines() == 1 and m.GetCell(0).GetPointId(0) == 0\n";
    if (python)
        assert_int_equal(scratch_run_python(python, script, scratch_path("o.vtp"), expected), 0);
    surface_outline_free(&o);
    cloud_free(&c);
}

static void failures_say_why(void **state)
{
    (void)state;
    surface_mesh none = {0};
    surface_format format;
    weir_error error;
    assert_false(surface_format_from_path(&format, "a.stl", &error));
    assert_non_null(strstr(error.text, ".ply, .obj, .vtp or .glb"));
    assert_false(surface_mesh_write("/nowhere/a.ply", SURFACE_PLY, &none, &error));
    assert_int_equal(error.code, WEIR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_programs_read_the_files),
        cmocka_unit_test(glb_is_well_formed),
        cmocka_unit_test(empty_meshes_are_written),
        cmocka_unit_test(outlines_are_written),
        cmocka_unit_test(failures_say_why),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
