/* The proximal mapping of the squared (k,2) norm: kernel, Algorithm 1 and oracle against each other and,
 * independently, against the optimality conditions of the convex problem. */
#include "dltf.h"

#include "base/memory.h"
#include "base/random.h"
#include "learning/paper/prox.h"
#include "reference/reference.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test_failure.h"

enum { MAX_M = 300, COLUMNS = 10000, MAX_PASSES = 100, MOST_COLUMNS = 37, TRIALS = 1500 };

static const double ROUNDING = 4e-7;                      /* a few float roundings */
static const double TINY = 2 * (double)FLT_TRUE_MIN;      /* rounding error of a denormal number */
static const dl_random source = {.seed = 7, .stream = 1}; /* tests use disjoint indices */
static uint64_t drawn;

static double uniform(double low, double high) {
    return low + (high - low) * dl_random_uniform(source, drawn++);
}

static double normal(void) {
    return dl_random_normal(source, drawn++);
}

static int64_t below(int64_t bound) {
    return dl_random_below(source, drawn++, bound);
}

enum { GAUSSIAN, TIES, ZEROS, DUPLICATES, ALL_EQUAL, ALL_ZERO, ONE_NONZERO, ANY_SIZE, KINDS };

static void fill_column(int kind, float *c, int64_t m) {
    float level = (float)normal();
    for (int64_t i = 0; i < m; i++) {
        float x = (float)normal();
        float sign = below(2) ? 1.0f : -1.0f;
        if (kind == TIES)
            x = roundf(2 * x) / 2;
        if (kind == ZEROS && below(2))
            x = 0;
        if (kind == DUPLICATES && i > 0 && below(2))
            x = sign * c[below(i)];
        if (kind == ALL_EQUAL)
            x = sign * level;
        if (kind == ALL_ZERO || kind == ONE_NONZERO)
            x = 0 * sign;
        if (kind == ANY_SIZE)
            x = sign * (float)pow(10, uniform(-44, 38));
        c[i] = x;
    }
    if (kind == ONE_NONZERO)
        c[below(m)] = level;
}

static int descending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a < b) - (a > b);
}

/* The k-th largest magnitude. */
static double plateau(const float *q, int64_t m, int64_t k) {
    double magnitude[MAX_M];
    for (int64_t i = 0; i < m; i++)
        magnitude[i] = fabs((double)q[i]);
    qsort(magnitude, (size_t)m, sizeof *magnitude, descending);
    return magnitude[k - 1];
}

static void assert_between(double low, double x, double high) {
    if (!(x >= low && x <= high))
        fail_msg("%.17g is not between %.17g and %.17g", x, low, high);
}

/* 0 is a subgradient of gamma ||q||^2_{k,2} + ||q - c||^2 at q.
 *
 * ||q||^2_{k,2} = max { sum u_i q_i^2 : 0 <= u_i <= 1, sum u_i = k }, so by Danskin its subgradients are 2
 * u_i q_i for the maximising u: with v the k-th largest |q_i|, u_i = 1 where |q_i| > v, 0 where |q_i| < v,
 * anything from 0 to 1 where |q_i| = v, k in total. Zero in 2 (q - c) + gamma 2 u q means q_i (1 + gamma u_i)
 * = c_i. This gives u_i, which must satisfy these conditions. The problem is strictly convex, so the solution
 * is unique. */
static void assert_optimal(const float *c, const float *q, int64_t m, int64_t k, double gamma) {
    double v = plateau(q, m, k), above = 0, on = 0, weight = 0;
    double error = v > 0 ? ROUNDING + TINY / v : 0;
    for (int64_t i = 0; i < m; i++) {
        double a = fabs((double)c[i]), b = fabs((double)q[i]);
        assert_true(isfinite(q[i]));
        assert_int_equal(signbit(c[i]) != 0, signbit(q[i]) != 0);
        if (b > v) {
            above++;
            assert_between(a / (1 + gamma) * (1 - ROUNDING) - TINY, b,
                           a / (1 + gamma) * (1 + ROUNDING) + TINY);
        } else if (b < v) {
            assert_between(b, a, b);
        } else if (v == 0) { /* zeros, or a plateau below the smallest float, which is sum |c_i| / (gamma k +
                                ...) */
            assert_between(0, a, TINY * (gamma * (double)k + (double)m));
        } else {
            double gamma_u = a / v - 1;
            assert_between(-error, gamma_u, gamma + error * (1 + gamma));
            on += fmin(fmax(gamma_u, 0), gamma);
            weight += a / v;
        }
    }
    if (v > 0)
        assert_between(-error * weight, on - gamma * ((double)k - above), error * weight);
}

