/* The edges of the coders omp, iht, niht, htp, incoherent and shortlist: ties, copies and zeros, everything
 * that is rejected, encoders as objects, and dltf_refit. */
#include "reference/reference.h"
#include "test_coders.h"

/* ---- Edges ---- */

/* Samples that few atoms explain exactly get these atoms and none from rounding errors; zero samples get
 * none. */
static void exact_samples(void **state) {
    (void)state;
    int64_t m = 64, n = 32, k = 8, N = 120;
    fill_normal(W, m * n);
    dltf_model *model = new_model(W, m, n, k);
    fill_sparse(model, N, 2, 0);
    memset(X + 5 * n, 0, (size_t)n * sizeof *X);
    for (int64_t d = 0; d < n; d++) { /* large and small samples alike */
        X[6 * n + d] *= 1e12f;
        X[7 * n + d] *= 1e-12f;
    }
    dltf_codes *codes =
        encode(model, N, (dltf_encode_options){.size = sizeof(dltf_encode_options), .coder = DLTF_CODER_OMP});
    dltf_csr csr = dltf_codes_csr(codes);
    int64_t few = 0;
    for (int64_t i = 0; i < N; i++) {
        int64_t count = csr.indptr[i + 1] - csr.indptr[i];
        assert_true((count == 0) == (i == 5));
        few += count <= 2;
    }
    assert_true(few >= N - 6); /* OMP may begin with a wrong atom and then needs more */
    for (int c = 0; c < CODERS; c++) {
        dltf_codes *some =
            encode(model, N, (dltf_encode_options){.size = sizeof(dltf_encode_options), .coder = coders[c]});
        csr = dltf_codes_csr(some);
        assert_int_equal(csr.indptr[6] - csr.indptr[5], 0);
        assert_true(csr.indptr[7] > csr.indptr[6] && csr.indptr[8] > csr.indptr[7]);
        dltf_codes_free(some);
    }
    dltf_codes_free(codes);
    dltf_model_free(model);
}

/* Copies of atoms, more entries than dimensions, all atoms, one atom: codes are finite, have no zeros, at
 * most rank-many entries for omp, and explain what can be explained. */
static void degenerate_dictionaries(void **state) {
    (void)state;
    const int64_t sizes[][3] = {{12, 4, 12}, {8, 3, 6}, {1, 5, 1}, {6, 1, 4}, {10, 10, 10}, {9, 5, 1}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int copies = 0; copies < 2; copies++) {
            int64_t m = sizes[s][0], n = sizes[s][1], k = sizes[s][2], N = 50;
            fill_normal(W, m * n);
            for (int64_t i = 0; copies && i < m * n; i++) /* every atom twice, once with the other sign */
                W[i] = i / n % 2 ? -W[i - n] : W[i];
            dltf_model *model = new_model(W, m, n, k);
            fill_normal(X, N * n);
            for (int c = 0; c < CODERS; c++) {
                dltf_codes *codes = encode(
                    model, N, (dltf_encode_options){.size = sizeof(dltf_encode_options), .coder = coders[c]});
                dltf_csr csr = dltf_codes_csr(codes);
                int64_t rank = copies ? (m + 1) / 2 : m;
                rank = rank < n ? rank : n;
                for (int64_t i = 0; i < N && coders[c] == DLTF_CODER_OMP; i++)
                    assert_true(csr.indptr[i + 1] - csr.indptr[i] <= rank);
                for (int64_t i = 0; i < N; i++)
                    assert_true(csr.indptr[i + 1] > csr.indptr[i]);
                for (int64_t e = 0; e < csr.indptr[N]; e++)
                    assert_true(isfinite(csr.values[e]) && csr.values[e] != 0);
                dltf_codes_free(codes);
            }
            if (k >= n && !copies)
                assert_true(error_of(model, N,
                                     (dltf_encode_options){.size = sizeof(dltf_encode_options),
                                                           .coder = DLTF_CODER_OMP}) < 1e-6);
            dltf_model_free(model);
        }
}

/* Of atoms that tie, the first is taken. */
static void ties(void **state) {
    (void)state;
    const float dictionary[] = {0, 1, 1, 0, -1, 0, 1, 0, 0, 1}, sample[] = {2, 1};
    dltf_model *model = new_model(dictionary, 5, 2, 2);
    memcpy(X, sample, sizeof sample);
    for (int c = 0; c < CODERS; c += ITERATIVE) { /* omp and incoherent */
        dltf_codes *codes =
            encode(model, 1, (dltf_encode_options){.size = sizeof(dltf_encode_options), .coder = coders[c]});
        dltf_csr csr = dltf_codes_csr(codes);
        assert_true(csr.indptr[1] == 2 && csr.indices[0] == 0 && csr.indices[1] == 1);
        assert_true(csr.values[0] == 1 && csr.values[1] == 2);
        dltf_codes_free(codes);
    }
    dltf_model_free(model);
}

