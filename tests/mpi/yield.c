/* LD_PRELOAD this into ranks of MPICH, which wait in a busy loop: with more ranks than cores, each exchange
 * then takes a time slice of the system. Gives the core to another rank whenever there is nothing to receive.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

typedef unsigned progress_fn(void *worker);

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker) {
    static progress_fn *original;
    if (!original)
        *(void **)&original = dlsym(RTLD_NEXT, "ucp_worker_progress");
    unsigned events = original(worker);
    if (events == 0)
        sched_yield();
    return events;
}
