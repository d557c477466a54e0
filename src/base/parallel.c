/* Tasks over OpenMP threads. */
#include "base/parallel.h"

#include <omp.h>

enum { MAX_THREADS = 256 };

int dl_thread_count(int64_t requested) {
    int64_t threads = requested > 0 ? requested : omp_get_max_threads();
    return (int)(threads < MAX_THREADS ? threads : MAX_THREADS);
}

void dl_parallel(int threads, int64_t tasks, dl_task run, void *context) {
    if (threads == 1 || tasks <= 1) {
        for (int64_t task = 0; task < tasks; task++)
            run(context, task, 0);
        return;
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(tasks < threads ? (int)tasks : threads)
    for (int64_t task = 0; task < tasks; task++)
        run(context, task, omp_get_thread_num());
}
