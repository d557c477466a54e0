/* A search for violations of the theorems with random and adversarial dictionaries, codes and noise: if a
 * flag claims that the support is found, the encoder must find it. The printed Theorem 2, which is false,
 * shows that the search can fail. */
#include "theory/conditions.h"

#include "test_size.h"
#include "test_util.h"

enum { MAX_m = 14, MAX_n = 20, SAMPLES = 50, MAX_k = 5 };

typedef struct problem {
    int64_t m, n, k;
    bool untied, biased, positive;
    float W[MAX_m * MAX_n], E[MAX_m * MAX_n], b[MAX_m];
    float X[SAMPLES * MAX_n];
    int64_t indptr[SAMPLES + 1];
    int32_t index[SAMPLES * MAX_k];
    float value[SAMPLES * MAX_k];
} problem;

static double uniform(double least, double most) {
    return least + (most - least) * dl_random_uniform(test_source(), test_draws++);
}

/* Atoms with all |<w_i, w_j>| equal, where sums of inner products attain the bounds; atoms near an
 * orthonormal set; Gaussian atoms. */
static void draw_dictionary(problem *p) {
    int64_t kind = below(3);
    double level = uniform(0, 0.5), spread = uniform(0, 0.3);
    for (int64_t i = 0; i < p->m; i++) {
        double sign = below(2) ? 1 : -1;
        for (int64_t j = 0; j < p->n; j++) {
            double w = kind == 0   ? (j == 0       ? sign * sqrt(level)
                                      : j == i + 1 ? sqrt(1 - level)
                                                   : 0)
                       : kind == 1 ? (j == i + 1) + spread * normal() / sqrt((double)p->n)
                                   : normal();
            p->W[i * p->n + j] = (float)w;
        }
    }
}

static void draw_encoder(problem *p) {
    for (int64_t i = 0; i < p->m; i++) {
        double gain = uniform(0.6, 1.4), spread = uniform(0, 0.1);
        for (int64_t j = 0; j < p->n; j++)
            p->E[i * p->n + j] = (float)(gain * (double)p->W[i * p->n + j] + spread * normal() / 4);
        p->b[i] = (float)(0.1 * normal());
    }
}

static void draw_codes(problem *p) {
    bool flat = below(2), signs = !p->positive && below(2);
    for (int64_t i = 0; i < SAMPLES; i++) {
        int64_t order[MAX_m];
        dl_random_permutation(test_source(), test_draws, p->m, order);
        test_draws += (uint64_t)p->m;
        p->indptr[i + 1] = p->indptr[i];
        for (int64_t a = 0; a < p->m; a++) {
            bool chosen = false;
            for (int64_t s = 0; s < p->k; s++)
                chosen = chosen || order[s] == a;
            if (!chosen)
                continue;
            double z = flat ? 1 : uniform(0.5, 1.5);
            p->index[p->indptr[i + 1]] = (int32_t)a;
            p->value[p->indptr[i + 1]++] = (float)(signs && below(2) ? -z : z);
        }
    }
}

/* x = Wz + e. Half of the noise is adversarial: it lowers one score in the support and raises one outside, by
 * about as much as the theorems allow. */
static void draw_samples(problem *p, const dltf_model *model) {
    const float *W = dltf_model_get(model).dictionary, *E = p->untied ? p->E : W;
    for (int64_t i = 0; i < SAMPLES; i++) {
        double e[MAX_n], strength = below(4) ? uniform(0, 0.6) : 0;
        int64_t first = p->indptr[i], in = p->index[first + below(p->k)], out = below(p->m);
        double against = p->value[first] < 0 ? 1 : -1, toward = p->positive || below(2) ? 1 : -1;
        bool adversarial = below(2);
        for (int64_t j = 0; j < p->n; j++)
            e[j] = adversarial ? against * (double)E[in * p->n + j] + toward * (double)E[out * p->n + j]
                               : normal() / 2;
        for (int64_t j = 0; j < p->n; j++) {
            double x = strength * e[j];
            for (int64_t s = first; s < p->indptr[i + 1]; s++)
                x += (double)p->value[s] * (double)W[p->index[s] * p->n + j];
            p->X[i * p->n + j] = (float)x;
        }
    }
}

