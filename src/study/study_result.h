/* What a study found: numbers and curves of every case, and what they say. */
#ifndef WEIR_STUDY_STUDY_RESULT_H
#define WEIR_STUDY_STUDY_RESULT_H

#include "study/study_run.h"

#include <stdio.h>

typedef enum study_state {
    STUDY_NOT_RUN, /* yet */
    STUDY_DONE,
    STUDY_FAILED,
    STUDY_UNABLE,
} study_state;

/* How a case went, as the program that ran it says. */
typedef struct study_outcome {
    study_state state;
    const char *message; /* why it failed or is not run; NULL */
} study_outcome;

typedef struct study_case_result {
    study_state state;
    const char *message;
    const char *hash; /* of its last state; NULL */
    double wall;      /* s */
    double particles;
    double *values;       /* one per measure; NAN where there is none */
    study_points *curves; /* one per curve */
    const char *problem;  /* of measuring it; NULL */
} study_case_result;

/* One expectation, of one case. */
typedef struct study_check {
    size_t measure, of_case;
    const study_expectation *expectation;
    double measured;
    double error; /* share of the expected value, or the difference; NAN for bounds */
    bool passed;
} study_check;

typedef struct study_claim {
    const study_finding *finding;
    double value;
    bool known, passed; /* known: all the cases that it needs are there */
} study_claim;

/* The order at which a measure's error falls along an axis, of the cases that differ in it only. */
typedef struct study_order {
    size_t measure, of_case; /* the first of them */
    const char *name;        /* of the rest: "sph" */
    double order;
    size_t points;
} study_order;

typedef struct study_results {
    const study *s;
    store kept;
    study_case_result *cases;
    study_check *checks;
    size_t check_count, passed_count;
    study_claim *claims; /* of the findings that this study has cases for */
    size_t claim_count, claims_passed;
    study_order *orders;
    size_t order_count;
    size_t done_count, failed_count, unable_count;
} study_results;

/* Measures every case that is done, in `folder`. `outcomes` has one entry per case. A case that
 * cannot be measured says so; only memory that runs out fails. */
bool study_evaluate(study_results *r, const study *s, const char *folder,
                    const study_outcome *outcomes, weir_error *error);
void study_results_free(study_results *r);

/* The distance of a measure from what is expected of this case; its size where nothing is. */
double study_error_of(const study_results *r, size_t measure, size_t of_case);

/* The name of a case without one axis: "sph, 2 cm" without the spacing is "sph". */
const char *study_rest_name(study_results *r, const study_case *c, size_t axis);

/* Expectations of one measure, of the cases with one value of the first axis. */
typedef struct study_tally {
    size_t passed, count;
} study_tally;
study_tally study_count(const study_results *r, size_t measure, size_t variant);
/* Whether anything is expected of it, of the cases that there are. */
bool study_is_judged(const study_results *r, size_t measure);
/* Whether a table of measures by values of the first axis says more than the sum of all. */
bool study_has_glance(const study_results *r);

/* What the reports say of the program and the machine. */
typedef struct study_stamp {
    char date[32], version[32], program[20], cpu[120];
    int cores;
} study_stamp;

/* Files. A picture is a file of the folder, already drawn; NULL where that failed. */
bool study_write_csv(const study_results *r, const char *path, weir_error *error);
bool study_write_json(const study_results *r, const study_stamp *stamp, const char *path,
                      weir_error *error);
/* Draws plot-1.svg, ... into the folder; what cannot be drawn is said in *missing, kept by `r`. */
bool study_write_plots(study_results *r, const char *folder, const char **missing,
                       weir_error *error);
bool study_write_html(const study_results *r, const study_stamp *stamp, const char *folder,
                      const char *missing, weir_error *error);
/* Appends the study as a section of a Markdown page. */
void study_write_markdown(const study_results *r, FILE *out);

/* Numbers as tables show them: four digits, "-" for none. */
enum { STUDY_NUMBER = 32 };
const char *study_show(double value, char text[STUDY_NUMBER]);
/* What an expectation allows: "0.5 ± 1 %", "at most 0.02". */
enum { STUDY_ALLOWED = 120 };
const char *study_show_expected(const study_expectation *e, char text[STUDY_ALLOWED]);
const char *study_label(const study_measure *m, char text[STUDY_ALLOWED]);

#endif
