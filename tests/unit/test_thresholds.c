/* Models with thresholds, scales and normalised samples: codes, values and errors against plain loops. */
#include "test_util.h"

#include "kernels/kernels.h"

#include <math.h>

enum { M = 1300, N = 20, ROWS = 211 };

typedef struct problem {
    float W[M * N], E[M * N], bias[M], scale[M], threshold[M], offset[N], X[ROWS * N];
} problem;

static problem *p;

static int make(void **state) {
    (void)state;
    p = malloc(sizeof *p);
    fill_normal(p->W, M * N);
    fill_normal(p->E, M * N);
    fill_normal(p->X, ROWS * N);
    fill_normal(p->offset, N);
    for (int64_t j = 0; j < M; j++) {
        p->bias[j] = (float)(0.1 * normal());
        p->scale[j] = (float)(1 + 0.5 * sin((double)j));
        p->threshold[j] = (float)(j % 7 == 0 ? -1 : 8 + cos((double)j));
    }
    return 0;
}

static int drop(void **state) {
    (void)state;
    free(p);
    return 0;
}

static dltf_model *model_of(bool thresholds, bool normalised) {
    dltf_model *model = NULL;
    dltf_model_view parts = {.m = M,
                             .n = N,
                             .k = thresholds ? M : 5,
                             .dictionary = p->W,
                             .encoder = p->E,
                             .bias = p->bias,
                             .scale = p->scale,
                             .select = DLTF_SELECT_POSITIVE};
    if (thresholds)
        parts.threshold = p->threshold;
    if (normalised) {
        parts.layer_norm = true;
        parts.factor = 1.5;
        parts.offset = p->offset;
    }
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    return model;
}

/* The sample as the model preprocesses it. */
static void prepare(const float *row, bool normalised, double *x) {
    double mean = 0, square = 0;
    for (int i = 0; i < N; i++)
        mean += (double)row[i] / N;
    for (int i = 0; i < N; i++)
        square += ((double)row[i] - mean) * ((double)row[i] - mean);
    double deviation = sqrt(square / (N - 1)) + 1e-5;
    for (int i = 0; i < N; i++)
        x[i] = normalised ? 1.5 * ((double)row[i] - mean) / deviation - (double)p->offset[i] : (double)row[i];
}

static void check_row(dltf_csr csr, int64_t i, const double *x) {
    int64_t e = csr.indptr[i];
    for (int64_t j = 0; j < M; j++) {
        double score = -(double)p->bias[j], cut = fmax(0, (double)p->threshold[j]);
        for (int a = 0; a < N; a++)
            score += (double)p->E[j * N + a] * x[a];
        bool kept = e < csr.indptr[i + 1] && csr.indices[e] == j;
        if (fabs(score - cut) > 1e-4)
            assert_int_equal(kept, score > cut);
        if (kept)
            assert_true(fabs((double)csr.values[e++] - score) < 1e-4);
    }
    assert_int_equal(e, csr.indptr[i + 1]);
}

static void codes_are_all_scores_above(void **state) {
    (void)state;
    const dl_kernels *kernels = NULL;
    for (int l = 0; (kernels = dl_kernels_level(l)); l++)
        for (int normalised = 0; normalised < 2; normalised++) {
            dltf_model *model = model_of(true, normalised);
            dltf_codes *codes = NULL;
            double x[N];
            dl_kernels_force(kernels);
            assert_int_equal(dltf_encode(model, dltf_matrix_f32(p->X, ROWS, N), NULL, NULL, NULL, &codes),
                             DLTF_OK);
            for (int64_t i = 0; i < ROWS; i++) {
                prepare(p->X + i * N, normalised, x);
                check_row(dltf_codes_csr(codes), i, x);
            }
            dltf_codes_free(codes);
            dltf_model_free(model);
        }
    dl_kernels_force(NULL);
}

static void threads_do_not_matter(void **state) {
    (void)state;
    dltf_model *model = model_of(true, true);
    dltf_encode_options options = dltf_encode_options_default();
    dltf_codes *codes[2] = {NULL, NULL};
    for (int t = 0; t < 2; t++) {
        options.threads = 1 + 2 * t;
        assert_int_equal(dltf_encode(model, dltf_matrix_f32(p->X, ROWS, N), &options, NULL, NULL, &codes[t]),
                         DLTF_OK);
    }
    dltf_csr a = dltf_codes_csr(codes[0]), b = dltf_codes_csr(codes[1]);
    assert_memory_equal(a.indptr, b.indptr, sizeof(int64_t) * (ROWS + 1));
    assert_memory_equal(a.values, b.values, sizeof(float) * (size_t)a.indptr[ROWS]);
    dltf_codes_free(codes[0]);
    dltf_codes_free(codes[1]);
    dltf_model_free(model);
}

static void values_are_in_units_of_scaled_atoms(void **state) {
    (void)state;
    static const dltf_coder coders[] = {DLTF_CODER_THRESHOLD, DLTF_CODER_OMP, DLTF_CODER_SHORTLIST};
    dltf_model *model = model_of(false, true);
    dltf_matrix X = dltf_matrix_f32(p->X, ROWS, N);
    for (size_t c = 0; c < sizeof coders / sizeof *coders; c++) {
        dltf_encode_options options = dltf_encode_options_default();
        dltf_codes *codes = NULL, *refitted = NULL;
        double error = 0, again = 0;
        options.coder = coders[c];
        options.select = coders[c] == DLTF_CODER_OMP ? DLTF_SELECT_ABS : DLTF_SELECT_MODEL;
        options.refit = coders[c] == DLTF_CODER_THRESHOLD;
        assert_int_equal(dltf_encode(model, X, &options, NULL, NULL, &codes), DLTF_OK);
        assert_int_equal(dltf_refit(model, X, codes, 1, &refitted), DLTF_OK);
        assert_int_equal(dltf_reconstruction_error(model, X, codes, &error), DLTF_OK);
        assert_int_equal(dltf_reconstruction_error(model, X, refitted, &again), DLTF_OK);
        assert_true(error < 1 && fabs(error - again) < 1e-4); /* they are least-squares values already */
        dltf_codes_free(codes);
        dltf_codes_free(refitted);
    }
    dltf_model_free(model);
}

