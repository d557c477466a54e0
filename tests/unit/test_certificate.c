/* The a-posteriori certificate against enumeration of all supports in extended precision: a proven support
 * has no rival within the noise. A noise bound that is too small must give wrong proofs. Also the quantile,
 * the model's certificate, threads and failures. */
#include "test_size.h"
#include "test_util.h"

enum { MAX_m = 9, MAX_n = 8, SAMPLES = 50 };

typedef struct trial {
    int64_t m, n, k;
    bool signs;
    double amplitude, noise;
    float W[MAX_m * MAX_n];
    double X[SAMPLES * MAX_n];
    int64_t indptr[SAMPLES + 1];
    int32_t index[SAMPLES * MAX_m]; /* of the candidates */
    float value[SAMPLES * MAX_m];
} trial;

static double uniform(double least, double most) {
    return least + (most - least) * dl_random_uniform(test_source(), test_draws++);
}

static int bits(unsigned set) {
    int count = 0;
    for (; set; set &= set - 1)
        count++;
    return count;
}

/* ||x - W z||^2 for the code with support T, negative where `minus` has a bit. */
static long double square_distance(const trial *t, const float *W, const double *x, unsigned T,
                                   unsigned minus) {
    long double sum = 0;
    for (int64_t j = 0; j < t->n; j++) {
        long double r = (long double)x[j];
        for (int64_t a = 0; a < t->m; a++)
            if (T >> a & 1)
                r -= (long double)(minus >> a & 1 ? -t->amplitude : t->amplitude) *
                     (long double)W[a * t->n + j];
        sum += r * r;
    }
    return sum;
}

/* The smallest distance over supports T != S, or of S itself; infinite if there are none. */
static long double nearest(const trial *t, const float *W, const double *x, unsigned S, bool others) {
    long double least = HUGE_VALL;
    for (unsigned T = 0; T < 1u << t->m; T++)
        for (unsigned minus = T; bits(T) == t->k && (T == S) != others; minus = (minus - 1) & T) {
            if (t->signs || minus == 0) {
                long double d = square_distance(t, W, x, T, minus);
                least = d < least ? d : least;
            }
            if (minus == 0)
                break;
        }
    return sqrtl(least);
}

static unsigned draw_support(const trial *t) {
    unsigned S = 0;
    while (bits(S) < t->k)
        S |= 1u << below(t->m);
    return S;
}

/* A dictionary and samples: flat codes with noise around the bound, candidates mostly right. */
static void draw(trial *t, unsigned *truth, unsigned *candidate, double level) {
    for (int64_t e = 0; e < t->m * t->n; e++)
        t->W[e] = (float)normal();
    for (int64_t a = 0; a < t->m; a++) {
        double norm = 0;
        for (int64_t j = 0; j < t->n; j++)
            norm += (double)t->W[a * t->n + j] * (double)t->W[a * t->n + j];
        for (int64_t j = 0; j < t->n; j++)
            t->W[a * t->n + j] = (float)((double)t->W[a * t->n + j] / sqrt(norm));
    }
    for (int64_t i = 0; i < SAMPLES; i++) {
        truth[i] = draw_support(t);
        candidate[i] = below(4) ? truth[i] : draw_support(t);
        double e[MAX_n], norm = 0, length = level * t->noise * (below(3) ? uniform(0, 1) : 1);
        for (int64_t j = 0; j < t->n; j++) {
            e[j] = normal();
            norm += e[j] * e[j];
        }
        for (int64_t j = 0; j < t->n; j++)
            t->X[i * t->n + j] = length * e[j] / sqrt(norm);
        t->indptr[i + 1] = t->indptr[i];
        for (int64_t a = 0; a < t->m; a++) {
            double z = t->signs && below(2) ? -t->amplitude : t->amplitude;
            for (int64_t j = 0; j < t->n && truth[i] >> a & 1; j++)
                t->X[i * t->n + j] += z * (double)t->W[a * t->n + j];
            if (candidate[i] >> a & 1) {
                t->index[t->indptr[i + 1]] = (int32_t)a;
                t->value[t->indptr[i + 1]++] = z < 0 ? -1 : 1;
            }
        }
    }
}

static dltf_model *model_of(const trial *t) {
    dltf_model *model = NULL;
    dltf_model_view parts = {.m = t->m, .n = t->n, .k = t->k, .dictionary = t->W};
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    return model;
}

static dltf_codes *candidates_of(const trial *t) {
    dltf_codes *codes = NULL;
    assert_int_equal(dltf_codes_new((dltf_csr){SAMPLES, t->m, t->indptr, t->index, t->value, NULL}, &codes),
                     DLTF_OK);
    return codes;
}

