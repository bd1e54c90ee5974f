/* The binder: what is read, what holds without being written, and every message. */
#include "sample.h"
#include "scene/field.h"
#include "scene/parameters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct bound {
    tree *t;
    sample_scene scene;
} bound;

/* Binds with the texts in the tree's memory, so that freeing the tree frees all. */
static bool try_bind(const char *text, const bind_options *options, bound *b, weir_error *error)
{
    *b = (bound){.t = tree_parse(text, strlen(text), "a.yaml", NULL, error)};
    return b->t &&
           record_bind(&sample_scene_record, b->t->root, &b->scene, &b->t->memory, options, error);
}

static bound bind_text(const char *text)
{
    bound b;
    weir_error error = {0};
    if (!try_bind(text, NULL, &b, &error))
        print_message("%s\n", error.text);
    assert_string_equal(error.text, "");
    return b;
}

static void refuses_with(const char *text, const bind_options *options, const char *message)
{
    bound b;
    weir_error error = {0};
    assert_false(try_bind(text, options, &b, &error));
    assert_string_equal(error.text, message);
    tree_free(b.t);
    assert_false(try_bind(text, options, &b, NULL));
    tree_free(b.t);
}

/* The same with the fluids that every scene needs, in line 1. */
static void refuses(const char *text, const char *message)
{
    char whole[2000];
    snprintf(whole, sizeof whole, "fluids: {water: {density: 1000}}\n%s", text);
    refuses_with(whole, NULL, message);
}

static void close_to(double value, double expected)
{
    assert_true(fabs(value - expected) <= 1e-12 * fabs(expected));
}

static void tables_are_sound(void **state)
{
    (void)state;
    weir_error error = {0};
    if (!record_check(&sample_scene_record, &error))
        print_message("%s\n", error.text);
    assert_string_equal(error.text, "");
}

static void reads_every_kind(void **state)
{
    (void)state;
    bound b = bind_text(sample_text);
    const sample_scene *s = &b.scene;
    assert_string_equal(s->title, "Dam break");
    assert_int_equal(s->dim, 2);
    assert_int_equal(s->steps, 1000);
    assert_true(s->dt == 1.0 / 120);
    close_to(s->angle, 1.57079632679489661923);
    assert_true(s->ratio == 0.5);
    assert_true(s->spacing == 0.07);
    assert_false(s->closed);
    assert_int_equal(s->periodic, 2);
    assert_true(s->gravity.x == 0 && s->gravity.y == -10 && s->gravity.z == 0);
    assert_int_equal(s->time_count, 3);
    assert_true(s->times[1] == 0.5);
    assert_int_equal(s->point_count, 3);
    assert_true(s->points[2].x == 1 && s->points[2].y == 0.001);
    assert_int_equal(s->tag_count, 2);
    assert_string_equal(s->tags[1], "2");
    tree_free(b.t);
}

static void reads_structs(void **state)
{
    (void)state;
    bound b = bind_text(sample_text);
    const sample_scene *s = &b.scene;
    assert_int_equal(s->fluid_count, 2);
    const sample_fluid *water = &s->fluids[0], *oil = &s->fluids[1];
    assert_string_equal(water->name, "water");
    assert_true(water->density == 1000 && water->viscosity == 0.001);
    assert_true(water->tension == 0.072f);
    assert_true(water->color.r == 1 && water->color.g == 128 / 255.0f && water->color.a == 1);
    assert_string_equal(oil->name, "oil");
    assert_true(oil->density == 900 && oil->viscosity == 0.05 && oil->color.r == 1);
    assert_int_equal(oil->node->key_line, 19);
    assert_non_null(node_find(oil->node, "viscosity"));
    assert_null(node_find(oil->node, "tension"));

    assert_int_equal(s->source_count, 2);
    assert_int_equal(s->sources[0].flow, SAMPLE_FLOW_RATE);
    assert_true(s->sources[0].of.rate == 0.001);
    assert_int_equal(s->sources[0].nozzle.kind, SAMPLE_BALL);
    assert_true(s->sources[0].nozzle.of.ball.radius == 0.1);
    assert_int_equal(s->sources[1].flow, SAMPLE_FLOW_SPEED);
    assert_true(s->sources[1].of.speed == 10);
    assert_null(s->sources[1].name);

    assert_int_equal(s->solid_count, 1);
    const sample_shape *parts = s->solids[0].of.children.items;
    assert_int_equal(s->solids[0].of.children.count, 2);
    assert_true(parts[0].kind == SAMPLE_BOX && parts[0].of.box.size.y == 2);
    assert_true(parts[1].kind == SAMPLE_BALL && parts[1].of.ball.radius == 0.5);
    assert_true(s->solver.method == SAMPLE_SPH && s->solver.parameters[0] == 5);
    tree_free(b.t);
}

