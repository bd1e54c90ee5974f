/* Time series of probes as CSV (RFC 4180): a header, then one row per moment, first its time. Each
 * row is handed to the system as soon as it is complete, so that the file can be watched and an
 * interrupted run loses nothing. */
#ifndef WEIR_OUT_CSV_H
#define WEIR_OUT_CSV_H

#include "base/error.h"

typedef struct csv {
    char *path;
    char *row; /* the row under way */
    int descriptor;
    int columns;
    uint64_t length; /* bytes of the file */
} csv;

/* Begins a file with the column "time" and those named. A new run passes -INFINITY for
 * `resume_time` and replaces what stood there. A run that resumes keeps the rows up to and at that
 * time, if the columns are the same ones. On failure there is nothing to close. */
bool csv_open(csv *c, const char *path, const char *const *columns, int count, double resume_time,
              weir_error *error);

/* Adds a row of one value per named column. A row that fails leaves no part of itself behind. */
bool csv_add(csv *c, double time, const double *values, weir_error *error);
bool csv_close(csv *c, weir_error *error);

#endif
