/* dltf_encode against plain scores and repeated search: exactly, with ties, on problems whose scores have no
 * rounding; up to rounding on Gaussian ones. Types, orders, threads, cancelling, everything that is rejected;
 * decoding and the reconstruction error by hand. */
#include "base/parallel.h"
#include "reference/reference.h"

#include "test_util.h"

/* Of OpenBLAS; only linalg/ includes its headers. */
int openblas_get_num_threads(void);
void openblas_set_num_threads(int threads);

enum { MOST_N = 1000, MOST_n = 40, MOST_m = 200 };

typedef struct problem {
    int64_t N, n, m, k;
    bool untied, center, remove_mean, unit_norm, offset, positive;
} problem;

static float W[MOST_m * MOST_n], E[MOST_m * MOST_n], b[MOST_m], mean[MOST_n], offset[MOST_n],
    X[MOST_N * MOST_n];

static dltf_model *make_model(problem p) {
    dltf_model *model = NULL;
    dltf_model_view parts = {
        .m = p.m,
        .n = p.n,
        .k = p.k,
        .dictionary = W,
        .encoder = p.untied ? E : NULL,
        .bias = p.untied ? b : NULL,
        .mean = p.center ? mean : NULL,
        .remove_mean = p.remove_mean,
        .unit_norm = p.unit_norm,
        .offset = p.offset ? offset : NULL,
        .select = p.positive ? DLTF_SELECT_POSITIVE : DLTF_SELECT_ABS,
    };
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    return model;
}

/* A tied model of rows x cols with the given dictionary. */
static dltf_model *simple_model(const float *dictionary, int64_t m, int64_t n, int64_t k) {
    memcpy(W, dictionary, (size_t)(m * n) * sizeof *W);
    return make_model((problem){.m = m, .n = n, .k = k});
}

static dltf_codes *encode(const dltf_model *model, dltf_matrix data, dltf_encode_options encoding) {
    dltf_codes *codes = NULL;
    assert_int_equal(dltf_encode(model, data, &encoding, NULL, NULL, &codes), DLTF_OK);
    return codes;
}

static void assert_same_codes(const dltf_codes *left, const dltf_codes *right) {
    dltf_csr a = dltf_codes_csr(left), c = dltf_codes_csr(right);
    assert_true(a.rows == c.rows && a.cols == c.cols);
    assert_memory_equal(a.indptr, c.indptr, (size_t)(a.rows + 1) * sizeof *a.indptr);
    assert_memory_equal(a.indices, c.indices, (size_t)a.indptr[a.rows] * sizeof *a.indices);
    assert_memory_equal(a.values, c.values, (size_t)a.indptr[a.rows] * sizeof *a.values);
}

static dltf_codes *encode_with_threads(const dltf_model *model, dltf_matrix data,
                                       dltf_encode_options encoding) {
    encoding.threads = 1;
    dltf_codes *codes = encode(model, data, encoding);
    for (encoding.threads = 2; encoding.threads <= 3; encoding.threads++) {
        dltf_codes *again = encode(model, data, encoding);
        assert_same_codes(again, codes);
        dltf_codes_free(again);
    }
    return codes;
}

