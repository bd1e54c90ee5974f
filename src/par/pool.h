/* Threads that wait for work, a set of them for each thread that asks for any. A loop never waits
 * for a thread that has not come yet: on a machine that is busy with other programs the caller does
 * the work alone in the meantime, where a barrier of all threads would hold it up at every loop. */
#ifndef WEIR_PAR_POOL_H
#define WEIR_PAR_POOL_H

typedef void (*pool_task)(void *context, int index);

/* How many threads this process may run at once. */
int pool_cores(void);

/* Runs `task` with the index 0 on this thread, and with 1 to threads - 1 on those of the others
 * that come before it is done here; returns when none is in it any more. Tasks share their work
 * among themselves and must not rely on how many there are. Within a task it runs once, with index
 * 0. */
void pool_run(int threads, pool_task task, void *context);

#endif