static void draw_problem(problem *p, dltf_model **model) {
    p->m = between(1, MAX_m - 2);
    p->n = below(3) ? between(p->m + 1, MAX_n) : between(1, MAX_n);
    p->k = between(1, p->m < MAX_k ? p->m : MAX_k);
    p->untied = below(2);
    p->biased = p->untied && below(2);
    p->positive = below(2);
    draw_dictionary(p);
    for (int64_t i = 0; i < p->m; i++) /* truncation to n entries must not make an atom zero */
        p->W[i * p->n] += p->W[i * p->n] == 0 && p->n < p->m + 1 ? 0.1f : 0;
    draw_encoder(p);
    dltf_model_view parts = {.m = p->m,
                             .n = p->n,
                             .k = p->k,
                             .dictionary = p->W,
                             .encoder = p->untied ? p->E : NULL,
                             .bias = p->biased ? p->b : NULL,
                             .select = p->positive ? DLTF_SELECT_POSITIVE : DLTF_SELECT_ABS};
    assert_int_equal(dltf_model_new(&parts, model), DLTF_OK);
    draw_codes(p);
    draw_samples(p, *model);
}

/* max_k(W^T W z) by plain loops: the support of Theorem 1. */
static bool noiseless_is_right(const problem *p, const dltf_model *model, int64_t i) {
    const float *W = dltf_model_get(model).dictionary;
    double x[MAX_n] = {0}, least = HUGE_VAL, most = 0;
    for (int64_t s = p->indptr[i]; s < p->indptr[i + 1]; s++)
        for (int64_t j = 0; j < p->n; j++)
            x[j] += (double)p->value[s] * (double)W[p->index[s] * p->n + j];
    for (int64_t a = 0; a < p->m; a++) {
        double score = 0;
        bool in = false;
        for (int64_t j = 0; j < p->n; j++)
            score += (double)W[a * p->n + j] * x[j];
        for (int64_t s = p->indptr[i]; s < p->indptr[i + 1]; s++)
            in = in || p->index[s] == a;
        double rank = p->positive ? score : fabs(score);
        least = in ? fmin(least, rank) : least;
        most = in ? most : fmax(most, rank);
    }
    return least > most;
}

static const dltf_flag claims[] = {DLTF_FLAG_COROLLARY, DLTF_FLAG_COHERENCE, DLTF_FLAG_BABEL,
                                   DLTF_FLAG_THEOREM2, DLTF_FLAG_PAIR};

static void no_violation(void **state) {
    (void)state;
    int64_t fired[DLTF_FLAG_COUNT] = {0}, models = test_small() ? 60 : 1200, right = 0;
    for (int64_t trial = 0; trial < models; trial++) {
        static problem p;
        dltf_model *model = NULL;
        dltf_codes *known = NULL, *features = NULL;
        uint8_t flags[SAMPLES * DLTF_FLAG_COUNT];
        memset(&p, 0, sizeof p);
        draw_problem(&p, &model);
        dltf_matrix X = dltf_matrix_f32(p.X, SAMPLES, p.n);
        dltf_csr csr = {SAMPLES, p.m, p.indptr, p.index, p.value, NULL};
        assert_int_equal(dltf_codes_new(csr, &known), DLTF_OK);
        assert_int_equal(dltf_encode(model, X, NULL, NULL, NULL, &features), DLTF_OK);
        dltf_certify_options options = dltf_certify_options_default();
        options.threads = 1;
        assert_int_equal(dltf_samples_certify(model, X, known, NULL, &options, NULL, NULL, flags), DLTF_OK);
        dltf_csr got = dltf_codes_csr(features);
        for (int64_t i = 0; i < SAMPLES; i++) {
            const uint8_t *f = flags + i * DLTF_FLAG_COUNT;
            bool same = got.indptr[i + 1] - got.indptr[i] == p.k &&
                        memcmp(got.indices + got.indptr[i], p.index + p.indptr[i],
                               (size_t)p.k * sizeof *p.index) == 0;
            assert_true(f[DLTF_FLAG_COVERED] && f[DLTF_FLAG_FEATURE] == same &&
                        f[DLTF_FLAG_CANDIDATE] == same);
            for (size_t c = 0; c < sizeof claims / sizeof *claims; c++)
                if (f[claims[c]] && !same)
                    fail_msg("%s is violated by sample %d of model %d", dltf_flag_name(claims[c]), (int)i,
                             (int)trial);
            if (f[DLTF_FLAG_THEOREM1])
                assert_true(noiseless_is_right(&p, model, i));
            /* Each condition is implied by the one before it. */
            assert_true(f[DLTF_FLAG_COROLLARY] <= f[DLTF_FLAG_COHERENCE] || p.untied);
            assert_true(f[DLTF_FLAG_COHERENCE] <= f[DLTF_FLAG_BABEL]);
            assert_true(f[DLTF_FLAG_THEOREM2] <= f[DLTF_FLAG_PAIR]);
            assert_true(f[DLTF_FLAG_THEOREM2] <= f[DLTF_FLAG_EQUATION4]);
            for (int c = 0; c < DLTF_FLAG_COUNT; c++)
                fired[c] += f[c];
            right += same;
        }
        dltf_codes_free(known);
        dltf_codes_free(features);
        dltf_model_free(model);
    }
    /* The search is meaningful only if the conditions hold often and recovery fails often. */
    assert_true(right < models * SAMPLES * 9 / 10);
    for (size_t c = 0; c < sizeof claims / sizeof *claims; c++)
        if (fired[claims[c]] < models / 2)
            fail_msg("%s held only %d times", dltf_flag_name(claims[c]), (int)fired[claims[c]]);
}