/* Scores of every sample in double (N x m, to be freed), the model's preprocessing and bias included. */
static double *reference_scores(const dltf_model *model, int64_t N) {
    dltf_model_view v = dltf_model_get(model);
    const float *rows = v.encoder ? v.encoder : v.dictionary;
    double *x = malloc((size_t)(N * v.n) * sizeof *x), *e = malloc((size_t)(v.m * v.n) * sizeof *e);
    double *scores = malloc((size_t)(N * v.m) * sizeof *scores);
    assert_true(x && e && scores);
    widen(rows, v.m * v.n, e);
    for (int64_t i = 0; i < N; i++) {
        double square = 0;
        for (int64_t j = 0; j < v.n; j++) {
            x[i * v.n + j] = (double)X[i * v.n + j] - (v.mean ? (double)v.mean[j] : 0);
        }
        double own = 0;
        for (int64_t j = 0; j < v.n && v.remove_mean; j++)
            own += x[i * v.n + j] / (double)v.n;
        for (int64_t j = 0; j < v.n; j++) {
            x[i * v.n + j] -= own;
            square += x[i * v.n + j] * x[i * v.n + j];
        }
        for (int64_t j = 0; j < v.n && v.unit_norm && square > 0; j++)
            x[i * v.n + j] /= sqrt(square);
        for (int64_t j = 0; j < v.n && v.offset; j++)
            x[i * v.n + j] -= (double)v.offset[j];
    }
    ref_scores(x, N, v.n, e, v.m, scores);
    for (int64_t i = 0; i < N * v.m && v.bias; i++)
        scores[i] -= (double)v.bias[i % v.m];
    free(x);
    free(e);
    return scores;
}

/* ---- without rounding ---- */

/* 1, 4 or 16 entries of equal magnitude: a power of two, norm exactly 1, products exact. */
static void fill_exact_atom(float *w, int64_t n) {
    int64_t places[MOST_n], levels = n >= 16 ? 3 : n >= 4 ? 2 : 1, level = below(levels);
    dl_random_permutation(test_source(), test_draws, n, places);
    test_draws += (uint64_t)n;
    memset(w, 0, (size_t)n * sizeof *w);
    for (int64_t e = 0; e < (INT64_C(1) << 2 * level); e++)
        w[places[e]] = ldexpf(below(2) ? 1 : -1, -(int)level);
}

static void fill_exact(problem p) {
    for (int64_t j = 0; j < p.m; j++)
        fill_exact_atom(W + j * p.n, p.n);
    for (int64_t i = 0; i < p.m * p.n; i++)
        E[i] = (float)between(-8, 8) / 4;
    for (int64_t j = 0; j < p.m; j++)
        b[j] = (float)between(-8, 8) / 4;
    for (int64_t j = 0; j < p.n; j++)
        mean[j] = (float)between(-2, 2);
    for (int64_t i = 0; i < p.N * p.n; i++)
        X[i] = (float)between(-4, 4);
    memset(X + (p.N / 2) * p.n, 0, (size_t)p.n * sizeof *X); /* a zero sample */
}

static void assert_exact(const dltf_model *model, const dltf_codes *codes, int64_t k, bool positive) {
    dltf_csr csr = dltf_codes_csr(codes);
    double *scores = reference_scores(model, csr.rows);
    int32_t expected[MOST_m];
    assert_int_equal(csr.cols, dltf_model_get(model).m);
    assert_int_equal(csr.indptr[0], 0);
    for (int64_t i = 0; i < csr.rows; i++) {
        int64_t first = csr.indptr[i],
                count = ref_topk(scores + i * csr.cols, csr.cols, k, positive, expected);
        assert_int_equal(csr.indptr[i + 1] - first, count);
        for (int64_t e = 0; e < count; e++) {
            assert_int_equal(csr.indices[first + e], expected[e]);
            assert_true((double)csr.values[first + e] == scores[i * csr.cols + expected[e]]);
        }
    }
    free(scores);
}

static void check_exact(problem p) {
    fill_exact(p);
    dltf_model *model = make_model(p);
    dltf_matrix data = dltf_matrix_f32(X, p.N, p.n);
    dltf_codes *codes = encode_with_threads(model, data, dltf_encode_options_default());
    assert_exact(model, codes, p.k, p.positive);
    dltf_codes_free(codes);
    dltf_encode_options other = {.size = sizeof(dltf_encode_options),
                                 .k = 1 + below((p.m + 2) / 3),
                                 .select = p.positive ? DLTF_SELECT_ABS : DLTF_SELECT_POSITIVE};
    codes = encode(model, data, other);
    assert_exact(model, codes, other.k, !p.positive);
    dltf_codes_free(codes);
    dltf_model_free(model);
}

