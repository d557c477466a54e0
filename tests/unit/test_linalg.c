/* Products, Cholesky solves and the largest eigenvalue against plain loops and residuals; the same bytes for
 * any number of threads; the thread count of BLAS restored. */
#include "linalg/blas.h"
#include "linalg/blas_threads.h"

#include "test_util.h"

#include <pthread.h>
#include <stdatomic.h>

/* Of OpenBLAS; only linalg/ includes its headers. */
int openblas_get_num_threads(void);
void openblas_set_num_threads(int threads);

enum { MOST = 150, AREA = MOST * MOST };

static double A[AREA], B[AREA], C[AREA], C0[AREA], expected[AREA];
static float A32[AREA], B32[AREA], C32[AREA];

static double entry(const double *matrix, dl_transpose transpose, int64_t rows, int64_t cols, int64_t i,
                    int64_t j) {
    return transpose == DL_PLAIN ? matrix[i * cols + j] : matrix[j * rows + i];
}

/* expected = alpha op(A) op(B) + beta C0 */
static void multiply(dl_transpose ta, dl_transpose tb, int64_t rows, int64_t cols, int64_t inner,
                     double alpha, double beta) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            double sum = 0;
            for (int64_t l = 0; l < inner; l++)
                sum += entry(A, ta, rows, inner, i, l) * entry(B, tb, inner, cols, l, j);
            expected[i * cols + j] = alpha * sum + (beta == 0 ? 0 : beta * C0[i * cols + j]);
        }
}

static void assert_all_near(const double *x, const double *wanted, int64_t count, double tolerance) {
    for (int64_t i = 0; i < count; i++)
        assert_near(x[i], wanted[i], tolerance);
}

static void check_gemm(dl_transpose ta, dl_transpose tb, int64_t rows, int64_t cols, int64_t inner,
                       double alpha, double beta) {
    size_t bytes = (size_t)(rows * cols) * sizeof *C;
    static double again[AREA];
    multiply(ta, tb, rows, cols, inner, alpha, beta);
    memcpy(C, C0, bytes);
    dl_gemm(1, ta, tb, rows, cols, inner, alpha, A, B, beta, C);
    assert_all_near(C, expected, rows * cols, 1e-13 * (double)(inner + 1));
    for (int threads = 2; threads <= 3; threads++) {
        memcpy(again, C0, bytes);
        dl_gemm(threads, ta, tb, rows, cols, inner, alpha, A, B, beta, again);
        assert_memory_equal(again, C, bytes);
    }
}

static void products_f64(void **state) {
    (void)state;
    static const int64_t rows[] = {1, 63, 64, 65, 129, 150}, cols[] = {1, 7, 65, 130},
                         inner[] = {1, 3, 64, 150};
    fill_normal_f64(A, AREA);
    fill_normal_f64(B, AREA);
    fill_normal_f64(C0, AREA);
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 4; c++)
            for (int l = 0; l < 4; l++)
                for (int t = 0; t < 4; t++)
                    check_gemm(t & 1 ? DL_TRANSPOSED : DL_PLAIN, t & 2 ? DL_TRANSPOSED : DL_PLAIN, rows[r],
                               cols[c], inner[l], 1.5, -0.5);
}

/* With beta = 0 the old content of C is ignored. */
static void product_overwrites(void **state) {
    (void)state;
    for (int64_t i = 0; i < AREA; i++)
        C0[i] = (double)NAN;
    check_gemm(DL_PLAIN, DL_PLAIN, 70, 20, 30, 1, 0);
    check_gemm(DL_TRANSPOSED, DL_TRANSPOSED, 1, 1, 1, 2, 0);
}

static void product_f32(void **state) {
    (void)state;
    const int64_t rows = 128, inner = 51;
    fill_normal(A32, rows * inner);
    fill_normal(B32, AREA);
    dl_gemm32(DL_PLAIN, DL_PLAIN, rows, inner, inner, A32, inner, B32, inner, C32, inner);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < inner; j++) {
            double sum = 0;
            for (int64_t l = 0; l < inner; l++)
                sum += (double)A32[i * inner + l] * (double)B32[l * inner + j];
            assert_near((double)C32[i * inner + j], sum, 1e-4);
        }
}

