/* Containers give back what was put in, and refuse everything else. */
#include "scratch.h"

#include "base/hash.h"
#include "out/container.h"

/* Places in the layout that container.h documents. */
enum {
    AT_BYTE_ORDER = 8,
    AT_VERSION = 12,
    AT_LENGTH = 16,
    AT_TABLE = 24,
    AT_SECTIONS = 32,
    AT_TABLE_CHECKSUM = 40,
    AT_HEADER_CHECKSUM = 56,
    HEADER = 64,
    ENTRY = 96,
    AT_TYPE = 64,
    AT_ELEMENT = 68,
    AT_COUNT = 72,
    AT_OFFSET = 80,
    AT_CHECKSUM = 88
};

static const float positions[5] = {1, -2.5f, 3e30f, 0, 1e-40f};
static const uint64_t ids[20] = {1, UINT64_MAX, 3};
static const double clock_value = 0.1;
static const uint8_t text[3] = {'a', 0, 255};

static void write_sample(const char *path)
{
    container_writer w;
    weir_error error;
    container_writer_begin(&w, path);
    container_writer_add(&w, "particles/x", CONTAINER_F32, positions, 5);
    container_writer_add(&w, "particles/id", CONTAINER_U64, ids, 20);
    container_writer_add(&w, "empty", CONTAINER_I32, NULL, 0);
    container_writer_add(&w, "clock", CONTAINER_F64, &clock_value, 1);
    container_writer_add(&w, "text", CONTAINER_U8, text, 3);
    if (!container_writer_commit(&w, &error))
        fail_msg("%s", error.text);
}

static void assert_section(const container *c, const char *name, container_type type,
                           const void *data, size_t count, size_t size)
{
    size_t found = 99;
    const void *values = container_find(c, name, type, &found, NULL);
    assert_non_null(values);
    assert_int_equal(found, count);
    assert_int_equal((uintptr_t)values % 64, 0);
    if (size > 0)
        assert_memory_equal(values, data, size);
}

static void assert_sample(const container *c)
{
    assert_int_equal(c->count, 5);
    assert_section(c, "particles/x", CONTAINER_F32, positions, 5, sizeof positions);
    assert_section(c, "particles/id", CONTAINER_U64, ids, 20, sizeof ids);
    assert_section(c, "empty", CONTAINER_I32, NULL, 0, 0);
    assert_section(c, "clock", CONTAINER_F64, &clock_value, 1, sizeof clock_value);
    assert_section(c, "text", CONTAINER_U8, text, 3, sizeof text);
}

static void gives_back_what_was_put_in(void **state)
{
    (void)state;
    const char *path = scratch_path("a.weir");
    write_sample(path);
    container c;
    assert_true(container_open(&c, path, NULL));
    assert_sample(&c);
    assert_true(container_has(&c, "clock"));
    assert_false(container_has(&c, "clocks"));

    weir_error error = {0};
    size_t count;
    assert_null(container_find(&c, "particles/y", CONTAINER_F32, &count, &error));
    assert_non_null(strstr(error.text, " has no section particles/y"));
    assert_null(container_find(&c, "particles/x", CONTAINER_F64, &count, &error));
    assert_non_null(strstr(error.text, "holds floats, not doubles"));

    double clock = 0;
    assert_true(container_read(&c, "clock", CONTAINER_F64, &clock, 1, &error));
    assert_true(clock == clock_value);
    assert_true(container_read(&c, "empty", CONTAINER_I32, NULL, 0, &error));
    assert_false(container_read(&c, "clock", CONTAINER_F64, &clock, 2, &error));
    assert_non_null(strstr(error.text, "1 values instead of 2"));
    assert_int_equal(error.code, WEIR_FORMAT);
    container_close(&c);
}