static void against_reference_exactly(void **state) {
    (void)state;
    static const int64_t samples[] = {1, 127, 128, 129, MOST_N}, lengths[] = {1, 2, 5, 17, MOST_n},
                         atoms[] = {1, 2, 33, MOST_m};
    for (int s = 0; s < 5; s++)
        for (int l = 0; l < 5; l++)
            for (int a = 0; a < 4; a++) {
                int64_t variant = below(8), m = atoms[a];
                check_exact((problem){.N = samples[s],
                                      .n = lengths[l],
                                      .m = m,
                                      .k = s == 2 ? m : 1 + below((m + 3) / 4),
                                      .untied = variant & 1,
                                      .center = variant & 2,
                                      .positive = variant & 4});
            }
}

/* ---- with rounding ---- */

/* Values are the scores, nothing larger was left out; `tolerance` is what single precision may cost. */
static void assert_close(const dltf_model *model, const dltf_codes *codes, problem p, double tolerance) {
    dltf_csr csr = dltf_codes_csr(codes);
    double *scores = reference_scores(model, p.N);
    for (int64_t i = 0; i < p.N; i++) {
        const double *s = scores + i * p.m;
        int64_t end = csr.indptr[i + 1], e = csr.indptr[i], count = end - e;
        double least = INFINITY, most_left = 0;
        for (int64_t j = 0; j < p.m; j++) {
            double size = p.positive ? s[j] : fabs(s[j]);
            if (e < end && csr.indices[e] == j) {
                assert_near((double)csr.values[e++], s[j], tolerance);
                least = fmin(least, size);
            } else {
                most_left = fmax(most_left, size);
            }
        }
        assert_int_equal(e, end);
        assert_true(count <= p.k);
        assert_true(most_left <= (count == p.k ? least : 0) + tolerance);
    }
    free(scores);
}

static void against_reference_closely(void **state) {
    (void)state;
    for (int variant = 0; variant < 64; variant++) {
        problem p = {.N = 1 + below(300),
                     .n = 1 + below(MOST_n),
                     .m = 1 + below(MOST_m),
                     .untied = variant & 1,
                     .center = variant & 2,
                     .remove_mean = variant & 16,
                     .unit_norm = variant & 4,
                     .offset = variant & 32,
                     .positive = variant & 8};
        p.k = 1 + below(p.m);
        fill_normal(W, p.m * p.n);
        fill_normal(E, p.m * p.n);
        fill_normal(b, p.m);
        fill_normal(mean, p.n);
        fill_normal(offset, p.n);
        fill_normal(X, p.N * p.n);
        dltf_model *model = make_model(p);
        dltf_codes *codes =
            encode_with_threads(model, dltf_matrix_f32(X, p.N, p.n), dltf_encode_options_default());
        assert_close(model, codes, p, 2e-5);
        dltf_codes_free(codes);
        dltf_model_free(model);
    }
}

static void any_type_and_order(void **state) {
    (void)state;
    enum { N = 150, n = 11, m = 30 };
    static uint8_t u8[N * n];
    static float f32[N * n], fortran[N * n];
    static double f64[N * n];
    for (int64_t i = 0; i < N * n; i++) {
        u8[i] = (uint8_t)below(256);
        f32[i] = fortran[i % n * N + i / n] = u8[i];
        f64[i] = u8[i];
    }
    const dltf_matrix views[] = {dltf_matrix_f32(f32, N, n),
                                 dltf_matrix_f64(f64, N, n),
                                 dltf_matrix_u8(u8, N, n),
                                 {fortran, DLTF_F32, N, n, 1, N}};
    problem p = {.n = n, .m = m, .k = 4, .center = true, .unit_norm = true};
    fill_normal(W, m * n);
    fill_normal(mean, n);
    dltf_model *model = make_model(p);
    dltf_codes *first = encode(model, views[0], dltf_encode_options_default());
    for (int v = 1; v < 4; v++) {
        dltf_codes *codes = encode(model, views[v], dltf_encode_options_default());
        assert_same_codes(codes, first);
        dltf_codes_free(codes);
    }
    dltf_codes_free(first);
    dltf_model_free(model);
}

