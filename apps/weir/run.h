/* One run of a scene: what cmd_run.c and the run_*.c files share. */
#ifndef WEIR_APP_RUN_H
#define WEIR_APP_RUN_H

#include "load.h"
#include "surface_file.h"

#include "out/checkpoint.h"
#include "out/csv.h"
#include "out/pvd.h"

typedef struct run_options {
    arguments arguments;
    load_options load;
    int64_t steps;
    const char *out, *report, *resume, *mesh;
    double checkpoint_every;
    bool quiet, json;
} run_options;

/* Frames with their indices (run_output.c), probes and statistics (run_series.c). */
typedef struct run_output {
    const char *folder;
    bool has_probes, has_statistics, has_index, has_bodies, has_contacts;
    csv probes, statistics;
    double next_statistics; /* s, when the next row is due */
    pvd particles, bodies, contacts;
    bool has_meshes;
    surface_format mesh;
    float *rest_density; /* scratch for the first frame */
} run_output;

/* The progress line (run_progress.c). */
typedef struct run_progress {
    bool quiet, on_terminal, shown;
    double begun, last; /* s of the clock */
    double time_begun;  /* s simulated when this process began */
} run_progress;

enum { RUN_MAX_WARNINGS = 16, RUN_WARNING_BYTES = 400 };

typedef struct run {
    const run_options *options;
    scene *s;
    weir_world *world;
    scene_counts counts;
    uint64_t fingerprint;
    char *folder, *checkpoint_path, *report_path;
    uint64_t last_step;  /* the run ends with it */
    uint64_t done;       /* steps since the start of the scene */
    uint64_t first_step; /* steps that were done before this process */
    uint64_t first_substep;
    checkpoint_run clock;
    double wall_here;       /* s that the steps of this process took */
    double next_checkpoint; /* s simulated */
    double checkpoint_time; /* s simulated, of the last checkpoint; < 0: there is none */
    run_output output;
    run_progress progress;
    const char *status;
    char failure[1100];
    char warning_texts[RUN_MAX_WARNINGS][RUN_WARNING_BYTES];
    const char *warnings[RUN_MAX_WARNINGS];
    size_t warning_count;
} run;

double run_now(void); /* s, of a clock that never goes back */
void run_warn(run *r, const char *format, ...) WEIR_PRINTF(2, 3);

/* run_output.c: `resume_time` is -INFINITY for a new run. */
bool run_output_open(run *r, double resume_time, weir_error *error);
bool run_output_step(run *r, weir_error *error); /* what is due now */
bool run_output_close(run *r, weir_error *error);
void run_output_free(run *r);

/* run_contacts.c: the contacts of now as frame `number`. */
bool run_contacts_write(run *r, double time, const char *number, weir_error *error);

/* run_series.c: the same for probes.csv and statistics.csv. */
bool run_series_open(run *r, double resume_time, weir_error *error);
bool run_series_step(run *r, double time, weir_error *error);
bool run_series_close(run *r, weir_error *error);
/* The first multiple of `every` after `time`, or the next step where `every` is 0. */
double run_next_due(double time, double every);
bool run_is_due(double time, double due, double every);

/* run_progress.c */
void run_progress_begin(run *r);
void run_progress_step(run *r);
void run_progress_end(run *r);

/* run_loop.c: steps until the end, a signal or a failure. Returns the exit code. */
int run_loop(run *r);

/* run_summary.c */
bool run_write_report(run *r, weir_error *error); /* file, or stdout with --json */
void run_print_summary(run *r);
void run_print_resume(const run *r, int argc, char **argv);

#endif