static void certify(const trial *t, const dltf_model *model, int64_t threads, uint8_t *flags) {
    dltf_codes *codes = candidates_of(t);
    dltf_certify_options options = {.size = sizeof(dltf_certify_options),
                                    .k = t->k,
                                    .noise = t->noise,
                                    .amplitude = t->amplitude,
                                    .signs = t->signs,
                                    .threads = threads};
    assert_int_equal(dltf_samples_certify(model, dltf_matrix_f64(t->X, SAMPLES, t->n), NULL, codes, &options,
                                          NULL, NULL, flags),
                     DLTF_OK);
    dltf_codes_free(codes);
}

static void draw_sizes(trial *t) {
    memset(t, 0, sizeof *t);
    t->m = between(2, MAX_m);
    t->n = between(1, MAX_n);
    t->signs = below(3) == 0;
    t->k = between(1, t->signs ? 2 : t->m < 5 ? t->m : 4);
    t->amplitude = below(2) ? 1 : uniform(0.1, 10);
    t->noise = t->amplitude * uniform(0, 0.6);
}

static int64_t trials(int64_t count) {
    return test_small() ? count / 20 : count;
}

static void proofs_have_no_rival(void **state) {
    (void)state;
    int64_t proven = 0, provable = 0;
    for (int64_t round = 0; round < trials(800); round++) {
        static trial t;
        unsigned truth[SAMPLES], candidate[SAMPLES];
        uint8_t flags[SAMPLES * DLTF_FLAG_COUNT];
        draw_sizes(&t);
        draw(&t, truth, candidate, uniform(0, 1.5));
        dltf_model *model = model_of(&t);
        const float *W = dltf_model_get(model).dictionary;
        certify(&t, model, 1, flags);
        for (int64_t i = 0; i < SAMPLES; i++) {
            const uint8_t *f = flags + i * DLTF_FLAG_COUNT;
            long double rival = nearest(&t, W, t.X + i * t.n, candidate[i], true);
            long double own = nearest(&t, W, t.X + i * t.n, candidate[i], false);
            if (f[DLTF_FLAG_PROVEN] && !(rival > (long double)t.noise))
                fail_msg("a support within the noise was excluded: %.21Lg, noise %.17g", rival, t.noise);
            assert_true(f[DLTF_FLAG_PROVEN] <= f[DLTF_FLAG_FITS]);
            if (!t.signs && fabsl(own - (long double)t.noise) > 1e-12L)
                assert_int_equal(f[DLTF_FLAG_FITS], own <= (long double)t.noise);
            if (f[DLTF_FLAG_FITS])
                assert_true(own <= (long double)t.noise * (1 + 1e-12L) + 1e-15L);
            /* The claim itself: a proven candidate is the truth. */
            long double e = nearest(&t, W, t.X + i * t.n, truth[i], false);
            if (f[DLTF_FLAG_PROVEN] && e <= (long double)t.noise)
                assert_int_equal(candidate[i], truth[i]);
            proven += f[DLTF_FLAG_PROVEN];
            provable += rival > (long double)t.noise && f[DLTF_FLAG_FITS];
        }
        dltf_model_free(model);
    }
    assert_true(proven > provable / 2 && provable > trials(800));
}

/* Two atoms, k = 1: the hull is one point, whose distance is known to the last bits. The noise bound is that
 * distance rounded to a double, and its neighbours. */
static void margin_covers_rounding(void **state) {
    (void)state;
    int64_t close = 0;
    for (int64_t round = 0; round < trials(400); round++) {
        static trial t;
        unsigned truth[SAMPLES], candidate[SAMPLES];
        uint8_t flags[SAMPLES * DLTF_FLAG_COUNT];
        memset(&t, 0, sizeof t);
        t.m = 2;
        t.n = between(1, MAX_n);
        t.k = 1;
        t.amplitude = below(2) ? 1 : 1 / 3.0;
        t.noise = 0.1;
        draw(&t, truth, candidate, 1);
        dltf_model *model = model_of(&t);
        const float *W = dltf_model_get(model).dictionary;
        int64_t i = 0;
        while (i + 1 < SAMPLES && nearest(&t, W, t.X + i * t.n, candidate[i], true) <
                                      nearest(&t, W, t.X + i * t.n, candidate[i], false) * 1.01L)
            i++;
        long double rival = nearest(&t, W, t.X + i * t.n, candidate[i], true);
        for (int ulps = -60; ulps <= 20; ulps++) {
            t.noise = (double)rival * (1 + ulps * 0x1p-52);
            certify(&t, model, 1, flags);
            if (flags[i * DLTF_FLAG_COUNT + DLTF_FLAG_PROVEN] && !(rival > (long double)t.noise))
                fail_msg("proven with %.21Lg against %.21Lg", rival, (long double)t.noise);
        }
        t.noise = (double)rival * (1 - 1e-12);
        certify(&t, model, 1, flags);
        close += flags[i * DLTF_FLAG_COUNT + DLTF_FLAG_PROVEN];
        dltf_model_free(model);
    }
    assert_true(close >= trials(400) * 9 / 10); /* the margin is small */
}