/* ---- special samples and atoms ---- */

static void zero_samples(void **state) {
    (void)state;
    const float zero[3 * 2] = {0}, atoms[] = {1, 0, 0, 1};
    dltf_model *model = simple_model(atoms, 2, 2, 2);
    for (int refit = 0; refit < 2; refit++) {
        dltf_codes *codes =
            encode(model, dltf_matrix_f32(zero, 3, 2),
                   (dltf_encode_options){.size = sizeof(dltf_encode_options), .refit = refit});
        dltf_csr csr = dltf_codes_csr(codes);
        assert_true(csr.rows == 3 && csr.cols == 2);
        assert_memory_equal(csr.indptr, (const int64_t[4]){0}, 4 * sizeof(int64_t));
        dltf_codes_free(codes);
    }
    dltf_model_free(model);
}

/* Copies of atoms, with either sign, have equal scores at any position: the first ones are kept. Only where
 * scores have no rounding: BLAS may sum the columns of a product in different orders. */
static void duplicate_atoms(void **state) {
    (void)state;
    for (int64_t m = 2; m <= MOST_m; m += 11) {
        problem p = {.N = 1 + m % 20, .n = 1 + m % MOST_n, .m = m, .k = 1 + below((m + 1) / 2)};
        fill_exact(p);
        for (int64_t i = 0; i < m * p.n; i++)
            W[i] = (i / p.n % 2 ? -1 : 1) * W[i % ((1 + m / 5) * p.n)];
        dltf_model *model = make_model(p);
        dltf_codes *codes = encode(model, dltf_matrix_f32(X, p.N, p.n), dltf_encode_options_default());
        assert_exact(model, codes, p.k, false);
        dltf_codes_free(codes);
        dltf_model_free(model);
    }
}

/* ---- progress ---- */

typedef struct watcher {
    int calls, cancel_at;
    int64_t done;
} watcher;

static int watch(void *context, const dltf_progress *progress) {
    watcher *w = context;
    assert_string_equal(progress->task, "encoding");
    assert_null(progress->iteration);
    assert_int_equal(progress->total, 20000);
    assert_true(progress->done >= w->done && progress->done <= progress->total);
    w->done = progress->done;
    return ++w->calls == w->cancel_at;
}

static void progress_and_cancel(void **state) {
    (void)state;
    enum { N = 20000 };
    static float x[N * 2];
    const float atoms[] = {1, 0, 0, 1, 0.6f, 0.8f};
    for (int64_t i = 0; i < 2 * N; i++)
        x[i] = (float)between(-5, 5);
    dltf_model *model = simple_model(atoms, 3, 2, 1);
    dltf_encode_options encoding = {.size = sizeof(dltf_encode_options), .threads = 2};
    dltf_codes *codes = NULL;
    watcher w = {.cancel_at = 2};
    openblas_set_num_threads(2);
    assert_fails(dltf_encode(model, dltf_matrix_f32(x, N, 2), &encoding, watch, &w, &codes), DLTF_CANCELLED,
                 "encoding was cancelled");
    assert_true(codes == NULL && w.calls == 2 && w.done < N);
    assert_int_equal(openblas_get_num_threads(), 2);
    openblas_set_num_threads(1);
    w = (watcher){0};
    assert_int_equal(dltf_encode(model, dltf_matrix_f32(x, N, 2), &encoding, watch, &w, &codes), DLTF_OK);
    assert_true(w.done == N && w.calls > 2);
    dltf_codes *quiet = encode_with_threads(model, dltf_matrix_f32(x, N, 2), encoding);
    assert_same_codes(quiet, codes);
    for (int64_t i = 0; i < N; i += 97) { /* every report's tiles are the right ones */
        dltf_codes *alone = encode(model, dltf_matrix_f32(x + 2 * i, 1, 2), encoding);
        dltf_csr one = dltf_codes_csr(alone), all = dltf_codes_csr(codes);
        assert_int_equal(all.indptr[i + 1] - all.indptr[i], one.indptr[1]);
        if (one.indptr[1] == 1)
            assert_int_equal(all.indices[all.indptr[i]], one.indices[0]);
        dltf_codes_free(alone);
    }
    dltf_codes_free(quiet);
    dltf_codes_free(codes);
    dltf_model_free(model);
}

