/* Frames, series and scenes read back: the same values, and no damage that harms. */
#include "scratch.h"

#include "out/csv.h"
#include "out/ply.h"
#include "out/read_csv.h"
#include "out/read_frame.h"
#include "out/scene_copy.h"
#include "out/vtp.h"
#include "sample.h"

#include <math.h>

/* One array of a field, or the zeros that were written for none. */
static void assert_component(const frame_field *from, const frame_field *got, int c, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(frame_field_bits(from, c, i), frame_field_bits(got, c, i));
}

static void assert_same(const frame *from, const read_frame *got)
{
    assert_int_equal(got->view.count, from->count);
    assert_int_equal(got->view.dim, from->dim);
    assert_int_equal(got->view.step, from->step);
    assert_true(got->view.time == from->time);
    for (int axis = 0; axis < from->dim; axis++)
        assert_memory_equal(got->view.x[axis], from->x[axis], from->count * sizeof(float));
    assert_int_equal(got->view.field_count, from->field_count);
    for (size_t k = 0; k < from->field_count; k++) {
        const frame_field *found = read_frame_find(got, from->fields[k].name);
        assert_non_null(found);
        assert_int_equal(found->type, from->fields[k].type);
        assert_int_equal(found->components, from->fields[k].components);
        for (int c = 0; c < found->components; c++)
            assert_component(&from->fields[k], found, c, from->count);
    }
}

static void reads_back_what_was_written(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 300, 40000};
    read_frame got = {0};
    weir_error error;
    for (int dim = 2; dim <= 3; dim++)
        for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
            sample s;
            sample_make(&s, dim, counts[k]);
            for (int compression = 0; compression <= 1; compression++) {
                const char *vtp = scratch_path("a.vtp");
                assert_true(vtp_write(vtp, &s.frame, compression, &error));
                assert_true(read_frame_load(&got, vtp, dim, &error));
                assert_same(&s.frame, &got);
            }
            const char *ply = scratch_path("a.ply");
            assert_true(ply_write(ply, &s.frame, &error));
            assert_true(read_frame_load(&got, ply, dim, &error));
            assert_same(&s.frame, &got);
            sample_free(&s);
        }
    read_frame_free(&got);
}

static void reads_bodies_back(void **state)
{
    (void)state;
    sample s;
    read_frame got = {0};
    weir_error error;
    const char *path = scratch_path("bodies.vtp");
    sample_make(&s, 3, 0);
    assert_true(vtp_write_bodies(path, &s.frame, &error));
    assert_true(read_frame_load_bodies(&got, path, &error));
    assert_int_equal(got.view.body_count, 2);
    for (int k = 0; k < 2; k++) {
        assert_string_equal(got.view.bodies[k].name, s.bodies[k].name);
        assert_memory_equal(&got.view.bodies[k].pose, &s.bodies[k].pose, sizeof(pose));
        assert_memory_equal(&got.view.bodies[k].velocity, &s.bodies[k].velocity, sizeof(vec3));
    }
    s.frame.body_count = 0;
    assert_true(vtp_write_bodies(path, &s.frame, &error));
    assert_true(read_frame_load_bodies(&got, path, &error));
    assert_int_equal(got.view.body_count, 0);
    read_frame_free(&got);
    sample_free(&s);
}

/* Reads `size` bytes as a file; whether it succeeds is open, that it does no harm is not. */
static bool try_bytes(const char *name, const char *bytes, size_t size, bool bodies)
{
    read_frame got = {0};
    weir_error error = {0};
    const char *path = scratch_path(name);
    scratch_put(path, bytes, size);
    bool done = bodies ? read_frame_load_bodies(&got, path, &error)
                       : read_frame_load(&got, path, 3, &error);
    if (!done)
        assert_non_null(strstr(error.text, path));
    read_frame_free(&got);
    return done;
}

static void damage_file(const char *name, bool bodies, size_t whole)
{
    size_t size;
    char *bytes = scratch_get(scratch_path(name), &size);
    const char *copy = strstr(name, ".ply") ? "damaged.ply" : "damaged.vtp";
    for (size_t cut = 0; cut < whole; cut += 1 + whole / 97)
        assert_false(try_bytes(copy, bytes, cut, bodies));
    uint32_t random = 12345;
    for (int round = 0; round < 400; round++) {
        random = random * 1664525u + 1013904223u;
        size_t at = random % size;
        char old = bytes[at];
        bytes[at] = (char)(random >> 24);
        try_bytes(copy, bytes, size, bodies);
        bytes[at] = old;
    }
    assert_true(try_bytes(copy, bytes, size, bodies));
    free(bytes);
}

