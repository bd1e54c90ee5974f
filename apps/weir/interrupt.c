#include "interrupt.h"

#include "command.h"

#include <signal.h>
#include <unistd.h>

/* Set by signals; a handler can reach nothing else. */
static volatile sig_atomic_t signals_seen;

static void note_signal(int number)
{
    (void)number;
    if (signals_seen++ > 0)
        _exit(EXIT_INTERRUPTED);
}

void interrupt_catch(void)
{
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    /* Writing beyond a limit is to fail with a message, not to kill. */
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
}

bool interrupt_seen(void)
{
    return signals_seen > 0;
}