/* Codes longer than the scratch that an encoder allocates. */
static void long_codes_are_refitted(void **state) {
    (void)state;
    dltf_model_view parts = {.m = M, .n = N, .k = M, .dictionary = p->W, .select = DLTF_SELECT_POSITIVE};
    dltf_model *model = NULL;
    dltf_codes *codes = NULL;
    double error = 1;
    float *zeros = calloc(M, sizeof *zeros);
    dltf_encode_options options = dltf_encode_options_default();
    parts.threshold = zeros;
    options.refit = true;
    dltf_matrix X = dltf_matrix_f32(p->X, 2, N);
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    assert_int_equal(dltf_encode(model, X, &options, NULL, NULL, &codes), DLTF_OK);
    assert_int_equal(dltf_reconstruction_error(model, X, codes, &error), DLTF_OK);
    assert_true(error < 1e-6);
    assert_true(dltf_codes_csr(codes).indptr[2] <= 2 * N); /* atoms that depend on others are dropped */
    dltf_codes_free(codes);
    dltf_model_free(model);
    free(zeros);
}

static void decoding_undoes_factor_and_offset(void **state) {
    (void)state;
    const int64_t indptr[] = {0, 1};
    const int32_t index[] = {3};
    const float value[] = {2};
    float x[N];
    dltf_model *model = model_of(true, true);
    dltf_codes *codes = NULL;
    assert_int_equal(dltf_codes_new((dltf_csr){1, M, indptr, index, value, NULL}, &codes), DLTF_OK);
    assert_int_equal(dltf_decode(model, codes, x), DLTF_OK);
    const float *w = dltf_model_get(model).dictionary + 3 * N;
    for (int i = 0; i < N; i++)
        assert_true(fabs((double)x[i] -
                         (2 * (double)p->scale[3] * (double)w[i] + (double)p->offset[i]) / 1.5) < 1e-6);
    dltf_codes_free(codes);
    dltf_model_free(model);
}

static void nan_is_reported(void **state) {
    (void)state;
    dltf_model *model = model_of(true, false);
    dltf_codes *codes = NULL;
    p->X[7 * N + 2] = NAN;
    assert_fails(dltf_encode(model, dltf_matrix_f32(p->X, ROWS, N), NULL, NULL, NULL, &codes), DLTF_DATA,
                 "row 7");
    p->X[7 * N + 2] = 0;
    dltf_model_free(model);
}

static void options_that_do_not_apply(void **state) {
    (void)state;
    dltf_model *model = model_of(true, false);
    dltf_codes *codes = NULL;
    dltf_matrix X = dltf_matrix_f32(p->X, ROWS, N);
    dltf_encode_options options = dltf_encode_options_default();
    options.k = 3;
    assert_fails(dltf_encode(model, X, &options, NULL, NULL, &codes), DLTF_ARGUMENT, "k: does not apply");
    options = dltf_encode_options_default();
    options.select = DLTF_SELECT_ABS;
    assert_fails(dltf_encode(model, X, &options, NULL, NULL, &codes), DLTF_ARGUMENT,
                 "select: does not apply");
    options.coder = DLTF_CODER_OMP;
    assert_fails(dltf_encode(model, X, &options, NULL, NULL, &codes), DLTF_ARGUMENT, "k: is needed");
    options.k = 3;
    assert_int_equal(dltf_encode(model, X, &options, NULL, NULL, &codes), DLTF_OK);
    dltf_codes_free(codes);
    dltf_model_certificate certificate;
    assert_fails(dltf_model_certify(model, NULL, &certificate), DLTF_ARGUMENT, "selects by thresholds");
    dltf_model_free(model);
}

static void parts_are_checked(void **state) {
    (void)state;
    dltf_model *model = NULL;
    dltf_model_view good = {.m = 2, .n = N, .k = 2, .dictionary = p->W, .select = DLTF_SELECT_POSITIVE};
    dltf_model_view bad = good;
    const float scale[] = {1, 0};
    bad.scale = scale;
    assert_fails(dltf_model_new(&bad, &model), DLTF_DATA,
                 "entry 1 of the scale is 0: expected a positive number");
    bad = good;
    bad.threshold = p->threshold;
    bad.k = 1;
    assert_fails(dltf_model_new(&bad, &model), DLTF_ARGUMENT, "set k to that");
    bad.k = 2;
    bad.select = DLTF_SELECT_ABS;
    assert_fails(dltf_model_new(&bad, &model), DLTF_ARGUMENT, "select must be positive");
    bad = good;
    bad.layer_norm = bad.unit_norm = true;
    assert_fails(dltf_model_new(&bad, &model), DLTF_ARGUMENT, "layer_norm excludes");
    bad = good;
    bad.factor = -1;
    assert_fails(dltf_model_new(&bad, &model), DLTF_ARGUMENT, "factor = -1");
    assert_null(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_are_all_scores_above),          cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(values_are_in_units_of_scaled_atoms), cmocka_unit_test(long_codes_are_refitted),
        cmocka_unit_test(decoding_undoes_factor_and_offset),   cmocka_unit_test(nan_is_reported),
        cmocka_unit_test(options_that_do_not_apply),           cmocka_unit_test(parts_are_checked),
    };
    return cmocka_run_group_tests(tests, make, drop);
}
