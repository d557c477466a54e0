/* The clock: it runs forward, in seconds. */
#include "test_util.h"

#include "base/clock.h"

#include <time.h>

static void seconds_run_forward(void **state) {
    (void)state;
    double last = dl_seconds();
    for (int i = 0; i < 1000; i++) {
        double now = dl_seconds();
        assert_true(now >= last);
        last = now;
    }
}

static void seconds_are_seconds(void **state) {
    (void)state;
    struct timespec pause = {.tv_nsec = 20000000};
    double begin = dl_seconds();
    assert_int_equal(nanosleep(&pause, NULL), 0);
    double elapsed = dl_seconds() - begin;
    assert_true(elapsed >= 0.0199 && elapsed < 20);
}

TESTS_MAIN(cmocka_unit_test(seconds_run_forward), cmocka_unit_test(seconds_are_seconds))
