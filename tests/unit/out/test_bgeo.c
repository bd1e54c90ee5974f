/* bgeo files read back by a reader written from the description of the format. */
#include "scratch.h"

#include "out/bgeo.h"
#include "sample.h"

typedef struct reader {
    const unsigned char *at, *end;
} reader;

static uint32_t get(reader *r, int bytes)
{
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++) {
        assert_true(r->at < r->end);
        value = value << 8 | *r->at++;
    }
    return value;
}

static float get_float(reader *r)
{
    uint32_t bits = get(r, 4);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void assert_attribute(reader *r, const char *name, uint32_t components, uint32_t type)
{
    size_t length = get(r, 2);
    assert_int_equal(length, strlen(name));
    assert_memory_equal(r->at, name, length);
    r->at += length;
    assert_int_equal(get(r, 2), components);
    assert_int_equal(get(r, 4), type);
    for (uint32_t i = 0; i < components; i++)
        assert_int_equal(get(r, 4), 0);
}

static void assert_header(reader *r, const sample *s)
{
    assert_memory_equal(r->at, "BgeoV", 5);
    r->at += 5;
    const uint32_t numbers[] = {5, (uint32_t)s->frame.count, 0, 0, 0, SAMPLE_FIELDS, 0, 0, 2};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        assert_int_equal(get(r, 4), numbers[i]);
    assert_attribute(r, "velocity", 3, 5);
    assert_attribute(r, "density", 1, 0);
    assert_attribute(r, "id", 1, 1);
    assert_attribute(r, "state", 1, 1);
    assert_attribute(r, "fluid", 1, 1);
    assert_attribute(r, "strain", 2, 0);
}

static void assert_point(reader *r, const sample *s, size_t i)
{
    bool is_3d = s->frame.dim == 3;
    for (size_t c = 0; c < 3; c++)
        assert_true(get_float(r) == (c == 2 && !is_3d ? 0 : sample_number(i, c)));
    assert_true(get_float(r) == 1);
    for (size_t c = 3; c < 6; c++)
        assert_true(get_float(r) == (c == 5 && !is_3d ? 0 : sample_number(i, c)));
    assert_true(get_float(r) == sample_number(i, 6));
    assert_int_equal(get(r, 4), s->id[i]);
    assert_int_equal((int32_t)get(r, 4), s->state[i]);
    assert_int_equal(get(r, 4), s->fluid[i]);
    assert_true(get_float(r) == sample_number(i, 7));
    assert_true(get_float(r) == sample_number(i, 6));
}

static void assert_file(const char *path, const sample *s)
{
    size_t size;
    char *bytes = scratch_get(path, &size);
    reader r = {(unsigned char *)bytes, (unsigned char *)bytes + size};
    assert_header(&r, s);
    for (size_t i = 0; i < s->frame.count; i++)
        assert_point(&r, s, i);
    assert_attribute(&r, "time", 1, 0);
    assert_attribute(&r, "step", 1, 1);
    assert_true(get_float(&r) == (float)s->frame.time);
    assert_int_equal(get(&r, 4), (uint32_t)s->frame.step);
    assert_int_equal(get(&r, 2), 0x00ff);
    assert_ptr_equal(r.at, r.end);
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
            assert_true(bgeo_write(scratch_path("a.bgeo"), &s.frame, NULL));
            assert_file(scratch_path("a.bgeo"), &s);
            sample_free(&s);
        }
    }
    assert_int_equal(scratch_count(scratch_folder), 1);
}

static void refuses_what_does_not_fit(void **state)
{
    (void)state;
    sample s;
    sample_make(&s, 3, 1);
    weir_error error = {0};
    s.frame.count = (size_t)INT32_MAX + 1;
    assert_false(bgeo_write(scratch_path("b.bgeo"), &s.frame, &error));
    assert_int_equal(error.code, WEIR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "2147483648"));
    s.frame.count = 1;
    s.fields[0].name = "not plain";
    assert_false(bgeo_write(scratch_path("b.bgeo"), &s.frame, &error));
    assert_int_equal(error.code, WEIR_INVALID);
    assert_int_equal(scratch_count(scratch_folder), 1);
    sample_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_every_value),
        cmocka_unit_test(refuses_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
