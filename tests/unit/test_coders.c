/* The coders omp, iht, niht, htp, incoherent and shortlist: against plain references, and by properties of
 * their results. */
#include "test_coders.h"
#include "coding/dual.h"
#include "linalg/blas.h"
#include "reference/reference.h"

/* Sizes: m, n, k. */
static const int64_t shapes[][3] = {{30, 20, 4}, {90, 40, 6}, {20, 30, 5},
                                    {33, 8, 3},  {16, 16, 1}, {70, 9, 8}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* A model in double, with everything that the references need. */
typedef struct wide_model {
    int64_t m, n, k;
    double *W, *E; /* dictionary and its dual */
    double safe;   /* step of iht */
} wide_model;

static wide_model new_wide_model(const dltf_model *model) {
    dltf_model_view v = dltf_model_get(model);
    wide_model w = {v.m, v.n, v.k, new_wide(v.dictionary, v.m * v.n), new_f64(v.m * v.n), 0};
    double *G = new_gram(w.W, v.m, v.n), *scratch = new_f64((DL_LANCZOS_STEPS + 1) * v.m);
    w.safe = 0.99 / dl_largest_eigenvalue(G, v.m, scratch);
    dl_dual_encoder(1, w.W, v.m, v.n, 0.1, G, w.E);
    free(G);
    free(scratch);
    return w;
}

static void free_wide_model(wide_model *w) {
    free(w->W);
    free(w->E);
}

/* A reference of one coder: the dense code and its margin. */
typedef double (*oracle)(const wide_model *w, const double *x, dltf_encode_options encoding, double *z);

static double oracle_omp(const wide_model *w, const double *x, dltf_encode_options encoding, double *z) {
    return ref_omp(w->W, w->m, w->n, x, w->k, encoding.error, z);
}

static double oracle_iht(const wide_model *w, const double *x, dltf_encode_options encoding, double *z) {
    return ref_iht(w->W, w->m, w->n, x, w->k, encoding.select == DLTF_SELECT_POSITIVE,
                   encoding.coder == DLTF_CODER_IHT ? w->safe : 0, w->safe, encoding.passes, z);
}

static double oracle_htp(const wide_model *w, const double *x, dltf_encode_options encoding, double *z) {
    bool positive = encoding.select == DLTF_SELECT_POSITIVE;
    double scores[MOST_m];
    int32_t S[MOST_m];
    ref_scores(x, 1, w->n, w->W, w->m, scores);
    int64_t count = ref_topk(scores, w->m, w->k, positive, S);
    memset(z, 0, (size_t)w->m * sizeof *z);
    for (int64_t e = 0; e < count; e++)
        z[S[e]] = 1;
    return ref_htp(w->W, w->E, w->m, w->n, x, w->k, positive, encoding.passes, z);
}

/* Supports are those of the reference unless its margin was within rounding, values agree; returns how many
 * samples were near ties. */
static int64_t compare(const dltf_model *model, const dltf_codes *codes, dltf_encode_options encoding,
                       oracle reference) {
    dltf_model_view v = dltf_model_get(model);
    dltf_csr csr = dltf_codes_csr(codes);
    wide_model w = new_wide_model(model);
    double *x = new_f64(v.n), *z = new_f64(v.m), *wanted = new_f64(v.m);
    int64_t ties = 0;
    for (int64_t i = 0; i < csr.rows; i++) {
        widen(X + i * v.n, v.n, x);
        dense_row(csr, i, z);
        if (reference(&w, x, encoding, wanted) < 2e-5) {
            ties++;
            continue;
        }
        double scale = sqrt(dot_f64(x, x, v.n));
        for (int64_t j = 0; j < v.m; j++) {
            if ((z[j] != 0) != (wanted[j] != 0))
                fail_msg("sample %lld, atom %lld: %g, should be %g", (long long)i, (long long)j, z[j],
                         wanted[j]);
            assert_near(z[j], wanted[j], 3e-4 * scale);
        }
    }
    free_wide_model(&w);
    free(x);
    free(z);
    free(wanted);
    return ties;
}

static void check_oracle(dltf_encode_options encoding, oracle reference) {
    int64_t ties = 0, samples = 0, N = sized(200, 40);
    for (int s = 0; s < SHAPES; s++) {
        int64_t m = shapes[s][0], n = shapes[s][1], k = shapes[s][2];
        fill_normal(W, m * n);
        dltf_model *model = new_model(W, m, n, k);
        fill_sparse(model, N, k, 0.1);
        dltf_codes *codes = encode(model, N, encoding);
        ties += compare(model, codes, encoding, reference);
        samples += N;
        dltf_codes_free(codes);
        dltf_model_free(model);
    }
    assert_true(ties * 10 < samples); /* so that the comparison is meaningful */
}

static void omp_oracle(void **state) {
    (void)state;
    check_oracle((dltf_encode_options){.size = sizeof(dltf_encode_options), .coder = DLTF_CODER_OMP},
                 oracle_omp);
    check_oracle(
        (dltf_encode_options){.size = sizeof(dltf_encode_options), .coder = DLTF_CODER_OMP, .error = 0.5},
        oracle_omp);
    check_oracle(
        (dltf_encode_options){.size = sizeof(dltf_encode_options), .coder = DLTF_CODER_OMP, .error = 0.05},
        oracle_omp);
}

static void iht_oracle(void **state) {
    (void)state;
    for (int64_t passes = 1; passes <= 4; passes++)
        for (dltf_select select = DLTF_SELECT_ABS; select <= DLTF_SELECT_POSITIVE; select++) {
            dltf_encode_options encoding = {.size = sizeof(dltf_encode_options),
                                            .coder = DLTF_CODER_IHT,
                                            .passes = passes,
                                            .select = select};
            check_oracle(encoding, oracle_iht);
            encoding.coder = DLTF_CODER_NIHT;
            check_oracle(encoding, oracle_iht);
        }
}

static void htp_oracle(void **state) {
    (void)state;
    for (int64_t passes = 1; passes <= 4; passes++)
        for (dltf_select select = DLTF_SELECT_ABS; select <= DLTF_SELECT_POSITIVE; select++)
            check_oracle((dltf_encode_options){.size = sizeof(dltf_encode_options),
                                               .coder = DLTF_CODER_HTP,
                                               .passes = passes,
                                               .select = select},
                         oracle_htp);
}

static double oracle_incoherent(const wide_model *w, const double *x, dltf_encode_options encoding,
                                double *z) {
    return ref_incoherent(w->W, w->m, w->n, x, w->k, encoding.select == DLTF_SELECT_POSITIVE,
                          encoding.coherence > 0 ? encoding.coherence : 0.1, encoding.threshold, z);
}

static void incoherent_oracle(void **state) {
    (void)state;
    for (dltf_select select = DLTF_SELECT_ABS; select <= DLTF_SELECT_POSITIVE; select++)
        for (double coherence = 0; coherence <= 1; coherence += 0.2)
            for (double threshold = 0; threshold < 1; threshold += 0.4) {
                dltf_encode_options encoding = {.size = sizeof(dltf_encode_options),
                                                .coder = DLTF_CODER_INCOHERENT,
                                                .select = select,
                                                .coherence = coherence,
                                                .threshold = threshold};
                check_oracle(encoding, oracle_incoherent);
            }
}

static double oracle_shortlist(const wide_model *w, const double *x, dltf_encode_options encoding,
                               double *z) {
    int64_t candidates = encoding.candidates > 0 ? encoding.candidates : 3 * w->k;
    return ref_shortlist(w->W, w->E, w->m, w->n, x, w->k, encoding.select == DLTF_SELECT_POSITIVE,
                         candidates < w->m ? candidates : w->m, (int)encoding.lists, z);
}

static void shortlist_oracle(void **state) {
    (void)state;
    for (dltf_select select = DLTF_SELECT_ABS; select <= DLTF_SELECT_POSITIVE; select++)
        for (int64_t lists = 1; lists <= 2; lists++)
            for (int64_t candidates = 0; candidates <= 16; candidates += 8)
                check_oracle((dltf_encode_options){.size = sizeof(dltf_encode_options),
                                                   .coder = DLTF_CODER_SHORTLIST,
                                                   .select = select,
                                                   .candidates = candidates,
                                                   .lists = lists},
                             oracle_shortlist);
}

/* Beyond the largest Gram matrix that is stored, products take its place: the same codes. */
static void large_dictionaries(void **state) {
    (void)state;
    dl_gram_limit(1);
    omp_oracle(state);
    htp_oracle(state);
    shortlist_oracle(state);
    dl_gram_limit(0);
}

/* ---- Properties ---- */

/* Values of omp and htp are least squares: the residual is orthogonal to every atom of the support. */
static void residual_is_orthogonal(void **state) {
    (void)state;
    const dltf_encode_options encodings[] = {
        {.size = sizeof(dltf_encode_options), .coder = DLTF_CODER_OMP},
        {.size = sizeof(dltf_encode_options), .coder = DLTF_CODER_OMP, .error = 0.3},
        {.size = sizeof(dltf_encode_options), .coder = DLTF_CODER_HTP},
        {.size = sizeof(dltf_encode_options), .coder = DLTF_CODER_SHORTLIST},
        {.size = sizeof(dltf_encode_options), .coder = DLTF_CODER_SHORTLIST, .lists = 2},
        {.size = sizeof(dltf_encode_options), .coder = DLTF_CODER_IHT, .refit = true}};
    int64_t m = 60, n = 25, k = 6, N = 100;
    fill_normal(W, m * n);
    dltf_model *model = new_model(W, m, n, k);
    dltf_model_view v = dltf_model_get(model);
    fill_normal(X, N * n);
    for (size_t c = 0; c < sizeof encodings / sizeof *encodings; c++) {
        dltf_codes *codes = encode(model, N, encodings[c]);
        dltf_csr csr = dltf_codes_csr(codes);
        assert_true(csr.indptr[N] > N);
        for (int64_t i = 0; i < N; i++) {
            double r[MOST_n];
            for (int64_t d = 0; d < n; d++)
                r[d] = (double)X[i * n + d];
            for (int64_t e = csr.indptr[i]; e < csr.indptr[i + 1]; e++)
                for (int64_t d = 0; d < n; d++)
                    r[d] -= (double)csr.values[e] * (double)v.dictionary[csr.indices[e] * n + d];
            for (int64_t e = csr.indptr[i]; e < csr.indptr[i + 1]; e++) {
                double along = 0;
                for (int64_t d = 0; d < n; d++)
                    along += r[d] * (double)v.dictionary[csr.indices[e] * n + d];
                assert_near(along, 0, 2e-5);
            }
        }
        dltf_codes_free(codes);
    }
    dltf_model_free(model);
}

/* No pass increases the total error; htp is never worse than the refitted feature it starts from. */
static void passes_never_hurt(void **state) {
    (void)state;
    int64_t m = 80, n = 30, k = 5, N = sized(300, 60);
    fill_normal(W, m * n);
    for (int64_t i = n; i < 3 * n; i++) /* coherent atoms */
        W[i] = W[i % n] + 0.3f * W[i];
    dltf_model *model = new_model(W, m, n, k);
    fill_sparse(model, N, k, 0.2);
    for (dltf_select select = DLTF_SELECT_ABS; select <= DLTF_SELECT_POSITIVE; select++)
        for (int c = 1; c < ITERATIVE; c++) {
            dltf_encode_options encoding = {
                .size = sizeof(dltf_encode_options), .coder = coders[c], .select = select};
            double before = INFINITY;
            for (encoding.passes = 1; encoding.passes <= 12; encoding.passes++) {
                double now = error_of(model, N, encoding);
                assert_true(now <= before * (1 + 1e-6));
                before = now;
            }
        }
    double refitted =
        error_of(model, N, (dltf_encode_options){.size = sizeof(dltf_encode_options), .refit = true});
    assert_near(error_of(model, N,
                         (dltf_encode_options){
                             .size = sizeof(dltf_encode_options), .coder = DLTF_CODER_HTP, .passes = 1}),
                refitted, 1e-6);
    dltf_model_free(model);
}

/* Codes meet the error target if k allows it, without one entry more than needed. */
static void error_target(void **state) {
    (void)state;
    int64_t m = 50, n = 20, k = 10, N = 150;
    fill_normal(W, m * n);
    dltf_model *model = new_model(W, m, n, k);
    dltf_model_view v = dltf_model_get(model);
    double *atoms = new_wide(v.dictionary, m * n), *x = new_f64(n), *z = new_f64(m);
    int64_t shorter = 0;
    fill_sparse(model, N, 4, 0.05);
    memset(X, 0, (size_t)n * sizeof *X);
    for (double error = 1e-3; error < 100; error *= 4) {
        dltf_codes *codes =
            encode(model, N,
                   (dltf_encode_options){
                       .size = sizeof(dltf_encode_options), .coder = DLTF_CODER_OMP, .error = error});
        dltf_csr csr = dltf_codes_csr(codes);
        for (int64_t i = 0; i < N; i++) {
            int64_t count = csr.indptr[i + 1] - csr.indptr[i];
            widen(X + i * n, n, x);
            dense_row(csr, i, z);
            double scale = dot_f64(x, x, n), after = ref_residual(atoms, m, n, x, z);
            assert_true(count == k || after <= error * (1 + 1e-5) + 1e-6 * scale);
            assert_true(scale > error || count == 0);
            shorter += count < k;
            if (count == 0)
                continue;
            ref_omp(atoms, m, n, x, count - 1, 0, z);
            assert_true(ref_residual(atoms, m, n, x, z) > error * (1 - 1e-5) - 1e-6 * scale);
        }
        dltf_codes_free(codes);
    }
    assert_true(shorter > N);
    free(atoms);
    free(x);
    free(z);
    dltf_model_free(model);
}

static void positive_codes(void **state) {
    (void)state;
    int64_t m = 40, n = 15, k = 5, N = 120;
    fill_normal(W, m * n);
    dltf_model *model = new_model(W, m, n, k);
    fill_normal(X, N * n);
    for (int c = 1; c < CODERS; c++) {
        dltf_codes *codes = encode(model, N,
                                   (dltf_encode_options){.size = sizeof(dltf_encode_options),
                                                         .coder = coders[c],
                                                         .select = DLTF_SELECT_POSITIVE});
        dltf_csr csr = dltf_codes_csr(codes);
        for (int64_t e = 0; e < csr.indptr[N]; e++)
            assert_true(csr.values[e] > 0);
        assert_true(csr.indptr[N] > N);
        dltf_codes_free(codes);
    }
    dltf_model_free(model);
}

/* A list of k entries leaves nothing to drop: the feature, refitted. A longer one, and a second one, lower
 * the error; no code has more than k entries. */
static void lengths_of_lists(void **state) {
    (void)state;
    int64_t m = 80, n = 30, k = 5, N = sized(300, 60);
    fill_normal(W, m * n);
    dltf_model *model = new_model(W, m, n, k);
    fill_sparse(model, N, k, 0.1);
    dltf_encode_options encoding = {
        .size = sizeof(dltf_encode_options), .coder = DLTF_CODER_SHORTLIST, .candidates = k};
    dltf_codes *feature = encode(model, N,
                                 (dltf_encode_options){.size = sizeof(dltf_encode_options), .refit = true}),
               *same = encode(model, N, encoding);
    dltf_csr wanted = dltf_codes_csr(feature), found = dltf_codes_csr(same);
    assert_memory_equal(wanted.indptr, found.indptr, (size_t)(N + 1) * sizeof *found.indptr);
    assert_memory_equal(wanted.indices, found.indices, (size_t)wanted.indptr[N] * sizeof *found.indices);
    for (int64_t e = 0; e < wanted.indptr[N]; e++)
        assert_near((double)found.values[e], (double)wanted.values[e], 1e-4);
    double one = error_of(model, N, encoding), before = one;
    for (encoding.candidates = 2 * k; encoding.candidates <= 4 * k; encoding.candidates += k) {
        double now = error_of(model, N, encoding);
        assert_true(now < before);
        before = now;
    }
    encoding.candidates = 0;
    double first = error_of(model, N, encoding);
    encoding.lists = 2;
    assert_true(error_of(model, N, encoding) < first && first < one);
    dltf_codes_free(feature);
    dltf_codes_free(same);
    dltf_model_free(model);
}

TESTS_MAIN(cmocka_unit_test(omp_oracle), cmocka_unit_test(iht_oracle), cmocka_unit_test(htp_oracle),
           cmocka_unit_test(incoherent_oracle), cmocka_unit_test(shortlist_oracle),
           cmocka_unit_test(large_dictionaries), cmocka_unit_test(lengths_of_lists),
           cmocka_unit_test(residual_is_orthogonal), cmocka_unit_test(passes_never_hurt),
           cmocka_unit_test(error_target), cmocka_unit_test(positive_codes))
