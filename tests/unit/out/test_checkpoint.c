/* Checkpoints: a resumed world goes on bit for bit; what does not fit is refused. */
#include "out/checkpoint.h"

#include "unit/out/world_sample.h"

static const checkpoint_run clock_sample = {3, 0.125, 0.25, 1.5, -42};

static void write_sample(world_sample *it, const char *path)
{
    weir_error error = {0};
    if (!checkpoint_write(path, it->world, it->fingerprint, "sample", &clock_sample, &error))
        fail_msg("%s", error.text);
}

static void resumes_bit_for_bit(void **state)
{
    (void)state;
    const char *path = scratch_path("state.weir");
    world_sample whole = world_sample_build(""), rest = world_sample_build("");
    world_sample_step(&whole, 12);
    write_sample(&whole, path);
    uint64_t before = weir_world_hash(whole.world);

    checkpoint_run clock;
    weir_error error = {0};
    if (!checkpoint_read(path, rest.world, rest.fingerprint, &clock, &error))
        fail_msg("%s", error.text);
    assert_memory_equal(&clock, &clock_sample, sizeof clock);
    assert_true(weir_world_hash(rest.world) == before);
    assert_true(weir_world_get_time(rest.world) == weir_world_get_time(whole.world));

    /* Emitters go on with the same layers and ids. */
    world_sample_step(&whole, 15);
    world_sample_step(&rest, 15);
    assert_true(weir_world_emitter_state(whole.world, 0).particles > 0);
    assert_int_equal(weir_world_emitter_state(whole.world, 0).particles,
                     weir_world_emitter_state(rest.world, 0).particles);
    assert_true(weir_world_hash(rest.world) == weir_world_hash(whole.world));
    assert_true(weir_world_hash(rest.world) != before);
    world_sample_free(&whole);
    world_sample_free(&rest);
}

static void refuse(const char *path, const char *more, weir_code code, const char *part)
{
    world_sample it = world_sample_build(more);
    checkpoint_run clock;
    weir_error error = {0};
    assert_false(checkpoint_read(path, it.world, it.fingerprint, &clock, &error));
    assert_int_equal(error.code, code);
    if (!strstr(error.text, part))
        fail_msg("'%s' lacks '%s'", error.text, part);
    world_sample_free(&it);
}

static void other_scenes_are_refused(void **state)
{
    (void)state;
    char path[300];
    snprintf(path, sizeof path, "%s", scratch_path("other.weir"));
    world_sample it = world_sample_build("");
    write_sample(&it, path);
    world_sample_free(&it);
    refuse(path, "gravity: [0, -3]\n", WEIR_INVALID,
           "another scene, or by other values of it ('sample')");
    refuse(path, "seed: 7\n", WEIR_INVALID, "another scene");
    refuse(scratch_path("nothing.weir"), "", WEIR_NOT_FOUND, "nothing.weir");
}

static void other_containers_are_refused(void **state)
{
    (void)state;
    char path[300];
    snprintf(path, sizeof path, "%s", scratch_path("container.weir"));
    container_writer w;
    double value = 1;
    weir_error error = {0};
    container_writer_begin(&w, path);
    container_writer_add(&w, "something", CONTAINER_F64, &value, 1);
    assert_true(container_writer_commit(&w, &error));
    refuse(path, "", WEIR_FORMAT, "is no checkpoint");
}

/* A checkpoint of the right scene in which a part is missing or of another size. */
static void missing_parts_are_refused(void **state)
{
    (void)state;
    char path[300];
    snprintf(path, sizeof path, "%s", scratch_path("parts.weir"));
    world_sample it = world_sample_build("");
    double zeros[5] = {0};
    weir_error error = {0};
    container_writer w;
    container_writer_begin(&w, path);
    container_writer_add(&w, "fingerprint", CONTAINER_U64, &it.fingerprint, 1);
    container_writer_add(&w, "scene", CONTAINER_U8, "sample", 6);
    container_writer_add(&w, "run", CONTAINER_F64, zeros, 5);
    container_writer_add(&w, "world/world", CONTAINER_F64, zeros, 5);
    assert_true(container_writer_commit(&w, &error));
    world_sample_free(&it);
    refuse(path, "", WEIR_FORMAT, "parts.weir");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resumes_bit_for_bit),
        cmocka_unit_test(other_scenes_are_refused),
        cmocka_unit_test(other_containers_are_refused),
        cmocka_unit_test(missing_parts_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