static void accumulation(void **state) {
    (void)state;
    const int64_t samples = 90, lda = 70, cols = 33, n = 21;
    fill_normal(A32, samples * lda);
    fill_normal(B32, samples * n);
    fill_normal_f64(C0, cols * n);
    memcpy(C, C0, sizeof C);
    dl_accumulate_tn(A32, lda, B32, samples, cols, n, C32, C);
    dl_accumulate_tn(A32, lda, B32, samples, cols, n, C32, C);
    for (int64_t i = 0; i < cols; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = C0[i * n + j];
            for (int64_t s = 0; s < samples; s++)
                sum += 2 * (double)A32[s * lda + i] * (double)B32[s * n + j];
            assert_near(C[i * n + j], sum, 2e-4);
        }
    assert_memory_equal(C + cols * n, C0 + cols * n, sizeof C - (size_t)(cols * n) * sizeof *C);
}

/* A (size x size) = B B^T + shift I */
static void make_positive_definite(int64_t size, double shift) {
    fill_normal_f64(B, size * size);
    for (int64_t i = 0; i < size; i++)
        for (int64_t j = 0; j < size; j++) {
            double sum = i == j ? shift : 0;
            for (int64_t l = 0; l < size; l++)
                sum += B[i * size + l] * B[j * size + l];
            A[i * size + j] = sum;
        }
}

typedef void (*solver)(int threads, const double *L, int64_t size, double *X, int64_t other);

/* Solves for the right-hand sides C0 with 1, 2 and 3 threads; the solution is left in B. */
static void solve_with_threads(solver solve, const double *L, int64_t size, int64_t other) {
    size_t bytes = (size_t)(size * other) * sizeof *B;
    memcpy(B, C0, bytes);
    solve(1, L, size, B, other);
    for (int threads = 2; threads <= 3; threads++) {
        memcpy(C, C0, bytes);
        solve(threads, L, size, C, other);
        assert_memory_equal(C, B, bytes);
    }
}

static void cholesky_and_solves(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 17, 64, 65, 100}, others[] = {1, 63, 64, 65, 140};
    static double L[AREA], P[AREA];
    for (int s = 0; s < 6; s++) {
        int64_t size = sizes[s];
        make_positive_definite(size, (double)size);
        memcpy(L, A, sizeof L);
        memcpy(P, A, sizeof P); /* symmetric, so that it can stand on either side */
        assert_true(dl_cholesky(L, size));
        fill_normal_f64(C0, AREA);
        for (int o = 0; o < 5; o++) {
            double tolerance = 1e-11 * (double)size;
            solve_with_threads(dl_solve_left, L, size, others[o]); /* P X = C0 */
            memcpy(A, P, sizeof A);
            multiply(DL_PLAIN, DL_PLAIN, size, others[o], size, 1, 0);
            assert_all_near(expected, C0, size * others[o], tolerance);
            solve_with_threads(dl_solve_right, L, size, others[o]); /* X P = C0 */
            memcpy(A, B, sizeof A);
            memcpy(B, P, sizeof B);
            multiply(DL_PLAIN, DL_PLAIN, others[o], size, size, 1, 0);
            assert_all_near(expected, C0, size * others[o], tolerance);
        }
    }
}

static void not_positive_definite(void **state) {
    (void)state;
    assert_false(dl_cholesky((double[]){0}, 1));
    assert_false(dl_cholesky((double[]){-1}, 1));
    assert_false(dl_cholesky((double[]){1, 2, 2, 1}, 2));
    assert_false(dl_cholesky((double[]){1, 1, 1, 1}, 2));
    assert_true(dl_cholesky((double[]){1, 0.5, 0.5, 1}, 2));
    make_positive_definite(100, 1);
    A[70 * 100 + 70] = -1e-3; /* found late */
    assert_false(dl_cholesky(A, 100));
}