/* ---- refusals ---- */

static void assert_encode_fails(const dltf_model *model, dltf_matrix data, dltf_encode_options encoding,
                                dltf_status status, const char *part) {
    dltf_codes *codes = NULL;
    openblas_set_num_threads(2);
    assert_fails(dltf_encode(model, data, &encoding, NULL, NULL, &codes), status, part);
    assert_null(codes);
    assert_int_equal(openblas_get_num_threads(), 2);
    openblas_set_num_threads(1);
}

static void bad_arguments(void **state) {
    (void)state;
    const float atoms[] = {1, 0, 0, 1, 1, 1}, x[6] = {1, 2, 3, 4, 5, 6};
    const float bad[6] = {1, 2, 3, NAN, 5, 6}, infinite[6] = {1, 2, 3, 4, -INFINITY, NAN};
    dltf_matrix data = dltf_matrix_f32(x, 3, 2);
    dltf_encode_options plain = dltf_encode_options_default();
    dltf_model *model = simple_model(atoms, 3, 2, 1);
    assert_encode_fails(model, dltf_matrix_f32(x, 2, 3), plain, DLTF_DATA,
                        "data: 3 columns, but the model expects 2");
    assert_encode_fails(model, dltf_matrix_f32(bad, 3, 2), plain, DLTF_DATA, "row 1, column 1 is NaN");
    assert_encode_fails(model, dltf_matrix_f32(infinite, 3, 2), plain, DLTF_DATA,
                        "row 2, column 0 is infinite");
    assert_encode_fails(model, dltf_matrix_f32(NULL, 3, 2), plain, DLTF_ARGUMENT, "data: the matrix has no");
    assert_encode_fails(model, dltf_matrix_f32(x, 0, 2), plain, DLTF_ARGUMENT, "data: 0 rows");
    assert_encode_fails(model, data, (dltf_encode_options){.size = sizeof(dltf_encode_options), .k = 4},
                        DLTF_ARGUMENT, "k: 4 is more than the model's 3 atoms");
    assert_encode_fails(model, data, (dltf_encode_options){.size = sizeof(dltf_encode_options), .k = -1},
                        DLTF_ARGUMENT, "k: -1");
    assert_encode_fails(model, data,
                        (dltf_encode_options){.size = sizeof(dltf_encode_options), .select = (dltf_select)9},
                        DLTF_ARGUMENT, "select: ");
    assert_encode_fails(model, data,
                        (dltf_encode_options){.size = sizeof(dltf_encode_options), .threads = -2},
                        DLTF_ARGUMENT, "threads: -2");
    dltf_model_free(model);
}

static void too_large_to_score(void **state) {
    (void)state;
    enum { n = 20 };
    float atoms[2 * n], x[3 * n];
    for (int i = 0; i < 2 * n; i++)
        atoms[i] = 1;
    for (int i = 0; i < 3 * n; i++)
        x[i] = i < 2 * n ? 1 : 1e38f;
    dltf_model *model = simple_model(atoms, 2, n, 1);
    assert_encode_fails(model, dltf_matrix_f32(x, 3, n), dltf_encode_options_default(), DLTF_NUMERIC,
                        "data: row 2");
    assert_message_has("rescale");
    double wide[n] = {1e300};
    assert_encode_fails(model, dltf_matrix_f64(wide, 1, n), dltf_encode_options_default(), DLTF_NUMERIC,
                        "row 0");
    dltf_codes_free(encode(model, dltf_matrix_f32(x, 2, n), dltf_encode_options_default()));
    dltf_model_free(model);
}

