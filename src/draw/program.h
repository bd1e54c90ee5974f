/* Other programs (ffmpeg, gnuplot, povray), run without a shell: arguments are passed as they are,
 * so that no name of a file can be taken for a command. */
#ifndef WEIR_DRAW_PROGRAM_H
#define WEIR_DRAW_PROGRAM_H

#include "weir/types.h"

#include <sys/types.h>

typedef struct program {
    const char *name;
    pid_t process;
    int input;  /* we write here what the program reads; −1: closed */
    int output; /* a file in memory that takes what it says */
} program;

/* Starts the program `arguments[0]`, which is searched in PATH; the list ends with NULL. Where it
 * is missing the code is UNSUPPORTED and the text names the Debian `package`. */
bool program_start(program *p, const char *const *arguments, const char *package,
                   weir_error *error);

/* Writes to the program's input; false when it has ended. The reason comes from program_finish. */
bool program_write(program *p, const void *bytes, size_t count);

/* Closes the input, waits for the end, and passes on what the program said if it failed. */
bool program_finish(program *p, weir_error *error);

/* Ends the program early; nothing is reported. */
void program_stop(program *p);

#endif