static void assert_close(const float *q, const double *expected, int64_t m) {
    for (int64_t i = 0; i < m; i++)
        assert_between(expected[i] - ROUNDING * fabs(expected[i]) - TINY, (double)q[i],
                       expected[i] + ROUNDING * fabs(expected[i]) + TINY);
}

/* F is strongly convex: F(q + d) >= F(q) + ||d||^2 at its minimiser. */
static void assert_no_better_nearby(const float *c, const float *q, int64_t m, int64_t k, double gamma) {
    double at[MAX_M], near[MAX_M], target[MAX_M], size = 0;
    for (int64_t i = 0; i < m; i++) {
        target[i] = (double)c[i];
        at[i] = (double)q[i];
        size += target[i] * target[i];
    }
    double F = ref_prox_objective(at, target, m, k, gamma);
    for (int trial = 0; trial < 5; trial++) {
        double length = 0, scale = sqrt(size / (double)m) * pow(10, uniform(-2.5, 0));
        for (int64_t i = 0; i < m; i++) {
            double d = scale * normal();
            near[i] = at[i] + d;
            length += d * d;
        }
        double F_near = ref_prox_objective(near, target, m, k, gamma);
        assert_between(F + length - 1e-6 * (size + length), F_near, INFINITY);
    }
}

static void check_column(const float *c, int64_t m, int64_t k, double gamma) {
    float q[MAX_M], sorted[MAX_M];
    double wide[MAX_M], expected[MAX_M];
    for (int64_t i = 0; i < m; i++)
        wide[i] = (double)c[i];
    assert_int_equal(dltf_prox(c, m, k, gamma, q), DLTF_OK);
    assert_int_equal(dltf_prox_sorted(c, m, k, gamma, sorted), DLTF_OK);
    ref_prox(wide, m, k, gamma, expected);
    assert_close(q, expected, m);
    assert_close(sorted, expected, m);
    assert_optimal(c, q, m, k, gamma);
    assert_optimal(c, sorted, m, k, gamma);
}

static void random_columns(void **state) {
    (void)state;
    float c[MAX_M], q[MAX_M];
    int max_passes = 0;
    for (int column = 0; column < COLUMNS; column++) {
        int64_t m = 1 + below(MAX_M), k = 1 + below(m);
        double gamma = below(20) == 0 ? 0 : pow(10, uniform(-6, 6));
        fill_column(column % KINDS, c, m);
        check_column(c, m, k, gamma);
        double v = 0;
        int passes = dl_prox_next(c, m, k, gamma, q, &v);
        max_passes = passes > max_passes ? passes : max_passes;
        if (column % KINDS == GAUSSIAN || column % KINDS == TIES)
            assert_no_better_nearby(c, q, m, k, gamma);
    }
    assert_in_range(max_passes, 2, MAX_PASSES);
}

/* Any guess leads to the solution: that of an unrelated column, too large, too small. */
static void guesses(void **state) {
    (void)state;
    float c[MAX_M], q[MAX_M];
    double wide[MAX_M], expected[MAX_M], v = 0;
    for (int column = 0; column < COLUMNS; column++) {
        int64_t m = 1 + below(MAX_M), k = 1 + below(m);
        double gamma = pow(10, uniform(-6, 6));
        fill_column(column % KINDS, c, m);
        for (int64_t i = 0; i < m; i++)
            wide[i] = (double)c[i];
        ref_prox(wide, m, k, gamma, expected);
        v *= column % 3 == 0 ? 1 : pow(10, uniform(-3, 3));
        dl_prox_next(c, m, k, gamma, q, &v);
        assert_close(q, expected, m);
        assert_optimal(c, q, m, k, gamma);
    }
}

static void extreme_sizes(void **state) {
    (void)state;
    static const double scales[] = {1e-44, 1e-38, 1e-20, 1, 1e20, 3e37};
    static const double gammas[] = {1e-12, 1e-7, 1e-3, 1, 1e3, 1e12, 1e40, 1e300};
    float c[64];
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++)
            for (int g = 0; g < 8; g++)
                for (int64_t k = 1; k <= 64; k += 9) {
                    for (int i = 0; i < 64; i++) /* half of one magnitude, half of another */
                        c[i] = (float)((i % 2 ? scales[a] : scales[b]) * fmax(fmin(normal(), 9), -9));
                    check_column(c, 64, k, gammas[g]);
                }
}

