/* The results of one run, opened to be measured: report.json, the CSV files and the frames. */
#ifndef WEIR_STUDY_STUDY_RUN_H
#define WEIR_STUDY_STUDY_RUN_H

#include "out/pvd.h"
#include "out/read_csv.h"
#include "out/read_frame.h"
#include "study/study.h"

typedef struct study_run {
    char *folder;
    tree *report;
    read_csv statistics, probes; /* without columns where there is no such file */
    pvd particles, bodies;       /* empty where there are no frames */
    int dim;
    double kernel_radius, rest_density, end;
} study_run;

/* Zero it before the first use. On failure there is nothing to close. */
bool study_run_open(study_run *r, const char *folder, weir_error *error);
void study_run_close(study_run *r);

/* A number of the report by its path, as "density.compression_max", "bodies.box.centre.1": items of
 * a list by their index or their `name`. NAN where there is none. */
double study_run_number(const study_run *r, const char *path);
/* The same for a text; NULL where there is none. */
const char *study_run_text(const study_run *r, const char *path);

/* Points of a curve, in memory of `kept`. */
typedef struct study_points {
    double *x, *y;
    size_t count, capacity;
} study_points;

bool study_points_add(study_points *p, store *kept, double x, double y, weir_error *error);
/* y at x by straight lines; NAN outside. The points are in the order of x. */
double study_points_at(const study_points *p, double x);

/* The points of a curve: scaled, within its span of time. */
bool study_curve_take(const study_curve *c, const study_run *r, study_points *out, store *kept,
                      weir_error *error);

/* study_particles.c: curves that are taken from frames, not yet scaled. */
bool study_take_frames(const study_curve *c, const study_run *r, study_points *out, store *kept,
                       weir_error *error);

/* A curve as one number; NAN where it has none. `reference` may be NULL. */
double study_reduce(const study_measure *m, const study_points *p,
                    const study_reference *reference);

#endif
