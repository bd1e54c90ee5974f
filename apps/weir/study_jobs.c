/* The cases of a study as runs of this program, several at a time. A case whose results are there
 * and were computed from the same scene, settings and program is not run again; one that was
 * interrupted goes on from its checkpoint. */
#include "study.h"

#include "out/file.h"
#include "par/parallel.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_JOBS = 256 };

typedef struct job {
    int process; /* 0: free */
    size_t index;
    double begun; /* s of the clock */
} job;

typedef struct jobs {
    const study *s;
    const study_program *program;
    const study_options *o;
    const char *folder;
    study_outcome *outcomes;
    store *kept;
    job running[MAX_JOBS];
    int most, threads, busy;
    size_t next;         /* case to be started */
    size_t done, reused; /* so far; of `done`, how many were there */
    size_t to_run;       /* cases that are possible */
    double begun, shown;
    bool on_terminal;
} jobs;

/* Set by signals; a handler can reach nothing else. */
static volatile sig_atomic_t signals_seen;

static void note_signal(int number)
{
    (void)number;
    signals_seen++;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const char *keep(jobs *j, const char *text)
{
    const char *copy = store_text(j->kept, text, strlen(text));
    return copy ? copy : "memory ran out";
}

/* ---------------------------------------------------------------- what is there */

static bool write_fingerprint(const char *path, uint64_t value, weir_error *error)
{
    file_writer w;
    file_begin(&w, path);
    file_print(&w, "%016llx\n", (unsigned long long)value);
    return file_commit(&w, error);
}

static bool has_fingerprint(const char *path, uint64_t value)
{
    size_t size;
    char *text = file_read(path, &size, NULL);
    bool same = text && strtoull(text, NULL, 16) == value;
    free(text);
    return same;
}

/* "finished", "interrupted", "failed", or NULL where there is no report; kept. */
static const char *find_status(jobs *j, const char *folder)
{
    study_run run;
    char path[4200];
    snprintf(path, sizeof path, "%s/report.json", folder);
    if (access(path, R_OK) != 0 || !study_run_open(&run, folder, NULL))
        return NULL;
    const char *status = study_run_text(&run, "status");
    status = status ? keep(j, status) : NULL;
    study_run_close(&run);
    return status;
}

/* ----------------------------------------------------------------------- start */

/* What a case needs on its command line; ends with NULL. */
static const char **make_arguments(jobs *j, const study_case *c, const char *folder,
                                   const char *checkpoint)
{
    size_t count = 0;
    const char **a = store_take_array(j->kept, 2 * c->set_count + 20, sizeof *a);
    char threads[16];
    if (!a)
        return NULL;
    snprintf(threads, sizeof threads, "%d", j->threads);
    a[count++] = j->program->path;
    a[count++] = "run";
    a[count++] = c->scene;
    a[count++] = "--out";
    a[count++] = folder;
    a[count++] = "--threads";
    a[count++] = keep(j, threads);
    a[count++] = "--quiet";
    if (c->method) {
        a[count++] = "--method";
        a[count++] = c->method;
    }
    if (!c->needs_frames) {
        a[count++] = "--frames";
        a[count++] = "none";
    }
    for (size_t k = 0; k < c->set_count; k++) {
        a[count++] = "--set";
        a[count++] = c->set[k];
    }
    if (checkpoint) {
        a[count++] = "--resume";
        a[count++] = checkpoint;
    }
    return a;
}

static void fail_case(jobs *j, size_t index, const char *why)
{
    j->outcomes[index] = (study_outcome){STUDY_FAILED, keep(j, why)};
    j->done++;
}

static void launch(jobs *j, size_t index, const char *folder, bool resumes)
{
    char log[4200], checkpoint[4200];
    snprintf(log, sizeof log, "%s/log.txt", folder);
    snprintf(checkpoint, sizeof checkpoint, "%s/checkpoint.weir", folder);
    const char **words = make_arguments(j, &j->s->cases[index], keep(j, folder),
                                        resumes ? keep(j, checkpoint) : NULL);
    int process = words ? study_start(words, log) : -1;
    if (process < 0) {
        fail_case(j, index, "the run could not be started");
        return;
    }
    for (int k = 0; k < j->most; k++)
        if (j->running[k].process == 0) {
            j->running[k] = (job){process, index, now()};
            j->busy++;
            return;
        }
}

/* Starts a case, or finds that there is nothing to do. */
static void start(jobs *j, size_t index)
{
    const study_case *c = &j->s->cases[index];
    char folder[4096], mark[4200], report[4200], checkpoint[4200];
    weir_error error;
    uint64_t fingerprint;
    if (c->unable) {
        j->outcomes[index] = (study_outcome){STUDY_UNABLE, c->unable};
        return;
    }
    snprintf(folder, sizeof folder, "%s/%s", j->folder, c->folder);
    snprintf(mark, sizeof mark, "%s/fingerprint", folder);
    snprintf(report, sizeof report, "%s/report.json", folder);
    snprintf(checkpoint, sizeof checkpoint, "%s/checkpoint.weir", folder);
    if (!study_fingerprint(c, j->program->hash, &fingerprint, &error)) {
        fail_case(j, index, error.text);
        return;
    }
    bool same = !j->o->fresh && has_fingerprint(mark, fingerprint);
    const char *status = same ? find_status(j, folder) : NULL;
    if (status && strcmp(status, "finished") == 0) {
        j->outcomes[index] = (study_outcome){STUDY_DONE, NULL};
        j->done++;
        j->reused++;
        return;
    }
    bool resumes = status && strcmp(status, "interrupted") == 0 && access(checkpoint, R_OK) == 0;
    unlink(report);
    if (!file_make_folder(folder, &error) || !write_fingerprint(mark, fingerprint, &error))
        fail_case(j, index, error.text);
    else
        launch(j, index, folder, resumes);
}

/* ------------------------------------------------------------------------- end */

/* What a run that failed said last of its failure. */
static const char *find_message(jobs *j, size_t index, int code)
{
    char path[4200], text[200];
    size_t size;
    snprintf(path, sizeof path, "%s/%s/log.txt", j->folder, j->s->cases[index].folder);
    char *log = file_read(path, &size, NULL), *rest = log;
    const char *found = NULL;
    for (char *line; log && (line = strsep(&rest, "\n")) != NULL;)
        if (strncmp(line, "weir: ", 6) == 0 && strncmp(line + 6, "warning", 7) != 0 &&
            strncmp(line + 6, "the last good", 13) != 0 &&
            strncmp(line + 6, "there is no checkpoint", 22) != 0)
            found = line + 6;
    snprintf(text, sizeof text, "the run ended with code %d and no message", code);
    found = keep(j, found ? found : text);
    free(log);
    return found;
}

static void format_duration(double seconds, char text[32])
{
    long whole = seconds > 0 && seconds < 1e9 ? (long)(seconds + 0.5) : 0;
    if (whole >= 3600)
        snprintf(text, 32, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
    else
        snprintf(text, 32, "%ld:%02ld", whole / 60, whole % 60);
}

/* The time left, if the cases to come take as long as those that this process has run. */
static double time_left(const jobs *j)
{
    double ran = (double)(j->done - j->reused), left = (double)(j->to_run - j->done);
    return ran > 0 ? (now() - j->begun) / ran * left : -1;
}

static void show_done(jobs *j, const job *one, const char *word)
{
    char took[32], left[32];
    if (j->o->quiet)
        return;
    format_duration(now() - one->begun, took);
    format_duration(time_left(j), left);
    fprintf(stderr, "%s%4zu/%zu  %s: %s after %s, about %s left%s\n", j->on_terminal ? "\r" : "",
            j->done, j->to_run, j->s->cases[one->index].name, word, took, left,
            j->on_terminal ? "\033[K" : "");
}

/* The line that rewrites itself on a terminal. */
static void show_busy(jobs *j)
{
    if (!j->on_terminal || j->o->quiet || now() - j->shown < 0.5)
        return;
    char left[32] = "?";
    double seconds = time_left(j);
    if (seconds >= 0)
        format_duration(seconds, left);
    j->shown = now();
    fprintf(stderr, "\r%4zu/%zu  %d running, about %s left\033[K", j->done, j->to_run, j->busy,
            left);
    fflush(stderr);
}

static void finish(jobs *j, job *one, int status)
{
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    study_outcome *outcome = &j->outcomes[one->index];
    j->busy--;
    if (code == EXIT_INTERRUPTED && signals_seen > 0) {
        one->process = 0;
        return;
    }
    j->done++;
    if (code == EXIT_OK)
        *outcome = (study_outcome){STUDY_DONE, NULL};
    else
        *outcome = (study_outcome){STUDY_FAILED, find_message(j, one->index, code)};
    show_done(j, one, code == EXIT_OK ? "done" : "FAILED");
    one->process = 0;
}

/* Takes in what has ended. */
static void collect(jobs *j)
{
    for (int k = 0; k < j->most; k++) {
        int status;
        if (j->running[k].process > 0 &&
            waitpid(j->running[k].process, &status, WNOHANG) == j->running[k].process)
            finish(j, &j->running[k], status);
    }
}

static void forward_signals(jobs *j, int *forwarded)
{
    if (signals_seen <= *forwarded)
        return;
    if (*forwarded == 0 && !j->o->quiet)
        fprintf(stderr, "%sweir: interrupted: the runs write their checkpoints\n",
                j->on_terminal ? "\r\033[K" : "");
    *forwarded = signals_seen;
    for (int k = 0; k < j->most; k++)
        if (j->running[k].process > 0)
            kill(j->running[k].process, SIGINT);
}

static void choose_sizes(jobs *j)
{
    int cores = parallel_cores();
    j->most = j->s->data.timed ? 1 : cores;
    if (j->o->jobs > 0)
        j->most = (int)j->o->jobs;
    if (j->most > MAX_JOBS)
        j->most = MAX_JOBS;
    size_t cases = j->to_run > 0 ? j->to_run : 1;
    if ((size_t)j->most > cases)
        j->most = (int)cases;
    /* The papers timed one core. */
    j->threads = j->s->data.timed ? 1 : cores / j->most > 0 ? cores / j->most : 1;
    if (j->o->threads > 0)
        j->threads = (int)j->o->threads;
}

int study_run_cases(const study *s, const study_program *program, const study_options *o,
                    const char *folder, study_outcome *outcomes, store *kept)
{
    jobs *j = calloc(1, sizeof *j);
    if (!j)
        return command_fail(EXIT_FAILED, "memory ran out");
    *j = (jobs){.s = s,
                .program = program,
                .o = o,
                .folder = folder,
                .outcomes = outcomes,
                .kept = kept,
                .begun = now(),
                .on_terminal = isatty(STDERR_FILENO) == 1};
    for (size_t k = 0; k < s->case_count; k++)
        j->to_run += s->cases[k].unable == NULL;
    choose_sizes(j);
    struct sigaction action = {.sa_handler = note_signal}, before_int, before_term;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &before_int);
    sigaction(SIGTERM, &action, &before_term);
    int forwarded = 0;
    while (j->busy > 0 || (j->next < s->case_count && signals_seen == 0)) {
        while (j->busy < j->most && j->next < s->case_count && signals_seen == 0)
            start(j, j->next++);
        forward_signals(j, &forwarded);
        collect(j);
        show_busy(j);
        if (j->busy > 0)
            nanosleep(&(struct timespec){0, 20000000}, NULL);
    }
    sigaction(SIGINT, &before_int, NULL);
    sigaction(SIGTERM, &before_term, NULL);
    if (j->on_terminal && !o->quiet)
        fputs("\r\033[K", stderr);
    if (!o->quiet && j->reused > 0)
        fprintf(stderr, "%zu of %zu cases were there already; --fresh runs them again\n", j->reused,
                j->to_run);
    free(j);
    return signals_seen > 0 ? EXIT_INTERRUPTED : EXIT_OK;
}
