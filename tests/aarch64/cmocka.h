/* The part of cmocka that the tests of kernels use, for a system that has no cmocka: the cross compiler's. A
 * failure ends the program. */
#ifndef TEST_AARCH64_CMOCKA_H
#define TEST_AARCH64_CMOCKA_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
};

static bool skipped;

#define cmocka_unit_test(test)                                                                               \
    { #test, test }

#define fail_msg(...) (printf("%s:%d: ", __FILE__, __LINE__), printf(__VA_ARGS__), puts(""), exit(1))

#define skip()                                                                                               \
    do {                                                                                                     \
        skipped = true;                                                                                      \
        return;                                                                                              \
    } while (0)

#define assert_true(condition) ((condition) ? (void)0 : fail_msg("not true: %s", #condition))
#define assert_false(condition) assert_true(!(condition))
#define assert_null(pointer) assert_true((pointer) == NULL)
#define assert_non_null(pointer) assert_true((pointer) != NULL)
#define assert_int_equal(a, b) assert_numbers_equal((long long)(a), (long long)(b), #a, __FILE__, __LINE__)
#define assert_in_range(x, least, most) assert_true((x) >= (least) && (x) <= (most))
#define assert_memory_equal(a, b, size) assert_true(memcmp(a, b, size) == 0)
#define assert_string_equal(a, b) assert_true(strcmp(a, b) == 0)

static inline void assert_numbers_equal(long long a, long long b, const char *what, const char *file,
                                        int line) {
    if (a == b)
        return;
    printf("%s:%d: %s is %lld, should be %lld\n", file, line, what, a, b);
    exit(1);
}

#define cmocka_run_group_tests(tests, set_up, tear_down) run_tests(tests, sizeof(tests) / sizeof *(tests))

static inline int run_tests(const struct CMUnitTest *tests, size_t count) {
    for (size_t t = 0; t < count; t++) {
        void *state = NULL;
        skipped = false;
        tests[t].run(&state);
        printf("%s: %s\n", tests[t].name, skipped ? "skipped" : "ok");
    }
    return 0;
}

#endif
