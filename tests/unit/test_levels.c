/* Kernel levels: what has the same bits at each of them, and the environment variable that forces one. */
#include "kernels/kernels.h"
#include "kernels/packed.h"
#include "program/program.h"

#include "test_learning.h"

enum { N = 1500, n = 64, m = 128, k = 8 };

static float W[m * n], X[N * n];

/* Sums of k random atoms with noise, as in the protocol of the paper. */
static void fill(void) {
    fill_normal(W, m * n);
    for (int64_t i = 0; i < N; i++)
        for (int64_t e = 0; e <= k; e++) {
            const float *w = W + below(m) * n;
            for (int64_t d = 0; d < n; d++)
                X[i * n + d] += e < k ? w[d] / 8 : 0.1f * (float)normal();
        }
}

static dltf_codes *encode(const dltf_model *model, dltf_coder coder) {
    dltf_codes *codes = NULL;
    dltf_encode_options options = dltf_encode_options_default();
    options.coder = coder;
    options.threads = 2;
    assert_int_equal(dltf_encode(model, dltf_matrix_f32(X, N, n), &options, NULL, NULL, &codes), DLTF_OK);
    return codes;
}

/* These coders amplify rounding, so that other scores would give other supports. */
static void iterated_codes_are_the_same_at_every_level(void **state) {
    (void)state;
    static const dltf_coder coders[] = {DLTF_CODER_IHT, DLTF_CODER_NIHT};
    dltf_model *model = NULL;
    fill();
    assert_int_equal(dltf_model_new(&(dltf_model_view){.m = m, .n = n, .k = k, .dictionary = W}, &model),
                     DLTF_OK);
    for (int c = 0; c < 2; c++) {
        dltf_codes *wanted = encode(model, coders[c]);
        dltf_csr a = dltf_codes_csr(wanted);
        const dl_kernels *kernels;
        for (int l = 0; (kernels = dl_kernels_level(l)); l++) {
            dl_kernels_force(kernels);
            dltf_codes *codes = encode(model, coders[c]);
            dltf_csr b = dltf_codes_csr(codes);
            assert_memory_equal(a.indptr, b.indptr, (N + 1) * sizeof *a.indptr);
            assert_memory_equal(a.indices, b.indices, (size_t)a.indptr[N] * sizeof *a.indices);
            assert_memory_equal(a.values, b.values, (size_t)a.indptr[N] * sizeof *a.values);
            dltf_codes_free(codes);
        }
        dl_kernels_force(NULL);
        dltf_codes_free(wanted);
    }
    dltf_model_free(model);
}

static void unfused_scores_are_rounded_twice(void **state) {
    (void)state;
    enum { ROWS = 7, COLS = 37, SIZE = 19 };
    static float E[COLS * SIZE], x[ROWS * SIZE], S[ROWS * COLS];
    dl_packed packed = {0};
    fill_normal(E, COLS * SIZE);
    fill_normal(x, ROWS * SIZE);
    assert_int_equal(dl_packed_alloc(&packed, COLS, SIZE), DLTF_OK);
    dl_packed_fill(&packed, E, NULL);
    const dl_kernels *kernels;
    for (int l = 0; (kernels = dl_kernels_level(l)); l++) {
        kernels->unfused_scores(&packed, 0, packed.panels, x, SIZE, ROWS, S, COLS);
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLS; j++) {
                float sum = 0;
                for (int d = 0; d < SIZE; d++) {
                    volatile float product = x[i * SIZE + d] * E[j * SIZE + d];
                    sum += product;
                }
                assert_memory_equal(&S[i * COLS + j], &sum, sizeof sum);
            }
    }
    dl_packed_free(&packed);
}

static void names_in_the_environment(void **state) {
    (void)state;
    const char *before = getenv("DLTF_KERNELS");
    char *kept = before ? strdup(before) : NULL;
    const dl_kernels *kernels;
    for (int l = 0; (kernels = dl_kernels_level(l)); l++) {
        setenv("DLTF_KERNELS", kernels->level, 1);
        dl_kernels_force(NULL);
        assert_int_equal(dl_kernels_check(), DLTF_OK);
        assert_ptr_equal(dl_kernels_now(), kernels);
    }
    setenv("DLTF_KERNELS", "AVX2", 1);
    assert_fails(dl_kernels_check(), DLTF_ARGUMENT, "DLTF_KERNELS=AVX2: unknown level; expected one of ");
    setenv("DLTF_KERNELS", "", 1);
    assert_int_equal(dl_kernels_check(), DLTF_OK);
    if (kept)
        setenv("DLTF_KERNELS", kept, 1);
    else
        unsetenv("DLTF_KERNELS");
    free(kept);
    assert_int_equal(dl_kernels_check(), DLTF_OK);
    dl_kernels_force(NULL);
}

TESTS_MAIN(cmocka_unit_test(iterated_codes_are_the_same_at_every_level),
           cmocka_unit_test(unfused_scores_are_rounded_twice), cmocka_unit_test(names_in_the_environment))