static void assert_refused(const dltf_model *model, dltf_encode_options encoding, dltf_status status,
                           const char *part) {
    dltf_codes *codes = NULL;
    dltf_matrix data = dltf_matrix_f32(X, 8, dltf_model_get(model).n);
    encoding.size = sizeof encoding;
    assert_fails(dltf_encode(model, data, &encoding, NULL, NULL, &codes), status, part);
    assert_null(codes);
}

static void refused_options(void **state) {
    (void)state;
    fill_normal(W, 12 * 6);
    fill_normal(X, 8 * 6);
    dltf_model *model = new_model(W, 12, 6, 3);
    assert_refused(model, (dltf_encode_options){.passes = 2}, DLTF_ARGUMENT,
                   "passes: applies to coder iht, niht or htp, not to coder threshold");
    assert_refused(model, (dltf_encode_options){.coder = DLTF_CODER_OMP, .passes = 2}, DLTF_ARGUMENT,
                   "passes: applies to coder iht, niht or htp, not to coder omp");
    assert_refused(model, (dltf_encode_options){.error = 1}, DLTF_ARGUMENT,
                   "error: applies to coder omp, not to coder threshold");
    assert_refused(model, (dltf_encode_options){.coder = DLTF_CODER_HTP, .error = 1}, DLTF_ARGUMENT,
                   "error: applies to coder omp, not to coder htp");
    assert_refused(model, (dltf_encode_options){.coder = DLTF_CODER_OMP, .select = DLTF_SELECT_POSITIVE},
                   DLTF_ARGUMENT, "select: the coder omp chooses atoms by magnitude");
    assert_refused(model, (dltf_encode_options){.coder = (dltf_coder)7}, DLTF_ARGUMENT, "coder: ");
    assert_refused(model, (dltf_encode_options){.coder = (dltf_coder)-1}, DLTF_ARGUMENT, "coder: ");
    assert_refused(model, (dltf_encode_options){.coherence = 0.2}, DLTF_ARGUMENT,
                   "coherence: applies to coder incoherent, not to coder threshold");
    assert_refused(model, (dltf_encode_options){.coder = DLTF_CODER_OMP, .threshold = 1}, DLTF_ARGUMENT,
                   "threshold: applies to coder incoherent, not to coder omp");
    assert_refused(model, (dltf_encode_options){.coder = DLTF_CODER_INCOHERENT, .coherence = 2},
                   DLTF_ARGUMENT, "coherence: 2 is outside");
    assert_refused(model, (dltf_encode_options){.candidates = 4}, DLTF_ARGUMENT,
                   "candidates: applies to coder shortlist, not to coder threshold");
    dltf_encode_options shortlist = {.coder = DLTF_CODER_SHORTLIST, .candidates = 2};
    assert_refused(model, shortlist, DLTF_ARGUMENT, "candidates: 2 is not between k = 3 and the 12 atoms");
    shortlist.candidates = 13;
    assert_refused(model, shortlist, DLTF_ARGUMENT, "candidates: 13 is not between k = 3 and the 12 atoms");
    shortlist.lists = 3;
    assert_refused(model, shortlist, DLTF_ARGUMENT, "lists: 3 is");
    assert_refused(model, (dltf_encode_options){.error = -1}, DLTF_ARGUMENT, "error: -1");
    dltf_model_free(model);
}

static void refused_samples(void **state) {
    (void)state;
    fill_normal(W, 12 * 6);
    fill_normal(X, 8 * 6);
    dltf_model *model = new_model(W, 12, 6, 3);
    for (int c = 0; c < CODERS; c++) {
        X[4 * 6 + 2] = NAN;
        assert_refused(model, (dltf_encode_options){.coder = coders[c]}, DLTF_DATA, "row 4, column 2 is NaN");
        X[4 * 6 + 2] = -INFINITY;
        assert_refused(model, (dltf_encode_options){.coder = coders[c]}, DLTF_DATA, "row 4, column 2 is");
        dl_gram_limit(1);
        assert_refused(model, (dltf_encode_options){.coder = coders[c]}, DLTF_DATA, "row 4, column 2 is");
        dl_gram_limit(0);
        for (int64_t d = 0; d < 6; d++)
            X[4 * 6 + d] = 3e38f * (W[d] > 0 ? 1 : -1);
        assert_refused(model, (dltf_encode_options){.coder = coders[c]}, DLTF_NUMERIC,
                       "row 4: its scores overflow single precision");
    }
    dltf_model_free(model);
}

