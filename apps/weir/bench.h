/* Benches: each fills a table of numbers. */
#ifndef WEIR_APP_BENCH_H
#define WEIR_APP_BENCH_H

#include "command.h"

#include "base/json.h"
#include "weir/weir.h"

typedef struct bench_options {
    arguments arguments;
    bool json, quick;
    int64_t threads;
    const char *out;
} bench_options;

enum { BENCH_MAX_ROWS = 64, BENCH_MAX_COLUMNS = 16 };

typedef struct bench_table {
    const char *names[BENCH_MAX_COLUMNS];
    int columns, rows;
    double values[BENCH_MAX_ROWS][BENCH_MAX_COLUMNS];
} bench_table;

bool bench_machine(const bench_options *o, bench_table *table, weir_error *error);
bool bench_scaling(const bench_options *o, bench_table *table, weir_error *error);
bool bench_threads(const bench_options *o, bench_table *table, weir_error *error);
bool bench_stages(const bench_options *o, bench_table *table, weir_error *error);

double bench_now(void); /* s */

#endif
