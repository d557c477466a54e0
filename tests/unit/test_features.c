/* The kernel that computes scores and selects at the same time against both one after the other, bit for
 * bit. */
#include "test_util.h"

#include "base/memory.h"
#include "kernels/packed.h"

#include <float.h>
#include <math.h>

enum { ROWS = 100, MOST_n = 131, MOST_m = 1024, MOST_k = 11, PAD = 3 };

typedef struct codes {
    int32_t count[ROWS + 1], index[ROWS * MOST_k + 1];
    float value[ROWS * MOST_k + 1];
} codes;

static float X[ROWS * (MOST_n + PAD) + PAD], E[MOST_m * MOST_n], bias[MOST_m], S[ROWS * MOST_m];

/* Nothing may be written past the last row. */
static void mark(codes *c) {
    memset(c, 0x5a, sizeof *c);
}

static void check_codes(const codes *a, const codes *b, int64_t done, int64_t rows, int64_t k) {
    static codes untouched;
    mark(&untouched);
    for (int64_t i = 0; i < done; i++) {
        size_t entries = (size_t)b->count[i];
        assert_int_equal(a->count[i], b->count[i]);
        assert_memory_equal(a->index + i * k, b->index + i * k, entries * sizeof *a->index);
        assert_memory_equal(a->value + i * k, b->value + i * k, entries * sizeof *a->value);
    }
    assert_int_equal(a->count[rows], untouched.count[rows]);
    assert_int_equal(a->index[rows * k], untouched.index[rows * k]);
    assert_memory_equal(&a->value[rows * k], &untouched.value[rows * k], sizeof *a->value);
}

/* Returns how many rows the kernel has coded. */
static int64_t check(const dl_kernels *kernels, int64_t rows, int64_t m, int64_t n, int64_t k, bool positive,
                     bool biased) {
    static codes at_once, in_turn;
    static uint32_t keys[MOST_m];
    dl_packed packed;
    const float *x = X + 1; /* misaligned rows with something between them */
    assert_int_equal(dl_packed_alloc(&packed, m, n), DLTF_OK);
    dl_packed_fill(&packed, E, biased ? bias : NULL);
    mark(&at_once);
    int64_t done = kernels->features(&packed, x, n + PAD, rows, k, positive, S, at_once.count, at_once.index,
                                     at_once.value);
    assert_true(done >= 0 && done <= rows);
    kernels->scores(&packed, 0, packed.panels, x, n + PAD, done, S, m);
    kernels->select(S, m, done, m, k, positive, keys, in_turn.count, in_turn.index, in_turn.value);
    check_codes(&at_once, &in_turn, done, rows, k);
    dl_packed_free(&packed);
    return done;
}

static void check_sizes(const dl_kernels *kernels) {
    for (int64_t m = 64; m <= MOST_m; m += 64)
        for (int64_t k = 1 + m / 64 % 3; k <= 10; k += 3)
            assert_int_equal(check(kernels, 48, m, 64 + m / 64, k, k % 2 == 0, m % 128 == 0), 48);
    for (int64_t n = 64; n <= MOST_n; n++)
        assert_int_equal(check(kernels, 64, 128, n, 1 + n % 10, n % 2 == 0, n % 3 == 0), 64);
    for (int64_t rows = 0; rows <= ROWS; rows++)
        assert_int_equal(check(kernels, rows, 128, 64, 8, false, false), rows - rows % 16);
    check(kernels, ROWS, 100, 64, 8, false, false);
    check(kernels, ROWS, 63, 64, 8, true, false);
    check(kernels, ROWS, 128, 3, 8, false, true);
    check(kernels, ROWS, 128, 64, MOST_k, false, true);
}

static void each_level(void (*run)(const dl_kernels *kernels)) {
    const dl_kernels *kernels;
    int count = 0;
    for (int l = 0; (kernels = dl_kernels_level(l)); l++)
        if (kernels->features) {
            run(kernels);
            count++;
        }
    if (count == 0)
        skip(); /* no such CPU */
}

static void fill_all(void) {
    fill_normal(X, (int64_t)(sizeof X / sizeof *X));
    fill_normal(E, MOST_m * MOST_n);
    fill_normal(bias, MOST_m);
}

static void sizes(void **state) {
    (void)state;
    fill_all();
    each_level(check_sizes);
}

static void check_kinds(const dl_kernels *kernels) {
    for (int64_t m = 64; m <= 256; m += 64)
        for (int64_t k = 1; k <= MOST_k; k++)
            for (int positive = 0; positive < 2; positive++)
                check(kernels, 96, m, 64, k, positive, m == 192);
}

/* Ties at the cut, fewer than k scores that differ from zero, many that reach the bound. */
static void ties_and_zeros(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        fill_all();
        for (int64_t i = 0; i < (int64_t)(sizeof X / sizeof *X); i++)
            X[i] = kind == 0 ? roundf(X[i]) : kind == 1 ? (float)(i % 50 == 0) : X[i];
        for (int64_t i = 0; i < MOST_m * MOST_n; i++)
            E[i] = kind < 2 ? roundf(E[i]) : kind == 2 ? E[i % 64] : i / 64 % 16 == 3 ? 100 * E[i] : E[i];
        each_level(check_kinds);
    }
}

static void extremes(void **state) {
    (void)state;
    const float rare[] = {NAN, -NAN, INFINITY, -INFINITY, FLT_MAX, FLT_TRUE_MIN, -FLT_MIN / 8};
    enum { RARE = sizeof rare / sizeof *rare };
    fill_all();
    for (int64_t i = 0; i < ROWS; i++)
        X[1 + i * (64 + PAD) + i * 7 % 64] = rare[i % RARE];
    each_level(check_kinds);
    fill_all();
    for (int64_t j = 0; j < RARE; j++)
        bias[j * 9] = rare[j];
    each_level(check_kinds);
}

TESTS_MAIN(cmocka_unit_test(sizes), cmocka_unit_test(ties_and_zeros), cmocka_unit_test(extremes))
