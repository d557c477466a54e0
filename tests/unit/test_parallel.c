/* Tasks over threads: each task once, by a worker whose number is in range. */
#include "base/parallel.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST_TASKS = 1000, MOST_THREADS = 4 };

/* Without atomics: a task writes its own entry, a worker its own count; ThreadSanitizer reports violations.
 */
typedef struct record {
    int runs[MOST_TASKS];
    int worker[MOST_TASKS];
    int64_t by_worker[MOST_THREADS][16]; /* a cache line for each */
} record;

static void note(void *context, int64_t task, int worker) {
    record *r = context;
    r->runs[task]++;
    r->worker[task] = worker;
    r->by_worker[worker][0]++;
}

static void every_task_once(void **state) {
    (void)state;
    static record r;
    const int64_t counts[] = {0, 1, 2, 3, 7, 64, MOST_TASKS};
    for (int threads = 1; threads <= MOST_THREADS; threads++)
        for (int c = 0; c < 7; c++) {
            memset(&r, 0, sizeof r);
            int64_t total = 0;
            dl_parallel(threads, counts[c], note, &r);
            for (int64_t task = 0; task < MOST_TASKS; task++) {
                assert_int_equal(r.runs[task], task < counts[c]);
                assert_in_range(r.worker[task], 0, threads - 1);
            }
            for (int worker = 0; worker < MOST_THREADS; worker++)
                total += r.by_worker[worker][0];
            assert_int_equal(total, counts[c]);
        }
}

static bool all_once(const record *r, int64_t tasks) {
    for (int64_t task = 0; task < MOST_TASKS; task++)
        if (r->runs[task] != (task < tasks))
            return false;
    return true;
}

static void run_inner(void *context, int64_t task, int worker) {
    (void)worker;
    record *records = context;
    dl_parallel(3, MOST_TASKS / 2, note, &records[task]);
}

/* A task may use threads itself. */
static void tasks_within_tasks(void **state) {
    (void)state;
    enum { OUTER = 5 };
    record *records = calloc(OUTER, sizeof *records);
    assert_non_null(records);
    dl_parallel(3, OUTER, run_inner, records);
    for (int i = 0; i < OUTER; i++)
        assert_true(all_once(&records[i], MOST_TASKS / 2));
    free(records);
}

static void *call_often(void *argument) {
    record *r = argument;
    for (int i = 0; i < 300; i++) {
        memset(r, 0, sizeof *r);
        dl_parallel(1 + i % MOST_THREADS, i, note, r);
        if (!all_once(r, i))
            return argument;
    }
    return NULL;
}

/* Threads of the program call at the same time, each with its own workers. */
static void calls_at_the_same_time(void **state) {
    (void)state;
    enum { CALLERS = 3 };
    static record records[CALLERS];
    pthread_t callers[CALLERS];
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&callers[i], NULL, call_often, &records[i]), 0);
    for (int i = 0; i < CALLERS; i++) {
        void *failed = NULL;
        assert_int_equal(pthread_join(callers[i], &failed), 0);
        assert_null(failed);
    }
}

/* Runs tasks in a child process and returns its exit code. */
static int in_child(bool without_threads) {
    static record r;
    pid_t child = fork();
    if (child == 0) {
        struct rlimit none = {0, 0};
        alarm(20); /* instead of hanging */
        if (without_threads && setrlimit(RLIMIT_NPROC, &none) != 0)
            _exit(2);
        memset(&r, 0, sizeof r);
        dl_parallel(MOST_THREADS, MOST_TASKS, note, &r);
        _exit(all_once(&r, MOST_TASKS) ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The threads of the parent are not in the child. */
static void after_fork(void **state) {
    (void)state;
    static record r;
    dl_parallel(MOST_THREADS, MOST_TASKS, note, &r);
    for (int i = 0; i < 5; i++)
        assert_int_equal(in_child(false), 0);
}

/* Where no thread can be made (a limit that does not bind the superuser), the caller does all the work. */
static void without_threads(void **state) {
    (void)state;
    assert_int_equal(in_child(true), 0);
}

static void thread_count(void **state) {
    (void)state;
    assert_true(dl_thread_count(0) >= 1);
    assert_int_equal(dl_thread_count(1), 1);
    assert_int_equal(dl_thread_count(3), 3);
    assert_in_range(dl_thread_count(INT64_MAX), 1, 4096);
    assert_true(dl_thread_count(-1) >= 1);
}

static void tiles_cover(void **state) {
    (void)state;
    assert_int_equal(dl_tiles(0, 64), 0);
    assert_int_equal(dl_tiles(1, 64), 1);
    assert_int_equal(dl_tiles(64, 64), 1);
    assert_int_equal(dl_tiles(65, 64), 2);
    assert_int_equal(dl_tiles(10, 1), 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_once),
        cmocka_unit_test(tasks_within_tasks),
        cmocka_unit_test(calls_at_the_same_time),
        cmocka_unit_test(after_fork),
        cmocka_unit_test(without_threads),
        cmocka_unit_test(thread_count),
        cmocka_unit_test(tiles_cover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
