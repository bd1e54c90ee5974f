/* Running a study: what cmd_study.c, cmd_compare.c and the study_*.c files share. */
#ifndef WEIR_APP_STUDY_H
#define WEIR_APP_STUDY_H

#include "command.h"

#include "study/study_result.h"

/* What the command line says. */
typedef struct study_options {
    arguments arguments;
    bool quick, fresh, quiet, check, schema, reference;
    bool brief; /* the caller prints the results */
    int64_t jobs, threads;
    const char *out, *summary;
} study_options;

/* The program itself: its file, and a hash of it. */
typedef struct study_program {
    char path[4096];
    uint64_t hash;
} study_program;

bool study_program_find(study_program *p, weir_error *error);
study_stamp study_stamp_make(const study_program *p);

enum { STUDY_MAX_LIST = 400 };

/* Paths of study files. */
typedef struct study_list {
    char *paths[STUDY_MAX_LIST];
    size_t count;
} study_list;

/* study_find.c: add to the list, or say what is wrong; an exit code. A name is a file, or one of
 * the folder of studies. */
int study_find(const study_program *p, const char *name, study_list *l);
int study_find_all(const study_program *p, study_list *l);
void study_list_free(study_list *l);

/* study_page.c: the page of all studies that were run. */
typedef struct study_page {
    char *overview, *sections;
    size_t overview_length, sections_length;
    FILE *overview_file, *sections_file; /* NULL after study_page_close */
} study_page;

/* Zero it first. False when memory ran out. */
bool study_page_begin(study_page *p);
void study_page_add(study_page *p, const study_results *r);
/* No more is added; then it can be written. */
void study_page_close(study_page *p);
bool study_page_write(const study_page *p, const study_program *program, bool quick,
                      const char *path, weir_error *error);
void study_page_free(study_page *p);

/* study_jobs.c: runs what is not yet done, several cases at a time; fills `outcomes`, whose
 * messages live in `kept`. Returns EXIT_OK, EXIT_INTERRUPTED or EXIT_FAILED; a case that fails is
 * no failure. */
int study_run_cases(const study *s, const study_program *program, const study_options *o,
                    const char *folder, study_outcome *outcomes, store *kept);

/* Starts the program `words` with all that it says going to `log`; -1 on failure. The program has a
 * process group of its own, so that a Ctrl-C reaches it through us only, once. */
int study_start(const char *const *words, const char *log);
/* Waits for it; its exit code, or 128 + the signal that ended it. */
int study_wait(int process);

/* cmd_study.c: runs one study to its report. The results are left to the caller, who frees them. */
int study_perform(study *s, const study_program *program, const study_options *o,
                  const char *folder, study_results *results);

#endif
