/* Man pages and shell completions, from the tables that the parser and the help read. */
#ifndef WEIR_APP_MANUAL_H
#define WEIR_APP_MANUAL_H

#include "command.h"

/* weir.1 and weir-COMMAND.1 for every command, into a folder that is made where it is missing. */
bool manual_write_pages(const char *folder, weir_error *error);

/* weir.bash, _weir for zsh, and weir.fish. */
bool manual_write_completions(const char *folder, weir_error *error);

#endif
