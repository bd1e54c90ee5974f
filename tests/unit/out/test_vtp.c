/* VTP files and their time index, read back by a small reader here and by VTK where Python has it.
 */
#include "scratch.h"

#include "out/pvd.h"
#include "out/vtp.h"
#include "sample.h"

#include <math.h>
#include <zlib.h>

/* The value of an attribute of the tag of the array `name`. */
static void get_attribute(const char *file, const char *name, const char *attribute, char out[64])
{
    char pattern[64];
    snprintf(pattern, sizeof pattern, "Name=\"%s\"", name);
    const char *tag = strstr(file, pattern);
    assert_non_null(tag);
    while (*tag != '<')
        tag--;
    snprintf(pattern, sizeof pattern, " %s=\"", attribute);
    const char *value = strstr(tag, pattern);
    assert_non_null(value);
    assert_true(value < strchr(tag, '>'));
    value += strlen(pattern);
    size_t length = strcspn(value, "\"");
    assert_true(length < 64);
    memcpy(out, value, length);
    out[length] = '\0';
}

/* strstr over bytes that may be zero. */
static const char *find_bytes(const char *file, size_t size, const char *pattern)
{
    return memmem(file, size, pattern, strlen(pattern));
}

static uint64_t get_head(const char *data, size_t index)
{
    uint64_t value;
    memcpy(&value, data + index * sizeof value, sizeof value);
    return value;
}

/* The bytes of an array, uncompressed; checks the sizes on the way. */
static unsigned char *get_array(const char *file, size_t size, const char *name, bool compressed,
                                size_t expected)
{
    char text[64];
    get_attribute(file, name, "offset", text);
    const char *start = find_bytes(file, size, "<AppendedData encoding=\"raw\">");
    const char *data = strchr(start, '_') + 1 + strtoull(text, NULL, 10);
    unsigned char *bytes = malloc(expected + 1);
    if (!compressed) {
        assert_int_equal(get_head(data, 0), expected);
        memcpy(bytes, data + 8, expected);
        return bytes;
    }
    size_t blocks = get_head(data, 0), block = get_head(data, 1), last = get_head(data, 2);
    assert_int_equal(expected, blocks * block - (last ? block - last : 0));
    const char *packed = data + 8 * (3 + blocks);
    size_t done = 0;
    for (size_t i = 0; i < blocks; i++) {
        uLongf room = expected - done;
        size_t packed_size = get_head(data, 3 + i);
        assert_int_equal(uncompress(bytes + done, &room, (const Bytef *)packed, packed_size), Z_OK);
        assert_int_equal(room, i + 1 < blocks || !last ? block : last);
        done += room;
        packed += packed_size;
    }
    assert_int_equal(done, expected);
    return bytes;
}

static void assert_array(const char *file, size_t size, const sample *s, const frame_field *field,
                         const char *type, bool compressed)
{
    char text[64];
    get_attribute(file, field->name, "type", text);
    assert_string_equal(text, type);
    get_attribute(file, field->name, "NumberOfComponents", text);
    assert_int_equal(atoi(text), field->components);
    size_t tuple = (size_t)field->components * frame_type_size(field->type);
    unsigned char *bytes = get_array(file, size, field->name, compressed, tuple * s->frame.count);
    for (size_t i = 0; i < s->frame.count; i++) {
        for (int c = 0; c < field->components; c++) {
            uint32_t bits = 0;
            size_t width = frame_type_size(field->type);
            memcpy(&bits, bytes + i * tuple + (size_t)c * width, width);
            assert_int_equal(bits, frame_field_bits(field, c, i));
        }
    }
    free(bytes);
}

