/* Kernels that work on sparse codes, at every level that this CPU supports, against loops: sums of rows, the
 * gap Gz - b, least squares on supports. */
#include "test_util.h"

#include "base/memory.h"
#include "coding/least_squares.h"
#include "kernels/kernels.h"
#include "kernels/supports.h"

#include <math.h>

enum { MOST_m = 300, MOST_k = 20, MOST_ROWS = 40 };

static float G[MOST_m * MOST_m + 1], b[MOST_m + 1], p[MOST_m + 2], value[MOST_k];
static int32_t support[MOST_k];

/* Distinct atoms, ascending. */
static void draw_support(int64_t m, int64_t count, int32_t *index) {
    int64_t chosen = 0;
    for (int64_t j = 0; j < m && chosen < count; j++)
        if (below(m - j) < count - chosen)
            index[chosen++] = (int32_t)j;
}

static void gap(void **state) {
    (void)state;
    fill_normal(G, MOST_m * MOST_m + 1);
    fill_normal(b, MOST_m + 1);
    const dl_kernels *kernels;
    for (int64_t m = 1; m <= MOST_m; m++) {
        int64_t count = m % (m < MOST_k ? m + 1 : MOST_k + 1);
        float first[MOST_m], scale = m % 2 ? 1 : -0.3f;
        draw_support(m, count, support);
        fill_normal(value, count);
        for (int l = 0; (kernels = dl_kernels_level(l)); l++) {
            p[0] = p[m + 1] = 7; /* beyond both ends */
            kernels->gap_row(G + 1, m, support, value, count, b + 1, scale, p + 1);
            assert_true(p[0] == 7 && p[m + 1] == 7);
            for (int64_t j = 0; j < m; j++) {
                double sum = -(double)b[1 + j];
                for (int64_t e = 0; e < count; e++)
                    sum += (double)value[e] * (double)G[1 + support[e] * m + j];
                assert_near((double)p[1 + j], (double)scale * sum, 1e-5);
            }
            if (l == 0)
                memcpy(first, p + 1, (size_t)m * sizeof *first);
            assert_memory_equal(p + 1, first, (size_t)m * sizeof *first); /* nothing is fused */
        }
    }
}

/* The same bits as rows that are added one by one. */
static void sums_of_rows(void **state) {
    (void)state;
    const float *rows[MOST_k];
    double sum[MOST_m + 1], wanted[MOST_m + 1];
    fill_normal(G, MOST_m * MOST_m + 1);
    const dl_kernels *kernels;
    for (int l = 0; (kernels = dl_kernels_level(l)); l++)
        for (int64_t n = 1; n <= MOST_m; n++) {
            int64_t count = n % (MOST_k + 1);
            fill_normal(value, count);
            for (int64_t e = 0; e < count; e++)
                rows[e] = G + below(MOST_m * (MOST_m - 1) - n);
            for (int64_t j = 0; j <= n; j++)
                sum[j] = wanted[j] = normal();
            for (int64_t e = 0; e < count; e++)
                kernels->add_scaled(wanted, value[e], rows[e], n);
            kernels->add_rows(sum, n, rows, value, count);
            assert_memory_equal(sum, wanted, (size_t)(n + 1) * sizeof *sum);
        }
}

/* A Gram matrix of unit vectors; every tenth atom is close to the one before it. */
static void fill_gram(int64_t m) {
    enum { n = 24 };
    static double W[MOST_m * n];
    for (int64_t j = 0; j < m; j++) {
        double square = 0;
        for (int64_t d = 0; d < n; d++) {
            W[j * n + d] = j % 10 == 9 ? W[(j - 1) * n + d] + 0.02 * normal() : normal();
            square += W[j * n + d] * W[j * n + d];
        }
        for (int64_t d = 0; d < n; d++)
            W[j * n + d] /= sqrt(square);
    }
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++) {
            double sum = 0;
            for (int64_t d = 0; d < n; d++)
                sum += W[i * n + d] * W[j * n + d];
            G[i * m + j] = (float)sum;
        }
}

/* The solution of one sample in double, and its smallest pivot. */
static double reference_solution(int64_t m, int64_t s, const int32_t *S, const float *right, double *z) {
    double normal_equations[MOST_k * MOST_k], smallest = 1;
    for (int64_t i = 0; i < s; i++) {
        for (int64_t j = 0; j <= i; j++)
            normal_equations[i * s + j] = i == j ? 1 : (double)G[S[i] * m + S[j]];
        z[i] = (double)right[i];
    }
    dl_solve_support(normal_equations, z, s, 0);
    for (int64_t i = 0; i < s; i++)
        smallest = fmin(smallest, normal_equations[i * s + i] * normal_equations[i * s + i]);
    return smallest;
}

static void check_supports(const dl_kernels *kernels, int64_t m, int64_t k, int64_t rows) {
    static float right[MOST_ROWS * MOST_k], z[MOST_ROWS * MOST_k], pivot[MOST_ROWS];
    static int32_t count[MOST_ROWS], index[MOST_ROWS * MOST_k];
    float *work = DL_NEW(float, dl_solve_supports_work(k));
    assert_non_null(work);
    fill_normal(right, rows * k);
    for (int64_t i = 0; i < rows; i++) {
        count[i] = (int32_t)(below(3) ? k : below(k + 1));
        draw_support(m, count[i], index + i * k);
    }
    kernels->solve_supports(G, m, k, rows, count, index, right, work, z, pivot);
    for (int64_t i = 0; i < rows; i++) {
        double wanted[MOST_k],
            smallest = reference_solution(m, count[i], index + i * k, right + i * k, wanted);
        assert_near((double)pivot[i], smallest, 1e-5);
        for (int64_t e = 0; e < count[i] && smallest > 1e-3; e++)
            assert_near((double)z[i * k + e], wanted[e], 2e-5 / smallest * (1 + fabs(wanted[e])));
    }
    dl_free(work);
}

static void least_squares_on_supports(void **state) {
    (void)state;
    const dl_kernels *kernels;
    for (int l = 0; (kernels = dl_kernels_level(l)); l++)
        for (int64_t k = 1; k <= MOST_k; k++) {
            int64_t m = k + below(MOST_m - k);
            fill_gram(m);
            check_supports(kernels, m, k, 1 + below(MOST_ROWS));
        }
}

TESTS_MAIN(cmocka_unit_test(gap), cmocka_unit_test(sums_of_rows), cmocka_unit_test(least_squares_on_supports))