/* ---- decoding ---- */

static const dltf_csr by_hand = {
    3, 2, (const int64_t[]){0, 2, 2, 3}, (const int32_t[]){0, 1, 1}, (const float[]){5, 2, -1}, NULL};

static void decoding(void **state) {
    (void)state;
    const float atoms[] = {3, 4, 1, 0, 1, 0};
    float decoded[6];
    dltf_codes *codes = NULL;
    memcpy(mean, (const float[]){10, 20}, 2 * sizeof *mean);
    assert_int_equal(dltf_codes_new(by_hand, &codes), DLTF_OK);
    memcpy(offset, (const float[]){-1, 3}, 2 * sizeof *offset);
    for (int variant = 0; variant < 6; variant++) {
        /* The scale removed by unit_norm is unknown, so the mean cannot be added back either; the offset can.
         */
        problem p = {.m = 2,
                     .n = 2,
                     .k = 1,
                     .center = variant % 3 > 0,
                     .unit_norm = variant % 3 > 1,
                     .offset = variant > 2};
        memcpy(W, atoms, sizeof atoms);
        dltf_model *model = make_model(p);
        assert_int_equal(dltf_decode(model, codes, decoded), DLTF_OK);
        const double plain[] = {5, 4, 0, 0, -1, 0};
        for (int i = 0; i < 6; i++)
            assert_near((double)decoded[i],
                        plain[i] + (variant % 3 == 1 ? (double)mean[i % 2] : 0) +
                            (p.offset ? (double)offset[i % 2] : 0),
                        1e-5);
        assert_survives_lack_of_memory(dltf_decode(model, codes, decoded), 1);
        dltf_model_free(model);
    }
    dltf_model *three = simple_model(atoms, 3, 2, 1);
    assert_fails(dltf_decode(three, codes, decoded), DLTF_DATA,
                 "codes: 2 columns, but the model has 3 atoms");
    dltf_model_free(three);
    dltf_codes_free(codes);
}

static double error_of(problem p, const float *x, const dltf_codes *codes) {
    double relative = -1;
    dltf_model *model = make_model(p);
    assert_int_equal(dltf_reconstruction_error(model, dltf_matrix_f32(x, 3, 2), codes, &relative), DLTF_OK);
    assert_survives_lack_of_memory(
        dltf_reconstruction_error(model, dltf_matrix_f32(x, 3, 2), codes, &relative), 3);
    dltf_model_free(model);
    return relative;
}

