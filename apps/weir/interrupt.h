/* Ctrl-C and SIGTERM: commands that write files see them between two pieces of work and leave
 * nothing half-written. A second signal ends the program at once. */
#ifndef WEIR_APP_INTERRUPT_H
#define WEIR_APP_INTERRUPT_H

#include <stdbool.h>

void interrupt_catch(void);
bool interrupt_seen(void);

#endif