/* Entries whose sums overflow in single precision, of the smallest floats, infinite or NaN. */
static void spoil(int kind, float *c, int64_t m) {
    static const float extremes[] = {3e38f, 1e-45f, INFINITY, NAN};
    for (int64_t i = 0; i < m; i++)
        if (kind < 2)
            c[i] = extremes[kind] * (float)(1 + (kind == 1 ? below(9) : 0)) * (below(2) ? 1.0f : -1.0f);
    if (kind >= 2)
        c[below(m)] = extremes[kind];
}

static void check_columns(const float *C, int64_t m, int64_t k, double gamma, int64_t count) {
    static float Q[MOST_COLUMNS * MAX_M], alone[MAX_M];
    double v[MOST_COLUMNS] = {uniform(0, 2)}, wide[MAX_M], expected[MAX_M];
    assert_true(dl_prox_columns(C, m, k, gamma, count, Q, v) >= count);
    for (int64_t i = 0; i < count; i++) {
        const float *c = C + i * m, *q = Q + i * m;
        bool finite = true;
        for (int64_t j = 0; j < m; j++) {
            wide[j] = (double)c[j];
            finite = finite && isfinite(c[j]);
        }
        if (m <= 256) {
            dl_prox(c, m, k, gamma, alone);
            assert_memory_equal(q, alone, (size_t)m * sizeof *q);
        } else if (finite) {
            ref_prox(wide, m, k, gamma, expected);
            assert_close(q, expected, m);
            assert_optimal(c, q, m, k, gamma);
        }
    }
}

/* The result of a column does not depend on those next to it, nor on their number and its place. */
static void columns(void **state) {
    (void)state;
    static float C[MOST_COLUMNS * MAX_M];
    static const double gammas[] = {0, 1e-9, 1e-3, 0.1, 1, 30, 1e12, 1e30};
    const int64_t lengths[] = {1, 2, 15, 16, 17, 63, 64, 65, 100, 128, 200, 255, 256, 257};
    for (int trial = 0; trial < TRIALS; trial++) {
        int64_t m = lengths[trial % 14], k = 1 + below(m), count = 1 + trial % MOST_COLUMNS;
        for (int64_t i = 0; i < count; i++) {
            fill_column((int)below(KINDS), C + i * m, m);
            if (below(8) == 0)
                spoil((int)below(4), C + i * m, m);
        }
        check_columns(C, m, k, gammas[below(8)], count);
    }
}

/* In place, and two calls instead of one. */
static void columns_in_parts(void **state) {
    (void)state;
    enum { M = 128, K = 16 };
    static float C[MOST_COLUMNS * M], Q[MOST_COLUMNS * M];
    double v[MOST_COLUMNS] = {0}, again[MOST_COLUMNS] = {0};
    for (int64_t i = 0; i < MOST_COLUMNS; i++)
        fill_column((int)(i % KINDS), C + i * M, M);
    dl_prox_columns(C, M, K, 0.1, MOST_COLUMNS, Q, v);
    for (int64_t first = 0, count; first < MOST_COLUMNS; first += count) {
        count = 1 + below(MOST_COLUMNS - first);
        dl_prox_columns(C + first * M, M, K, 0.1, count, C + first * M, again + first);
    }
    assert_memory_equal(C, Q, sizeof C);
    assert_memory_equal(v, again, sizeof v);
}

static void known_answers(void **state) {
    (void)state;
    float q[4];
    /* Two equal entries, k = 1: both shrink to 2/(2 + gamma). */
    assert_int_equal(dltf_prox((float[]){1, -1}, 2, 1, 2, q), DLTF_OK);
    assert_true(q[0] == 0.5f && q[1] == -0.5f);
    /* Well separated: the largest is halved, the others stay. */
    assert_int_equal(dltf_prox((float[]){8, 1, -2, 0}, 4, 1, 1, q), DLTF_OK);
    assert_true(q[0] == 4 && q[1] == 1 && q[2] == -2 && q[3] == 0);
    /* k at or above the number of non-zeros, and k = m: plain shrinkage. */
    assert_int_equal(dltf_prox((float[]){8, 0, -2, 0}, 4, 2, 1, q), DLTF_OK);
    assert_true(q[0] == 4 && q[1] == 0 && q[2] == -1 && q[3] == 0);
    assert_int_equal(dltf_prox((float[]){8, 1, -2, 4}, 4, 4, 3, q), DLTF_OK);
    assert_true(q[0] == 2 && q[1] == 0.25f && q[2] == -0.5f && q[3] == 1);
    /* gamma = 0: c itself, to the bit. */
    assert_int_equal(dltf_prox((float[]){1.1f, -0.0f, 3e38f, 1e-45f}, 4, 2, 0, q), DLTF_OK);
    assert_memory_equal(q, ((float[]){1.1f, -0.0f, 3e38f, 1e-45f}), sizeof q);
}