/* Random supports of the certified size, with flat codes and the maximum noise: the encoder must be right. */
static void certified_k_holds(void **state) {
    (void)state;
    int64_t checked = 0, untied = 0;
    for (int64_t trial = 0; trial < (test_small() ? 60 : 600); trial++) {
        static problem p;
        dltf_model *model = NULL;
        dltf_model_certificate found;
        dltf_certify_options options = dltf_certify_options_default();
        memset(&p, 0, sizeof p);
        draw_problem(&p, &model);
        options.amplitude = uniform(0.5, 2);
        options.noise = below(2) ? uniform(0, 0.2) : 0;
        options.signs = !p.positive;
        assert_int_equal(dltf_model_certify(model, &options, &found), DLTF_OK);
        dltf_certified_k with = found.with_noise, without = found.without_noise;
        assert_true(with.coherence <= with.babel && with.babel <= without.babel);
        assert_true(with.theorem1 <= with.coherence || p.untied);
        int64_t k = with.babel < MAX_k ? with.babel : MAX_k;
        p.k = k;
        if (k > 0)
            draw_codes(&p);
        const float *W = dltf_model_get(model).dictionary, *E = p.untied ? p.E : W;
        for (int64_t i = 0; k > 0 && i < SAMPLES; i++) {
            double e[MAX_n], norm = 0;
            int64_t in = p.index[p.indptr[i]], out = below(p.m);
            for (int64_t j = 0; j < p.n; j++) {
                e[j] = below(2) ? normal() : (double)E[out * p.n + j] - (double)E[in * p.n + j];
                norm += e[j] * e[j];
            }
            for (int64_t j = 0; j < p.n; j++) {
                double x = norm > 0 ? 0.999999 * options.noise * e[j] / sqrt(norm) : 0;
                for (int64_t s = p.indptr[i]; s < p.indptr[i + 1]; s++)
                    x += (p.value[s] < 0 ? -1 : 1) * options.amplitude * (double)W[p.index[s] * p.n + j];
                p.X[i * p.n + j] = (float)x;
            }
        }
        dltf_codes *codes = NULL;
        dltf_encode_options encoding = {.size = sizeof(dltf_encode_options), .k = k, .threads = 1};
        if (k > 0) {
            assert_int_equal(
                dltf_encode(model, dltf_matrix_f32(p.X, SAMPLES, p.n), &encoding, NULL, NULL, &codes),
                DLTF_OK);
            assert_int_equal(dltf_codes_csr(codes).indptr[SAMPLES], SAMPLES * k);
            assert_memory_equal(dltf_codes_csr(codes).indices, p.index,
                                (size_t)(SAMPLES * k) * sizeof *p.index);
            checked += SAMPLES;
            untied += p.untied;
        }
        dltf_codes_free(codes);
        dltf_model_free(model);
    }
    assert_true(checked > 1000 && untied > 5);
}

