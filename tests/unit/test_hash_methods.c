/* What each method promises: bits against formulas in double, rotations that are orthogonal and never lose,
 * balls with the samples that they should have, supports that are those of codes. */
#include "test_util.h"

#include "hash/balls.h"
#include "hash/hasher.h"
#include "hash/itq.h"
#include "retrieval/smallest.h"

#include <math.h>

enum { N = 600, n = 20 };

static float X[N * n];

/* Correlated columns of different variance, and a mean. */
static void fill_samples(void) {
    for (int64_t i = 0; i < N; i++) {
        double common = normal();
        for (int64_t j = 0; j < n; j++)
            X[i * n + j] = (float)(3 + common + normal() * (1 + (double)j / 4));
    }
}

static dltf_hasher *train(dltf_hash_method method, int64_t bits, uint8_t *codes) {
    dltf_hash_options o = dltf_hash_options_default();
    dltf_hasher *h = NULL;
    o.method = method;
    o.bits = bits;
    assert_int_equal(dltf_hasher_train(dltf_matrix_f32(X, N, n), &o, NULL, NULL, &h), DLTF_OK);
    assert_int_equal(dltf_hasher_apply(h, dltf_matrix_f32(X, N, n), 2, NULL, NULL, codes), DLTF_OK);
    return h;
}

static bool bit(const uint8_t *codes, int64_t bits, int64_t i, int64_t j) {
    return codes[i * bits / 8 + j / 8] >> j % 8 & 1;
}

/* <row, x_i - mean> in double. */
static double project(const dltf_hasher *h, const float *row, int64_t i) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += (double)row[j] * ((double)X[i * n + j] - (double)h->mean[j]);
    return sum;
}

/* Bits of lsh and itq are signs of linear functions of centered samples. */
static void linear_bits(void **state) {
    (void)state;
    const dltf_hash_method methods[] = {DLTF_HASH_LSH, DLTF_HASH_ITQ};
    fill_samples();
    for (int m = 0; m < 2; m++) {
        uint8_t codes[N * 2];
        dltf_hasher *h = train(methods[m], 16, codes);
        const float *E = dl_hasher_tensor(h, "encoder");
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < 16; j++) {
                double score = project(h, E + j * n, i);
                if (fabs(score) > 1e-4)
                    assert_int_equal(bit(codes, 16, i, j), score > 0);
            }
        dltf_hasher_free(h);
    }
}

/* ---- sh ---- */

/* The bits are the signs of the eigenfunctions cos(pi k (y - a) / R) with the `bits` smallest k/R, all of
 * which are made from the training samples again. */
static void spectral_bits(void **state) {
    (void)state;
    enum { M = 24, D = 20 };
    uint8_t codes[N * M / 8];
    fill_samples();
    dltf_hasher *h = train(DLTF_HASH_SH, M, codes);
    const float *P = dl_hasher_tensor(h, "components");
    double lowest[D], length[D], frequencies[D * M];
    int64_t count = 0, ambiguous = 0;
    for (int64_t c = 0; c < D; c++) {
        double highest = -INFINITY;
        lowest[c] = INFINITY;
        for (int64_t i = 0; i < N; i++) {
            lowest[c] = fmin(lowest[c], project(h, P + c * n, i));
            highest = fmax(highest, project(h, P + c * n, i));
        }
        length[c] = highest - lowest[c];
        for (int64_t k = 1; k <= M; k++)
            frequencies[count++] = (double)k / length[c];
    }
    /* Bit j has the j-th smallest frequency: as many are smaller. */
    const int32_t *component = dl_hasher_tensor(h, "component");
    const float *frequency = dl_hasher_tensor(h, "frequency");
    for (int64_t j = 0; j < M; j++) {
        double own = 2 * (double)frequency[j], k = own * length[component[j]], smaller = 0, near = 0;
        assert_true(fabs(k - round(k)) < 1e-4 && round(k) >= 1);
        for (int64_t e = 0; e < count; e++) {
            smaller += frequencies[e] < own * (1 - 1e-5);
            near += fabs(frequencies[e] - own) <= 1e-5 * own;
        }
        assert_true(smaller <= (double)j && (double)j < smaller + near);
        for (int64_t i = 0; i < N; i++) {
            double y = project(h, P + component[j] * n, i);
            double value = cos(acos(-1) * round(k) * (y - lowest[component[j]]) / length[component[j]]);
            if (fabs(value) < 1e-3)
                ambiguous++;
            else
                assert_int_equal(bit(codes, M, i, j), value > 0);
        }
    }
    assert_true(ambiguous < N * M / 100);
    dltf_hasher_free(h);
}

