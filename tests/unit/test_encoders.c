/* Untied encoders: each against its definition on the codes it was fitted to, polishing of the dictionary,
 * scales, signs, threads, edge cases and rejected arguments. Checkpoints: test_checkpoint.c. */
#include "coding/dual.h"
#include "learning/learner_facts.h"
#include "learning/stages/encoder_fit.h"
#include "linalg/blas.h"
#include "reference/learning.h"
#include "reference/reference.h"

#include "test_small_learner.h"

static const dltf_encoder_kind untied[] = {DLTF_ENCODER_TIGHT, DLTF_ENCODER_DUAL, DLTF_ENCODER_DISTILLED};
enum { KINDS = 3 };

static dltf_train_options encoder_options(int64_t m, int64_t k, dltf_encoder_kind kind) {
    dltf_train_options options = dltf_train_options_default();
    options.m = m;
    options.k = k;
    options.encoder = kind;
    if (kind == DLTF_ENCODER_DISTILLED)
        options.finetune = 0;
    options.steps = sized(40, 15);
    options.batch = 150;
    options.threads = 2;
    return options;
}

/* A finished learner of the small problem, and the codes its encoder was fitted to, recomputed. */
typedef struct fitted {
    dltf_synthetic *problem;
    dltf_learner *learner;
    int64_t N, n, m, k;
    double *X, *Z; /* N x n as the learner scales them; N x m */
} fitted;

static fitted learn(dltf_encoder_kind kind, int64_t n, int64_t m, int64_t N) {
    fitted s = {.N = N, .n = n, .m = m, .k = 2, .problem = new_synthetic(n, m, 2, N, 0.1)};
    dltf_train_options options = encoder_options(m, s.k, kind);
    s.learner = new_learner(dltf_synthetic_samples(s.problem, false), &options);
    run(s.learner);
    float *x = new_f32(N * n), *W = new_narrow(s.learner->W, m * n);
    double *row = new_f64(n), *E = new_f64(m * n), *factor = new_f64(m * m + n * n);
    for (int64_t i = 0; i < N; i++)
        dl_samples_row(&s.learner->samples, i, row, x + i * n);
    dl_dual_encoder(1, s.learner->W, m, n, options.ridge, factor, E);
    float *dual = new_narrow(E, m * n);
    dltf_model_view parts = {.m = m, .n = n, .k = s.k, .dictionary = W, .encoder = dual};
    dltf_model *model = NULL;
    dltf_codes *codes = NULL;
    dltf_encode_options encoding = {
        .size = sizeof(dltf_encode_options), .coder = DLTF_CODER_HTP, .passes = 8};
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    assert_int_equal(dltf_encode(model, dltf_matrix_f32(x, N, n), &encoding, NULL, NULL, &codes), DLTF_OK);
    dltf_csr csr = dltf_codes_csr(codes);
    s.X = new_wide(x, N * n);
    s.Z = new_f64(N * m);
    for (int64_t i = 0; i < N; i++)
        for (int64_t e = csr.indptr[i]; e < csr.indptr[i + 1]; e++)
            s.Z[i * m + csr.indices[e]] = (double)csr.values[e];
    dltf_codes_free(codes);
    dltf_model_free(model);
    free(x);
    free(W);
    free(row);
    free(E);
    free(factor);
    free(dual);
    return s;
}

static void free_fitted(fitted *s) {
    dltf_learner_free(s->learner);
    dltf_synthetic_free(s->problem);
    free(s->X);
    free(s->Z);
}