/* Sets the candidate of each sample to its nearest support. */
static void choose_nearest(trial *t, const float *W, unsigned *candidate) {
    for (int64_t i = 0; i < SAMPLES; i++) {
        for (unsigned T = 0; T < 1u << t->m; T++)
            if (bits(T) == t->k && square_distance(t, W, t->X + i * t->n, T, 0) <
                                       square_distance(t, W, t->X + i * t->n, candidate[i], 0))
                candidate[i] = T;
        for (int64_t a = 0, at = t->indptr[i]; a < t->m; a++)
            if (candidate[i] >> a & 1)
                t->index[at++] = (int32_t)a;
    }
}

/* A certificate is only as good as its assumption: with a noise bound that is too small, proofs are wrong. */
static void too_small_a_bound_misleads(void **state) {
    (void)state;
    int64_t wrong = 0;
    for (int64_t round = 0; round < trials(400); round++) {
        static trial t;
        unsigned truth[SAMPLES], candidate[SAMPLES];
        uint8_t flags[SAMPLES * DLTF_FLAG_COUNT];
        t = (trial){.m = 4, .n = 3, .k = 1, .amplitude = 1, .noise = 0.2};
        draw(&t, truth, candidate, 5);
        dltf_model *model = model_of(&t);
        choose_nearest(&t, dltf_model_get(model).dictionary, candidate);
        certify(&t, model, 1, flags);
        for (int64_t i = 0; i < SAMPLES; i++)
            wrong += flags[i * DLTF_FLAG_COUNT + DLTF_FLAG_PROVEN] && candidate[i] != truth[i];
        dltf_model_free(model);
    }
    assert_true(wrong > 0);
}

/* With k = m there is only one support, so it is proven. */
static void all_atoms(void **state) {
    (void)state;
    float W[4] = {1, 0, 0, 1}, X[4] = {1, 1, 3, 3};
    dltf_model *model = NULL;
    dltf_model_view parts = {.m = 2, .n = 2, .k = 2, .dictionary = W};
    uint8_t flags[2 * DLTF_FLAG_COUNT];
    assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
    assert_int_equal(
        dltf_samples_certify(model, dltf_matrix_f32(X, 2, 2), NULL, NULL, NULL, NULL, NULL, flags), DLTF_OK);
    assert_true(flags[DLTF_FLAG_PROVEN]);
    assert_false(flags[DLTF_FLAG_COUNT + DLTF_FLAG_FITS] || flags[DLTF_FLAG_COUNT + DLTF_FLAG_PROVEN]);
    dltf_model_free(model);
}

static void threads_do_not_matter(void **state) {
    (void)state;
    static trial t;
    unsigned truth[SAMPLES], candidate[SAMPLES];
    uint8_t one[SAMPLES * DLTF_FLAG_COUNT], two[SAMPLES * DLTF_FLAG_COUNT];
    t = (trial){.m = 9, .n = 8, .k = 3, .amplitude = 1, .noise = 0.2};
    draw(&t, truth, candidate, 1);
    dltf_model *model = model_of(&t);
    certify(&t, model, 1, one);
    certify(&t, model, 2, two);
    assert_memory_equal(one, two, sizeof one);
    dltf_model_free(model);
}