static void too_many_entries(void **state) {
    (void)state;
    enum { MANY = 8192 };
    static float atoms[MANY];
    for (int64_t j = 0; j < MANY; j++)
        atoms[j] = 1;
    dltf_model *model = new_model(atoms, MANY, 1, MANY);
    assert_refused(model,
                   (dltf_encode_options){.size = sizeof(dltf_encode_options), .coder = DLTF_CODER_SHORTLIST},
                   DLTF_ARGUMENT, "k: 8192 is more than the 8191 that the coder shortlist supports");
    dltf_model_free(model);
}

/* ---- The encoder ---- */

/* Any number of threads gives the same codes; running allocates nothing. */
static void threads_and_memory(void **state) {
    (void)state;
    int64_t m = 90, n = 20, k = 6, N = 400;
    static int32_t count[2][MOST_N], index[2][MOST_N * 6];
    static float value[2][MOST_N * 6];
    fill_normal(W, m * n);
    dltf_model *model = new_model(W, m, n, k);
    fill_sparse(model, N, k, 0.1);
    for (int trial = 0; trial < 2 * CODERS; trial++) {
        int c = trial / 2;
        dl_gram_limit(trial % 2); /* with and without stored Gram matrices */
        for (int run = 0; run < 2; run++) {
            dltf_encode_options encoding = {.size = sizeof(dltf_encode_options),
                                            .coder = coders[c],
                                            .threads = 1 + run,
                                            .refit = c % 2 == 0};
            encoding.lists = coders[c] == DLTF_CODER_SHORTLIST ? 1 + trial % 2 : 0;
            dltf_encoder *encoder = NULL;
            memset(index[run], 0, sizeof index[run]);
            memset(value[run], 0, sizeof value[run]);
            assert_int_equal(dltf_encoder_new(model, &encoding, &encoder), DLTF_OK);
            dl_alloc_fail_after(1);
            assert_int_equal(
                dltf_encoder_run(encoder, dltf_matrix_f32(X, N, n), count[run], index[run], value[run]),
                DLTF_OK);
            dl_alloc_fail_after(0);
            dltf_encoder_free(encoder);
        }
        for (int64_t i = 0; i < N; i++) {
            size_t bytes = (size_t)count[0][i] * sizeof(float);
            assert_int_equal(count[0][i], count[1][i]);
            assert_memory_equal(index[0] + i * k, index[1] + i * k, bytes);
            assert_memory_equal(value[0] + i * k, value[1] + i * k, bytes);
        }
    }
    dltf_model_free(model);
}

/* A sample gets the same code alone, among others, and at any place among them. */
static void alone_or_among_others(void **state) {
    (void)state;
    int64_t m = 90, n = 20, k = 6, N = 61;
    static int32_t count[MOST_N], index[MOST_N * 6], one, indices[6];
    static float value[MOST_N * 6], values[6];
    fill_normal(W, m * n);
    dltf_model *model = new_model(W, m, n, k);
    fill_sparse(model, N, k, 0.1);
    memset(X + 7 * n, 0, (size_t)n * sizeof *X);
    for (int trial = 0; trial < 8 * CODERS; trial++) {
        dltf_encode_options encoding = {
            .size = sizeof(dltf_encode_options), .coder = coders[trial / 8], .threads = 1};
        encoding.lists = encoding.coder == DLTF_CODER_SHORTLIST ? 1 + trial / 4 % 2 : 0;
        encoding.select =
            trial / 2 % 2 && encoding.coder != DLTF_CODER_OMP ? DLTF_SELECT_POSITIVE : DLTF_SELECT_ABS;
        dltf_encoder *encoder = NULL;
        dl_gram_limit(trial % 2);
        assert_int_equal(dltf_encoder_new(model, &encoding, &encoder), DLTF_OK);
        for (int64_t skipped = 0; skipped < 2; skipped++) {
            assert_int_equal(dltf_encoder_run(encoder, dltf_matrix_f32(X + skipped * n, N - skipped, n),
                                              count, index, value),
                             DLTF_OK);
            for (int64_t i = 0; i < N - skipped; i++) {
                assert_int_equal(dltf_encoder_run(encoder, dltf_matrix_f32(X + (skipped + i) * n, 1, n), &one,
                                                  indices, values),
                                 DLTF_OK);
                assert_int_equal(one, count[i]);
                assert_memory_equal(indices, index + i * k, (size_t)one * sizeof *index);
                assert_memory_equal(values, value + i * k, (size_t)one * sizeof *value);
            }
        }
        dltf_encoder_free(encoder);
        dl_gram_limit(0);
    }
    dltf_model_free(model);
}

