/* The coders omp, iht, niht, htp, incoherent and shortlist, and dltf_refit: against plain references, by
 * properties of their results, on problems with ties, copies and zeros, and everything that is rejected. */
#include "coding/coder.h"
#include "coding/dual.h"
#include "linalg/blas.h"
#include "reference/reference.h"

#include "test_learning.h"

enum { MOST_N = 400, MOST_n = 40, MOST_m = 90 };

static float W[MOST_m * MOST_n], X[MOST_N * MOST_n];

/* All but threshold; the first four are iterative. */
static const dltf_coder coders[] = {DLTF_CODER_OMP, DLTF_CODER_IHT,        DLTF_CODER_NIHT,
                                    DLTF_CODER_HTP, DLTF_CODER_INCOHERENT, DLTF_CODER_SHORTLIST};
enum { ITERATIVE = 4, CODERS = sizeof coders / sizeof *coders };

static dltf_model *new_model(const float *dictionary, int64_t m, int64_t n, int64_t k) {
    dltf_model *model = NULL;
    dltf_model_view parts = {.m = m, .n = n, .k = k, .dictionary = dictionary};
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    return model;
}

static dltf_codes *encode(const dltf_model *model, int64_t N, dltf_encode_options encoding) {
    dltf_codes *codes = NULL;
    dltf_matrix data = dltf_matrix_f32(X, N, dltf_model_get(model).n);
    if (dltf_encode(model, data, &encoding, NULL, NULL, &codes) != DLTF_OK)
        fail_msg("%s", dltf_message());
    return codes;
}

/* Samples that are sums of k random atoms, with noise. */
static void fill_sparse(const dltf_model *model, int64_t N, int64_t k, double noise) {
    dltf_model_view v = dltf_model_get(model);
    for (int64_t i = 0; i < N; i++) {
        for (int64_t d = 0; d < v.n; d++)
            X[i * v.n + d] = (float)(noise * normal());
        for (int64_t e = 0; e < k; e++) {
            const float *w = v.dictionary + below(v.m) * v.n;
            float z = (float)normal();
            for (int64_t d = 0; d < v.n; d++)
                X[i * v.n + d] += z * w[d];
        }
    }
}

static void dense_row(dltf_csr csr, int64_t i, double *z) {
    memset(z, 0, (size_t)csr.cols * sizeof *z);
    for (int64_t e = csr.indptr[i]; e < csr.indptr[i + 1]; e++)
        z[csr.indices[e]] = (double)csr.values[e];
}

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

static double error_of(const dltf_model *model, int64_t N, dltf_encode_options encoding) {
    dltf_codes *codes = encode(model, N, encoding);
    double relative = 0;
    dltf_matrix data = dltf_matrix_f32(X, N, dltf_model_get(model).n);
    assert_int_equal(dltf_reconstruction_error(model, data, codes, &relative), DLTF_OK);
    dltf_codes_free(codes);
    return relative;
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
    assert_fails(dltf_encode(model, data, &encoding, NULL, NULL, &codes), status, part);
    assert_null(codes);
}

