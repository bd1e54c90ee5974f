/* What the host hears through its hooks: warnings once, failures each time, and its own mistakes.
 */
#include "support/worlds.h"

#include <stdio.h>

typedef struct ear {
    int warnings, errors, mistakes;
    char text[1200], condition[100];
    weir_world *world; /* to be stepped from within a task */
    uint32_t inner_flags;
} ear;

static void hear(void *user, weir_log_level level, const char *text)
{
    ear *e = user;
    e->warnings += level == WEIR_LOG_WARNING;
    e->errors += level == WEIR_LOG_ERROR;
    assert_null(strchr(text, '\n'));
    snprintf(e->text, sizeof e->text, "%s", text);
}

static void note_mistake(void *user, const char *condition, const char *file, int line)
{
    ear *e = user;
    e->mistakes++;
    snprintf(e->condition, sizeof e->condition, "%s", condition);
    assert_null(strchr(file, '/'));
    assert_true(line > 0);
}

static weir_world *make_heard_world(ear *e, size_t max_particles)
{
    weir_world_def def = small_world_def(2, 0.1);
    def.max_particles = max_particles;
    def.substeps = 1;
    def.allow_unstable = true;
    def.hooks = (weir_hooks){.log = hear, .assert_failed = note_mistake, .user = e};
    return make_world(&def);
}

static void trouble_is_told_once_and_failures_each_time(void **state)
{
    (void)state;
    ear e = {0};
    weir_world *world = make_heard_world(&e, 5);
    weir_emitter_def jet = weir_emitter_def_default();
    jet.fluid = make_fluid(world, 1000, 0);
    assert_true(weir_emitter_create(world, &jet, NULL).slot > 0);
    for (int k = 0; k < 200 && e.warnings == 0; k++)
        weir_world_step(world, 1e-3, NULL);
    assert_int_equal(e.warnings, 0); /* not yet full */
    uint32_t flags = 0;
    for (int k = 0; k < 20; k++)
        flags |= weir_world_step(world, 0.1, NULL);
    assert_true(flags & WEIR_STEP_FULL && flags & WEIR_STEP_UNSTABLE);
    assert_int_equal(e.warnings, 2);
    assert_int_equal(e.errors, 0);
    /* Also where the caller takes no error. */
    assert_true(weir_world_step(world, -1, NULL) & WEIR_STEP_FAILED);
    assert_true(weir_world_step(world, -1, NULL) & WEIR_STEP_FAILED);
    assert_int_equal(e.errors, 2);
    assert_non_null(strstr(e.text, "-1 s is not allowed"));
    weir_world_destroy(world);
}

static void mistakes_are_told_and_fail(void **state)
{
    (void)state;
    ear e = {0};
    weir_world *world = make_heard_world(&e, 0);
    weir_fluid_id water = make_fluid(world, 1000, 0);
    weir_error error = {0};
    assert_int_equal(weir_fluid_create(world, NULL, &error).slot, 0);
    assert_error(error, WEIR_INVALID, "'def != NULL' does not hold (fluids.c:");
    assert_string_equal(e.condition, "def != NULL");
    assert_int_equal(weir_body_create(world, NULL, NULL).slot, 0);
    assert_int_equal(weir_joint_create(world, NULL, NULL).slot, 0);
    assert_int_equal(weir_emitter_create(world, NULL, NULL).slot, 0);
    assert_int_equal(weir_sink_create(world, NULL, NULL).slot, 0);
    assert_int_equal(weir_probe_create(world, NULL, NULL).slot, 0);
    assert_false(weir_world_add_particles(world, water, NULL, 3, v3(0, 0, 0), NULL));
    assert_true(weir_world_add_particles(world, water, NULL, 0, v3(0, 0, 0), NULL));
    assert_int_equal(e.mistakes, 7);
    assert_int_equal(e.errors, 0);
    weir_world_destroy(world);
    assert_null(weir_world_create(NULL, &error)); /* to stderr: there are no hooks yet */
    assert_error(error, WEIR_INVALID, "def != NULL");
}

/* The host's threads may not step the world that they work for. */
static void run_and_step(void *user, void (*task)(void *data, int index), void *data, int count)
{
    ear *e = user;
    for (int k = 0; k < count; k++)
        task(data, k);
    e->inner_flags |= weir_world_step(e->world, 1e-3, NULL);
}

static void a_step_within_a_step_is_a_mistake(void **state)
{
    (void)state;
    ear e = {0};
    weir_world_def def = small_world_def(2, 0.02);
    def.threads = 2;
    def.hooks = (weir_hooks){.assert_failed = note_mistake, .run_tasks = run_and_step, .user = &e};
    weir_world *world = e.world = make_world(&def);
    weir_fluid_id water = make_fluid(world, 1000, 0);
    fill_box(world, water, 2, 0.02, v3(0, 0, 0), v3(2, 2, 0), 0, v3(0, 0, 0));
    step_world(world, 1e-4);
    assert_true(e.mistakes > 0);
    assert_true(e.inner_flags & WEIR_STEP_FAILED);
    assert_string_equal(e.condition, "!w->stepping");
    weir_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trouble_is_told_once_and_failures_each_time),
        cmocka_unit_test(mistakes_are_told_and_fail),
        cmocka_unit_test(a_step_within_a_step_is_a_mistake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
