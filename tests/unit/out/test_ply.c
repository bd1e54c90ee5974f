/* PLY files read back byte by byte, and by meshio where it is installed. */
#include "scratch.h"

#include "out/ply.h"
#include "sample.h"

static const char header[] =
    "ply\n"
    "format binary_little_endian 1.0\n"
    "comment Weir, time 0.30000000000000004 s, step 5000000001, %dD\n"
    "element vertex %zu\n"
    "property float x\nproperty float y\nproperty float z\n"
    "property float velocity_x\nproperty float velocity_y\nproperty float velocity_z\n"
    "property float density\n"
    "property uint id\n"
    "property int state\n"
    "property uchar fluid\n"
    "property float strain_x\nproperty float strain_y\n"
    "end_header\n";

static const char *take(const char *at, void *value, size_t size)
{
    memcpy(value, at, size);
    return at + size;
}

static const char *assert_floats(const char *at, size_t particle, const int *columns, int count)
{
    for (int i = 0; i < count; i++) {
        float value;
        at = take(at, &value, sizeof value);
        assert_true(value == (columns[i] < 0 ? 0 : sample_number(particle, (size_t)columns[i])));
    }
    return at;
}

static void assert_file(const char *path, const sample *s)
{
    char expected[1000];
    bool is_3d = s->frame.dim == 3;
    int length = snprintf(expected, sizeof expected, header, s->frame.dim, s->frame.count);
    size_t size;
    char *bytes = scratch_get(path, &size);
    assert_memory_equal(bytes, expected, (size_t)length);
    assert_int_equal(size, (size_t)length + s->frame.count * (9 * 4 + 2 * 4 + 1));
    const char *at = bytes + length;
    for (size_t i = 0; i < s->frame.count; i++) {
        uint32_t id;
        int32_t state;
        uint8_t fluid;
        at = assert_floats(at, i, (int[]){0, 1, is_3d ? 2 : -1}, 3);
        at = assert_floats(at, i, (int[]){3, 4, is_3d ? 5 : -1}, 3);
        at = assert_floats(at, i, (int[]){6}, 1);
        at = take(at, &id, sizeof id);
        at = take(at, &state, sizeof state);
        at = take(at, &fluid, sizeof fluid);
        at = assert_floats(at, i, (int[]){7, 6}, 2);
        assert_int_equal(id, s->id[i]);
        assert_int_equal(state, s->state[i]);
        assert_int_equal(fluid, s->fluid[i]);
    }
    free(bytes);
}

static void holds_every_value(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 7, 4096, 10001};
    for (int dim = 2; dim <= 3; dim++) {
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            sample s;
            sample_make(&s, dim, counts[i]);
            assert_true(ply_write(scratch_path("a.ply"), &s.frame, NULL));
            assert_file(scratch_path("a.ply"), &s);
            sample_free(&s);
        }
    }
    assert_int_equal(scratch_count(scratch_folder), 1);
}

static void refuses_bad_frames(void **state)
{
    (void)state;
    static const char *const names[] = {"", "1a", "a b", "a\n", "x", "position", "density"};
    sample s;
    sample_make(&s, 3, 2);
    weir_error error = {0};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        s.fields[4].name = names[i];
        assert_false(ply_write(scratch_path("b.ply"), &s.frame, &error));
        assert_int_equal(error.code, WEIR_INVALID);
        assert_non_null(strstr(error.text, "b.ply"));
    }
    s.fields[4].name = "fluid";
    s.fields[4].components = 4;
    assert_false(ply_write(scratch_path("b.ply"), &s.frame, &error));
    s.fields[4].components = 1;
    s.fields[4].data[0] = NULL;
    assert_false(ply_write(scratch_path("b.ply"), &s.frame, &error));
    s.fields[4].data[0] = s.fluid;
    s.frame.x[2] = NULL;
    assert_false(ply_write(scratch_path("b.ply"), &s.frame, &error));
    s.frame.dim = 1;
    assert_false(ply_write(scratch_path("b.ply"), &s.frame, NULL));
    s.frame.dim = 2;
    assert_true(ply_write(scratch_path("b.ply"), &s.frame, &error));
    unlink(scratch_path("b.ply"));
    assert_false(ply_write(scratch_path("none/b.ply"), &s.frame, &error));
    assert_int_equal(error.code, WEIR_IO);
    sample_free(&s);
}

static void meshio_reads_it(void **state)
{
    (void)state;
    static const char script[] =
        "import sys, meshio\n"
        "m = meshio.read(sys.argv[1])\n"
        "n = int(sys.argv[2])\n"
        "def number(i, c):\n"
        "    return (((i * 2654435761 + c * 40503) % 100003) / 7.0 - 5000)\n"
        "assert m.points.shape == (n, 3), m.points.shape\n"
        "d = m.point_data\n"
        "for i in range(n):\n"
        "    for c in range(3): assert abs(m.points[i][c] - number(i, c)) < 1e-3\n"
        "    assert abs(d['velocity_y'][i] - number(i, 4)) < 1e-3\n"
        "    assert d['id'][i] == 4000000000 - 3 * i\n"
        "    assert d['state'][i] == i - 5\n"
        "    assert int(d['fluid'][i]) % 256 == (250 + i) % 256\n";
    const char *python = scratch_find_python("meshio");
    if (!python)
        return;
    sample s;
    sample_make(&s, 3, 100);
    const char *path = scratch_path("m.ply");
    assert_true(ply_write(path, &s.frame, NULL));
    assert_int_equal(scratch_run_python(python, script, path, "100"), 0);
    sample_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_every_value),
        cmocka_unit_test(refuses_bad_frames),
        cmocka_unit_test(meshio_reads_it),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