/* The vertices of a regular simplex: all cosines are -1/(M-1), so all values are known. */
static void simplex_certificate(void **state) {
    (void)state;
    enum { M = 9 };
    float W[M * M];
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            W[i * M + j] = (float)((i == j) - 1.0 / M);
    dltf_model *model = NULL;
    dltf_model_view parts = {.m = M, .n = M, .k = 2, .dictionary = W};
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    dltf_model_certificate found;
    double c = 1.0 / (M - 1), babel[M - 1];
    assert_survives_lack_of_memory(dltf_model_certify(model, NULL, &found), 5);
    assert_near(found.mu, c, 1e-6);
    assert_near(found.mu_encoder, c, 1e-6);
    assert_true(found.least_gain <= found.most_gain && found.most_bias == 0 && found.mu_e == 0);
    assert_near(found.least_gain, 1, 1e-6);
    /* k mu < 1/2 and (2k - 1) mu < 1 with mu = 1/8 */
    assert_int_equal(found.without_noise.theorem1, 3);
    assert_int_equal(found.without_noise.coherence, 4);
    assert_int_equal(found.without_noise.babel, 4);
    assert_true(found.twice.order == 4 && found.next.order == 3 && found.twice.exact && found.next.exact);
    assert_near(found.twice.delta, 3 * c, 1e-6);
    assert_near(found.twice.by_babel, 3 * c, 1e-6);
    assert_near(found.next.by_coherence, 2 * c, 1e-6);
    assert_int_equal(found.equation4, 1); /* 4 (2/8 - 1/64) = .94; for k = 2 it is 4.9 */
    assert_int_equal(dltf_model_babel(model, M - 1, babel), DLTF_OK);
    for (int s = 1; s < M; s++)
        assert_near(babel[s - 1], s * c, 1e-6);
    assert_fails(dltf_model_babel(model, M, babel), DLTF_ARGUMENT, "has orders 1 to 8");
    dltf_certify_options options = dltf_certify_options_default();
    options.k = M;
    options.noise = 0.2; /* (2k - 1)/8 + .4 < 1 */
    assert_int_equal(dltf_model_certify(model, &options, &found), DLTF_OK);
    assert_true(found.twice.order == M && found.next.order == M);
    assert_int_equal(found.with_noise.coherence, 2);
    options.mu_e = 0.01;
    assert_int_equal(dltf_model_certify(model, &options, &found), DLTF_OK);
    assert_near(found.mu_e, 0.01, 0);
    assert_int_equal(found.with_noise.coherence, 4);
    options.k = M + 1;
    assert_fails(dltf_model_certify(model, &options, &found), DLTF_ARGUMENT, "9 atoms");
    dltf_model_free(model);
}

/* The exact constant never exceeds its bounds, and is below them if signs differ. */
static void isometry_bounds(void **state) {
    (void)state;
    int64_t below_bound = 0;
    for (int64_t trial = 0; trial < 40; trial++) {
        float W[8 * 6];
        dltf_model *model = NULL;
        dltf_model_view parts = {.m = 8, .n = 6, .k = between(1, 4), .dictionary = W};
        dltf_model_certificate found;
        fill_normal(W, 8 * 6);
        assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
        assert_int_equal(dltf_model_certify(model, NULL, &found), DLTF_OK);
        assert_true(found.twice.exact);
        assert_true(found.next.delta <= found.twice.delta);
        assert_true(found.twice.delta <= found.twice.by_babel + 1e-9);
        assert_true(found.twice.by_babel <= found.twice.by_coherence + 1e-9);
        below_bound += found.twice.delta < 0.95 * found.twice.by_babel;
        dltf_model_free(model);
    }
    assert_true(below_bound > 10);
}

/* k = 1, <w1, w2> = .95, W^T e = (-.3, .3), z = 1: the condition as printed, with delta of order k, holds;
 * yet W^T x = (.7, 1.25). */