static void fills_defaults(void **state)
{
    (void)state;
    bound b = bind_text("fluids: {water: {density: 1000}}");
    const sample_scene *s = &b.scene;
    assert_string_equal(s->title, "untitled");
    assert_null(s->output);
    assert_int_equal(s->dim, 3);
    assert_int_equal(s->steps, 100);
    assert_int_equal(isnan(s->dt) != 0, 1);
    assert_true(s->closed && s->gravity.y == -9.81 && s->ratio == 0.5);
    assert_int_equal(s->solid_count, 0);
    assert_null(s->solids);
    assert_null(s->solver.node);
    assert_true(s->solver.method == SAMPLE_SPH && s->solver.parameters[0] == 3);
    tree_free(b.t);

    store memory = {0};
    sample_scene defaults;
    assert_true(record_initialize(&sample_scene_record, &defaults, &memory, NULL));
    assert_int_equal(defaults.dim, 3);
    assert_int_equal(defaults.fluid_count, 0);
    store_free(&memory);
}

static void reads_shorthands(void **state)
{
    (void)state;
    bound b = bind_text("fluids: {water: {density: 1000}}\nsolver: pbf\n");
    assert_int_equal(b.scene.solver.method, SAMPLE_PBF);
    assert_string_equal(b.scene.solver.node->text, "pbf");
    tree_free(b.t);
    refuses("solver: pbd", "a.yaml:2: solver: 'pbd' is not allowed: did you mean 'pbf'? It must be "
                           "one of: sph, pbf");
    refuses("solver:", "a.yaml:2: solver: has no value: must be a mapping with the keys method");
}

static void refuses_wrong_numbers(void **state)
{
    (void)state;
    refuses_with("fluids:\n  water:\n    density: -5\n", NULL,
                 "a.yaml:3: fluids.water.density: -5 is not allowed: must be > 0 kg/m3");
    refuses("spacing: 0", "a.yaml:2: spacing: 0 is not allowed: must be > 0 m");
    refuses("spacing: heavy", "a.yaml:2: spacing: 'heavy' is not allowed: must be a number > 0 m");
    refuses("spacing: [1]", "a.yaml:2: spacing: a list is not allowed: must be a number > 0 m");
    refuses("spacing:", "a.yaml:2: spacing: has no value: must be a number > 0 m");
    refuses("spacing: true", "a.yaml:2: spacing: true is not allowed: must be a number > 0 m");
    refuses("spacing: .nan", "a.yaml:2: spacing: .nan is not finite: must be a number > 0 m");
    refuses("spacing: -.inf", "a.yaml:2: spacing: -.inf is not finite: must be a number > 0 m");
    refuses("spacing: 1e400", "a.yaml:2: spacing: 1e400 is not finite: must be a number > 0 m");
    refuses("spacing: 1/0 m", "a.yaml:2: spacing: '1/0 m' is not finite: must be a number > 0 m");
    refuses("spacing: -2 cm", "a.yaml:2: spacing: '-2 cm' is not allowed: must be > 0 m");
    refuses("spacing: 2 kg", "a.yaml:2: spacing: '2 kg' is not allowed: its unit must be m (or km, "
                             "cm, mm, um)");
    refuses("gravity: [0, 1 s, 0]",
            "a.yaml:2: gravity.1: '1 s' is not allowed: its unit must be m/s2 (or cm/s2)");
    refuses("ratio: 1 m", "a.yaml:2: ratio: '1 m' is not allowed: must be a number without a unit");
    refuses("ratio: 2", "a.yaml:2: ratio: 2 is not allowed: must be > 0 and <= 1");
    refuses_with("fluids: {water: {density: 1, tension: 1.5}}", NULL,
                 "a.yaml:1: fluids.water.tension: 1.5 is not allowed: must be from 0 to 1 N/m");
}