/* Known values of the chi-square distribution; for n = 2 it is elementary. */
static void quantiles(void **state) {
    (void)state;
    static const struct {
        int64_t n;
        double quantile, chi_square;
    } known[] = {{1, 0.95, 3.841458820694124},      {1, 0.5, 0.454936423119572},
                 {10, 0.99, 23.209251158954356},    {64, 0.99, 93.21685966023843},
                 {784, 0.999, 912.0867673743227},   {3, 0.01, 0.11483180189911708},
                 {100000, 0.99, 101043.31473677837}};
    double bound = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_int_equal(dltf_noise_bound(known[i].n, 0.5, known[i].quantile, &bound), DLTF_OK);
        assert_near(4 * bound * bound, known[i].chi_square, 1e-9 * known[i].chi_square);
    }
    for (double q = 0.05; q < 1; q += 0.05) {
        assert_int_equal(dltf_noise_bound(2, 1, q, &bound), DLTF_OK);
        assert_near(bound, sqrt(-2 * log(1 - q)), 1e-11 * bound);
        assert_true(bound >= sqrt(-2 * log(1 - q)) * (1 - 1e-15)); /* from above */
    }
    assert_int_equal(dltf_noise_bound(5, 0, 0.9, &bound), DLTF_OK);
    assert_true(bound == 0);
    assert_fails(dltf_noise_bound(0, 1, 0.9, &bound), DLTF_ARGUMENT, "n must be at least 1");
    assert_fails(dltf_noise_bound(3, -1, 0.9, &bound), DLTF_ARGUMENT, "sigma at least 0");
    assert_fails(dltf_noise_bound(3, NAN, 0.9, &bound), DLTF_ARGUMENT, "sigma");
    assert_fails(dltf_noise_bound(3, 1, 1, &bound), DLTF_ARGUMENT, "quantile between 0 and 1");
}

static void rejects_bad_arguments(void **state) {
    (void)state;
    static trial t;
    unsigned truth[SAMPLES], candidate[SAMPLES];
    uint8_t flags[SAMPLES * DLTF_FLAG_COUNT];
    t = (trial){.m = 6, .n = 5, .k = 2, .amplitude = 1, .noise = 0.1};
    draw(&t, truth, candidate, 1);
    dltf_model *model = model_of(&t);
    dltf_codes *codes = candidates_of(&t);
    dltf_matrix X = dltf_matrix_f64(t.X, SAMPLES, t.n);
    dltf_certify_options options = dltf_certify_options_default();
    options.threads = 1;
    assert_survives_lack_of_memory(dltf_samples_certify(model, X, codes, codes, &options, NULL, NULL, flags),
                                   10);
    options.k = 7;
    assert_fails(dltf_samples_certify(model, X, NULL, NULL, &options, NULL, NULL, flags), DLTF_ARGUMENT,
                 "k: 7 is more than the model's 6 atoms");
    options.k = 2;
    options.noise = -1;
    assert_fails(dltf_samples_certify(model, X, NULL, NULL, &options, NULL, NULL, flags), DLTF_ARGUMENT,
                 "noise: -1 is outside");
    X.rows--;
    assert_fails(dltf_samples_certify(model, X, codes, NULL, NULL, NULL, NULL, flags), DLTF_DATA,
                 "true codes: 50 x 6, but there are 49 samples");
    assert_fails(dltf_samples_certify(model, X, NULL, codes, NULL, NULL, NULL, flags), DLTF_DATA,
                 "candidates: 50 x 6");
    X.cols--;
    assert_fails(dltf_samples_certify(model, X, NULL, NULL, NULL, NULL, NULL, flags), DLTF_DATA, "columns");
    X.cols++;
    t.X[3] = NAN;
    assert_fails(dltf_samples_certify(model, X, NULL, NULL, NULL, NULL, NULL, flags), DLTF_DATA, "NaN");
    assert_string_equal(dltf_flag_name(DLTF_FLAG_PROVEN), "proven");
    assert_null(dltf_flag_name(DLTF_FLAG_COUNT));
    dltf_codes_free(codes);
    dltf_model_free(model);
}

static int cancel(void *context, const dltf_progress *progress) {
    (void)context;
    assert_string_equal(progress->task, "certifying");
    return 1;
}

static void cancelling(void **state) {
    (void)state;
    static trial t;
    unsigned truth[SAMPLES], candidate[SAMPLES];
    uint8_t flags[SAMPLES * DLTF_FLAG_COUNT];
    t = (trial){.m = 6, .n = 5, .k = 2, .amplitude = 1, .noise = 0.1};
    draw(&t, truth, candidate, 1);
    dltf_model *model = model_of(&t);
    assert_fails(dltf_samples_certify(model, dltf_matrix_f64(t.X, SAMPLES, t.n), NULL, NULL, NULL, cancel,
                                      NULL, flags),
                 DLTF_CANCELLED, "certifying was cancelled");
    dltf_model_free(model);
}

TESTS_MAIN(cmocka_unit_test(proofs_have_no_rival), cmocka_unit_test(margin_covers_rounding),
           cmocka_unit_test(too_small_a_bound_misleads), cmocka_unit_test(all_atoms),
           cmocka_unit_test(threads_do_not_matter), cmocka_unit_test(quantiles),
           cmocka_unit_test(rejects_bad_arguments), cmocka_unit_test(cancelling))
