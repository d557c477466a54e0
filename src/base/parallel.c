/* Tasks over OpenMP threads. */
#include "base/parallel.h"

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { MAX_THREADS = 256 };

int dl_thread_count(int64_t requested) {
    int64_t threads = requested > 0 ? requested : omp_get_max_threads();
    return (int)(threads < MAX_THREADS ? threads : MAX_THREADS);
}

/* ---- Threads that can be created ---- */

static void *wait_for(void *gate) {
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* Creates up to `count` threads that exist at the same time, ends them, and returns their number. */
static int try_threads(int count) {
    pthread_t threads[MAX_THREADS];
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    int created = 0;
    pthread_mutex_lock(&gate);
    while (created < count && pthread_create(&threads[created], NULL, wait_for, &gate) == 0)
        created++;
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < created; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&gate);
    return created;
}

/* OpenMP ends the process if it cannot create a thread. Every thread that starts parallel work has a team of
 * its own, which grows to the largest number of threads it ever had; a trial before it grows finds how many
 * the system allows. */
static int affordable(int threads) {
    static _Thread_local int team = 1;
    static _Thread_local bool complete; /* the team has reached the limit of the system */
    if (threads > team && !complete) {
        int possible = 1 + try_threads(threads - 1);
        complete = possible < threads;
        team = possible > team ? possible : team;
    }
    return threads < team ? threads : team;
}

/* ---- Children ---- */

/* A child has a copy of the team, but none of its threads, and OpenMP would wait for them for ever. It works
 * alone; the result is the same. */
static atomic_bool is_child;

static void note_fork(void) {
    atomic_store(&is_child, true);
}

static void watch_forks(void) {
    pthread_atfork(NULL, NULL, note_fork);
}

static int usable(int threads) {
    static pthread_once_t watching = PTHREAD_ONCE_INIT;
    if (threads <= 1 || atomic_load(&is_child))
        return 1;
    pthread_once(&watching, watch_forks);
    return affordable(threads);
}

void dl_parallel(int threads, int64_t tasks, dl_task run, void *context) {
    threads = usable(tasks < threads ? (int)tasks : threads);
    if (threads <= 1) {
        for (int64_t task = 0; task < tasks; task++)
            run(context, task, 0);
        return;
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int64_t task = 0; task < tasks; task++)
        run(context, task, omp_get_thread_num());
}
