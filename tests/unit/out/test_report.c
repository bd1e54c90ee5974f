/* The report: every key that docs/report.md promises, with the world's own numbers. */
#include "out/report.h"

#include "unit/out/world_sample.h"

#include <inttypes.h>

/* The text after `"key": ` at the top level. */
static const char *find(const json *j, const char *key)
{
    char wanted[100];
    snprintf(wanted, sizeof wanted, "\n  \"%s\": ", key);
    const char *found = strstr(j->text, wanted);
    if (!found)
        fail_msg("the report lacks '%s'", key);
    return found + strlen(wanted);
}

static void write_sample(json *j, world_sample *it)
{
    const char *warnings[] = {"a \"quoted\" warning"};
    report r = {
        .scene = it->s,
        .world = it->world,
        .status = "interrupted",
        .threads = 1,
        .simd = "scalar",
        .dt = 0.01,
        .wall = 3,
        .wall_here = 2,
        .steps_here = 10,
        .substeps_here = 40,
        .initial_energy = 7,
        .limit = weir_world_get_step_limit(it->world, NULL),
        .warnings = warnings,
        .warning_count = 1,
    };
    report_write(j, &r);
    assert_false(j->failed);
}

static void all_keys_are_there(void **state)
{
    (void)state;
    static const char *const keys[] = {
        "weir",      "scene",     "status",       "interrupted",  "failure",
        "dim",       "particles", "method",       "parameters",   "steps",
        "substeps",  "dt",        "simulated_s",  "wall_s",       "ms_per_step",
        "stages",    "density",   "step_limit",   "iterations",   "residual",
        "energy",    "momentum",  "volume_error", "bodies",       "angular_momentum",
        "emitters",  "sinks",     "probes",       "memory",       "threads",
        "simd",      "hash",      "warnings",     "spacing",      "kernel_radius",
        "speed_max", "mass",      "volume",       "resumed_from",
    };
    world_sample it = world_sample_build("");
    world_sample_step(&it, 10);
    json j = {0};
    write_sample(&j, &it);
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
        find(&j, keys[k]);
    json_free(&j);
    world_sample_free(&it);
}

static void numbers_are_those_of_the_world(void **state)
{
    (void)state;
    world_sample it = world_sample_build("");
    world_sample_step(&it, 10);
    json j = {0};
    write_sample(&j, &it);
    weir_statistics s = weir_world_get_statistics(it.world);
    assert_int_equal(strtoull(find(&j, "particles"), NULL, 10), s.particles);
    assert_int_equal(strtoull(find(&j, "steps"), NULL, 10), 10);
    assert_int_equal(strtoull(find(&j, "substeps"), NULL, 10), s.substeps);
    assert_true(strtod(find(&j, "mass"), NULL) == s.mass);
    assert_true(strtod(find(&j, "ms_per_step"), NULL) == 200);
    assert_true(strtod(find(&j, "wall_s"), NULL) == 3);
    char hash[30];
    snprintf(hash, sizeof hash, "\"%016" PRIx64 "\"", weir_world_hash(it.world));
    assert_int_equal(strncmp(find(&j, "hash"), hash, strlen(hash)), 0);
    assert_int_equal(strncmp(find(&j, "interrupted"), "true", 4), 0);
    assert_int_equal(strncmp(find(&j, "iterations"), "null", 4), 0);
    assert_non_null(strstr(find(&j, "parameters"), "\"sound_speed\": 20,"));
    assert_non_null(strstr(find(&j, "parameters"), "\"equation_of_state\": \"tait7\""));
    assert_non_null(strstr(find(&j, "energy"), "\"initial\": 7\n"));
    assert_non_null(strstr(find(&j, "bodies"), "\"name\": \"wheel\""));
    assert_non_null(strstr(find(&j, "probes"), "\"wind\": ["));
    assert_non_null(strstr(find(&j, "warnings"), "a \\\"quoted\\\" warning"));
    json_free(&j);
    world_sample_free(&it);
}

/* Before the first step there is nothing to divide by: null, not a wrong number. */
static void no_steps_give_null(void **state)
{
    (void)state;
    world_sample it = world_sample_build("");
    json j = {0};
    report r = {.scene = it.s,
                .world = it.world,
                .status = "failed",
                .simd = "scalar",
                .failure = "the disk is full",
                .dt = 0.01};
    report_write(&j, &r);
    assert_int_equal(strncmp(find(&j, "ms_per_step"), "null", 4), 0);
    assert_int_equal(strncmp(find(&j, "failure"), "\"the disk is full\"", 18), 0);
    json_free(&j);
    world_sample_free(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_keys_are_there),
        cmocka_unit_test(numbers_are_those_of_the_world),
        cmocka_unit_test(no_steps_give_null),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
