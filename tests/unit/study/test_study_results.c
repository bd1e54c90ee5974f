/* Results measured: numbers of reports, columns, and curves of frames whose values are known; then
 * judgements, orders and the files that a study leaves. */
#include "study/study_result.h"
#include "support/unit.h"
#include "unit/out/scratch.h"

#include "out/file.h"
#include "out/vtp.h"

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(scratch_path(name), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void make_folder(const char *name)
{
    assert_true(file_make_folder(scratch_path(name), NULL));
}

/* -------------------------------------------------------------- a run of known values */

enum { ACROSS = 40, MOST = ACROSS * ACROSS };

/* An ellipse with the semi-axes 2 and 1 about (0.5, 0), turning with 3 rad/s about the origin, with
 * densities that grow downwards. Moves by 0.1 along x. */
static size_t fill_ellipse(float x[2][MOST], float v[2][MOST], float *density, double shift)
{
    size_t count = 0;
    for (int i = 0; i < ACROSS; i++)
        for (int j = 0; j < ACROSS; j++) {
            double a = (2 * (i + 0.5) / ACROSS - 1), b = (2 * (j + 0.5) / ACROSS - 1);
            if (a * a + b * b > 1)
                continue;
            x[0][count] = (float)(0.5 + 2 * a + shift);
            x[1][count] = (float)b;
            v[0][count] = -3 * x[1][count];
            v[1][count] = 3 * x[0][count];
            density[count] = (float)(1000 * (1.2 - 0.1 * b));
            count++;
        }
    return count;
}

static void write_frame(pvd *index, const char *folder, int number, double time)
{
    static float x[2][MOST], v[2][MOST], density[MOST];
    char name[100], path[300];
    frame_field fields[] = {{"velocity", FRAME_F32, 3, {v[0], v[1], NULL}},
                            {"density", FRAME_F32, 1, {density}}};
    frame f = {.dim = 2,
               .time = time,
               .count = fill_ellipse(x, v, density, 0.1 * number),
               .x = {x[0], x[1]},
               .field_count = 2,
               .fields = fields};
    snprintf(name, sizeof name, "particles_%d.vtp", number);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_true(vtp_write(path, &f, 1, NULL));
    assert_true(pvd_add(index, time, name, NULL));
}

static void write_bodies(pvd *index, const char *folder, int number, double time)
{
    char name[100], path[300];
    frame_body bodies[] = {
        {"tank", {{0, 0, 0}, {0, 0, 0, 1}}, {0, 0, 0}, {0, 0, 0}},
        {"box", {{1, 5 * time * time, 0}, {0, 0, 0, 1}}, {0, 10 * time, 0}, {0, 0, 2}}};
    frame f = {.dim = 2, .time = time, .body_count = 2, .bodies = bodies};
    snprintf(name, sizeof name, "solids_%d.vtp", number);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_true(vtp_write_bodies(path, &f, NULL));
    assert_true(pvd_add(index, time, name, NULL));
}

static void write_run(const char *name, double spacing)
{
    char path[90], text[1000];
    pvd particles, bodies;
    make_folder(name);
    snprintf(path, sizeof path, "%s/report.json", name);
    snprintf(text, sizeof text,
             "{\"status\": \"finished\", \"dim\": 2, \"kernel_radius\": %g, \"mass\": 2000, "
             "\"volume\": 2, \"particles\": 7, \"wall_s\": 0.5, \"simulated_s\": 0.2, "
             "\"hash\": \"00ff\", \"volume_error\": %.17g, \"iterations\": null, "
             "\"bodies\": [{\"name\": \"box\", \"centre\": [1, 2, 3]}]}",
             0.12, 5 * spacing * spacing);
    write_text(path, text);
    snprintf(path, sizeof path, "%s/statistics.csv", name);
    write_text(path, "time,kinetic_energy\n0,4\n0.1,3\n0.2,1\n");
    snprintf(path, sizeof path, "%s/particles.pvd", name);
    assert_true(pvd_open(&particles, scratch_path(path), -INFINITY, NULL));
    snprintf(path, sizeof path, "%s/solids.pvd", name);
    assert_true(pvd_open(&bodies, scratch_path(path), -INFINITY, NULL));
    for (int k = 0; k < 3; k++) {
        write_frame(&particles, scratch_path(name), k, 0.1 * k);
        write_bodies(&bodies, scratch_path(name), k, 0.1 * k);
    }
    pvd_close(&particles);
    pvd_close(&bodies);
}

static study_points take(const study_run *run, study_curve c, store *kept)
{
    study_points p;
    weir_error error = {0};
    c.x_scale = c.x_scale == 0 ? 1 : c.x_scale;
    c.y_scale = c.y_scale == 0 ? 1 : c.y_scale;
    if (c.from == 0 && c.to == 0)
        c.from = c.to = NAN;
    if (!study_curve_take(&c, run, &p, kept, &error))
        fail_msg("%s", error.text);
    return p;
}

static double moment(const study_run *run, store *kept, study_quantity quantity)
{
    return take(run, (study_curve){.kind = STUDY_MOMENT, .quantity = (int)quantity}, kept).y[2];
}

static void curves_of_frames(void **state)
{
    (void)state;
    study_run run;
    store kept = {0};
    write_run("run", 0.1);
    assert_true(study_run_open(&run, scratch_path("run"), NULL));

    /* The last frame lies 0.2 to the right. */
    assert_near(moment(&run, &kept, STUDY_CENTRE_X), 0.7, 1e-6);
    assert_near(moment(&run, &kept, STUDY_SEMI_AXIS_X), 2, 0.01);
    assert_near(moment(&run, &kept, STUDY_SEMI_AXIS_Y), 1, 0.005);
    /* ω times the mean of x² + y², about the origin. */
    double square = 0.7 * 0.7 + (4 + 1) / 4.0;
    assert_near(moment(&run, &kept, STUDY_ANGULAR_MOMENTUM), 3 * square, 0.04);
    assert_near(moment(&run, &kept, STUDY_KINETIC_ENERGY), 4.5 * square, 0.06);

    /* The mean of cos(k x) over an ellipse about c with the semi-axis a: cos(k c) 2 J1(k a)/(k a).
     */
    study_points p =
        take(&run, (study_curve){.kind = STUDY_MOMENT, .quantity = STUDY_WAVE_X, .wavelength = 8},
             &kept);
    double k = 2 * acos(-1) / 8;
    assert_near(p.y[2], cos(0.7 * k) * 2 * j1(2 * k) / (2 * k), 0.002);

    p = take(&run, (study_curve){.kind = STUDY_EXTENT, .along = STUDY_X, .side = 1}, &kept);
    assert_int_equal(p.count, 3);
    assert_near(p.y[0], 2.45, 1e-5);
    assert_near(p.y[2] - p.y[0], 0.2, 1e-5);
    weir_vec3 corners[] = {{-9, -0.1, 0}, {0.5, 0.1, 0}};
    p = take(&run,
             (study_curve){.kind = STUDY_EXTENT,
                           .along = STUDY_X,
                           .side = 1,
                           .within = corners,
                           .within_count = 2},
             &kept);
    assert_between(p.y[0], 0.4, 0.5);

    p = take(&run,
             (study_curve){
                 .kind = STUDY_PROFILE, .quantity = STUDY_DENSITY, .along = STUDY_Y, .bins = 10},
             &kept);
    assert_int_equal(p.count, 10);
    for (size_t n = 0; n < p.count; n++)
        assert_near(p.y[n], 1.2 - 0.1 * p.x[n], 1e-5);

    p = take(&run, (study_curve){.kind = STUDY_BODY, .body = "box", .quantity = STUDY_VY}, &kept);
    assert_near(p.y[2], 2, 1e-12);
    p = take(&run, (study_curve){.kind = STUDY_BODY, .body = "box", .quantity = STUDY_SPIN}, &kept);
    assert_near(p.y[0], 2, 1e-12);
    store_free(&kept);
    study_run_close(&run);
}

/* The kinetic energy falls from 3 to 1 between 0.1 and 0.2 s: it passes 2 at 0.15 s. */
static void a_curve_is_tied_to_a_point(void **state)
{
    (void)state;
    study_run run;
    store kept = {0};
    write_run("run", 0.1);
    assert_true(study_run_open(&run, scratch_path("run"), NULL));
    weir_vec3 at_two = {1, 2, 0}, never = {1, 9, 0};
    study_curve c = {
        .kind = STUDY_STATISTICS, .column = "kinetic_energy", .tie = &at_two, .tie_count = 1};
    study_points p = take(&run, c, &kept);
    assert_near(p.x[0], 0.85, 1e-12);
    assert_near(study_points_at(&p, 1), 2, 1e-12);
    c.tie = &never;
    p = take(&run, c, &kept);
    assert_near(p.x[0], 0, 0);
    store_free(&kept);
    study_run_close(&run);
}

/* Particles 0.1 and 0.05 apart: within 0.12 of an inner one are two along x and four along y. */
static void neighbours_are_counted(void **state)
{
    (void)state;
    study_run run;
    store kept = {0};
    write_run("run", 0.1);
    assert_true(study_run_open(&run, scratch_path("run"), NULL));
    weir_vec3 middle[] = {{0.2, -0.5, 0}, {1.2, 0.5, 0}};
    study_points p = take(&run,
                          (study_curve){.kind = STUDY_PROFILE,
                                        .quantity = STUDY_NEIGHBOURS,
                                        .along = STUDY_X,
                                        .bins = 1,
                                        .within = middle,
                                        .within_count = 2},
                          &kept);
    /* (±0.1, 0), (0, ±0.05), (0, ±0.1) and (±0.1, ±0.05) are nearer than 0.12. */
    assert_near(p.y[0], 10, 1e-6);
    store_free(&kept);
    study_run_close(&run);
}

static void numbers_of_the_report(void **state)
{
    (void)state;
    study_run run;
    weir_error error = {0};
    write_run("run", 0.1);
    assert_true(study_run_open(&run, scratch_path("run"), NULL));
    assert_near(study_run_number(&run, "bodies.box.centre.1"), 2, 0);
    assert_near(study_run_number(&run, "bodies.0.centre.2"), 3, 0);
    assert_true(isnan(study_run_number(&run, "iterations.total")));
    assert_true(isnan(study_run_number(&run, "bodies.ball.centre")));
    assert_string_equal(study_run_text(&run, "hash"), "00ff");
    study_points p;
    store kept = {0};
    study_curve missing = {.kind = STUDY_STATISTICS, .column = "nothing", .from = NAN, .to = NAN};
    assert_false(study_curve_take(&missing, &run, &p, &kept, &error));
    assert_error(error, WEIR_NOT_FOUND, "no column 'nothing'");
    study_curve ghost = {.kind = STUDY_BODY, .body = "ghost", .from = NAN, .to = NAN};
    assert_false(study_curve_take(&ghost, &run, &p, &kept, &error));
    assert_error(error, WEIR_NOT_FOUND, "no body 'ghost'");
    store_free(&kept);
    study_run_close(&run);
    assert_false(study_run_open(&run, scratch_path("nowhere"), &error));
}

/* ------------------------------------------------------------------------ judgements */

static const char study_text[] =
    "title: Test <of> & it\nquestion: What?\nscene: scene.yaml\nmethods: [sph, pbf, constraint]\n"
    "axes:\n  - {name: spacing, unit: m, key: spacing, values: [20 cm, 10 cm]}\n"
    "unable:\n  - {where: [constraint], reason: it cannot}\n"
    "curves: {energy: {kind: statistics, column: kinetic_energy, over: first}}\n"
    "measures:\n"
    "  error: {report: volume_error, order: spacing, expect: [{where: [sph], at_most: 0.1, "
    "source: S}]}\n"
    "  lost: {curve: energy, take: last, expect: [{value: 0.25, tolerance: 0.01, source: S}]}\n"
    "  only: {report: volume_error, where: [pbf, 20 cm], order: spacing, expect: [{at_most: 1, "
    "source: S}]}\n"
    "findings:\n"
    "  - {claim: fine is better, measure: error, of: [10 cm], over: [20 cm], at_most: 0.5, source: "
    "S}\n"
    "  - {claim: it is small, measure: error, of: [sph], at_most: 0.001, source: S}\n"
    "plots: [{title: Energy, curve: energy}, {title: Order, measure: error, against: spacing, "
    "log_x: true}]\n"
    "follows: >-\n  So it is.\n";

static study *load_study(void)
{
    weir_error error = {0};
    write_text("scene.yaml", "dim: 2\nspacing: 0.1\nfluids: {water: water}\n");
    write_text("study.yaml", study_text);
    study *s = study_load(scratch_path("study.yaml"), false, &error);
    if (!s)
        fail_msg("%s", error.text);
    return s;
}

/* sph is done at both spacings, pbf at one: the other failed. */
static void evaluate(study_results *r, const study *s)
{
    static const study_outcome outcomes[6] = {
        {STUDY_DONE, NULL},         {STUDY_DONE, NULL},          {STUDY_DONE, NULL},
        {STUDY_FAILED, "it broke"}, {STUDY_UNABLE, "it cannot"}, {STUDY_UNABLE, "it cannot"}};
    weir_error error = {0};
    make_folder("results");
    write_run("results/sph_20-cm", 0.2);
    write_run("results/sph_10-cm", 0.1);
    write_run("results/pbf_20-cm", 0.2);
    if (!study_evaluate(r, s, scratch_path("results"), outcomes, &error))
        fail_msg("%s", error.text);
}

static void expectations_findings_and_orders(void **state)
{
    (void)state;
    study *s = load_study();
    study_results r;
    evaluate(&r, s);
    assert_int_equal(r.done_count, 3);
    assert_int_equal(r.failed_count, 1);
    assert_int_equal(r.unable_count, 2);
    /* error: sph at 0.2 is 0.2, too much; at 0.1 it is 0.05. lost: 1/4, and of the case that failed
     * nothing, which does not pass. */
    assert_int_equal(r.check_count, 7);
    assert_false(r.checks[0].passed);
    assert_true(r.checks[1].passed);
    assert_true(r.checks[2].passed && r.checks[3].passed && r.checks[4].passed);
    assert_near(r.checks[2].error, 0, 1e-12);
    assert_false(r.checks[5].passed);
    /* only: one case has it. */
    assert_true(r.checks[6].passed && r.checks[6].of_case == 2);
    assert_true(isnan(r.cases[0].values[2]) && isfinite(r.cases[2].values[2]));
    assert_int_equal(r.passed_count, 5);
    study_tally lost_by_pbf = study_count(&r, 1, 1);
    assert_int_equal(lost_by_pbf.count, 2);
    assert_int_equal(lost_by_pbf.passed, 1);
    /* The error goes with the square of the spacing. */
    assert_int_equal(r.order_count, 3);
    assert_string_equal(r.orders[0].name, "sph");
    assert_near(r.orders[0].order, 2, 1e-9);
    assert_true(isnan(r.orders[1].order));
    assert_int_equal(r.claim_count, 2);
    assert_near(r.claims[0].value, 0.25, 1e-12);
    assert_true(r.claims[0].passed);
    assert_false(r.claims[1].passed);
    study_results_free(&r);
    study_free(s);
}

static char *read_text(const char *name)
{
    size_t size;
    char *text = file_read(scratch_path(name), &size, NULL);
    assert_non_null(text);
    return text;
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("the file lacks \"%s\"", part);
}

static void files_of_a_study(void **state)
{
    (void)state;
    study *s = load_study();
    study_results r;
    study_stamp stamp = {.date = "2000-01-01", .version = "1", .program = "ab", .cpu = "a <CPU>"};
    weir_error error = {0};
    evaluate(&r, s);
    const char *missing = NULL;
    assert_true(study_write_csv(&r, scratch_path("results/results.csv"), &error));
    assert_true(study_write_json(&r, &stamp, scratch_path("results/results.json"), &error));
    assert_true(study_write_plots(&r, scratch_path("results"), &missing, &error));
    assert_true(study_write_html(&r, &stamp, scratch_path("results"), missing, &error));

    char *csv = read_text("results/results.csv");
    has(csv, "case,method,spacing,state,particles,wall_s,error,lost,only\n");
    has(csv, "\"sph, 10 cm\",\"sph\",\"10 cm\",done,7,0.5,0.05,0.25,\n");
    has(csv, "\"pbf, 10 cm\",\"pbf\",\"10 cm\",failed,,,,,\n");
    tree *parsed = tree_load(scratch_path("results/results.json"), NULL, &error);
    assert_non_null(parsed);
    assert_int_equal(node_find(parsed->root, "cases")->count, 6);
    assert_int_equal(node_find(parsed->root, "expectations")->count, 7);
    char *html = read_text("results/report.html");
    has(html, "Test &lt;of&gt; &amp; it");
    has(html, "a &lt;CPU&gt;");
    has(html, "falls short");
    has(html, "it broke");
    has(html, "it cannot");
    has(html, "At a glance");
    has(html, "So it is.");
    assert_null(strstr(html, "src=\"http"));

    char *page = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&page, &length);
    study_write_markdown(&r, out);
    fclose(out);
    has(page, "## Test <of> & it");
    has(page, "5 of 7 expectations met, 1 of 2 findings come out");
    has(page, "| sph | 2.00 | 2 |");
    has(page, "- failed: pbf, 10 cm: it broke");
    has(page, "- not possible: constraint, 20 cm; constraint, 10 cm: it cannot");
    has(page, "| lost | 2 of 2 | 1 of 2 | - |");
    free(page);
    free(html);
    free(csv);
    tree_free(parsed);
    study_results_free(&r);
    study_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_of_frames),      cmocka_unit_test(neighbours_are_counted),
        cmocka_unit_test(numbers_of_the_report), cmocka_unit_test(expectations_findings_and_orders),
        cmocka_unit_test(files_of_a_study),      cmocka_unit_test(a_curve_is_tied_to_a_point),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
