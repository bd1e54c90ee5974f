/* Study files: cases, rules, what is refused; and curves turned into numbers. */
#include "study/study_result.h"
#include "support/unit.h"
#include "unit/out/scratch.h"

static const double PI = 3.14159265358979323846;

static const char scene_text[] = "dim: 2\nspacing: 0.1\nfluids: {water: water}\n";

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(scratch_path(name), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Writes the scene and the study beside each other. */
static const char *write_study(const char *text)
{
    write_text("scene.yaml", scene_text);
    write_text("study.yaml", text);
    return scratch_path("study.yaml");
}

static study *load(const char *text, bool quick)
{
    weir_error error = {0};
    study *loaded = study_load(write_study(text), quick, &error);
    if (!loaded)
        print_error("%s\n", error.text);
    assert_non_null(loaded);
    return loaded;
}

static void refuse(const char *text, const char *part)
{
    weir_error error = {0};
    assert_null(study_load(write_study(text), false, &error));
    if (!strstr(error.text, part))
        fail_msg("\"%s\" does not mention \"%s\"", error.text, part);
}

#define HEAD "title: T\nquestion: Q\nscene: scene.yaml\n"
#define AXES                                                                                       \
    "methods: [sph, pbf]\naxes:\n  - {name: spacing, key: spacing, unit: m, values: "              \
    "[2 cm, {name: 1 cm, quick: false}]}\n"

static void the_tables_are_sound(void **state)
{
    (void)state;
    weir_error error = {0};
    if (!record_check(study_record(), &error))
        fail_msg("%s", error.text);
}

static void cases_are_all_combinations(void **state)
{
    (void)state;
    study *s = load(HEAD AXES "set: [seed=1]\nquick: [seed=2]\nadjust:\n"
                              "  - {where: [pbf, 1 cm], set: [time.end=3]}\nunable:\n"
                              "  - {where: [sph, 2 cm], reason: too coarse}\n",
                    false);
    assert_int_equal(s->case_count, 4);
    assert_string_equal(s->cases[0].name, "sph, 2 cm");
    assert_string_equal(s->cases[0].folder, "sph_2-cm");
    assert_string_equal(s->cases[0].unable, "too coarse");
    assert_string_equal(s->cases[3].method, "pbf");
    assert_null(s->cases[3].unable);
    assert_int_equal(s->cases[3].set_count, 3);
    assert_string_equal(s->cases[3].set[0], "seed=1");
    assert_string_equal(s->cases[3].set[1], "spacing=1 cm");
    assert_string_equal(s->cases[3].set[2], "time.end=3");
    assert_near(study_value(s, 1, 1), 0.01, 1e-15);
    study_free(s);
}

static void a_quick_study_is_smaller(void **state)
{
    (void)state;
    study *s = load(HEAD AXES "quick: [seed=2]\n", true);
    assert_int_equal(s->case_count, 2);
    assert_string_equal(s->cases[1].set[0], "seed=2");
    study_free(s);
}

static void fingerprints_tell_settings_apart(void **state)
{
    (void)state;
    study *s = load(HEAD AXES, false);
    uint64_t a, b, again, other;
    assert_true(study_fingerprint(&s->cases[0], 1, &a, NULL));
    assert_true(study_fingerprint(&s->cases[1], 1, &b, NULL));
    assert_true(study_fingerprint(&s->cases[0], 1, &again, NULL));
    assert_true(study_fingerprint(&s->cases[0], 2, &other, NULL));
    assert_true(a == again && a != b && a != other);
    study_free(s);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    refuse("title: T\nquestion: Q\nmethods: [sph]\n", "scene: is missing");
    refuse(HEAD "mehods: [sph]\n", "did you mean 'methods'");
    refuse(HEAD AXES "unable: [{where: [spf], reason: x}]\n",
           "'spf' is not allowed: there is no method or value");
    refuse(HEAD "measures: {m: {curve: c, take: last}}\n", "there is no curve");
    refuse(HEAD "measures: {m: {unit: s}}\n", "needs one of the keys: report, curve");
    refuse(HEAD "curves: {c: {kind: probe, column: a}}\nmeasures: {m: {curve: c, take: at}}\n",
           "take: at needs it");
    refuse(HEAD "curves: {c: {kind: probe}}\n", "column: is missing");
    refuse(HEAD "measures: {m: {report: a, expect: [{value: 1, source: x}]}}\n",
           "tolerance: is missing");
    refuse(HEAD "plots: [{title: t, measure: m}]\n", "against");
    refuse(HEAD "axes: [{name: a, values: [x, x]}]\n", "two cases are named 'x'");
    refuse(HEAD "curves: {c: {kind: moment, quantity: wave_x}}\n", "wavelength: is missing");
    refuse(HEAD AXES "measures: {m: {report: a, where: [spf]}}\n",
           "'spf' is not allowed: there is no method or value");
    refuse(HEAD "curves: {c: {kind: extent, axis: y, tie: [[1, 2], [3, 4]]}}\n", "tie");
    refuse(HEAD "axes: [{name: a, values: []}]\n", "values");
    refuse(HEAD "timed: perhaps\n", "study.yaml:4: timed: 'perhaps' is not");
    refuse(HEAD "curves: {c: {kind: guess}}\n", "must be one of: statistics, probe, body");
    refuse(HEAD "title: again\n", "title");
    refuse("- a\n- b\n", "study.yaml:1");
    refuse("title: [\n", "study.yaml:");
}

/* ------------------------------------------------------------------ reductions */

enum { POINTS = 400 };

static double reduce(study_measure m, const study_points *p, const study_reference *r)
{
    m.scale = m.scale == 0 ? 1 : m.scale;
    if (m.from == 0 && m.to == 0)
        m.from = m.to = NAN;
    return study_reduce(&m, p, r);
}

static void numbers_of_a_parabola(void **state)
{
    (void)state;
    double x[5] = {0, 1, 2, 4, 5}, y[5];
    for (int k = 0; k < 5; k++)
        y[k] = 1 + 2 * x[k] + 3 * x[k] * x[k];
    study_points p = {.x = x, .y = y, .count = 5};
    assert_near(reduce((study_measure){.reduction = STUDY_LAST}, &p, NULL), 86, 1e-12);
    assert_near(reduce((study_measure){.reduction = STUDY_CHANGE}, &p, NULL), 85, 1e-12);
    assert_near(reduce((study_measure){.reduction = STUDY_RANGE}, &p, NULL), 85, 1e-12);
    assert_near(reduce((study_measure){.reduction = STUDY_CURVATURE}, &p, NULL), 6, 1e-9);
    assert_near(reduce((study_measure){.reduction = STUDY_AT, .at = 0.5}, &p, NULL), 3.5, 1e-12);
    assert_near(reduce((study_measure){.reduction = STUDY_CROSSING, .level = 3.5}, &p, NULL), 0.5,
                1e-12);
    assert_near(reduce((study_measure){.reduction = STUDY_MAX, .from = 0.5, .to = 2.5}, &p, NULL),
                17, 1e-12);
    assert_near(
        reduce((study_measure){.reduction = STUDY_FIRST, .offset = -3, .scale = 2}, &p, NULL), -4,
        1e-12);
    assert_true(isnan(reduce((study_measure){.reduction = STUDY_CROSSING, .level = 99}, &p, NULL)));
    study_points none = {0};
    assert_true(isnan(reduce((study_measure){.reduction = STUDY_MEAN}, &none, NULL)));
}

static void slope_of_a_line(void **state)
{
    (void)state;
    double x[3] = {0, 1, 3}, y[3] = {5, 3, -1};
    study_points p = {.x = x, .y = y, .count = 3};
    assert_near(reduce((study_measure){.reduction = STUDY_SLOPE}, &p, NULL), -2, 1e-12);
    assert_near(reduce((study_measure){.reduction = STUDY_MEAN}, &p, NULL), 7 / 3.0, 1e-12);
}

/* A wave of 0.8 s that loses a tenth of its amplitude in a period, with noise. */
static void period_and_decay_of_a_wave(void **state)
{
    (void)state;
    double x[POINTS], y[POINTS];
    for (int k = 0; k < POINTS; k++) {
        x[k] = 0.01 * k;
        y[k] = 7 + pow(0.9, x[k] / 0.8) * cos(2 * PI * x[k] / 0.8) + 0.01 * (k % 2);
    }
    study_points p = {.x = x, .y = y, .count = POINTS};
    assert_near(reduce((study_measure){.reduction = STUDY_PERIOD}, &p, NULL), 0.8, 0.01);
    assert_near(reduce((study_measure){.reduction = STUDY_DECAY}, &p, NULL), 0.1, 0.01);
    study_points short_part = {.x = x, .y = y, .count = 60};
    assert_true(isnan(reduce((study_measure){.reduction = STUDY_PERIOD}, &short_part, NULL)));
}

static void errors_against_a_reference(void **state)
{
    (void)state;
    double x[3] = {0, 1, 2}, y[3] = {0, 1, 2};
    weir_vec3 points[] = {{0.5, 0.6, 0}, {1.5, 1.2, 0}, {5, 0, 0}};
    study_points p = {.x = x, .y = y, .count = 3};
    study_reference r = {.points = points, .point_count = 3};
    study_measure m = {.reduction = STUDY_MAX_ERROR};
    assert_near(reduce(m, &p, &r), 0.3, 1e-12);
    m.reduction = STUDY_RMS_ERROR;
    assert_near(reduce(m, &p, &r), sqrt((0.01 + 0.09) / 2), 1e-12);
    m.to = 1;
    assert_near(reduce(m, &p, &r), 0.1, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tables_are_sound),
        cmocka_unit_test(cases_are_all_combinations),
        cmocka_unit_test(a_quick_study_is_smaller),
        cmocka_unit_test(fingerprints_tell_settings_apart),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(numbers_of_a_parabola),
        cmocka_unit_test(slope_of_a_line),
        cmocka_unit_test(period_and_decay_of_a_wave),
        cmocka_unit_test(errors_against_a_reference),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