static void reconstruction_error(void **state) {
    (void)state;
    const float exact[] = {5, 4, 0, 0, -1, 0}, shifted[] = {15, 24, 10, 20, 9, 20}, zero[6] = {0};
    const float off[] = {5, 4, 0, 3, -1, 2}; /* 9 + 4 of 25 + 16 + 9 + 1 + 4 */
    problem p = {.m = 2, .n = 2, .k = 1};
    dltf_codes *codes = NULL, *empty = NULL;
    assert_int_equal(dltf_codes_new(by_hand, &codes), DLTF_OK);
    assert_int_equal(dltf_codes_new((dltf_csr){3, 2, (const int64_t[4]){0}, NULL, NULL, NULL}, &empty),
                     DLTF_OK);
    memcpy(W, (const float[]){3, 4, 1, 0}, 4 * sizeof *W);
    memcpy(mean, (const float[]){10, 20}, 2 * sizeof *mean);
    assert_near(error_of(p, exact, codes), 0, 1e-12);
    assert_near(error_of(p, off, codes), 13.0 / 55, 1e-6);
    assert_near(error_of(p, off, empty), 1, 1e-12);
    assert_near(error_of(p, zero, empty), 0, 0);
    p.center = true;
    assert_near(error_of(p, shifted, codes), 0, 1e-12);
    assert_near(error_of(p, exact, empty), 1, 1e-12);
    p = (problem){.m = 2, .n = 2, .k = 1, .unit_norm = true}; /* a zero sample stays zero */
    assert_near(error_of(p, exact, empty), 1, 1e-7);
    assert_near(error_of(p, off, codes), /* samples (5,4)/sqrt 41, (0,1), (-1,2)/sqrt 5 */
                (pow(5 - 5 / sqrt(41), 2) + pow(4 - 4 / sqrt(41), 2) + 1 + pow(1 - 1 / sqrt(5), 2) + 0.8) / 3,
                1e-5);
    memcpy(offset, (const float[]){1, 0}, 2 * sizeof *offset);
    p.offset = true; /* samples (5/sqrt 41 - 1, 4/sqrt 41), (-1, 1), (-1/sqrt 5 - 1, 2/sqrt 5) */
    assert_near(error_of(p, off, codes),
                (pow(6 - 5 / sqrt(41), 2) + pow(4 - 4 / sqrt(41), 2) + 2 + 0.2 + 0.8) /
                    (pow(1 - 5 / sqrt(41), 2) + 16.0 / 41 + 2 + pow(1 + 1 / sqrt(5), 2) + 0.8),
                1e-5);
    dltf_codes_free(codes);
    dltf_codes_free(empty);
}

static void bad_reconstruction_arguments(void **state) {
    (void)state;
    const float atoms[] = {1, 0, 0, 1, 1, 1}, x[6] = {1, 2, 3, 4, 5, 6};
    double relative = -1;
    dltf_codes *codes = NULL;
    assert_int_equal(dltf_codes_new(by_hand, &codes), DLTF_OK);
    dltf_model *model = simple_model(atoms, 2, 2, 1), *three = simple_model(atoms, 3, 2, 1);
    assert_fails(dltf_reconstruction_error(three, dltf_matrix_f32(x, 3, 2), codes, &relative), DLTF_DATA,
                 "codes: 2 columns, but the model has 3 atoms");
    assert_fails(dltf_reconstruction_error(model, dltf_matrix_f32(x, 2, 3), codes, &relative), DLTF_DATA,
                 "data: 2 x 3 samples, but the codes and the model expect 3 x 2");
    assert_fails(dltf_reconstruction_error(model, dltf_matrix_f32(x, 2, 2), codes, &relative), DLTF_DATA,
                 "2 x 2 samples");
    assert_fails(dltf_reconstruction_error(model, dltf_matrix_f32(NULL, 3, 2), codes, &relative),
                 DLTF_ARGUMENT, "data: the matrix has no data");
    const float bad[6] = {1, 2, 3, NAN, 5, 6};
    assert_fails(dltf_reconstruction_error(model, dltf_matrix_f32(bad, 3, 2), codes, &relative), DLTF_DATA,
                 "data: row 1, column 1 is NaN");
    assert_true(relative == -1);
    dltf_model_free(model);
    dltf_model_free(three);
    dltf_codes_free(codes);
}

/* ---- memory ---- */

static dltf_status encode_once(const dltf_model *model, int64_t N, bool refit) {
    dltf_codes *codes = NULL;
    dltf_encode_options encoding = {.size = sizeof(dltf_encode_options), .threads = 2, .refit = refit};
    dltf_status status =
        dltf_encode(model, dltf_matrix_f32(X, N, dltf_model_get(model).n), &encoding, NULL, NULL, &codes);
    assert_true((codes != NULL) == (status == DLTF_OK));
    assert_int_equal(openblas_get_num_threads(), 2);
    dltf_codes_free(codes);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    problem p = {.N = 300, .n = 7, .m = 12, .k = 3, .untied = true, .center = true};
    fill_exact(p);
    dltf_model *model = make_model(p);
    openblas_set_num_threads(2);
    int threads = dl_thread_count(2); /* the small library has one */
    assert_survives_lack_of_memory(encode_once(model, p.N, false), 1 + 7 * threads);
    assert_survives_lack_of_memory(encode_once(model, p.N, true), 2 + 8 * threads);
    openblas_set_num_threads(1);
    dltf_model_free(model);
}

