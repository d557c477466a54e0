/* Tasks over threads of our own. Each thread has its own range of them, the same in every call with as many
 * tasks, so that what one call leaves in the cache of a core is there in the next; then it helps the others.
 * In a training a call takes some ten microseconds: what it costs to begin and to end one counts.
 * A thread that has run out of tasks looks for more for some microseconds, as long as it takes to wake one
 * up, then sleeps: it never occupies a core that another process could use.
 *
 * A call takes sleeping threads from a list, or makes new ones, and returns when all tasks are done. Several
 * calls at the same time, or within a task, each have threads of their own. Where no thread can be made,
 * fewer share the tasks. After fork() the child starts with an empty list. */
#define _GNU_SOURCE /* sched_getaffinity, sched_getcpu */

#include "base/parallel.h"

#include "base/clock.h"
#include "base/meter.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* The stack of a thread does not depend on the limit of the process, which may be tiny or huge. */
enum { MAX_RANGES = 64, SPINS = 1000, STACK = 2 << 20 };

/* Tasks `next` to end - 1 are not begun. One cache line each. */
typedef struct range {
    _Alignas(64) _Atomic int64_t next;
    int64_t end;
} range;

typedef struct job {
    dl_task run;
    void *context;
    _Atomic int working; /* threads beside the caller's that are not done */
    int core;            /* where the caller was */
    int ranges;
    range range[MAX_RANGES];
} job;

typedef struct worker {
    _Atomic(job *) job; /* NULL: none */
    int number;         /* in that job */
    int64_t age;        /* in the order of their making */
    double left;        /* when it last left the core of its caller */
    pthread_cond_t wake;
    struct worker *next; /* in the list */
} worker;

static struct {
    pthread_mutex_t mutex; /* protects the list, and the sleep of workers and callers */
    worker *idle;          /* oldest first, so that a thread has the same number in every call */
    int64_t made;
    pthread_cond_t done; /* a job */
    _Atomic int waiting; /* callers asleep */
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

/* ---- fork ---- */

static void lock_pool(void) {
    pthread_mutex_lock(&pool.mutex);
}

static void unlock_pool(void) {
    pthread_mutex_unlock(&pool.mutex);
}

/* The threads of the parent do not exist here. */
static void forget_threads(void) {
    pthread_mutex_init(&pool.mutex, NULL);
    pthread_cond_init(&pool.done, NULL);
    atomic_store(&pool.waiting, 0);
    pool.idle = NULL;
}

static void watch_forks(void) {
    pthread_atfork(lock_pool, unlock_pool, forget_threads);
}

/* ---- Workers ---- */

static inline void spin(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void skip_tasks(job *j) {
    for (int r = 0; r < j->ranges; r++)
        atomic_store(&j->range[r].next, j->range[r].end);
}

/* `polled`: on the thread of the caller, which alone may poll. False: cancelled, and tasks were skipped. */
static bool work(job *j, int number, bool polled) {
    for (int i = 0; i < j->ranges; i++) {
        range *r = &j->range[(number + i) % j->ranges];
        int64_t task = 0;
        while ((task = atomic_fetch_add(&r->next, 1)) < r->end) {
            if (polled && !dl_poll()) {
                skip_tasks(j);
                return false;
            }
            j->run(j->context, task, number);
        }
    }
    return true;
}

static job *wait_for_job(worker *w) {
    for (int i = 0; i < SPINS; i++) {
        job *j = atomic_load(&w->job);
        if (j)
            return j;
        spin();
    }
    lock_pool();
    while (!atomic_load(&w->job))
        pthread_cond_wait(&w->wake, &pool.mutex);
    unlock_pool();
    return atomic_load(&w->job);
}

/* In some virtual machines Linux wakes a thread on the core of the thread that woke it, next to an idle one,
 * and separates them only after milliseconds. A thread that has left stays away, unless the other cores are
 * busy; to leave again and again would then cost more than it gains. */
static void leave_core(worker *w, int core) {
    static const double PAUSE = 0.1;
    cpu_set_t allowed, others;
    if (sched_getcpu() != core || dl_seconds() < w->left + PAUSE)
        return;
    w->left = dl_seconds();
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2)
        return;
    others = allowed;
    CPU_CLR((size_t)core, &others);
    sched_setaffinity(0, sizeof others, &others);
    sched_setaffinity(0, sizeof allowed, &allowed);
}

static void return_worker(worker *w) {
    lock_pool();
    worker **at = &pool.idle;
    while (*at && (*at)->age < w->age)
        at = &(*at)->next;
    atomic_store(&w->job, NULL);
    w->next = *at;
    *at = w;
    unlock_pool();
}

/* After the count has reached zero the job may be gone. */
static void finish(job *j) {
    if (atomic_fetch_sub(&j->working, 1) > 1 || atomic_load(&pool.waiting) == 0)
        return;
    lock_pool();
    pthread_cond_broadcast(&pool.done);
    unlock_pool();
}

static void *run_worker(void *argument) {
    worker *w = argument;
    for (;;) {
        job *j = wait_for_job(w);
        leave_core(w, j->core);
        work(j, w->number, false);
        return_worker(w); /* first, for the next call to find it */
        finish(j);
    }
    return NULL;
}

/* Starts a thread that leaves signals to the threads of the program, except those that it causes itself:
 * blocked, they would end the process without running its handler. */
static bool start_thread(worker *w) {
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t blocked, before;
    sigfillset(&blocked);
    sigdelset(&blocked, SIGBUS);
    sigdelset(&blocked, SIGSEGV);
    sigdelset(&blocked, SIGFPE);
    sigdelset(&blocked, SIGILL);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK);
    bool started = pthread_create(&thread, &attributes, run_worker, w) == 0;
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static worker *new_worker(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    worker *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    pthread_cond_init(&w->wake, NULL);
    lock_pool();
    w->age = pool.made++;
    unlock_pool();
    if (start_thread(w))
        return w;
    pthread_cond_destroy(&w->wake);
    free(w);
    return NULL;
}

static worker *take_worker(void) {
    lock_pool();
    worker *w = pool.idle;
    if (w)
        pool.idle = w->next;
    unlock_pool();
    return w ? w : new_worker();
}

/* ---- Jobs ---- */

static void assign(worker *w, job *j, int number) {
    lock_pool();
    w->number = number;
    atomic_fetch_add(&j->working, 1);
    atomic_store(&w->job, j);
    pthread_cond_signal(&w->wake);
    unlock_pool();
}

static void wait_for_workers(job *j) {
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load(&j->working) == 0)
            return;
        spin();
    }
    lock_pool();
    atomic_fetch_add(&pool.waiting,
                     1); /* before the count is read: finish() reads them the other way round */
    while (atomic_load(&j->working) > 0)
        pthread_cond_wait(&pool.done, &pool.mutex);
    atomic_fetch_sub(&pool.waiting, 1);
    unlock_pool();
}