/* A = H diag(d) H with the Householder reflection H of a random vector: its spectrum is d. */
static void make_spectrum(const double *d, int64_t size) {
    double v[MOST], square = 0;
    fill_normal_f64(v, size);
    for (int64_t i = 0; i < size; i++)
        square += v[i] * v[i];
    for (int64_t i = 0; i < size; i++)
        for (int64_t j = 0; j < size; j++)
            B[i * size + j] = (i == j ? 1 : 0) - 2 * v[i] * v[j] / square;
    for (int64_t i = 0; i < size; i++)
        for (int64_t j = 0; j < size; j++) {
            A[i * size + j] = 0;
            for (int64_t l = 0; l < size; l++)
                A[i * size + j] += B[i * size + l] * d[l] * B[j * size + l];
        }
}

static void largest_eigenvalue(void **state) {
    (void)state;
    double d[MOST], scratch[(DL_LANCZOS_STEPS + 1) * MOST];
    for (int64_t size = 1; size <= MOST; size = 2 * size + 3)
        for (int64_t trial = 0; trial < 6; trial++) {
            double scale = pow(10, (double)(5 * trial - 15));
            for (int64_t i = 0; i < size; i++) /* flat, falling slowly, falling fast, low rank */
                d[i] = scale * (trial == 0   ? 1
                                : trial < 3  ? 1 / (1 + 0.1 * (double)i)
                                : trial == 3 ? pow(0.5, (double)i)
                                             : (i < 3 ? 3 - (double)i : 0));
            make_spectrum(d, size);
            assert_near(dl_largest_eigenvalue(A, size, scratch), d[0], 0.02 * d[0]);
        }
    memset(A, 0, sizeof A);
    assert_near(dl_largest_eigenvalue(A, 20, scratch), 0, 0);
}

/* The Gram matrix of orthonormal atoms except for one coherent pair: a small gap above a large plateau. */
static void largest_eigenvalue_of_a_pair(void **state) {
    (void)state;
    static const struct {
        int64_t i, j;
        double g;
    } pairs[] = {{0, 7, -0.5}, {0, 1, 0.18}, {3, 17, 0.05}, {40, 41, -0.99}};
    enum { SIZE = 100 };
    static double scratch[(DL_LANCZOS_STEPS + 1) * SIZE];
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        memset(A, 0, sizeof A);
        for (int64_t i = 0; i < SIZE; i++)
            A[i * SIZE + i] = 1;
        A[pairs[p].i * SIZE + pairs[p].j] = A[pairs[p].j * SIZE + pairs[p].i] = pairs[p].g;
        assert_near(dl_largest_eigenvalue(A, SIZE, scratch), 1 + fabs(pairs[p].g), 1e-6);
    }
}

static void single_thread_nests(void **state) {
    (void)state;
    openblas_set_num_threads(2);
    assert_int_equal(openblas_get_num_threads(), 2);
    dl_blas_begin();
    assert_int_equal(openblas_get_num_threads(), 1);
    dl_blas_begin();
    assert_int_equal(openblas_get_num_threads(), 1);
    dl_blas_end();
    assert_int_equal(openblas_get_num_threads(), 1);
    dl_blas_end();
    assert_int_equal(openblas_get_num_threads(), 2);
    dl_blas_begin(); /* and once more */
    assert_int_equal(openblas_get_num_threads(), 1);
    dl_blas_end();
    assert_int_equal(openblas_get_num_threads(), 2);
    openblas_set_num_threads(1);
    assert_non_null(strstr(dl_blas_name(), "OpenBLAS"));
}