static void damage_does_no_harm(void **state)
{
    (void)state;
    sample s;
    weir_error error;
    size_t size;
    sample_make(&s, 3, 50);
    assert_true(vtp_write(scratch_path("d.vtp"), &s.frame, 1, &error));
    assert_true(vtp_write_bodies(scratch_path("b.vtp"), &s.frame, &error));
    assert_true(ply_write(scratch_path("d.ply"), &s.frame, &error));
    /* All but the closing tags is needed. */
    free(scratch_get(scratch_path("d.vtp"), &size));
    damage_file("d.vtp", false, size - 40);
    free(scratch_get(scratch_path("b.vtp"), &size));
    damage_file("b.vtp", true, size - 40);
    free(scratch_get(scratch_path("d.ply"), &size));
    damage_file("d.ply", false, size);
    assert_false(try_bytes("other.vtp", "solid", 5, false));
    sample_free(&s);
}

static void reads_series_back(void **state)
{
    (void)state;
    csv out;
    read_csv got = {0};
    weir_error error;
    const char *path = scratch_path("series.csv"), *columns[] = {"plain", "a \"b\", c"};
    assert_true(csv_open(&out, path, columns, 2, -INFINITY, &error));
    for (int k = 0; k < 5; k++)
        assert_true(csv_add(&out, 0.1 * k, (const double[]){k, k == 2 ? (double)NAN : -k}, &error));
    assert_true(csv_close(&out, &error));
    assert_true(read_csv_load(&got, path, &error));
    assert_int_equal(got.columns, 3);
    assert_int_equal(got.rows, 5);
    int column = read_csv_find(&got, "a \"b\", c");
    assert_int_equal(column, 2);
    assert_int_equal(read_csv_find(&got, "none"), -1);
    assert_true(isnan(got.values[column][2]) && got.values[column][4] == -4);
    assert_true(got.values[0][3] == 0.1 * 3);
    read_csv_free(&got);
}

static void refuses_bad_series(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {{"time,a\n0,1\n1\n", "line 3 has another number"},
                 {"time,a\n0,1,2\n", "line 2 has another number"},
                 {"time,a\n0,word\n", "'word' is not a number"},
                 {"time,a\n\n", "line 2 has another number"}};
    read_csv got = {0};
    weir_error error;
    const char *path = scratch_path("bad.csv");
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        scratch_put(path, cases[k].text, strlen(cases[k].text));
        assert_false(read_csv_load(&got, path, &error));
        assert_non_null(strstr(error.text, cases[k].message));
    }
    scratch_put(path, "time,a", 6);
    assert_true(read_csv_load(&got, path, &error));
    assert_int_equal(got.rows, 0);
    read_csv_free(&got);
}

static const char scene_text[] =
    "title: 'It''s 90%: \"a\", # b'\n"
    "dim: 2\nspacing: 5 cm\n"
    "fluids: {'a-fluid': {preset: water, viscosity: 1e-3 Pa s}}\n"
    "fills: {one: {shape: {box: {from: [0, 0], to: [1/2, 1]}}, velocity: [1, -2]}}\n"
    "solids: {}\n"
    "output: {every: 1/50 s, frames: []}\n";

static void copies_scenes(void **state)
{
    (void)state;
    weir_error error;
    const char *path = scratch_path("scene.yaml"), *again = scratch_path("copy.yaml");
    scratch_put(path, scene_text, strlen(scene_text));
    scene_override set = {"--set", "fills.one.velocity=[3, 4]"};
    scene *first = scene_load(path, &set, 1, &error);
    if (!first)
        fail_msg("%s", error.text);
    assert_true(scene_copy_write(again, first, &error));
    scene *second = scene_load(again, NULL, 0, &error);
    assert_non_null(second);
    assert_string_equal(second->data.title, "It's 90%: \"a\", # b");
    assert_string_equal(second->data.fluids[0].name, "a-fluid");
    assert_true(second->data.fluids[0].viscosity == first->data.fluids[0].viscosity);
    assert_true(second->data.spacing == first->data.spacing);
    assert_true(second->data.fills[0].velocity.x == 3 && second->data.fills[0].velocity.y == 4);
    assert_true(second->data.output.every == first->data.output.every);
    assert_int_equal(second->data.output.frames, 0);
    scene_free(second);
    scene_free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_back_what_was_written), cmocka_unit_test(reads_bodies_back),
        cmocka_unit_test(damage_does_no_harm),         cmocka_unit_test(reads_series_back),
        cmocka_unit_test(refuses_bad_series),          cmocka_unit_test(copies_scenes),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