static void refuses_wrong_scalars(void **state)
{
    (void)state;
    refuses("dim: 4", "a.yaml:2: dim: 4 is not allowed: must be from 2 to 3");
    refuses("dim: 2.5", "a.yaml:2: dim: 2.5 is not allowed: must be a whole number from 2 to 3");
    refuses("dim: '2'", "a.yaml:2: dim: '2' is not allowed: must be a whole number from 2 to 3");
    refuses("substeps: 101", "a.yaml:2: substeps: 101 is not allowed: must be from 1 to 100, or 0 "
                             "(as many as stability needs)");
    refuses("closed: yes", "a.yaml:2: closed: 'yes' is not allowed: must be true or false");
    refuses("closed: 1", "a.yaml:2: closed: 1 is not allowed: must be true or false");
    refuses("title: 5", "a.yaml:2: title: 5 is not a text: write it in quotes");
    refuses("title: {}", "a.yaml:2: title: an empty mapping is not allowed: must be a text");
    refuses("title:", "a.yaml:2: title: has no value: must be a text");
    refuses("periodic: x",
            "a.yaml:2: periodic: 'x' is not allowed: must be a list of some of: x, y");
    refuses("periodic: [x, z]", "a.yaml:2: periodic.1: 'z' is not allowed: must be one of: x, y");
    refuses_with("fluids: {water: {density: 1, color: #ff0000\n}}", NULL,
                 "a.yaml:1: fluids.water.color: has no value: must be a colour: \"#rrggbb\" in "
                 "quotes, or a list of 3 or 4 numbers from 0 to 1");
    refuses_with("fluids: {water: {density: 1, color: [0, 2, 0]}}", NULL,
                 "a.yaml:1: fluids.water.color.1: 2 is not allowed: must be from 0 to 1");
}

static void refuses_wrong_lengths(void **state)
{
    (void)state;
    refuses("gravity: [1]", "a.yaml:2: gravity: has 1 number: must have 2 or 3");
    refuses("gravity: [1, 2, 3, 4]", "a.yaml:2: gravity: has 4 numbers: must have 2 or 3");
    refuses("gravity: down",
            "a.yaml:2: gravity: 'down' is not allowed: must be a list of 2 or 3 numbers in m/s2");
    refuses("times: [1, 2, 3, 4, 5]", "a.yaml:2: times: has 5 items: must have at most 4");
    refuses("points: [[1, 2]]", "a.yaml:2: points: has 1 item: must have at least 3");
    refuses("points: [[0, 0], [1, 0], [1, a]]",
            "a.yaml:2: points.2.1: 'a' is not allowed: must be a number in m");
    refuses_with("fluids: {}", NULL, "a.yaml:1: fluids: has 0 items: must have at least 1");
    refuses_with("fluids: {w: {density: 1}}\ngravity: [0, 1]", &(bind_options){.dim = 3},
                 "a.yaml:2: gravity: has 2 numbers: must have 3, as all vectors in 3D");
    refuses_with("fluids: {w: {density: 1}}\ngravity: [0, 1, 0]", &(bind_options){.dim = 2},
                 "a.yaml:2: gravity: has 3 numbers: must have 2, as all vectors in 2D");
}

static void refuses_unknown_keys(void **state)
{
    (void)state;
    refuses_with("fluids:\n  water:\n    density: 1\n    viscocity: 2\n", NULL,
                 "a.yaml:4: fluids.water.viscocity: unknown key; did you mean 'viscosity'? Allowed "
                 "here: density, viscosity, tension, color");
    refuses_with("fluids: {water: {density: 1, mass: 2}}", NULL,
                 "a.yaml:1: fluids.water.mass: unknown key; allowed here: density, viscosity, "
                 "tension, color");
    /* The key's own line, where its value comes from elsewhere. */
    refuses_with("spacing: &s 1\nfluids: {water: {density: *s,\n  tensoin: *s}}", NULL,
                 "a.yaml:3: fluids.water.tensoin: unknown key; did you mean 'tension'? Allowed "
                 "here: density, viscosity, tension, color");
}

