/* Replaces base/parallel.c in the small library: tasks run sequentially, without threads. */
#include "base/parallel.h"

int dl_thread_count(int64_t requested) {
    (void)requested;
    return 1;
}

void dl_parallel(int threads, int64_t tasks, dl_task run, void *context) {
    (void)threads;
    for (int64_t task = 0; task < tasks; task++)
        run(context, task, 0);
}

bool dl_parallel_polled(int threads, int64_t tasks, dl_task run, void *context) {
    dl_parallel(threads, tasks, run, context);
    return true;
}
