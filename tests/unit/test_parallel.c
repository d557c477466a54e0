/* Tasks over threads: each task once, by a worker whose number is in range. */
#include "base/parallel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

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
        cmocka_unit_test(thread_count),
        cmocka_unit_test(tiles_cover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