/* With a model of its own, since a model keeps what encoders derive from it. */
static dltf_status encoder_once(dltf_coder coder) {
    dltf_encode_options encoding = {.size = sizeof(dltf_encode_options), .coder = coder, .threads = 2};
    encoding.lists = coder == DLTF_CODER_SHORTLIST ? 2 : 0;
    dltf_model_view parts = {.m = 12, .n = 7, .k = 3, .dictionary = W};
    dltf_model *model = NULL;
    dltf_encoder *encoder = NULL;
    dltf_status status = dltf_model_new(&parts, &model);
    if (status == DLTF_OK)
        status = dltf_encoder_new(model, &encoding, &encoder);
    assert_true((encoder != NULL) == (status == DLTF_OK));
    dltf_encoder_free(encoder);
    dltf_model_free(model);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    fill_normal(W, 12 * 7);
    for (int c = 0; c < CODERS; c++) {
        assert_survives_lack_of_memory(encoder_once(coders[c]), 25);
        dl_gram_limit(1);
        assert_survives_lack_of_memory(encoder_once(coders[c]), 20);
        dl_gram_limit(0);
    }
}

/* ---- Refitting ---- */

static void refit_supports(void **state) {
    (void)state;
    int64_t m = 40, n = 18, k = 5, N = 250;
    fill_normal(W, m * n);
    dltf_model *model = new_model(W, m, n, k);
    fill_normal(X, N * n);
    dltf_matrix data = dltf_matrix_f32(X, N, n);
    dltf_codes *plain = encode(model, N, dltf_encode_options_default()),
               *both = encode(model, N,
                              (dltf_encode_options){.size = sizeof(dltf_encode_options), .refit = true});
    dltf_codes *again[2] = {NULL, NULL};
    dltf_csr wanted = dltf_codes_csr(both);
    for (int t = 0; t < 2; t++) {
        assert_int_equal(dltf_refit(model, data, plain, t + 1, &again[t]), DLTF_OK);
        dltf_csr csr = dltf_codes_csr(again[t]);
        assert_memory_equal(csr.indptr, wanted.indptr, (size_t)(N + 1) * sizeof *csr.indptr);
        assert_memory_equal(csr.indices, wanted.indices, (size_t)csr.indptr[N] * sizeof *csr.indices);
        assert_memory_equal(csr.values, wanted.values, (size_t)csr.indptr[N] * sizeof *csr.values);
    }
    dltf_codes *none = NULL;
    assert_fails(dltf_refit(model, dltf_matrix_f32(X, N - 1, n), plain, 1, &none), DLTF_DATA,
                 "249 x 18 samples, but the codes and the model expect 250 x 18");
    X[3] = NAN;
    assert_fails(dltf_refit(model, data, plain, 1, &none), DLTF_DATA, "row 0, column 3 is NaN");
    assert_null(none);
    dltf_codes_free(plain);
    dltf_codes_free(both);
    dltf_codes_free(again[0]);
    dltf_codes_free(again[1]);
    dltf_model_free(model);
}

/* Rows of any length, one with an atom and its copy: the later one is dropped. */
static void refit_copies(void **state) {
    (void)state;
    const float dictionary[] = {1, 0, 0, 1, 1, 0}, samples[] = {3, 4, 5, 6, 7, 8};
    const int64_t indptr[] = {0, 3, 3, 4};
    const int32_t indices[] = {0, 1, 2, 1};
    const float values[] = {1, 1, 1, 1};
    dltf_model *model = new_model(dictionary, 3, 2, 1);
    dltf_codes *supports = NULL, *codes = NULL;
    assert_int_equal(dltf_codes_new((dltf_csr){3, 3, indptr, indices, values, NULL}, &supports), DLTF_OK);
    assert_int_equal(dltf_refit(model, dltf_matrix_f32(samples, 3, 2), supports, 0, &codes), DLTF_OK);
    dltf_csr csr = dltf_codes_csr(codes);
    assert_true(csr.indptr[1] == 2 && csr.indptr[2] == 2 && csr.indptr[3] == 3);
    assert_true(csr.indices[0] == 0 && csr.indices[1] == 1 && csr.indices[2] == 1);
    assert_true(csr.values[0] == 3 && csr.values[1] == 4 && csr.values[2] == 8);
    dltf_codes_free(supports);
    dltf_codes_free(codes);
    dltf_model_free(model);
}

TESTS_MAIN(cmocka_unit_test(exact_samples), cmocka_unit_test(degenerate_dictionaries), cmocka_unit_test(ties),
           cmocka_unit_test(refused_options), cmocka_unit_test(refused_samples),
           cmocka_unit_test(too_many_entries), cmocka_unit_test(threads_and_memory),
           cmocka_unit_test(alone_or_among_others), cmocka_unit_test(out_of_memory),
           cmocka_unit_test(refit_supports), cmocka_unit_test(refit_copies))