/* Every function of blas.h, failures included, restores the thread count of BLAS. */
static void blas_threads_are_restored(void **state) {
    (void)state;
    enum { SIZE = 20 };
    static double values[SIZE], scratch[8 * SIZE * SIZE + 40 * SIZE];
    for (int i = 0; i < SIZE * SIZE; i++) {
        A[i] = i % (SIZE + 1) == 0 ? 2 : 0;
        A32[i] = B32[i] = (float)A[i];
    }
    openblas_set_num_threads(2);
    dl_gemm32(DL_PLAIN, DL_PLAIN, SIZE, SIZE, SIZE, A32, SIZE, B32, SIZE, C32, SIZE);
    assert_int_equal(openblas_get_num_threads(), 2);
    dl_accumulate_tn(A32, SIZE, B32, SIZE, SIZE, SIZE, C32, C);
    assert_int_equal(openblas_get_num_threads(), 2);
    dl_gemm(2, DL_PLAIN, DL_PLAIN, SIZE, SIZE, SIZE, 1, A, A, 0, C);
    assert_int_equal(openblas_get_num_threads(), 2);
    assert_near(dl_largest_eigenvalue(A, SIZE, scratch), 2, 1e-9);
    assert_int_equal(openblas_get_num_threads(), 2);
    assert_true(dl_symmetric_eigenvalues(memcpy(C, A, sizeof A), SIZE, values, scratch));
    assert_int_equal(openblas_get_num_threads(), 2);
    assert_true(dl_eigenvectors(memcpy(C, A, sizeof A), SIZE, values, scratch));
    assert_int_equal(openblas_get_num_threads(), 2);
    assert_false(dl_eigenvectors(C, DL_MOST_EIGENVECTORS + 1, values, scratch));
    assert_int_equal(openblas_get_num_threads(), 2);
    assert_true(dl_polar(memcpy(C, A, sizeof A), SIZE, scratch));
    assert_int_equal(openblas_get_num_threads(), 2);
    assert_true(dl_cholesky(A, SIZE));
    assert_int_equal(openblas_get_num_threads(), 2);
    dl_solve_left(2, A, SIZE, B, SIZE);
    dl_solve_right(2, A, SIZE, B, SIZE);
    assert_int_equal(openblas_get_num_threads(), 2);
    A[0] = -1;
    assert_false(dl_cholesky(A, SIZE));
    assert_int_equal(openblas_get_num_threads(), 2);
    openblas_set_num_threads(1);
}

typedef struct crowd {
    atomic_int wrong; /* calls that met BLAS with several threads */
} crowd;

static void *call_blas(void *context) {
    crowd *c = context;
    float x[4] = {1, 2, 3, 4}, y[4];
    for (int i = 0; i < 2000; i++) {
        dl_gemm32(DL_PLAIN, DL_PLAIN, 2, 2, 2, x, 2, x, 2, y, 2);
        dl_blas_begin();
        if (openblas_get_num_threads() != 1)
            atomic_fetch_add(&c->wrong, 1);
        dl_gemm32(DL_PLAIN, DL_PLAIN, 2, 2, 2, x, 2, x, 2, y, 2);
        dl_blas_end();
    }
    return NULL;
}

/* Threads of the caller that enter and leave while others are inside. */
static void many_callers_at_once(void **state) {
    (void)state;
    enum { CALLERS = 6 };
    pthread_t callers[CALLERS];
    crowd c = {0};
    openblas_set_num_threads(2);
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&callers[i], NULL, call_blas, &c), 0);
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_join(callers[i], NULL), 0);
    assert_int_equal(atomic_load(&c.wrong), 0);
    assert_int_equal(openblas_get_num_threads(), 2);
    openblas_set_num_threads(1);
}

TESTS_MAIN(cmocka_unit_test(single_thread_nests), cmocka_unit_test(blas_threads_are_restored),
           cmocka_unit_test(many_callers_at_once), cmocka_unit_test(products_f64),
           cmocka_unit_test(product_overwrites), cmocka_unit_test(product_f32),
           cmocka_unit_test(accumulation), cmocka_unit_test(cholesky_and_solves),
           cmocka_unit_test(not_positive_definite), cmocka_unit_test(largest_eigenvalue),
           cmocka_unit_test(largest_eigenvalue_of_a_pair))
