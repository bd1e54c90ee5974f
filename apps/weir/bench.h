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
    const char *out, *method;
    option_texts set; /* parameters of the method */
    double seconds;   /* to simulate; 0 = as the bench has it */
} bench_options;

enum { BENCH_MAX_ROWS = 64, BENCH_MAX_COLUMNS = 32 };

typedef struct bench_table {
    const char *groups[BENCH_MAX_COLUMNS]; /* NULL, or what the JSON gathers columns under */
    const char *names[BENCH_MAX_COLUMNS];
    int columns, rows;
    double values[BENCH_MAX_ROWS][BENCH_MAX_COLUMNS];
    const char *label; /* name of a first column of words; NULL: there is none */
    const char *labels[BENCH_MAX_ROWS];
} bench_table;

bool bench_machine(const bench_options *o, bench_table *table, weir_error *error);
bool bench_scaling(const bench_options *o, bench_table *table, weir_error *error);
bool bench_threads(const bench_options *o, bench_table *table, weir_error *error);
bool bench_stages(const bench_options *o, bench_table *table, weir_error *error);

/* bench_pictures.c */
bool bench_mesh(const bench_options *o, bench_table *table, weir_error *error);
bool bench_render(const bench_options *o, bench_table *table, weir_error *error);

bool bench_peer_dam(const bench_options *o, bench_table *table, weir_error *error);
bool bench_peer_dam_2d(const bench_options *o, bench_table *table, weir_error *error);
bool bench_peer_pyramid(const bench_options *o, bench_table *table, weir_error *error);
bool bench_peer_pile(const bench_options *o, bench_table *table, weir_error *error);
bool bench_lcp(const bench_options *o, bench_table *table, weir_error *error);
bool bench_convergence(const bench_options *o, bench_table *table, weir_error *error);

double bench_now(void); /* s */
int bench_threads_of(const bench_options *o);

#endif