static double largest(const double *x, int64_t count) {
    double most = 0;
    for (int64_t i = 0; i < count; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* ---- By definition ---- */

/* The affine ridge regression onto the codes; no other ridge of the grid has a better score. */
static void distilled_by_definition(void **state) {
    (void)state;
    const int64_t shapes[][3] = {{12, 20, 400}, {16, 10, 300}, {16, 24, 14}};
    for (size_t t = 0; t < sizeof shapes / sizeof *shapes; t++) {
        fitted s = learn(DLTF_ENCODER_DISTILLED, shapes[t][0], shapes[t][1], shapes[t][2]);
        int64_t entries = s.m * s.n;
        double *E = new_f64(entries), *b = new_f64(s.m), variance = 0, best = INFINITY, chosen = 0;
        double *mean = new_f64(s.n);
        for (int64_t i = 0; i < s.N * s.n; i++)
            mean[i % s.n] += s.X[i] / (double)s.N;
        for (int64_t i = 0; i < s.N * s.n; i++)
            variance += (s.X[i] - mean[i % s.n]) * (s.X[i] - mean[i % s.n]) / (double)(s.N * s.n);
        for (int power = s.N > s.n ? -12 : -4; power <= 6; power++) { /* a small r overfits few samples */
            double r = variance * pow(10, power / 2.0);
            double score = ref_affine_ridge(s.X, s.Z, s.N, s.n, s.m, r, E, b);
            chosen = score < best ? r : chosen;
            best = fmin(best, score);
        }
        ref_affine_ridge(s.X, s.Z, s.N, s.n, s.m, chosen, E, b);
        assert_all_near(s.learner->E, E, entries, 1e-4 * largest(E, entries));
        assert_all_near(s.learner->bias, b, s.m, 1e-4 * largest(b, s.m));
        free(E);
        free(b);
        free(mean);
        free_fitted(&s);
    }
}

/* <e_j, w_j> = 1, and the ridge is the ratio of noise to variance of the codes. */
static void dual_by_definition(void **state) {
    (void)state;
    const int64_t shapes[][3] = {{12, 20, 400}, {16, 10, 300}};
    for (size_t t = 0; t < sizeof shapes / sizeof *shapes; t++) {
        fitted s = learn(DLTF_ENCODER_DUAL, shapes[t][0], shapes[t][1], shapes[t][2]);
        double used = 0, energy = dot_f64(s.Z, s.Z, s.N * s.m), left = 0, *E = new_f64(s.m * s.n);
        const double *W = s.learner->W;
        for (int64_t i = 0; i < s.N * s.m; i++)
            used += s.Z[i] != 0;
        for (int64_t i = 0; i < s.N; i++)
            left += ref_residual(W, s.m, s.n, s.X + i * s.n, s.Z + i * s.m);
        double noise = left / (double)(s.N * (s.n - s.k)), mean_square = energy / used;
        double r = noise * (double)s.m / ((double)s.k * mean_square);
        assert_true(ref_dual_encoder(W, s.m, s.n, r, s.m < s.n, E));
        assert_all_near(s.learner->E, E, s.m * s.n, 1e-4 * largest(E, s.m * s.n));
        for (int64_t j = 0; j < s.m; j++)
            assert_near(dot_f64(s.learner->E + j * s.n, W + j * s.n, s.n), 1, 1e-9);
        dltf_model *model = model_of(s.learner);
        assert_null(dltf_model_get(model).bias);
        dltf_model_free(model);
        free(E);
        free_fitted(&s);
    }
}

/* E^T E = (m/n) I with unit-norm rows for m > n; orthonormal rows, the nearest to W, for m <= n. */
static void tight_by_definition(void **state) {
    (void)state;
    const int64_t shapes[][2] = {{128, 64}, {40, 16}, {24, 16}, {16, 16}, {10, 30}, {1, 5}, {5, 1}};
    for (size_t t = 0; t < sizeof shapes / sizeof *shapes; t++) {
        int64_t m = shapes[t][0], n = shapes[t][1], size = m < n ? m : n;
        double *W = new_dictionary(m, n), *E = new_f64(m * n), worst = 0;
        assert_int_equal(dl_tight_frame(2, W, m, n, E), DLTF_OK);
        assert_unit_rows(E, m, n, 1e-12);
        for (int64_t i = 0; i < size; i++)
            for (int64_t j = 0; j < size; j++) {
                double sum = 0;
                for (int64_t e = 0; e < (m < n ? n : m); e++)
                    sum += m < n ? E[i * n + e] * E[j * n + e] : E[e * n + i] * E[e * n + j];
                double wanted = i != j ? 0 : m > n ? (double)m / (double)n : 1;
                worst = larger(worst, fabs(sum - wanted));
            }
        print_message("m = %lld, n = %lld: %.1e from a tight frame\n", (long long)m, (long long)n, worst);
        assert_true(worst < (m > n ? 1e-3 : 1e-9));
        for (int64_t i = 0; i < m && m <= n; i++) /* polar factor: W E^T is symmetric */
            for (int64_t j = 0; j < i; j++)
                assert_near(dot_f64(W + i * n, E + j * n, n), dot_f64(W + j * n, E + i * n, n), 1e-9);
        free(W);
        free(E);
    }
}

/* ---- The dictionary ---- */

/* The error of multi-pass codes decreases while the dictionary is polished; atoms are recovered. */
static void polishing(void **state) {
    (void)state;
    int64_t n = sized(32, 16), m = sized(64, 24), k = sized(3, 2), N = sized(3000, 800);
    dltf_synthetic *problem = new_synthetic(n, m, k, N, 0.05);
    dltf_train_options options = encoder_options(m, k, DLTF_ENCODER_DISTILLED);
    options.steps = sized(150, 80);
    options.batch = sized(1000, 300);
    options.polish = 4;
    dltf_learner *learner = new_learner(dltf_synthetic_samples(problem, false), &options);
    assert_int_equal(run(learner), DLTF_ITERATION_LIMIT);
    int64_t count = 0;
    const dltf_iteration *r = dl_learner_history(learner, &count);
    assert_int_equal(count, options.steps + 5);
    r += options.steps;
    for (int i = 0; i < 5; i++) {
        assert_string_equal(r[i].stage, i < 4 ? "polish" : "encoder");
        assert_true(r[i].index == i % 4 && r[i].coherence > 0);
        assert_true(r[i].relative_error <= 1.02 * r[0].relative_error);
    }
    dltf_model *model = model_of(learner);
    double recovered = 0, wrong = score(model, problem, &recovered);
    dltf_model_view view = dltf_model_get(model);
    view.encoder = view.bias = NULL; /* the same dictionary, tied */
    dltf_model *tied = NULL;
    assert_int_equal(dltf_model_new(&view, &tied), DLTF_OK);
    double tied_wrong = score(tied, problem, &recovered);
    print_message("ave_dif %.3f, tied %.3f; %.0f%% of the atoms\n", wrong, tied_wrong, 100 * recovered);
    assert_true(wrong < tied_wrong && recovered > (double)sized(95, 75) / 100);
    dltf_model_free(tied);
    dltf_model_free(model);
    dltf_learner_free(learner);
    dltf_synthetic_free(problem);
}

/* ---- Scale and signs ---- */

/* 1024 is exact: the same encoder, the bias and the values 1024 times as large. */
static void scale_of_the_data(void **state) {
    (void)state;
    dltf_synthetic *problem = small_problem();
    dltf_matrix X = dltf_synthetic_samples(problem, false);
    int64_t entries = X.rows * X.cols;
    float *large = new_f32(entries);
    for (int64_t i = 0; i < entries; i++)
        large[i] = 1024 * ((const float *)X.data)[i];
    dltf_matrix Y = dltf_matrix_f32(large, X.rows, X.cols);
    for (int kind = 0; kind < KINDS; kind++) {
        dltf_train_options options = encoder_options(24, 2, untied[kind]);
        dltf_model *a = train(X, &options), *b = train(Y, &options);
        dltf_model_view v = dltf_model_get(a), w = dltf_model_get(b);
        assert_same_dictionary(a, b);
        assert_memory_equal(v.encoder, w.encoder, (size_t)(v.m * v.n) * sizeof(float));
        assert_true((v.bias != NULL) == (untied[kind] == DLTF_ENCODER_DISTILLED));
        for (int64_t j = 0; v.bias && j < v.m; j++)
            assert_true(w.bias[j] == 1024 * v.bias[j]);
        dltf_codes *c = encode(a, X), *d = encode(b, Y);
        dltf_csr left = dltf_codes_csr(c), right = dltf_codes_csr(d);
        assert_int_equal(left.indptr[left.rows], right.indptr[left.rows]);
        assert_true(left.indptr[left.rows] > left.rows);
        for (int64_t e = 0; e < left.indptr[left.rows]; e++)
            assert_true(left.indices[e] == right.indices[e] && 1024 * left.values[e] == right.values[e]);
        dltf_codes_free(c);
        dltf_codes_free(d);
        dltf_model_free(a);
        dltf_model_free(b);
    }
    free(large);
    dltf_synthetic_free(problem);
}

/* Mean codes are nonnegative: if an atom is negated, so are its row of the encoder and its bias. */
static void signs_of_atoms(void **state) {
    (void)state;
    dltf_synthetic *problem = small_problem();
    dltf_matrix X = dltf_synthetic_samples(problem, false);
    for (int kind = 0; kind < KINDS; kind++) {
        dltf_train_options options = encoder_options(24, 2, untied[kind]);
        options.init = DLTF_INIT_GAUSSIAN; /* atoms of either sign */
        dltf_learner *l = new_learner(X, &options);
        run(l);
        dltf_model *model = model_of(l);
        dltf_model_view v = dltf_model_get(model);
        int64_t turned = 0;
        for (int64_t j = 0; j < v.m; j++) {
            double sign = l->code_sum[j] < 0 ? -1 : 1, scale = l->samples.scale;
            turned += sign < 0;
            for (int64_t i = 0; i < v.n; i++) {
                assert_near((double)v.dictionary[j * v.n + i], sign * l->W[j * v.n + i], 1e-6);
                double e = sign * l->E[j * v.n + i];
                assert_near((double)v.encoder[j * v.n + i], e, 1e-6 * fmax(1, fabs(e)));
            }
            if (v.bias)
                assert_near((double)v.bias[j] * scale, sign * l->bias[j], 1e-6 * fmax(1, fabs(l->bias[j])));
        }
        assert_true(turned > 0 && turned < v.m);
        dltf_encode_options encoding = {
            .size = sizeof(dltf_encode_options), .coder = DLTF_CODER_HTP, .passes = 8};
        dltf_codes *codes = NULL;
        double *mean = new_f64(v.m);
        assert_int_equal(dltf_encode(model, X, &encoding, NULL, NULL, &codes), DLTF_OK);
        dltf_csr csr = dltf_codes_csr(codes);
        assert_true(csr.indptr[csr.rows] > csr.rows);
        for (int64_t e = 0; e < csr.indptr[csr.rows]; e++)
            mean[csr.indices[e]] += (double)csr.values[e] / (double)csr.rows;
        for (int64_t j = 0; j < v.m; j++)
            assert_true(mean[j] > -0.01);
        free(mean);
        dltf_codes_free(codes);
        dltf_model_free(model);
        dltf_learner_free(l);
    }
    dltf_synthetic_free(problem);
}

/* ---- The handle ---- */

static void same_bytes_on_any_threads(void **state) {
    (void)state;
    dltf_synthetic *problem = new_synthetic(40, 70, 3, sized(5000, 600), 0.1);
    for (int kind = 0; kind < KINDS; kind++) {
        dltf_learner *learner[3];
        for (int t = 0; t < 3; t++) {
            dltf_train_options options = encoder_options(70, 3, untied[kind]);
            options.steps = 12;
            options.threads = t + 1;
            learner[t] = new_learner(dltf_synthetic_samples(problem, false), &options);
            run(learner[t]);
            assert_memory_equal(learner[t]->W, learner[0]->W, sizeof(double) * 70 * 40);
            assert_memory_equal(learner[t]->E, learner[0]->E, sizeof(double) * 70 * 40);
            assert_memory_equal(learner[t]->bias, learner[0]->bias, sizeof(double) * 70);
            assert_same_history(learner[t], learner[0]);
        }
        for (int t = 0; t < 3; t++)
            dltf_learner_free(learner[t]);
    }
    dltf_synthetic_free(problem);
}

/* A model of a training stopped before stage `encoder` is tied; auto means best, or tied if other options
 * require it. */
static void kinds_and_stages(void **state) {
    (void)state;
    dltf_synthetic *problem = small_problem();
    dltf_matrix X = dltf_synthetic_samples(problem, false);
    dltf_train_options options = encoder_options(X.rows / 20, 2, DLTF_ENCODER_AUTO);
    dltf_learner *learner = new_learner(X, &options);
    assert_int_equal(dltf_learner_options(learner).encoder, DLTF_ENCODER_BEST);
    dltf_outcome outcome = DLTF_CONVERGED;
    test_brake b = {options.steps + 2};
    assert_int_equal(dltf_learner_run(learner, brake, &b, &outcome), DLTF_OK);
    assert_int_equal(outcome, DLTF_INTERRUPTED);
    dltf_model *early = model_of(learner);
    assert_true(!dltf_model_get(early).encoder && !dltf_model_get(early).bias);
    run(learner);
    dltf_model *model = model_of(learner);
    assert_true(dltf_model_get(model).encoder && dltf_model_get(model).bias);
    assert_string_equal(dltf_model_note(model, "option.encoder"), "best");
    dltf_model_free(early);
    dltf_model_free(model);
    dltf_learner_free(learner);
    options.admm = 1;
    learner = new_learner(X, &options);
    assert_int_equal(dltf_learner_options(learner).encoder, DLTF_ENCODER_TIED);
    dltf_learner_free(learner);
    options = dltf_train_options_default();
    options.m = X.rows / 20;
    options.k = 2;
    options.method = DLTF_METHOD_KSVD;
    learner = new_learner(X, &options);
    assert_int_equal(dltf_learner_options(learner).encoder, DLTF_ENCODER_TIED);
    dltf_learner_free(learner);
    dltf_synthetic_free(problem);
}

/* ---- Edges ---- */

static void assert_finite_encoder(const dltf_model *model) {
    dltf_model_view v = dltf_model_get(model);
    for (int64_t i = 0; i < v.m * v.n; i++)
        assert_true(isfinite(v.encoder[i]));
    for (int64_t j = 0; v.bias && j < v.m; j++)
        assert_true(isfinite(v.bias[j]));
}

/* m < n, m > n, k = m, N < m, N = 1; Gaussian samples, copies of one, zeros but for one. */
static void edges(void **state) {
    (void)state;
    const int64_t sizes[][4] = {{1, 1, 1, 1},    {3, 8, 8, 5}, {5, 2, 1, 60},
                                {4, 12, 12, 40}, {9, 4, 4, 7}, {1, 3, 2, 50}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int data = 0; data < 3; data++)
            for (int kind = 0; kind < 2 * KINDS; kind++) {
                int64_t n = sizes[s][0], m = sizes[s][1], k = sizes[s][2], N = sizes[s][3];
                float *X = new_f32(N * n);
                fill_normal(X, N * n);
                for (int64_t i = 0; i < N * n && data == 1; i++)
                    X[i] = X[i % n];
                for (int64_t i = n; i < N * n && data == 2; i++)
                    X[i] = 0;
                dltf_train_options options = encoder_options(m, k, untied[kind % KINDS]);
                options.steps = 6;
                options.select = kind < KINDS ? DLTF_SELECT_ABS : DLTF_SELECT_POSITIVE;
                options.center = data == 0 && N > 1 ? DLTF_YES : DLTF_NO;
                dltf_model *model = train(dltf_matrix_f32(X, N, n), &options);
                assert_finite_encoder(model);
                dltf_codes_free(encode(model, dltf_matrix_f32(X, N, n)));
                dltf_model_free(model);
                free(X);
            }
}

static void positive_codes(void **state) {
    (void)state;
    dltf_synthetic *problem = small_problem();
    dltf_matrix X = dltf_synthetic_samples(problem, false);
    for (int kind = 0; kind < KINDS; kind++) {
        dltf_train_options options = encoder_options(24, 2, untied[kind]);
        options.select = DLTF_SELECT_POSITIVE;
        dltf_model *model = train(X, &options);
        assert_int_equal(dltf_model_get(model).select, DLTF_SELECT_POSITIVE);
        dltf_codes *codes = encode(model, X);
        dltf_csr csr = dltf_codes_csr(codes);
        assert_true(csr.indptr[csr.rows] > csr.rows);
        for (int64_t e = 0; e < csr.indptr[csr.rows]; e++)
            assert_true(csr.values[e] > 0);
        dltf_codes_free(codes);
        dltf_model_free(model);
    }
    dltf_synthetic_free(problem);
}

static void rejects_bad_arguments(void **state) {
    (void)state;
    const float X[] = {1, 2, 3, 4, 5, 7};
    dltf_model *model = NULL;
    for (int kind = 0; kind < KINDS; kind++) {
        dltf_train_options options = encoder_options(2, 1, untied[kind]);
        options.admm = 3;
        assert_fails(dltf_train(dltf_matrix_f32(X, 3, 2), &options, NULL, NULL, &model), DLTF_ARGUMENT,
                     "admm: applies to encoder tied, not to encoder ");
        options = dltf_train_options_default();
        options.encoder = untied[kind];
        options.method = DLTF_METHOD_KSVD;
        assert_fails(dltf_train(dltf_matrix_f32(X, 3, 2), &options, NULL, NULL, &model), DLTF_ARGUMENT,
                     "encoder: K-SVD learns no encoder: use tied");
    }
    dltf_train_options options = encoder_options(2, 1, DLTF_ENCODER_DISTILLED);
    const int64_t wide = DL_MOST_EIGENVECTORS + 1;
    float *row = new_f32(wide);
    row[0] = 1;
    assert_fails(dltf_train(dltf_matrix_f32(row, 1, wide), &options, NULL, NULL, &model), DLTF_ARGUMENT,
                 "distilled supports at most 32766 columns");
    free(row);
    assert_null(model);
}

static dltf_status train_once(dltf_matrix X, dltf_encoder_kind kind) {
    dltf_train_options options = encoder_options(24, 2, kind);
    options.steps = options.polish = 1;
    dltf_model *model = NULL;
    dltf_status status = dltf_train(X, &options, NULL, NULL, &model);
    assert_true((model != NULL) == (status == DLTF_OK));
    dltf_model_free(model);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    dltf_synthetic *problem = small_problem();
    for (int kind = 0; kind < KINDS; kind++)
        assert_survives_lack_of_memory(train_once(dltf_synthetic_samples(problem, false), untied[kind]), 60);
    dltf_synthetic_free(problem);
}

TESTS_MAIN(cmocka_unit_test(distilled_by_definition), cmocka_unit_test(dual_by_definition),
           cmocka_unit_test(tight_by_definition), cmocka_unit_test(polishing),
           cmocka_unit_test(scale_of_the_data), cmocka_unit_test(signs_of_atoms),
           cmocka_unit_test(same_bytes_on_any_threads), cmocka_unit_test(kinds_and_stages),
           cmocka_unit_test(edges), cmocka_unit_test(positive_codes), cmocka_unit_test(rejects_bad_arguments),
           cmocka_unit_test(out_of_memory))
