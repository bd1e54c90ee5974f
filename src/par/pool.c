#include "par/pool.h"

#include "par/parallel.h"

#ifdef WEIR_THREADS

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORKERS = PARALLEL_MAX_THREADS - 1 };

/* The job is open while this bit of the state is set; the rest counts workers that look at it. */
static const unsigned OPEN = 1u << 31;

typedef struct pool pool;

typedef struct worker {
    pthread_t thread;
    pool *pool;
    int index; /* from 1; the caller is 0 */
} worker;

/* Waiting threads look at `jobs` all the time: what others write lies in lines of the cache of its
 * own. */
struct pool {
    _Alignas(64) _Atomic unsigned jobs; /* how many there have been */
    /* The present one; written while none is open and no worker looks. */
    int threads;
    pool_task task;
    void *context;
    atomic_bool ended;

    _Alignas(64) _Atomic unsigned state;

    _Alignas(64) _Atomic int asleep;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    int worker_count;
    worker workers[MOST_WORKERS];
};

int pool_cores(void)
{
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

/* ------------------------------------------------------------------ workers */

static _Thread_local bool in_task;

static inline void spin_once(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* Waits for the next job after `seen`: a moment awake, since loops follow each other closely, then
 * asleep. A longer moment takes the core from other programs, and from the caller itself where
 * there are fewer cores than threads. */
static void wait_for_job(pool *p, unsigned seen)
{
    enum { SPINS = 1000 };
    for (int k = 0; k < SPINS && atomic_load(&p->jobs) == seen; k++)
        spin_once();
    if (atomic_load(&p->jobs) != seen)
        return;
    pthread_mutex_lock(&p->lock);
    atomic_fetch_add(&p->asleep, 1);
    while (atomic_load(&p->jobs) == seen && !atomic_load(&p->ended))
        pthread_cond_wait(&p->wake, &p->lock);
    atomic_fetch_sub(&p->asleep, 1);
    pthread_mutex_unlock(&p->lock);
}

static void *work(void *argument)
{
    const worker *w = argument;
    pool *p = w->pool;
    unsigned seen = 0;
    in_task = true;
    while (!atomic_load(&p->ended)) {
        wait_for_job(p, seen);
        seen = atomic_load(&p->jobs);
        /* Counted first, then looked: what is open stays open until this one has left. */
        if ((atomic_fetch_add(&p->state, 1) & OPEN) && w->index < p->threads)
            p->task(p->context, w->index);
        atomic_fetch_sub(&p->state, 1);
    }
    return NULL;
}

/* -------------------------------------------------------------------- pools */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key; /* of the pool of a thread, which ends with it */
static bool has_key;

static void wake_all(pool *p)
{
    pthread_mutex_lock(&p->lock);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
}

static void end_pool(void *data)
{
    pool *p = data;
    atomic_store(&p->ended, true);
    wake_all(p);
    for (int k = 0; k < p->worker_count; k++)
        pthread_join(p->workers[k].thread, NULL);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

/* A child process has none of the threads, and what they left of the locks is of no use to it. */
static void forget_pool(void)
{
    pthread_setspecific(key, NULL);
}

static void make_key(void)
{
    has_key =
        pthread_key_create(&key, end_pool) == 0 && pthread_atfork(NULL, NULL, forget_pool) == 0;
}

/* This thread's own; NULL where there is no memory for one. */
static pool *find_pool(void)
{
    pthread_once(&once, make_key);
    pool *p = has_key ? pthread_getspecific(key) : NULL;
    if (p || !has_key)
        return p;
    p = aligned_alloc(_Alignof(pool), sizeof *p);
    if (!p)
        return NULL;
    memset(p, 0, sizeof *p);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    if (pthread_setspecific(key, p) == 0)
        return p;
    end_pool(p);
    return NULL;
}

/* As many as there can be: work is done with fewer, too. */
static void add_workers(pool *p, int wanted)
{
    while (p->worker_count < wanted && p->worker_count < MOST_WORKERS) {
        worker *w = &p->workers[p->worker_count];
        *w = (worker){.pool = p, .index = p->worker_count + 1};
        if (pthread_create(&w->thread, NULL, work, w) != 0)
            return;
        p->worker_count++;
    }
}

static void open_job(pool *p, int threads, pool_task task, void *context)
{
    p->task = task;
    p->context = context;
    p->threads = threads;
    atomic_fetch_or(&p->state, OPEN);
    atomic_fetch_add(&p->jobs, 1);
    if (atomic_load(&p->asleep) > 0)
        wake_all(p);
}

/* A worker that other programs keep from its chunk needs the core more than this loop does. */
static void close_job(pool *p)
{
    enum { SPINS = 1000 };
    atomic_fetch_and(&p->state, ~OPEN);
    for (int k = 0; atomic_load(&p->state) != 0; k++)
        if (k < SPINS)
            spin_once();
        else
            sched_yield();
}

void pool_run(int threads, pool_task task, void *context)
{
    pool *p = threads > 1 && !in_task ? find_pool() : NULL;
    if (!p) {
        task(context, 0);
        return;
    }
    add_workers(p, threads - 1);
    open_job(p, threads, task, context);
    in_task = true;
    task(context, 0);
    in_task = false;
    close_job(p);
}

#else

int pool_cores(void)
{
    return 1;
}

void pool_run(int threads, pool_task task, void *context)
{
    (void)threads;
    task(context, 0);
}

#endif