static void refuses_missing_keys(void **state)
{
    (void)state;
    refuses_with("title: x\n", NULL,
                 "a.yaml:1: fluids: is missing: must be a mapping of names to mappings with the "
                 "keys density, viscosity, tension, color");
    refuses_with("fluids:\n  water: {}\n", NULL,
                 "a.yaml:2: fluids.water.density: is missing: must be a number > 0 kg/m3");
    refuses_with("fluids:\n  water:\n", NULL,
                 "a.yaml:2: fluids.water: has no value: must be a mapping with the keys density, "
                 "viscosity, tension, color");
    refuses_with("[1, 2]", NULL,
                 "a.yaml:1: a list is not allowed: must be a mapping with the keys title, output, "
                 "mesh, dim, substeps, steps, dt, angle, ratio, spacing, closed, periodic, "
                 "gravity, times, points, tags, fluids, sources, solids, solver");
}

static void refuses_wrong_variants(void **state)
{
    (void)state;
    refuses("solids: [{shape: box}]", "a.yaml:2: solids.0.size: is missing: must be a list of 2 or "
                                      "3 numbers > 0 m");
    refuses("solids: [{shape: box, size: [1, 0]}]",
            "a.yaml:2: solids.0.size.1: 0 is not allowed: must be > 0 m");
    refuses("solids: [{shape: box, radius: 1}]",
            "a.yaml:2: solids.0.radius: is not used here: it needs 'shape' to be 'ball'");
    refuses("solids: [{radius: 1}]",
            "a.yaml:2: solids.0.shape: is missing: must be one of: box, ball, union");
    refuses("solids: [{shpae: box, radius: 1}]",
            "a.yaml:2: solids.0.shpae: unknown key; did you mean 'shape'? Allowed here: shape, "
            "center");
    refuses("solids:\n- shape: union\n  items:\n  - shape: union\n    items: []",
            "a.yaml:6: solids.0.items.0.items: has 0 items: must have at least 1");
    refuses("solver: {method: pbf, stiffness: 1}",
            "a.yaml:2: solver.stiffness: is not used here: it needs 'method' to be 'sph'");
}

static void refuses_wrong_groups(void **state)
{
    (void)state;
    refuses("sources: [{name: tap}]", "a.yaml:2: sources.tap: needs one of the keys: speed, rate");
    refuses("sources:\n- speed: 1\n  rate: 1",
            "a.yaml:4: sources.0.rate: cannot be given together with 'speed'");
}

static void refuses_wrong_names(void **state)
{
    (void)state;
    const char *const names[] = {"12", "a.b", "a b", "'a=b'"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[100];
        bound b;
        weir_error error = {0};
        snprintf(text, sizeof text, "fluids: {%s: {density: 1}}", names[i]);
        assert_false(try_bind(text, NULL, &b, &error));
        assert_non_null(strstr(error.text, "the name is not allowed"));
        tree_free(b.t);
    }
}

static void lets_records_check_themselves(void **state)
{
    (void)state;
    refuses_with("fluids:\n  water:\n    density: 1\n    viscosity: 2\n", NULL,
                 "a.yaml:4: fluids.water.viscosity: 2 is larger than the density");
}

static void reports_overrides_as_such(void **state)
{
    (void)state;
    sample_scene scene;
    weir_error error = {0};
    tree *t = tree_parse(sample_text, strlen(sample_text), "a.yaml", NULL, &error);
    assert_true(tree_set(t, "--set", "fluids.water.density=-5", &error));
    assert_false(record_bind(&sample_scene_record, t->root, &scene, &t->memory, NULL, &error));
    assert_string_equal(error.text,
                        "--set fluids.water.density: -5 is not allowed: must be > 0 kg/m3");
    assert_true(tree_set(t, "--set", "fluids.water.density=5", &error));
    assert_true(tree_set(t, "--set", "sources.tap.rat=5", &error));
    assert_false(record_bind(&sample_scene_record, t->root, &scene, &t->memory, NULL, &error));
    assert_string_equal(error.text, "--set sources.tap.rat: unknown key; did you mean 'rate'? "
                                    "Allowed here: name, speed, rate, nozzle");
    tree_free(t);
}

