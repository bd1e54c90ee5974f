/* From a file to a distance field: the errors name the file, the notes say what was done. */
#include "mesh_samples.h"

#include "mesh/mesh_load.h"

#include <unistd.h>

static char path[] = "/tmp/weir-mesh-XXXXXX.stl";

static void put(const triangle_mesh *mesh)
{
    size_t size;
    char *bytes = sample_write(mesh, SAMPLE_STL_BINARY, &size);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    free(bytes);
}

static void a_box_is_loaded(void **state)
{
    (void)state;
    triangle_mesh box = {0};
    sample_box(&box, vec3_make(0, 0, 0), vec3_make(1000, 1000, 2000));
    put(&box);
    mesh_load_def def = mesh_load_def_default();
    def.path = path;
    def.transform.scale = 0.001;
    def.distance.spacing = 0.2;
    def.distance.threads = 1;
    mesh_loaded loaded;
    weir_error error = {0};
    if (!mesh_load(&loaded, &def, true, &error))
        fail_msg("%s", error.text);
    assert_null(loaded.field.distances);
    assert_near(loaded.mesh.volume, 2, 1e-6);
    double samples = loaded.plan.samples;
    if (!mesh_load(&loaded, &def, false, &error))
        fail_msg("%s", error.text);
    assert_true(loaded.plan.samples == samples);
    assert_near(loaded.field.volume, 2, 0.05);
    assert_ptr_equal(loaded.field.grid.distances, loaded.field.distances);
    assert_string_equal(loaded.note, "");
    mesh_loaded_free(&loaded);

    def.distance.memory_limit = 1000;
    assert_false(mesh_load(&loaded, &def, false, &error));
    assert_true(strncmp(error.text, path, strlen(path)) == 0);
    triangle_mesh_free(&box);
}

static void holes_are_refused_or_filled(void **state)
{
    (void)state;
    triangle_mesh box = {0};
    sample_box(&box, vec3_make(0, 0, 0), vec3_make(1, 1, 1));
    box.triangle_count--;
    put(&box);
    mesh_load_def def = mesh_load_def_default();
    def.path = path;
    def.distance.spacing = 0.2;
    def.distance.threads = 1;
    mesh_loaded loaded;
    weir_error error = {0};
    assert_false(mesh_load(&loaded, &def, false, &error));
    assert_true(strncmp(error.text, path, strlen(path)) == 0);
    assert_non_null(strstr(error.text, "3 open edges around 1 hole"));
    assert_non_null(strstr(error.text, "repair: true"));
    def.repair.fill_holes = true;
    assert_true(mesh_load(&loaded, &def, false, NULL));
    assert_string_equal(loaded.note, "holes filled: 1, triangles added: 1");
    mesh_loaded_free(&loaded);
    triangle_mesh_free(&box);
}

static void thin_meshes_are_noted(void **state)
{
    (void)state;
    triangle_mesh plate = {0};
    sample_box(&plate, vec3_make(0, 0, 0), vec3_make(1, 1, 0.005));
    put(&plate);
    mesh_load_def def = mesh_load_def_default();
    def.path = path;
    def.distance.spacing = 0.1;
    def.distance.step = 0.048; /* an even number of rows: none lies in the plate */
    def.distance.threads = 1;
    mesh_loaded loaded;
    assert_true(mesh_load(&loaded, &def, false, NULL));
    assert_non_null(strstr(loaded.note, "it is too coarse for thin parts"));
    mesh_loaded_free(&loaded);
    triangle_mesh_free(&plate);
}

static int set_up(void **state)
{
    (void)state;
    int file = mkstemps(path, 4);
    return file < 0 ? -1 : close(file);
}

static int tear_down(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_is_loaded),
        cmocka_unit_test(holes_are_refused_or_filled),
        cmocka_unit_test(thin_meshes_are_noted),
    };
    return cmocka_run_group_tests_name("mesh_load", tests, set_up, tear_down);
}