static void printed_theorem_2_is_false(void **state) {
    (void)state;
    const double c = 0.95, s = sqrt(1 - c * c);
    float W[4] = {1, 0, (float)c, (float)s}, X[2], one = 1;
    double e[2] = {-0.3, (0.3 + 0.3 * c) / s};
    X[0] = (float)(1 + e[0]);
    X[1] = (float)e[1];
    dltf_model *model = NULL;
    dltf_model_view parts = {.m = 2, .n = 2, .k = 1, .dictionary = W};
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    int64_t indptr[2] = {0, 1};
    int32_t index = 0;
    dltf_codes *known = NULL;
    assert_int_equal(dltf_codes_new((dltf_csr){1, 2, indptr, &index, &one, NULL}, &known), DLTF_OK);
    uint8_t flags[DLTF_FLAG_COUNT];
    assert_int_equal(
        dltf_samples_certify(model, dltf_matrix_f32(X, 1, 2), known, NULL, NULL, NULL, NULL, flags), DLTF_OK);
    assert_false(flags[DLTF_FLAG_FEATURE]);
    assert_true(flags[DLTF_FLAG_COVERED]);
    assert_false(flags[DLTF_FLAG_THEOREM2] || flags[DLTF_FLAG_PAIR] || flags[DLTF_FLAG_BABEL]);

    dl_terms t = {.k = 1, .z_k = 1, .z_norm = 1, .noise_2 = 0.3 * sqrt(2), .noise_2k = 0.3 * sqrt(2)};
    dltf_model_certificate found;
    assert_int_equal(dltf_model_certify(model, NULL, &found), DLTF_OK);
    assert_true(found.twice.order == 2 && found.twice.exact);
    assert_near(found.twice.delta, 0.95, 1e-6);
    assert_true(dl_theorem_2(&t, 0)); /* delta_1 of unit-norm atoms is 0: as printed */
    assert_false(dl_theorem_2(&t, found.twice.delta));
    dltf_codes_free(known);
    dltf_model_free(model);
}

/* "At most k" is not enough: the feature always keeps k. */
static void fewer_entries_are_not_covered(void **state) {
    (void)state;
    float W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, X[3] = {1, 0.25f, 0}, one = 1;
    int64_t indptr[2] = {0, 1};
    int32_t index = 0;
    dltf_model *model = NULL;
    dltf_codes *known = NULL;
    dltf_model_view parts = {.m = 3, .n = 3, .k = 2, .dictionary = W};
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    assert_int_equal(dltf_codes_new((dltf_csr){1, 3, indptr, &index, &one, NULL}, &known), DLTF_OK);
    uint8_t flags[DLTF_FLAG_COUNT], none[DLTF_FLAG_COUNT] = {0};
    assert_int_equal(
        dltf_samples_certify(model, dltf_matrix_f32(X, 1, 3), known, known, NULL, NULL, NULL, flags),
        DLTF_OK);
    none[DLTF_FLAG_CANDIDATE] = 1;
    assert_memory_equal(flags, none, sizeof none);
    /* With k = 1 the same sample is covered and every theorem holds. */
    dltf_certify_options options = dltf_certify_options_default();
    options.k = 1;
    options.noise = 0.5;
    assert_int_equal(
        dltf_samples_certify(model, dltf_matrix_f32(X, 1, 3), known, NULL, &options, NULL, NULL, flags),
        DLTF_OK);
    for (int c = 0; c < DLTF_FLAG_COUNT; c++)
        assert_int_equal(flags[c], 1);
    dltf_codes_free(known);
    dltf_model_free(model);
}

/* A negative entry has no positive score: nothing is certified, even for orthogonal atoms. */
static void signs_and_positive_selection(void **state) {
    (void)state;
    enum { size = 6 };
    float identity[size * size] = {0};
    for (int i = 0; i < size; i++)
        identity[i * size + i] = 1;
    for (int signs = 0; signs < 2; signs++) {
        dltf_model *model = NULL;
        dltf_model_certificate found;
        dltf_certify_options options = dltf_certify_options_default();
        options.signs = signs;
        dltf_model_view parts = {
            .m = size, .n = size, .k = 2, .dictionary = identity, .select = DLTF_SELECT_POSITIVE};
        assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
        assert_int_equal(dltf_model_certify(model, &options, &found), DLTF_OK);
        assert_int_equal(found.without_noise.coherence, signs ? 0 : size);
        assert_int_equal(found.without_noise.babel, signs ? 0 : size);
        dltf_model_free(model);
    }
}

TESTS_MAIN(cmocka_unit_test(signs_and_positive_selection), cmocka_unit_test(no_violation),
           cmocka_unit_test(certified_k_holds), cmocka_unit_test(simplex_certificate),
           cmocka_unit_test(isometry_bounds), cmocka_unit_test(printed_theorem_2_is_false),
           cmocka_unit_test(fewer_entries_are_not_covered))