/* ---- The encoder ---- */

/* All samples at once, one at a time, and dltf_encode give the same codes; running allocates nothing. */
static void encoder_codes(void **state) {
    (void)state;
    enum { M = 70, LENGTH = 9, K = 5, SAMPLES = 110 };
    static float W[M * LENGTH], X[SAMPLES * LENGTH], value[SAMPLES * K], one_value[K];
    static int32_t count[SAMPLES], index[SAMPLES * K], one_count[1], one_index[K];
    fill_normal(W, M * LENGTH);
    fill_normal(X, SAMPLES * LENGTH);
    dltf_model_view parts = {.m = M, .n = LENGTH, .k = K, .dictionary = W};
    dltf_model *model = NULL;
    dltf_encoder *encoder = NULL;
    dltf_codes *codes = NULL;
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    assert_int_equal(dltf_encoder_new(model, NULL, &encoder), DLTF_OK);
    assert_int_equal(dltf_encoder_k(encoder), K);
    assert_int_equal(dltf_encode(model, dltf_matrix_f32(X, SAMPLES, LENGTH), NULL, NULL, NULL, &codes),
                     DLTF_OK);
    dl_alloc_fail_after(1);
    assert_int_equal(dltf_encoder_run(encoder, dltf_matrix_f32(X, SAMPLES, LENGTH), count, index, value),
                     DLTF_OK);
    dl_alloc_fail_after(0);
    dltf_csr csr = dltf_codes_csr(codes);
    for (int64_t i = 0; i < SAMPLES; i++) {
        dltf_matrix sample = dltf_matrix_f32(X + i * LENGTH, 1, LENGTH);
        assert_int_equal(dltf_encoder_run(encoder, sample, one_count, one_index, one_value), DLTF_OK);
        assert_true(count[i] == K && one_count[0] == K && csr.indptr[i] == i * K);
        assert_memory_equal(index + i * K, csr.indices + i * K, sizeof one_index);
        assert_memory_equal(value + i * K, csr.values + i * K, sizeof one_value);
        assert_memory_equal(one_index, index + i * K, sizeof one_index);
        for (int e = 0; e < K; e++)
            assert_near((double)one_value[e], (double)value[i * K + e], 1e-5);
    }
    X[3 * LENGTH + 2] = NAN;
    assert_fails(dltf_encoder_run(encoder, dltf_matrix_f32(X, SAMPLES, LENGTH), count, index, value),
                 DLTF_DATA, "row 3, column 2 is NaN");
    assert_fails(dltf_encoder_run(encoder, dltf_matrix_f32(X, 1, LENGTH + 1), count, index, value), DLTF_DATA,
                 "10 columns");
    dltf_codes_free(codes);
    dltf_encoder_free(encoder);
    dltf_model_free(model);
}

TESTS_MAIN(cmocka_unit_test(encoder_codes), cmocka_unit_test(against_reference_exactly),
           cmocka_unit_test(against_reference_closely), cmocka_unit_test(any_type_and_order),
           cmocka_unit_test(zero_samples), cmocka_unit_test(duplicate_atoms),
           cmocka_unit_test(progress_and_cancel), cmocka_unit_test(bad_arguments),
           cmocka_unit_test(too_large_to_score), cmocka_unit_test(decoding),
           cmocka_unit_test(reconstruction_error), cmocka_unit_test(bad_reconstruction_arguments),
           cmocka_unit_test(out_of_memory))