static void assert_file(const char *path, const sample *s, bool compressed)
{
    static const char *const types[SAMPLE_FIELDS] = {"Float32", "Float32", "UInt32",
                                                     "Int32",   "UInt8",   "Float32"};
    size_t size, count = s->frame.count;
    char *file = scratch_get(path, &size);
    const frame_field positions = frame_positions(&s->frame);
    assert_array(file, size, s, &positions, "Float32", compressed);
    for (int i = 0; i < SAMPLE_FIELDS; i++)
        assert_array(file, size, s, &s->fields[i], types[i], compressed);
    unsigned char *ends = get_array(file, size, "offsets", compressed, 4 * count);
    unsigned char *points = get_array(file, size, "connectivity", compressed, 4 * count);
    for (size_t i = 0; i < count; i++) {
        int32_t end, point;
        memcpy(&end, ends + 4 * i, 4);
        memcpy(&point, points + 4 * i, 4);
        assert_int_equal(point, i);
        assert_int_equal(end, i + 1);
    }
    static const char tail[] = "\n  </AppendedData>\n</VTKFile>\n";
    assert_memory_equal(file + size - strlen(tail), tail, strlen(tail));
    assert_non_null(strstr(file, "Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">"
                                 "0.30000000000000004<"));
    free(points);
    free(ends);
    free(file);
}

static void holds_every_value(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 7, 16384, 40000};
    for (int dim = 2; dim <= 3; dim++) {
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            for (int compression = 0; compression <= 6; compression += 3) {
                sample s;
                sample_make(&s, dim, counts[i]);
                const char *path = scratch_path("a.vtp");
                assert_true(vtp_write(path, &s.frame, compression, NULL));
                assert_file(path, &s, compression > 0);
                sample_free(&s);
            }
        }
    }
    assert_int_equal(scratch_count(scratch_folder), 1);
}

static void holds_bodies(void **state)
{
    (void)state;
    sample s;
    sample_make(&s, 3, 1);
    const char *path = scratch_path("bodies.vtp");
    assert_true(vtp_write_bodies(path, &s.frame, NULL));
    size_t size;
    char *file = scratch_get(path, &size);
    unsigned char *points = get_array(file, size, "Points", false, 2 * 24);
    unsigned char *rotation = get_array(file, size, "rotation", false, 2 * 32);
    unsigned char *velocity = get_array(file, size, "velocity", false, 2 * 24);
    unsigned char *spin = get_array(file, size, "angular_velocity", false, 2 * 24);
    for (size_t i = 0; i < 2; i++) {
        assert_memory_equal(points + 24 * i, &s.bodies[i].pose.position, 24);
        assert_memory_equal(rotation + 32 * i, &s.bodies[i].pose.rotation, 32);
        assert_memory_equal(velocity + 24 * i, &s.bodies[i].velocity, 24);
        assert_memory_equal(spin + 24 * i, &s.bodies[i].angular_velocity, 24);
    }
    size_t length = 4 + strlen(s.bodies[1].name) + 1;
    unsigned char *names = get_array(file, size, "name", false, length);
    assert_string_equal((char *)names, "box");
    assert_string_equal((char *)names + 4, s.bodies[1].name);
    free(points);
    free(rotation);
    free(velocity);
    free(spin);
    free(names);
    free(file);
    unlink(path);
    sample_free(&s);
}

static void refuses_bad_requests(void **state)
{
    (void)state;
    sample s;
    sample_make(&s, 2, 3);
    weir_error error = {0};
    assert_false(vtp_write(scratch_path("b.vtp"), &s.frame, 10, &error));
    assert_int_equal(error.code, WEIR_INVALID);
    assert_false(vtp_write(scratch_path("none/b.vtp"), &s.frame, 1, &error));
    assert_int_equal(error.code, WEIR_IO);
    assert_false(vtp_write_bodies(scratch_path("none/b.vtp"), &s.frame, &error));
    s.fields[1].name = "a<b";
    assert_false(vtp_write(scratch_path("b.vtp"), &s.frame, 0, &error));
    sample_free(&s);
}

