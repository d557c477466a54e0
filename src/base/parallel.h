/* Tasks over threads. */
#ifndef DL_BASE_PARALLEL_H
#define DL_BASE_PARALLEL_H

#include <stdbool.h>
#include <stdint.h>

/* Runs one task; `worker` (0 .. threads-1) selects the thread's own work space. Tasks must not fail, nor
 * write what another task reads or writes; the result is then the same for any number of threads. */
typedef void (*dl_task)(void *context, int64_t task, int worker);

void dl_parallel(int threads, int64_t tasks, dl_task run, void *context);

/* The same for many or long tasks: polls (meter.h) between those of the calling thread, which may poll, too.
 * False if the caller cancelled: what the tasks write is then incomplete. */
bool dl_parallel_polled(int threads, int64_t tasks, dl_task run, void *context);

/* The number of threads to use: `requested`, or all cores for 0. Callers check it (dl_threads_check). */
enum { DL_MAX_THREADS = 1024 };
int dl_thread_count(int64_t requested);

/* The distance between the work spaces of two threads, of `count` entries each, in one array. Threads that
 * write to the same cache line, or to two that are fetched together, take it from each other at every access.
 */
static inline int64_t dl_apart(int64_t count) {
    return count + 64;
}

/* ceil(a / b) for a >= 0, b > 0: how many tiles of b cover a. */
static inline int64_t dl_tiles(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

#endif
