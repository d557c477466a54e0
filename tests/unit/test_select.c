/* max_k against repeated search, entry for entry: lengths, ties, zeros, extreme values, alignment. */
#include "kernels/select.h"
#include "reference/reference.h"

#include "test_util.h"

#include <float.h>

enum { MOST_M = 300, GUARD = 3 };

enum { GAUSSIAN, TIES, ZEROS, DENORMAL, HUGE, INFINITE, EQUAL, ALL_ZERO, ANY_SIZE, KINDS };

static float draw(int kind) {
    float x = (float)normal(), sign = below(2) ? 1.0f : -1.0f;
    switch (kind) {
    case TIES:
        return (float)between(-3, 3) / 2;
    case ZEROS:
        return below(4) ? 0 * sign : x;
    case DENORMAL:
        return sign * (float)below(6) * FLT_TRUE_MIN;
    case HUGE:
        return sign * FLT_MAX * (float)between(1, 4) / 4;
    case INFINITE:
        return below(3) ? x : sign * INFINITY;
    case EQUAL:
        return sign * 0.7f;
    case ALL_ZERO:
        return 0 * sign;
    case ANY_SIZE:
        return sign * (float)pow(10, (double)between(-45, 38));
    default:
        return x;
    }
}

/* The three output arrays have a guard after the last entry that may be used. */
static void check(const float *scores, int64_t m, int64_t k, bool positive) {
    double wide[MOST_M];
    int32_t expected[MOST_M], indices[2 * MOST_M];
    float values[2 * MOST_M];
    uint32_t keys[MOST_M + GUARD];
    widen(scores, m, wide);
    int64_t count = ref_topk(wide, m, k, positive, expected);
    for (int64_t i = 0; i < GUARD; i++) {
        indices[k + i] = -77;
        values[k + i] = -77;
        keys[m + i] = 77;
    }
    assert_int_equal(dl_select(scores, m, k, positive, keys, indices, values), count);
    for (int64_t e = 0; e < count; e++) {
        assert_int_equal(indices[e], expected[e]);
        assert_memory_equal(&values[e], &scores[expected[e]], sizeof *values);
    }
    for (int64_t i = 0; i < GUARD; i++)
        assert_true(indices[k + i] == -77 && values[k + i] == -77 && keys[m + i] == 77);
}

static void every_length(void **state) {
    (void)state;
    _Alignas(64) float memory[MOST_M + 16];
    for (int64_t m = 1; m <= MOST_M; m++) {
        const int64_t large[] = {(m + 1) / 2, m > 1 ? m - 1 : 1, m, m + 5};
        for (int kind = 0; kind < KINDS; kind++) {
            float *scores = memory + (m + kind) % 16; /* any place in a cache line */
            for (int64_t i = 0; i < m; i++)
                scores[i] = draw(kind);
            const int64_t ks[] = {1, 2, (m + 7) / 8, 1 + below((m + 1) / 2), large[(m + kind) % 4]};
            for (int c = 0; c < 5; c++)
                check(scores, m, ks[c], false);
            for (int64_t i = 0; i < m; i++)
                scores[i] =
                    fmaxf(scores[i], -FLT_MAX); /* minus infinity is kept, to be seen: test_kernels.c */
            for (int c = 0; c < 5; c++)
                check(scores, m, ks[c], true);
        }
    }
}

static void known_answers(void **state) {
    (void)state;
    const float scores[] = {1, -3, 3, 0, -1, 3};
    uint32_t keys[6];
    int32_t indices[6];
    float values[6];
    assert_int_equal(dl_select(scores, 6, 2, false, keys, indices, values), 2);
    assert_true(indices[0] == 1 && indices[1] == 2 && values[0] == -3 && values[1] == 3);
    assert_int_equal(dl_select(scores, 6, 4, false, keys, indices, values), 4);
    assert_true(indices[0] == 0 && indices[1] == 1 && indices[2] == 2 && indices[3] == 5);
    assert_int_equal(dl_select(scores, 6, 6, false, keys, indices, values), 5); /* not the zero */
    assert_int_equal(dl_select(scores, 6, 1, true, keys, indices, values), 1);
    assert_true(indices[0] == 2 && values[0] == 3);
    assert_int_equal(dl_select(scores, 6, 6, true, keys, indices, values), 3);
    assert_true(indices[0] == 0 && indices[1] == 2 && indices[2] == 5);
}

/* Neighbours in the order of floats must be told apart, wherever the bisection of bit patterns ends. */
static void adjacent_values(void **state) {
    (void)state;
    float scores[64];
    for (float start = FLT_TRUE_MIN; start < FLT_MAX / 8; start *= 8) {
        float x = start;
        for (int i = 0; i < 64; i++) {
            scores[i * 29 % 64] = i % 2 ? -x : x;
            x = i % 3 ? nextafterf(x, INFINITY) : x;
        }
        for (int64_t k = 1; k <= 64; k++) {
            check(scores, 64, k, false);
            check(scores, 64, k, true);
        }
    }
}

TESTS_MAIN(cmocka_unit_test(known_answers), cmocka_unit_test(every_length), cmocka_unit_test(adjacent_values))
