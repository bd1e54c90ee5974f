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
    const char *simd;   /* instruction level; NULL = the best */
    option_texts set;   /* parameters of the method */
    double seconds;     /* to simulate; 0 = as the bench has it */
    int64_t most;       /* particles; 0 = as the bench has it */
    const char *stored; /* file to compare with; NULL = none */
    double threshold;   /* new over old time that counts as slower; 0 = the default */
} bench_options;

enum { BENCH_MAX_ROWS = 80, BENCH_MAX_COLUMNS = 32 };

typedef struct bench_table {
    const char *groups[BENCH_MAX_COLUMNS]; /* NULL, or what the JSON gathers columns under */
    const char *names[BENCH_MAX_COLUMNS];
    int columns, rows;
    double values[BENCH_MAX_ROWS][BENCH_MAX_COLUMNS];
    const char *label; /* name of a first column of words; NULL: there is none */
    const char *labels[BENCH_MAX_ROWS];
} bench_table;

bool bench_machine(const bench_options *o, bench_table *table, weir_error *error);
bool bench_neighbours(const bench_options *o, bench_table *table, weir_error *error);
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
bool bench_depth(const bench_options *o, bench_table *table, weir_error *error);
bool bench_floating(const bench_options *o, bench_table *table, weir_error *error);

double bench_now(void); /* s */
int bench_threads_of(const bench_options *o);
void bench_name_columns(bench_table *t, const char *const *names, int count);

/* What the machine can do at most with so many threads, in 1e9 per second. */
typedef struct machine_limits {
    double gflops;       /* additions and products, by vectors of 256 bits where there are such */
    double gbytes_per_s; /* from and to memory */
    double groots_per_s; /* square roots, likewise */
    double wide_gflops, wide_groots_per_s; /* by vectors of 512 bits, where these do more */
} machine_limits;

/* `quick` takes less memory and time. */
bool bench_find_limits(int threads, bool quick, machine_limits *out, weir_error *error);

/* Compares a table with the rows of a file that `weir bench` wrote before, and prints the ratios.
 * Returns how many times grew by more than the threshold; < 0 with `error` filled when the
 * file cannot be read or has no such bench. */
int bench_compare(const bench_options *o, const char *bench, const bench_table *table,
                  weir_error *error);

#endif