static void refusals(void **state) {
    (void)state;
    fill_normal(W, 12 * 6);
    fill_normal(X, 8 * 6);
    dltf_model *model = new_model(W, 12, 6, 3);
    assert_refused(model, (dltf_encode_options){.size = sizeof(dltf_encode_options), .passes = 2},
                   DLTF_ARGUMENT, "passes: applies to coder iht, niht or htp, not to coder threshold");
    assert_refused(
        model,
        (dltf_encode_options){.size = sizeof(dltf_encode_options), .coder = DLTF_CODER_OMP, .passes = 2},
        DLTF_ARGUMENT, "passes: applies to coder iht, niht or htp, not to coder omp");
    assert_refused(model, (dltf_encode_options){.size = sizeof(dltf_encode_options), .error = 1},
                   DLTF_ARGUMENT, "error: applies to coder omp, not to coder threshold");
    assert_refused(
        model,
        (dltf_encode_options){.size = sizeof(dltf_encode_options), .coder = DLTF_CODER_HTP, .error = 1},
        DLTF_ARGUMENT, "error: applies to coder omp, not to coder htp");
    assert_refused(model,
                   (dltf_encode_options){.size = sizeof(dltf_encode_options),
                                         .coder = DLTF_CODER_OMP,
                                         .select = DLTF_SELECT_POSITIVE},
                   DLTF_ARGUMENT, "select: the coder omp chooses atoms by magnitude");
    assert_refused(model, (dltf_encode_options){.size = sizeof(dltf_encode_options), .coder = (dltf_coder)7},
                   DLTF_ARGUMENT, "coder: ");
    assert_refused(model, (dltf_encode_options){.size = sizeof(dltf_encode_options), .coder = (dltf_coder)-1},
                   DLTF_ARGUMENT, "coder: ");
    assert_refused(model, (dltf_encode_options){.size = sizeof(dltf_encode_options), .coherence = 0.2},
                   DLTF_ARGUMENT, "coherence: applies to coder incoherent, not to coder threshold");
    assert_refused(
        model,
        (dltf_encode_options){.size = sizeof(dltf_encode_options), .coder = DLTF_CODER_OMP, .threshold = 1},
        DLTF_ARGUMENT, "threshold: applies to coder incoherent, not to coder omp");
    assert_refused(model,
                   (dltf_encode_options){
                       .size = sizeof(dltf_encode_options), .coder = DLTF_CODER_INCOHERENT, .coherence = 2},
                   DLTF_ARGUMENT, "coherence: 2 is outside");
    assert_refused(model, (dltf_encode_options){.size = sizeof(dltf_encode_options), .candidates = 4},
                   DLTF_ARGUMENT, "candidates: applies to coder shortlist, not to coder threshold");
    dltf_encode_options shortlist = {
        .size = sizeof(dltf_encode_options), .coder = DLTF_CODER_SHORTLIST, .candidates = 2};
    assert_refused(model, shortlist, DLTF_ARGUMENT, "candidates: 2 is not between k = 3 and the 12 atoms");
    shortlist.candidates = 13;
    assert_refused(model, shortlist, DLTF_ARGUMENT, "candidates: 13 is not between k = 3 and the 12 atoms");
    shortlist.lists = 3;
    assert_refused(model, shortlist, DLTF_ARGUMENT, "lists: 3 is");
    assert_refused(model, (dltf_encode_options){.size = sizeof(dltf_encode_options), .error = -1},
                   DLTF_ARGUMENT, "error: -1");
    for (int c = 0; c < CODERS; c++) {
        X[4 * 6 + 2] = NAN;
        assert_refused(model, (dltf_encode_options){.size = sizeof(dltf_encode_options), .coder = coders[c]},
                       DLTF_DATA, "row 4, column 2 is NaN");
        X[4 * 6 + 2] = -INFINITY;
        assert_refused(model, (dltf_encode_options){.size = sizeof(dltf_encode_options), .coder = coders[c]},
                       DLTF_DATA, "row 4, column 2 is");
        dl_gram_limit(1);
        assert_refused(model, (dltf_encode_options){.size = sizeof(dltf_encode_options), .coder = coders[c]},
                       DLTF_DATA, "row 4, column 2 is");
        dl_gram_limit(0);
        for (int64_t d = 0; d < 6; d++)
            X[4 * 6 + d] = 3e38f * (W[d] > 0 ? 1 : -1);
        assert_refused(model, (dltf_encode_options){.size = sizeof(dltf_encode_options), .coder = coders[c]},
                       DLTF_NUMERIC, "row 4: its scores overflow single precision");
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

TESTS_MAIN(cmocka_unit_test(omp_oracle), cmocka_unit_test(iht_oracle), cmocka_unit_test(htp_oracle),
           cmocka_unit_test(incoherent_oracle), cmocka_unit_test(shortlist_oracle),
           cmocka_unit_test(large_dictionaries), cmocka_unit_test(lengths_of_lists),
           cmocka_unit_test(residual_is_orthogonal), cmocka_unit_test(passes_never_hurt),
           cmocka_unit_test(error_target), cmocka_unit_test(positive_codes), cmocka_unit_test(exact_samples),
           cmocka_unit_test(degenerate_dictionaries), cmocka_unit_test(ties), cmocka_unit_test(refusals),
           cmocka_unit_test(too_many_entries), cmocka_unit_test(threads_and_memory),
           cmocka_unit_test(alone_or_among_others), cmocka_unit_test(out_of_memory),
           cmocka_unit_test(refit_supports), cmocka_unit_test(refit_copies))