static void resolves_paths(void **state)
{
    (void)state;
    bound b;
    weir_error error = {0};
    bind_options options = {.folder = "some/where"};
    const char *text = "fluids: {w: {density: 1}}\noutput: out\n";
    assert_true(try_bind(text, &options, &b, &error));
    assert_string_equal(b.scene.output, "some/where/out");
    tree_free(b.t);
    options.folder = "some/";
    assert_true(try_bind(text, &options, &b, &error));
    assert_string_equal(b.scene.output, "some/out");
    tree_free(b.t);
    assert_true(try_bind("fluids: {w: {density: 1}}\noutput: /abs\n", &options, &b, &error));
    assert_string_equal(b.scene.output, "/abs");
    tree_free(b.t);
    options.folder = "/no/such";
    refuses_with("fluids: {w: {density: 1}}\nmesh: bunny.obj\n", &options,
                 "a.yaml:2: mesh: 'bunny.obj' cannot be read: No such file or directory (looked "
                 "for /no/such/bunny.obj)");
    refuses_with("fluids: {w: {density: 1}}\nmesh: /\n", &options,
                 "a.yaml:2: mesh: '/' cannot be read: Is a directory (looked for /)");
    refuses("output: ''", "a.yaml:2: output: '' is not allowed: must be the name of a file");
}

/* With every bound of memory a scene is bound or refused, and nothing else. */
static void survives_without_memory(void **state)
{
    (void)state;
    tree *t = tree_parse(sample_text, strlen(sample_text), "a.yaml", NULL, NULL);
    bool was_bound = false;
    for (size_t limit = 16; limit < 8000; limit += 16) {
        store memory = {.limit = limit};
        sample_scene scene;
        weir_error error = {0};
        bool ok = record_bind(&sample_scene_record, t->root, &scene, &memory, NULL, &error);
        assert_true(ok || error.code == WEIR_OUT_OF_MEMORY);
        assert_true(ok || !was_bound);
        was_bound = ok;
        store_free(&memory);
    }
    assert_true(was_bound);
    tree_free(t);
}

/* The parameters of a method, as weir.h describes them, next to fields of the scene's own. */
static void binds_parameters_of_a_method(void **state)
{
    (void)state;
    static const char *const forms[] = {"symmetric", "mean", NULL};
    static const weir_parameter parameters[] = {
        {"stiffness", "m2/s2", 3, 0, INFINITY, NULL, NULL, "Stiffness."},
        {"form", "1", 1, 0, 1, forms, NULL, "Pressure form."},
        {"sound_speed", "m/s", 0, 1, 1000, NULL, "ten times the fastest flow", "Sound."},
    };
    store memory = {0};
    weir_error error = {0};
    field_table table;
    assert_true(parameters_to_table(parameters, 3, offsetof(weir_world_def, parameters), &memory,
                                    &table, &error));
    const choice methods[] = {{"sph", WEIR_METHOD_SPH, "SPH.", &table}};
    const field own[] = {{"name", FIELD_CHOICE, AT(weir_world_def, method), CHOICES(methods),
                          .meaning = "Its name."}};
    const record r = {"method", sizeof(weir_world_def), TABLES(TABLE(own)), .meaning = "Method."};
    assert_true(record_check(&r, &error));

    const char *text = "{form: symmetric, sound_speed: 36 km/h}";
    tree *t = tree_parse(text, strlen(text), "a.yaml", NULL, &error);
    weir_world_def def;
    assert_true(record_bind(&r, t->root, &def, &memory, NULL, &error));
    assert_true(def.parameters[0] == 3 && def.parameters[1] == 0 && def.parameters[2] == 10);
    tree_set(t, "--set", "form=mean", &error);
    tree_set(t, "--set", "sound_speed=0", &error);
    assert_true(record_bind(&r, t->root, &def, &memory, NULL, &error));
    assert_true(def.parameters[1] == 1 && def.parameters[2] == 0);
    tree_set(t, "--set", "sound_speed=0.5", &error);
    assert_false(record_bind(&r, t->root, &def, &memory, NULL, &error));
    assert_string_equal(error.text, "--set sound_speed: 0.5 is not allowed: must be from 1 to 1000 "
                                    "m/s, or 0 (ten times the fastest flow)");
    tree_free(t);
    store_free(&memory);
}