/* A disk that fills up in the middle of a frame leaves the frame before it. */
static void a_full_disk_keeps_the_frame_before(void **state)
{
    (void)state;
    sample s;
    sample_make(&s, 3, 40000);
    const char *path = scratch_path("full.vtp");
    s.frame.count = 7;
    assert_true(vtp_write(path, &s.frame, 0, NULL));
    int before = scratch_count(scratch_folder);
    pid_t child = fork();
    if (child == 0) {
        scratch_limit_size(500000);
        s.frame.count = 40000;
        weir_error error = {0};
        bool plain = vtp_write(path, &s.frame, 0, &error);
        bool packed = vtp_write(path, &s.frame, 1, NULL);
        _exit(!plain && !packed && strstr(error.text, "full.vtp") ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    s.frame.count = 7;
    assert_file(path, &s, false);
    assert_int_equal(scratch_count(scratch_folder), before);
    unlink(path);
    sample_free(&s);
}

static void indexes_frames(void **state)
{
    (void)state;
    const char *path = scratch_path("series.pvd");
    pvd index;
    assert_true(pvd_open(&index, path, -INFINITY, NULL));
    assert_true(pvd_add(&index, 0, "frames/a_0.vtp", NULL));
    assert_true(pvd_add(&index, 0.1, "frames/<a> & \"b\"'s_1.vtp", NULL));
    assert_true(pvd_add(&index, 0.1 + 0.2, "frames/a_2.vtp", NULL));
    scratch_assert_content(
        path, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n"
              "  <Collection>\n"
              "    <DataSet timestep=\"0\" part=\"0\" file=\"frames/a_0.vtp\"/>\n"
              "    <DataSet timestep=\"0.1\" part=\"0\" "
              "file=\"frames/&lt;a&gt; &amp; &quot;b&quot;&apos;s_1.vtp\"/>\n"
              "    <DataSet timestep=\"0.30000000000000004\" part=\"0\" "
              "file=\"frames/a_2.vtp\"/>\n"
              "  </Collection>\n</VTKFile>\n");
    pvd_close(&index);
}

/* Resuming gives the index of a run that was never interrupted. */
static void resumes_the_index(void **state)
{
    (void)state;
    const char *whole = scratch_path("whole.pvd"), *path = scratch_path("parts.pvd");
    enum { FRAMES = 200 };
    for (int cut = -1; cut < FRAMES; cut += 37) {
        char name[32];
        unlink(path);
        pvd a, b;
        assert_true(pvd_open(&a, whole, -INFINITY, NULL));
        assert_true(pvd_open(&b, path, -INFINITY, NULL));
        for (int i = 0; i < FRAMES; i++) {
            snprintf(name, sizeof name, "f&%d.vtp", i);
            assert_true(pvd_add(&a, i * 0.1, name, NULL));
            /* The first run got some frames beyond its last checkpoint. */
            if (i < cut + 5)
                assert_true(pvd_add(&b, i * 0.1, name, NULL));
        }
        pvd_close(&b);
        assert_true(pvd_open(&b, path, cut * 0.1, NULL));
        assert_int_equal(b.count, cut + 1);
        for (int i = cut < 0 ? 0 : cut; i < FRAMES; i++) {
            snprintf(name, sizeof name, "f&%d.vtp", i);
            assert_true(pvd_add(&b, i * 0.1, name, NULL));
        }
        pvd_close(&a);
        pvd_close(&b);
        size_t size;
        char *expected = scratch_get(whole, &size);
        scratch_assert_content(path, expected);
        free(expected);
    }
}

static void drops_later_frames_at_once(void **state)
{
    (void)state;
    const char *path = scratch_path("series.pvd");
    pvd index;
    assert_true(pvd_open(&index, path, 0.1, NULL));
    pvd_close(&index);
    size_t size;
    char *text = scratch_get(path, &size);
    assert_null(strstr(text, "a_2.vtp"));
    assert_non_null(strstr(text, "s_1.vtp"));
    free(text);
}

static void refuses_damaged_indexes(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "hello",
        "<VTKFile type=\"PolyData\"></VTKFile>",
        "<VTKFile type=\"Collection\"><Collection><DataSet timestep=\"0\" file=\"a\"/>",
        "<VTKFile type=\"Collection\"><DataSet timestep=\"0\"/></VTKFile>",
        "<VTKFile type=\"Collection\"><DataSet file=\"a\"/></VTKFile>",
        "<VTKFile type=\"Collection\"><DataSet timestep=\"x\" file=\"a\"/></VTKFile>",
        "<VTKFile type=\"Collection\"><DataSet timestep=\"1x\" file=\"a\"/></VTKFile>",
        "<VTKFile type=\"Collection\"><DataSet timestep=\"1\" file=\"a/></VTKFile>",
    };
    const char *path = scratch_path("bad.pvd");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        pvd index;
        weir_error error = {0};
        scratch_put(path, bad[i], strlen(bad[i]));
        assert_false(pvd_open(&index, path, 1, &error));
        assert_int_equal(error.code, WEIR_FORMAT);
        assert_non_null(strstr(error.text, "bad.pvd"));
        scratch_assert_content(path, bad[i]);
    }
}

