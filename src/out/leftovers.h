/* What a process that was killed while it wrote leaves behind: temporary files, which nothing
 * reads. A run that takes over the folder removes them. */
#ifndef WEIR_OUT_LEFTOVERS_H
#define WEIR_OUT_LEFTOVERS_H

#include <stdbool.h>

/* Of processes that have ended; those of others stay, and failures do not matter. */
void leftovers_remove(const char *folder);

#endif