static void the_same_content_gives_the_same_file(void **state)
{
    (void)state;
    size_t first_size, second_size;
    write_sample(scratch_path("a.weir"));
    write_sample(scratch_path("b.weir"));
    char *first = scratch_get(scratch_path("a.weir"), &first_size);
    char *second = scratch_get(scratch_path("b.weir"), &second_size);
    assert_int_equal(first_size, second_size);
    assert_memory_equal(first, second, first_size);
    free(first);
    free(second);
    unlink(scratch_path("b.weir"));
}

static void holds_large_and_no_sections(void **state)
{
    (void)state;
    enum { COUNT = 1000003 };
    const char *path = scratch_path("large.weir");
    uint32_t *values = malloc(COUNT * sizeof *values);
    for (uint32_t i = 0; i < COUNT; i++)
        values[i] = i * 2654435761u;
    container_writer w;
    container c;
    container_writer_begin(&w, path);
    container_writer_add(&w, "values", CONTAINER_U32, values, COUNT);
    for (int i = 0; i < 200; i++) {
        char name[20];
        snprintf(name, sizeof name, "more/%d", i);
        container_writer_add(&w, name, CONTAINER_U32, values + i, (size_t)i);
    }
    assert_true(container_writer_commit(&w, NULL));
    assert_true(container_open(&c, path, NULL));
    assert_section(&c, "values", CONTAINER_U32, values, COUNT, COUNT * sizeof *values);
    assert_section(&c, "more/199", CONTAINER_U32, values + 199, 199, 199 * sizeof *values);
    container_close(&c);
    free(values);

    container_writer_begin(&w, path);
    assert_true(container_writer_commit(&w, NULL));
    assert_true(container_open(&c, path, NULL));
    assert_int_equal(c.count, 0);
    container_close(&c);
    unlink(path);
}

static void assert_open_fails(const char *path, const char *reason)
{
    container c;
    weir_error error = {0};
    assert_false(container_open(&c, path, &error));
    assert_null(c.bytes);
    assert_non_null(strstr(error.text, path));
    if (!strstr(error.text, reason))
        fail_msg("\"%s\" does not say \"%s\"", error.text, reason);
}

/* Every damaged byte is found: the checksums cover all of the file. */
static void refuses_every_damaged_byte(void **state)
{
    (void)state;
    const char *path = scratch_path("damaged.weir");
    write_sample(path);
    size_t size;
    char *bytes = scratch_get(path, &size);
    for (size_t i = 0; i < size; i++) {
        static const unsigned char flips[] = {0x01, 0x80, 0xff};
        for (int k = 0; k < 3; k++) {
            bytes[i] = (char)((unsigned char)bytes[i] ^ flips[k]);
            scratch_put(path, bytes, size);
            assert_open_fails(path, "cannot be used");
            bytes[i] = (char)((unsigned char)bytes[i] ^ flips[k]);
        }
    }
    free(bytes);
    unlink(path);
}

static void refuses_every_other_length(void **state)
{
    (void)state;
    const char *path = scratch_path("cut.weir");
    write_sample(path);
    size_t size;
    char *bytes = scratch_get(path, &size);
    for (size_t length = 0; length < size; length++) {
        scratch_put(path, bytes, length);
        assert_open_fails(path, length < 8        ? "not a Weir checkpoint"
                                : length < HEADER ? "cut short"
                                                  : "its end is missing");
    }
    bytes = realloc(bytes, size + 1);
    bytes[size] = 0;
    scratch_put(path, bytes, size + 1);
    assert_open_fails(path, "instead of");
    free(bytes);
    unlink(path);
}

static void refuses_other_files(void **state)
{
    (void)state;
    const char *path = scratch_path("other");
    char zeros[500] = {0};
    scratch_put(path, zeros, sizeof zeros);
    assert_open_fails(path, "not a Weir checkpoint");
    scratch_put(path, "scene: {}\n", 10);
    assert_open_fails(path, "not a Weir checkpoint");
    assert_open_fails(scratch_path("none"), "no such file");
    assert_open_fails(scratch_folder, "not a regular file");
    assert_open_fails("/dev/zero", "not a regular file");
    unlink(path);
}