/* ---- itq ---- */

static double quantisation_loss(const dl_itq *itq) {
    double loss = 0;
    for (int64_t i = 0; i < itq->N; i++)
        for (int64_t j = 0; j < itq->m; j++) {
            double value = 0;
            for (int64_t l = 0; l < itq->m; l++)
                value += (double)itq->V[i * itq->m + l] * itq->R[l * itq->m + j];
            loss += pow(fabs(value) - 1, 2); /* the nearest corner has the same signs */
        }
    return loss;
}

static void rotations(void **state) {
    (void)state;
    enum { M = 8 };
    static float V[N * M];
    dl_itq itq;
    for (int64_t e = 0; e < N * M; e++)
        V[e] = (float)(normal() / (1 + (double)(e % M)));
    assert_int_equal(dl_itq_alloc(&itq, V, N, M, 3, 2), DLTF_OK);
    double before = quantisation_loss(&itq), first = before;
    for (int step = 0; step < 30; step++) {
        assert_int_equal(dl_itq_step(&itq), DLTF_OK);
        double after = quantisation_loss(&itq);
        assert_true(after <= before * (1 + 1e-9));
        before = after;
        for (int64_t i = 0; i < M; i++)
            for (int64_t j = 0; j < M; j++) {
                double sum = 0;
                for (int64_t l = 0; l < M; l++)
                    sum += itq.R[i * M + l] * itq.R[j * M + l];
                assert_true(fabs(sum - (i == j)) < 1e-12);
            }
    }
    assert_true(before < 0.999 * first);
    dl_itq_free(&itq);
}

/* ---- sph ---- */

static void selection(void **state) {
    (void)state;
    for (int trial = 0; trial < 200; trial++) {
        float values[50];
        int64_t count = between(1, 50), rank = between(1, count), below_cut = 0, at_cut = 0;
        for (int64_t i = 0; i < count; i++)
            values[i] = (float)below(20);
        float cut = dl_smallest(values, count, rank);
        for (int64_t i = 0; i < count; i++) {
            below_cut += values[i] < cut;
            at_cut += values[i] == cut;
            assert_true(i < rank ? values[i] <= cut : values[i] >= cut);
        }
        assert_true(below_cut < rank && rank <= below_cut + at_cut);
    }
}

static double distance(const float *x, const double *center) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += pow((double)x[j] - center[j], 2);
    return sqrt(sum);
}

static void balls(void **state) {
    (void)state;
    enum { M = 8 };
    dl_balls b;
    double mean = 0, deviation = 0;
    fill_samples();
    assert_int_equal(dl_balls_alloc(&b, X, N, n, M, 0, 2), DLTF_OK);
    dl_balls_measure(&b);
    for (int step = 0; step < 200; step++) {
        dl_balls_move(&b);
        dl_balls_measure(&b);
    }
    dl_balls_error(&b, &mean, &deviation);
    assert_true(mean <= 0.1 && deviation <= 0.15);
    for (int64_t i = 0; i < M; i++)
        for (int64_t j = 0; j < M; j++) {
            int64_t both = 0;
            for (int64_t s = 0; s < N; s++)
                both += distance(X + s * n, b.centers + i * n) <= b.radii[i] * (1 + 1e-6) &&
                        distance(X + s * n, b.centers + j * n) <= b.radii[j] * (1 + 1e-6);
            assert_in_range(both, b.overlaps[i * M + j] - 1, b.overlaps[i * M + j] + 1); /* on the surface */
            if (i == j)
                assert_int_equal(b.overlaps[i * M + i], N / 2);
            else
                assert_true(fabs((double)both - N / 4.0) < 0.5 * N / 4);
        }
    dl_balls_free(&b);
}

