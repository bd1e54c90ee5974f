/* Commands as tables: name, arguments, options. The parser, the help and the hints for misspelt
 * names read the same tables. */
#ifndef WEIR_APP_COMMAND_H
#define WEIR_APP_COMMAND_H

#include <stddef.h>

#include "base/error.h"

/* How the program ends; docs/commands.md lists them. */
enum {
    EXIT_OK = 0,
    EXIT_FAILED = 1,       /* while running: files, memory */
    EXIT_USAGE = 2,        /* the command line is wrong */
    EXIT_SCENE = 3,        /* a scene or another input file is not valid */
    EXIT_UNSTABLE = 4,     /* the simulation became unstable or not finite */
    EXIT_CHECK = 5,        /* a check did not pass */
    EXIT_INTERRUPTED = 130 /* a checkpoint was written */
};

typedef enum option_kind {
    OPTION_FLAG,    /* bool */
    OPTION_TEXT,    /* const char * */
    OPTION_SECONDS, /* double, > 0; "1/60 s" and "20 ms" too */
    OPTION_INTEGER, /* int64_t, >= least */
    OPTION_NUMBER,  /* double, > 0 */
    OPTION_TEXTS,   /* option_texts; may be given several times */
} option_kind;

enum { OPTION_MAX_TEXTS = 256 };

typedef struct option_texts {
    const char *items[OPTION_MAX_TEXTS];
    size_t count;
} option_texts;

typedef struct option {
    const char *name;  /* with its dashes */
    const char *value; /* what follows, for the help; NULL for flags */
    option_kind kind;
    size_t offset; /* of the member of the command's values */
    int64_t least; /* of an integer */
    const char *meaning;
} option;

enum { COMMAND_MAX_ARGUMENTS = 16 };

typedef struct arguments {
    const char *items[COMMAND_MAX_ARGUMENTS];
    size_t count;
} arguments;

typedef struct command {
    const char *name;
    const char *usage; /* arguments, for the help */
    size_t min_arguments, max_arguments;
    const option *options;
    size_t option_count;
    const char *summary; /* one line */
    const char *details; /* further lines; may be NULL */
    /* Takes what follows the command's name. Returns the exit code. */
    int (*run)(const struct command *self, int argc, char **argv);
} command;

/* Fills `values`, which begins with an `arguments`. Returns false, with the reason on stderr or
 * the help on stdout, when the program is to end with *code. */
bool command_parse(const command *c, int argc, char **argv, void *values, int *code);

void command_print_help(const command *c);

/* Prints "weir: MESSAGE" and returns the code. */
int command_fail(int code, const char *format, ...) WEIR_PRINTF(2, 3);

/* The same for an error of the library; its code decides between EXIT_FAILED and EXIT_UNSTABLE. */
int command_fail_error(const weir_error *error);

extern const command command_run, command_check, command_render, command_mesh, command_plot,
    command_info, command_bench, command_verify, command_study, command_compare, command_lcp,
    command_help;
extern const command *const commands[]; /* ends with NULL */

#endif