/* A file made up by someone who knows the checksums: changes one number and sets them right. */
static void forge(const char *path, const char *sample, size_t size, size_t place, uint64_t value,
                  size_t width)
{
    char *bytes = malloc(size);
    memcpy(bytes, sample, size);
    memcpy(bytes + place, &value, width);
    uint64_t table, checksum;
    memcpy(&table, sample + AT_TABLE, sizeof table);
    checksum = hash_bytes(0, bytes + table, size - table);
    memcpy(bytes + AT_TABLE_CHECKSUM, &checksum, sizeof checksum);
    checksum = hash_bytes(0, bytes, AT_HEADER_CHECKSUM);
    memcpy(bytes + AT_HEADER_CHECKSUM, &checksum, sizeof checksum);
    scratch_put(path, bytes, size);
    free(bytes);
}

static void refuses_forged_headers(void **state)
{
    (void)state;
    static const uint64_t hostile[] = {0,
                                       1,
                                       63,
                                       65,
                                       4097,
                                       1u << 20,
                                       UINT32_MAX,
                                       INT64_MAX,
                                       UINT64_MAX,
                                       UINT64_MAX / 96,
                                       1ull << 60,
                                       UINT64_MAX - 63,
                                       UINT64_MAX / 8 + 2};
    const char *path = scratch_path("forged.weir");
    write_sample(path);
    size_t size;
    char *sample = scratch_get(path, &size);
    forge(path, sample, size, AT_BYTE_ORDER, 0x04030201, 4);
    assert_open_fails(path, "other byte order");
    forge(path, sample, size, AT_VERSION, 2, 4);
    assert_open_fails(path, "its format version is 2 and this Weir reads up to 1");
    forge(path, sample, size, AT_VERSION, 0, 4);
    assert_open_fails(path, "damaged");
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        forge(path, sample, size, AT_LENGTH, hostile[i], 8);
        assert_open_fails(path, "instead of");
        forge(path, sample, size, AT_TABLE, hostile[i], 8);
        assert_open_fails(path, "does not fit");
        forge(path, sample, size, AT_SECTIONS, hostile[i], 8);
        assert_open_fails(path, "does not fit");
    }
    /* So many that the size of their table is right again in 64 bits. */
    forge(path, sample, size, AT_SECTIONS, 5 + (1ull << 59), 8);
    assert_open_fails(path, "does not fit");
    free(sample);
    unlink(path);
}

static void refuses_forged_tables(void **state)
{
    (void)state;
    static const uint64_t hostile[] = {0,          1,          63,
                                       65,         1ull << 20, UINT32_MAX,
                                       INT64_MAX,  UINT64_MAX, 1ull << 60,
                                       1ull << 61, 1ull << 62, UINT64_MAX / 8 + 1,
                                       192,        256,        UINT64_MAX - 63};
    const char *path = scratch_path("forged.weir");
    write_sample(path);
    size_t size;
    char *sample = scratch_get(path, &size);
    size_t table = size - 5 * ENTRY;
    for (size_t section = 0; section < 5; section++) {
        size_t entry = table + section * ENTRY;
        for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
            uint64_t now;
            memcpy(&now, sample + entry + AT_OFFSET, sizeof now);
            if (now != hostile[i]) {
                forge(path, sample, size, entry + AT_OFFSET, hostile[i], 8);
                assert_open_fails(path, "contradicts itself");
            }
            forge(path, sample, size, entry + AT_TYPE, hostile[i] | 8, 4);
            assert_open_fails(path, "contradicts itself");
            forge(path, sample, size, entry + AT_ELEMENT, hostile[i] | 16, 4);
            assert_open_fails(path, "contradicts itself");
            /* A count that ends in the same filling is a different but honest file. */
            if (hostile[i] > 63) {
                forge(path, sample, size, entry + AT_COUNT, hostile[i], 8);
                assert_open_fails(path, "cannot be used");
            }
        }
        forge(path, sample, size, entry + AT_CHECKSUM, 12345, 8);
        assert_open_fails(path, "is damaged (the checksum differs)");
        forge(path, sample, size, entry, 0, 8);
        assert_open_fails(path, "contradicts itself");
    }
    /* Bytes between the last section and the table. */
    uint64_t checksum = hash_bytes(0, NULL, 0), before;
    memcpy(&before, sample + table + 4 * ENTRY + AT_CHECKSUM, sizeof before);
    memcpy(sample + table + 4 * ENTRY + AT_CHECKSUM, &checksum, sizeof checksum);
    forge(path, sample, size, table + 4 * ENTRY + AT_COUNT, 0, 8);
    assert_open_fails(path, "belong to no section");
    memcpy(sample + table + 4 * ENTRY + AT_CHECKSUM, &before, sizeof before);
    /* A name without an end, and one that is there already. */
    memset(sample + table, 'a', 64);
    forge(path, sample, size, table, 0x6161616161616161, 8);
    assert_open_fails(path, "contradicts itself");
    memset(sample + table, 0, 64);
    memcpy(sample + table, "empty", 5);
    forge(path, sample, size, AT_VERSION, 1, 4);
    assert_open_fails(path, "same name");
    free(sample);
    unlink(path);
}

