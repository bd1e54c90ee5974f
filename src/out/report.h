/* The report of a run: what report.json says. docs/report.md explains every key. */
#ifndef WEIR_OUT_REPORT_H
#define WEIR_OUT_REPORT_H

#include "base/json.h"
#include "scene/scene.h"

typedef struct report {
    const scene *scene;
    weir_world *world;
    const char *status;  /* "finished", "interrupted", "failed" */
    const char *failure; /* why it failed; NULL */
    int threads;
    const char *simd;
    double dt;           /* s, of a step */
    double wall;         /* s that the steps took, those before a resume included */
    double wall_here;    /* s that the steps of this process took */
    uint64_t steps_here; /* of this process */
    uint64_t substeps_here;
    double initial_energy; /* J */
    weir_step_limit limit;
    const char *resumed_from; /* NULL */
    const char *const *warnings;
    size_t warning_count;
} report;

void report_write(json *j, const report *r);

#endif
