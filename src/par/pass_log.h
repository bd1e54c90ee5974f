/* What the passes of a step cost: time, and the work that was counted. A pass is one loop over
 * particles or pairs; the file that has the loop says next to it how much a pair and a particle
 * take, so that `weir bench stages` can set the time beside the limits of the machine. */
#ifndef WEIR_PAR_PASS_LOG_H
#define WEIR_PAR_PASS_LOG_H

#include <stddef.h>

#include "weir/weir.h"

/* Work of a pass. Additions, products and maxima count as one operation each; roots and divisions,
 * which a processor does far fewer of, are counted apart. Bytes are what must come from memory and
 * go there when every array is touched once; what is written counts twice, because it is read
 * first. Numbers named `axis` are per dimension. */
typedef struct pass_work {
    const char *name;
    double pair_flops, pair_axis_flops, pair_roots; /* of a particle and a candidate of its list */
    double candidate_bytes;                         /* of a cluster and a candidate of its list */
    double particle_bytes, particle_axis_bytes;
} pass_work;

/* How often a pass did that. */
typedef struct pass_size {
    int dim;
    size_t particles, candidates, lanes; /* lanes: particles that each candidate is met by */
    double further_bytes;                /* beyond what pass_work says */
} pass_size;

enum { PASS_LOG_MAX = 24 };

typedef struct pass_log {
    weir_pass passes[PASS_LOG_MAX];
    const pass_work *of[PASS_LOG_MAX];
    int count;
} pass_log;

double pass_now(void); /* s, from any start */

/* Adds one run that began at `since`. A log that is full, or NULL, takes nothing. */
void pass_log_add(pass_log *log, const pass_work *work, const pass_size *size, double since);

#endif
