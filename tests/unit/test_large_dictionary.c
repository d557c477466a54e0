/* The coders omp and htp with more atoms than a matrix of all pairs is stored for: like plain references, in
 * memory that is linear in the atoms. */
#include "coding/coder.h"
#include "coding/dual.h"
#include "reference/reference.h"

#include "test_learning.h"

#include <sys/resource.h>

enum { m = 16384, n = 32, k = 4, N = 6 };

/* The most memory that this process has used. */
static double megabytes(void) {
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return (double)usage.ru_maxrss / 1024;
}

/* Sums of k atoms, with noise. */
static void fill_samples(const float *W, float *X) {
    for (int64_t i = 0; i < N; i++) {
        for (int64_t d = 0; d < n; d++)
            X[i * n + d] = (float)(0.1 * normal());
        for (int64_t e = 0; e < k; e++) {
            const float *w = W + below(m) * n;
            for (int64_t d = 0; d < n; d++)
                X[i * n + d] += w[d];
        }
    }
}

/* The reference of a coder: the dense code and its margin. */
static double wanted_code(dltf_coder coder, const double *W, const double *E, const double *x, double *z) {
    int32_t S[k];
    if (coder == DLTF_CODER_OMP)
        return ref_omp(W, m, n, x, k, 0, z);
    double *scores = new_f64(m);
    ref_scores(x, 1, n, W, m, scores);
    int64_t count = ref_topk(scores, m, k, false, S);
    memset(z, 0, m * sizeof *z);
    for (int64_t e = 0; e < count; e++)
        z[S[e]] = 1;
    free(scores);
    return ref_htp(W, E, m, n, x, k, false, 3, z);
}

/* Supports and values are those of the reference unless its decisions were within rounding; returns whether
 * they were not. */
static bool compare(dltf_csr csr, int64_t i, const double *wanted, double margin, double scale) {
    int64_t entries = 0;
    if (margin < 2e-5)
        return false;
    for (int64_t j = 0; j < m; j++)
        entries += wanted[j] != 0;
    assert_int_equal(csr.indptr[i + 1] - csr.indptr[i], entries);
    for (int64_t e = csr.indptr[i]; e < csr.indptr[i + 1]; e++) {
        assert_true(wanted[csr.indices[e]] != 0);
        assert_near((double)csr.values[e], wanted[csr.indices[e]], 3e-4 * scale);
    }
    return true;
}

static void check_coder(dltf_coder coder) {
    float *narrow = new_f32(m * n), *X = new_f32(N * n);
    double *E = new_f64(m * n), *factor = new_f64(n * n), *z = new_f64(m), x[n];
    dltf_model *model = NULL;
    dltf_codes *codes = NULL;
    int64_t compared = 0;
    fill_normal(narrow, m * n);
    dltf_model_view parts = {.m = m, .n = n, .k = k, .dictionary = narrow};
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    double *W = new_wide(dltf_model_get(model).dictionary, m * n);
    dl_dual_encoder(1, W, m, n, 0.1, factor, E);
    fill_samples(dltf_model_get(model).dictionary, X);

    assert_false(dl_gram_fits(m));
    double before = megabytes();
    dltf_encode_options encoding = {.size = sizeof(dltf_encode_options),
                                    .coder = coder,
                                    .passes = coder == DLTF_CODER_HTP ? 3 : 0,
                                    .threads = 2};
    assert_int_equal(dltf_encode(model, dltf_matrix_f32(X, N, n), &encoding, NULL, NULL, &codes), DLTF_OK);
    assert_true(megabytes() - before < 100); /* all pairs in single precision: 1,024 */

    for (int64_t i = 0; i < N; i++) {
        widen(X + i * n, n, x);
        double margin = wanted_code(coder, W, E, x, z);
        compared += compare(dltf_codes_csr(codes), i, z, margin, sqrt(dot_f64(x, x, n)));
    }
    assert_true(2 * compared > N);
    dltf_codes_free(codes);
    dltf_model_free(model);
    free(narrow);
    free(X);
    free(W);
    free(E);
    free(factor);
    free(z);
}

static void omp(void **state) {
    (void)state;
    check_coder(DLTF_CODER_OMP);
}

static void htp(void **state) {
    (void)state;
    check_coder(DLTF_CODER_HTP);
}

TESTS_MAIN(cmocka_unit_test(omp), cmocka_unit_test(htp))