static const char vtk_script[] =
    "import sys, vtk\n"
    "path, n = sys.argv[1], int(sys.argv[2])\n"
    "errors = []\n"
    "def read(file):\n"
    "    r = vtk.vtkXMLPolyDataReader()\n"
    "    for o in (r, vtk.vtkOutputWindow.GetInstance()):\n"
    "        o.AddObserver('ErrorEvent', lambda *a: errors.append(a))\n"
    "    r.SetFileName(file)\n"
    "    r.Update()\n"
    "    assert not errors, errors\n"
    "    return r.GetOutput()\n"
    "def number(i, c):\n"
    "    return ((i * 2654435761 + c * 40503) % 100003) / 7.0 - 5000\n"
    "def close(a, b): return abs(a - b) < 1e-3\n"
    "p = read(path)\n"
    "assert p.GetNumberOfPoints() == n and p.GetNumberOfVerts() == n\n"
    "assert p.GetFieldData().GetArray('TimeValue').GetValue(0) == 0.1 + 0.2\n"
    "assert p.GetFieldData().GetArray('step').GetValue(0) == 5000000001\n"
    "d = p.GetPointData()\n"
    "assert d.GetNumberOfArrays() == 6\n"
    "for i in range(n):\n"
    "    assert all(close(a, number(i, c)) for c, a in enumerate(p.GetPoint(i)))\n"
    "    v = d.GetArray('velocity').GetTuple(i)\n"
    "    assert len(v) == 3 and all(close(a, number(i, 3 + c)) for c, a in enumerate(v))\n"
    "    assert d.GetArray('id').GetValue(i) == 4000000000 - 3 * i\n"
    "    assert d.GetArray('state').GetValue(i) == i - 5\n"
    "    assert d.GetArray('fluid').GetValue(i) == (250 + i) % 256\n"
    "    assert p.GetCell(i).GetPointId(0) == i\n"
    "b = read(path + '.bodies.vtp')\n"
    "d = b.GetPointData()\n"
    "assert b.GetNumberOfPoints() == 2 and b.GetPoint(0) == (1, 2.5, -3)\n"
    "assert d.GetArray('rotation').GetTuple(0) == (0.5, -0.5, 0.5, 0.5)\n"
    "assert d.GetArray('velocity').GetTuple(1) == (-1, 0, 1e-300)\n"
    "assert d.GetArray('angular_velocity').GetTuple(1) == (0, 0, -2)\n"
    "assert d.GetAbstractArray('name').GetValue(0) == 'box'\n"
    "assert d.GetAbstractArray('name').GetValue(1) == '<M\\u00fcller\\'s \"ball\">'\n"
    "e = read(path + '.none.vtp')\n"
    "assert e.GetNumberOfPoints() == 0\n"
    "e = read(path + '.none.bodies.vtp')\n"
    "assert e.GetNumberOfPoints() == 0\n";

static void vtk_reads_it(void **state)
{
    (void)state;
    const char *python = scratch_find_python("vtk");
    if (!python)
        return;
    for (int compression = 0; compression <= 1; compression++) {
        sample s;
        sample_make(&s, 3, 17000);
        assert_true(vtp_write(scratch_path("v.vtp"), &s.frame, compression, NULL));
        assert_true(vtp_write_bodies(scratch_path("v.vtp.bodies.vtp"), &s.frame, NULL));
        s.frame.count = s.frame.body_count = 0;
        assert_true(vtp_write(scratch_path("v.vtp.none.vtp"), &s.frame, compression, NULL));
        assert_true(vtp_write_bodies(scratch_path("v.vtp.none.bodies.vtp"), &s.frame, NULL));
        assert_int_equal(scratch_run_python(python, vtk_script, scratch_path("v.vtp"), "17000"), 0);
        sample_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_every_value),
        cmocka_unit_test(holds_bodies),
        cmocka_unit_test(refuses_bad_requests),
        cmocka_unit_test(a_full_disk_keeps_the_frame_before),
        cmocka_unit_test(indexes_frames),
        cmocka_unit_test(resumes_the_index),
        cmocka_unit_test(drops_later_frames_at_once),
        cmocka_unit_test(refuses_damaged_indexes),
        cmocka_unit_test(vtk_reads_it),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
