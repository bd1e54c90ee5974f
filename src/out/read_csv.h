/* Time series read back: what csv.h writes, and CSV files of numbers with a header. */
#ifndef WEIR_OUT_READ_CSV_H
#define WEIR_OUT_READ_CSV_H

#include "base/error.h"
#include "scene/store.h"

/* Zero it before the first use. */
typedef struct read_csv {
    size_t columns, rows;
    const char **names;    /* one per column */
    const double **values; /* one array of `rows` numbers per column; empty cells are NAN */
    store kept;            /* owns them */
} read_csv;

/* What `out` held is freed. Messages name the line. */
bool read_csv_load(read_csv *out, const char *path, weir_error *error);
void read_csv_free(read_csv *c);

/* The column of this name, or -1. */
int read_csv_find(const read_csv *c, const char *name);

#endif