static void in_place(void **state) {
    (void)state;
    float c[MAX_M], q[MAX_M], both[MAX_M];
    for (int64_t m = 1; m <= MAX_M; m += 13)
        for (double gamma = 0; gamma < 20; gamma = 3 * gamma + 0.1) {
            fill_column(GAUSSIAN, c, m);
            memcpy(both, c, sizeof both);
            assert_int_equal(dltf_prox(c, m, (m + 3) / 4, gamma, q), DLTF_OK);
            assert_int_equal(dltf_prox(both, m, (m + 3) / 4, gamma, both), DLTF_OK);
            assert_memory_equal(q, both, (size_t)m * sizeof *q);
            memcpy(both, c, sizeof both);
            assert_int_equal(dltf_prox_sorted(c, m, (m + 3) / 4, gamma, q), DLTF_OK);
            assert_int_equal(dltf_prox_sorted(both, m, (m + 3) / 4, gamma, both), DLTF_OK);
            assert_memory_equal(q, both, (size_t)m * sizeof *q);
        }
}

typedef dltf_status (*prox_function)(const float *c, int64_t m, int64_t k, double gamma, float *q);

static void assert_rejected(const float *c, int64_t m, int64_t k, double gamma, const char *reason) {
    static const prox_function functions[] = {dltf_prox, dltf_prox_sorted};
    for (int f = 0; f < 2; f++) {
        float q[3] = {5, 6, 7};
        assert_int_equal(functions[f](c, m, k, gamma, q), DLTF_ARGUMENT);
        assert_non_null(strstr(dltf_message(), reason));
        assert_true(q[0] == 5 && q[1] == 6 && q[2] == 7);
    }
}

static void bad_arguments(void **state) {
    (void)state;
    const float c[3] = {1, 2, 3};
    assert_rejected(c, 3, 0, 1, "k is 0");
    assert_rejected(c, 3, 4, 1, "k is 4: must be between 1 and m = 3");
    assert_rejected(c, 0, 1, 1, "m is 0");
    assert_rejected(c, 3, 1, -1e-9, "gamma is -1e-09");
    assert_rejected(c, 3, 1, (double)NAN, "gamma is");
    assert_rejected(c, 3, 1, (double)INFINITY, "gamma is inf");
    assert_rejected((float[]){1, NAN, 3}, 3, 1, 1, "c[1] is NaN");
    assert_rejected((float[]){1, 2, -INFINITY}, 3, 1, 1, "c[2] is infinite");
    assert_rejected(NULL, 3, 1, 1, "must not be NULL");
    assert_fails(dltf_prox(c, 3, 1, 1, NULL), DLTF_ARGUMENT, "must not be NULL");
    assert_fails(dltf_prox_sorted(c, 3, 1, 1, NULL), DLTF_ARGUMENT, "must not be NULL");
}

static void out_of_memory(void **state) {
    (void)state;
    const float c[3] = {1, 2, 3};
    float q[3];
    for (int allocations = 1; allocations <= 2; allocations++) {
        dl_alloc_fail_after(allocations);
        assert_int_equal(dltf_prox_sorted(c, 3, 1, 1, q), DLTF_MEMORY);
    }
    dl_alloc_fail_after(3);
    assert_int_equal(dltf_prox_sorted(c, 3, 1, 1, q), DLTF_OK);
    dl_alloc_fail_after(1); /* the kernel needs none */
    assert_int_equal(dltf_prox(c, 3, 1, 1, q), DLTF_OK);
    dl_alloc_fail_after(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers), cmocka_unit_test(random_columns),   cmocka_unit_test(guesses),
        cmocka_unit_test(columns),       cmocka_unit_test(columns_in_parts), cmocka_unit_test(extreme_sizes),
        cmocka_unit_test(in_place),      cmocka_unit_test(bad_arguments),    cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