static void spherical_bits(void **state) {
    (void)state;
    enum { M = 16 };
    uint8_t codes[N * M / 8];
    fill_samples();
    dltf_hasher *h = train(DLTF_HASH_SPH, M, codes);
    const float *centers = dl_hasher_tensor(h, "centers"), *radii = dl_hasher_tensor(h, "radii");
    for (int64_t j = 0; j < M; j++) {
        int64_t ones = 0;
        for (int64_t i = 0; i < N; i++) {
            double sum = 0, radius = (double)radii[j];
            for (int64_t e = 0; e < n; e++)
                sum += pow((double)X[i * n + e] - (double)h->mean[e] - (double)centers[j * n + e], 2);
            ones += bit(codes, M, i, j);
            if (fabs(sqrt(sum) - radius) > 1e-4 * radius)
                assert_int_equal(bit(codes, M, i, j), sqrt(sum) < radius);
        }
        assert_in_range(ones, N / 2 - 2, N / 2 + 2);
    }
    dltf_hasher_free(h);
}

/* ---- dltf and sparseh ---- */

/* The bits are the supports of the codes that dltf_encode makes with the same dictionary. */
static void supports(void **state) {
    (void)state;
    enum { M = 16 };
    const dltf_hash_method methods[] = {DLTF_HASH_DLTF, DLTF_HASH_SPARSEH};
    const dltf_coder coders[] = {DLTF_CODER_THRESHOLD, DLTF_CODER_IHT};
    fill_samples();
    for (int m = 0; m < 2; m++) {
        uint8_t codes[N * M / 8];
        dltf_hasher *h = train(methods[m], M, codes);
        dltf_model_view parts = {.m = M,
                                 .n = n,
                                 .k = h->k,
                                 .dictionary = dl_hasher_tensor(h, "dictionary"),
                                 .mean = h->mean,
                                 .select = DLTF_SELECT_POSITIVE};
        dltf_encode_options o = dltf_encode_options_default();
        dltf_model *model = NULL;
        dltf_codes *sparse = NULL;
        assert_int_equal(h->k, m == 0 ? M / 2 : M / 4);
        o.coder = coders[m];
        o.passes = m == 0 ? 0 : 20;
        assert_int_equal(dltf_model_new(&parts, &model), DLTF_OK);
        assert_int_equal(dltf_encode(model, dltf_matrix_f32(X, N, n), &o, NULL, NULL, &sparse), DLTF_OK);
        dltf_csr z = dltf_codes_csr(sparse);
        uint8_t expected[N * M / 8] = {0};
        for (int64_t i = 0; i < N; i++)
            for (int64_t e = z.indptr[i]; e < z.indptr[i + 1]; e++)
                expected[i * M / 8 + z.indices[e] / 8] |= (uint8_t)(1 << z.indices[e] % 8);
        assert_memory_equal(codes, expected, sizeof codes);
        dltf_codes_free(sparse);
        dltf_model_free(model);
        dltf_hasher_free(h);
    }
}

TESTS_MAIN(cmocka_unit_test(linear_bits), cmocka_unit_test(spectral_bits), cmocka_unit_test(rotations),
           cmocka_unit_test(selection), cmocka_unit_test(balls), cmocka_unit_test(spherical_bits),
           cmocka_unit_test(supports))