static void divide(job *j, int threads, int64_t tasks) {
    j->ranges = threads < MAX_RANGES ? threads : MAX_RANGES;
    for (int r = 0; r < j->ranges; r++) {
        int64_t all = tasks / j->ranges, rest = tasks % j->ranges;
        atomic_init(&j->range[r].next, all * r + rest * r / j->ranges);
        j->range[r].end = all * (r + 1) + rest * (r + 1) / j->ranges;
    }
}

static bool run_job(int threads, int64_t tasks, dl_task run, void *context, bool polled) {
    job j; /* not cleared: most of it is unused ranges */
    j.run = run;
    j.context = context;
    j.core = sched_getcpu();
    atomic_init(&j.working, 0);
    divide(&j, threads, tasks);
    for (int number = 1; number < threads && number < tasks; number++) {
        worker *w = take_worker();
        if (!w)
            break;
        assign(w, &j, number);
    }
    bool complete = work(&j, 0, polled) && (!polled || dl_poll());
    wait_for_workers(&j);
    return complete;
}

void dl_parallel(int threads, int64_t tasks, dl_task run, void *context) {
    if (threads > 1 && tasks > 1) {
        run_job(threads, tasks, run, context, false);
        return;
    }
    for (int64_t task = 0; task < tasks; task++)
        run(context, task, 0);
}

bool dl_parallel_polled(int threads, int64_t tasks, dl_task run, void *context) {
    return run_job(threads, tasks, run, context, true);
}

/* ---- How many ---- */

/* Cores that this process may use. */
static int64_t cores(void) {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        return CPU_COUNT(&allowed);
    return sysconf(_SC_NPROCESSORS_ONLN);
}

/* OMP_NUM_THREADS, which many programs and schedulers set to limit threads; 0: not set. */
static int64_t limit(void) {
    const char *text = getenv("OMP_NUM_THREADS");
    return text ? strtol(text, NULL, 10) : 0;
}

int dl_thread_count(int64_t requested) {
    int64_t threads = requested > 0 ? requested : limit() > 0 ? limit() : cores();
    return (int)(threads < 1 ? 1 : threads < DL_MAX_THREADS ? threads : DL_MAX_THREADS);
}
