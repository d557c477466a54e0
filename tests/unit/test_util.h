/* Shared by unit tests: random draws, errors and their messages, lack of memory. */
#ifndef TEST_UTIL_H
#define TEST_UTIL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dltf.h"

#include "base/memory.h"
#include "base/random.h"
#include "test_failure.h"
#include "test_number.h"

#include <stdlib.h>
#include <string.h>

/* ---- random draws, the same in every run ---- */

static uint64_t test_draws;

static inline dl_random test_source(void) {
    return (dl_random){.seed = 11, .stream = 3};
}

static inline double normal(void) {
    return dl_random_normal(test_source(), test_draws++);
}

static inline int64_t below(int64_t bound) {
    return dl_random_below(test_source(), test_draws++, bound);
}

static inline int64_t between(int64_t least, int64_t most) {
    return least + below(most - least + 1);
}

static inline void fill_normal(float *x, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        x[i] = (float)normal();
}

static inline void fill_normal_f64(double *x, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        x[i] = normal();
}

static inline void widen(const float *from, int64_t count, double *to) {
    for (int64_t i = 0; i < count; i++)
        to[i] = (double)from[i];
}

/* ---- lack of memory ---- */

/* Makes the first, second, ... allocation fail until the call succeeds: at least `fewest` failures, each with
 * a message. */
#define assert_survives_lack_of_memory(call, fewest)                                                         \
    do {                                                                                                     \
        dltf_status got_ = DLTF_MEMORY;                                                                      \
        int64_t failures_ = -1;                                                                              \
        while (got_ != DLTF_OK) {                                                                            \
            failures_++;                                                                                     \
            dl_fail(DLTF_OK, "(no message)");                                                                \
            dl_alloc_fail_after(failures_ + 1);                                                              \
            got_ = (call);                                                                                   \
            dl_alloc_fail_after(0);                                                                          \
            if (got_ != DLTF_OK) {                                                                           \
                assert_int_equal(got_, DLTF_MEMORY);                                                         \
                assert_message_has("not enough memory");                                                     \
            }                                                                                                \
            assert_true(failures_ < 1000);                                                                   \
        }                                                                                                    \
        assert_true(failures_ >= (fewest));                                                                  \
    } while (0)

#define TESTS_MAIN(...)                                                                                      \
    int main(void) {                                                                                         \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                                     \
        return cmocka_run_group_tests(tests, NULL, NULL);                                                    \
    }

#endif