static void refuses_bad_sections(void **state)
{
    (void)state;
    char name[100];
    memset(name, 'n', sizeof name);
    name[64] = '\0';
    static const char *const reasons[] = {"1 to 63", "1 to 63", "unknown type", "no array",
                                          "added twice"};
    const char *path = scratch_path("a.weir");
    for (int i = 0; i < 5; i++) {
        container_writer w;
        weir_error error = {0};
        container_writer_begin(&w, path);
        container_writer_add(&w, "good", CONTAINER_F32, positions, 5);
        container_writer_add(&w,
                             i == 0   ? ""
                             : i == 1 ? name
                             : i == 4 ? "good"
                                      : "other",
                             i == 2 ? (container_type)77 : CONTAINER_F32, i == 3 ? NULL : positions,
                             1);
        container_writer_add(&w, "later", CONTAINER_F32, positions, 5);
        assert_false(container_writer_commit(&w, &error));
        assert_int_equal(error.code, WEIR_INVALID);
        assert_non_null(strstr(error.text, reasons[i]));
    }
    container_writer w;
    container_writer_begin(&w, path);
    container_writer_add(&w, "good", CONTAINER_F32, positions, 5);
    container_writer_discard(&w);
    container c;
    assert_true(container_open(&c, path, NULL));
    assert_sample(&c);
    container_close(&c);
}

static void a_full_disk_keeps_the_checkpoint_before(void **state)
{
    (void)state;
    const char *path = scratch_path("a.weir");
    write_sample(path);
    int before = scratch_count(scratch_folder);
    pid_t child = fork();
    if (child == 0) {
        scratch_limit_size(400000);
        static const double values[100000];
        container_writer w;
        weir_error error = {0};
        container_writer_begin(&w, path);
        for (int i = 0; i < 10; i++) {
            char name[20];
            snprintf(name, sizeof name, "section %d", i);
            container_writer_add(&w, name, CONTAINER_F64, values, 9999);
        }
        bool done = container_writer_commit(&w, &error);
        _exit(!done && strstr(error.text, path) ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(scratch_count(scratch_folder), before);
    container c;
    assert_true(container_open(&c, path, NULL));
    assert_sample(&c);
    container_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_back_what_was_put_in),
        cmocka_unit_test(the_same_content_gives_the_same_file),
        cmocka_unit_test(holds_large_and_no_sections),
        cmocka_unit_test(refuses_every_damaged_byte),
        cmocka_unit_test(refuses_every_other_length),
        cmocka_unit_test(refuses_other_files),
        cmocka_unit_test(refuses_forged_headers),
        cmocka_unit_test(refuses_forged_tables),
        cmocka_unit_test(refuses_bad_sections),
        cmocka_unit_test(a_full_disk_keeps_the_checkpoint_before),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