/* Mistakes in tables are found by record_check. */
static void finds_flaws_of_tables(void **state)
{
    (void)state;
    static const choice choices[] = {{"a", 0, NULL, NULL}};
    const struct {
        field f;
        const char *flaw;
    } cases[] = {
        {{"k", FIELD_NUMBER, AT(sample_scene, dt)}, "has no meaning"},
        {{"k", FIELD_NUMBER, AT(sample_scene, gravity), .meaning = "."}, "another size"},
        {{"k", FIELD_INTEGER, AT(sample_scene, closed), .meaning = "."}, "another size"},
        {{"k", FIELD_CHOICE, AT(sample_scene, dim), .meaning = "."}, "has no choices"},
        {{"k", FIELD_BOOL, AT(sample_scene, closed), CHOICES(choices), .meaning = "."},
         "has no choices, or some that it does not need"},
        {{"k", FIELD_LIST, AT(sample_scene, times), .meaning = "."}, "has no record"},
        {{"k", FIELD_NUMBERS, AT(sample_scene, times),
          .count_offset = offsetof(sample_scene, times), .meaning = "."},
         "needs a count"},
        {{"k", FIELD_NUMBER, AT(sample_scene, dt), INITIAL(sample_scene, dt, 1), .required = true,
          .meaning = "."},
         "can have no default"},
        {{"k", FIELD_NUMBER, AT(sample_scene, dt), INITIAL(sample_scene, dt, -1), .range = ABOVE(0),
          .meaning = "."},
         "out of its range"},
        {{"k", FIELD_NUMBER, AT(sample_scene, dt), .group = 1, .meaning = "."}, "group"},
        {{"k", FIELD_NUMBER, .offset = sizeof(sample_scene), .size = 8, .meaning = "."},
         "outside of its struct"},
        {{"other", FIELD_NUMBER, AT(sample_scene, dt), .meaning = "."}, "is there twice"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_error error = {0};
        const field fields[] = {cases[i].f,
                                {"other", FIELD_NUMBER, AT(sample_scene, dt), .meaning = "."}};
        const record r = {"r", sizeof(sample_scene), TABLES(TABLE(fields)), .meaning = "."};
        assert_false(record_check(&r, &error));
        if (!strstr(error.text, cases[i].flaw))
            print_message("case %zu: %s\n", i, error.text);
        assert_non_null(strstr(error.text, cases[i].flaw));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_sound),
        cmocka_unit_test(reads_every_kind),
        cmocka_unit_test(reads_structs),
        cmocka_unit_test(fills_defaults),
        cmocka_unit_test(reads_shorthands),
        cmocka_unit_test(refuses_wrong_numbers),
        cmocka_unit_test(refuses_wrong_scalars),
        cmocka_unit_test(refuses_wrong_lengths),
        cmocka_unit_test(refuses_unknown_keys),
        cmocka_unit_test(refuses_missing_keys),
        cmocka_unit_test(refuses_wrong_variants),
        cmocka_unit_test(refuses_wrong_groups),
        cmocka_unit_test(refuses_wrong_names),
        cmocka_unit_test(lets_records_check_themselves),
        cmocka_unit_test(reports_overrides_as_such),
        cmocka_unit_test(resolves_paths),
        cmocka_unit_test(survives_without_memory),
        cmocka_unit_test(binds_parameters_of_a_method),
        cmocka_unit_test(finds_flaws_of_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
