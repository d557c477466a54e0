/* Features from candidates of an integer product: the same bits as without, for samples and dictionaries that
 * are easy, hard and impossible to filter. Skipped on CPUs without such products. */
#include "test_size.h"
#include "test_util.h"

#include "coding/prefilter.h"
#include "kernels/packed.h"

#include <float.h>

enum { ROWS = 31, KINDS = 13 };
static const char *const kind_names[KINDS] = {"Gaussian",    "ties",
                                              "near copies", "zeros",
                                              "huge",        "denormals",
                                              "not finite",  "one spike",
                                              "heavy tails", "three large dimensions",
                                              "parallel",    "sums that overflow halfway",
                                              "bursts"};

/* Scores of 1 that fill a list of candidates for k = 64 to its limit, a few more in the second block of
 * atoms, and a third block in which all are candidates. For every other sample. */
static float burst(int64_t j) {
    return j < 512 || (j >= 1024 && j < 1024 + 63) ? 1 : j >= 2048 ? 2 : 0;
}

static void fill_kind(int kind, int64_t m, int64_t n, float *W, float *x) {
    fill_normal(W, m * n);
    fill_normal(x, ROWS * n);
    for (int64_t e = 0; e < m * n; e++)
        W[e] = kind == 1   ? roundf(W[e])
               : kind == 2 ? W[e % (7 * n)] * (1 + 1e-4f * W[e])
               : kind == 3 ? (e % 3 ? 0 : W[e])
               : kind == 4 ? W[e] * 1e18f
               : kind == 5 ? W[e] * 1e-20f
                           : W[e];
    for (int64_t e = 0; e < ROWS * n; e++)
        x[e] = kind == 1   ? roundf(x[e])
               : kind == 3 ? (e / n % 2 ? 0 : x[e])
               : kind == 4 ? x[e] * 1e19f
               : kind == 5 ? x[e] * 1e-19f
               : kind == 7 ? (e % n == e / n % n ? x[e] : 0)
                           : x[e];
    for (int64_t e = 0; e < m * n; e++)
        W[e] = kind == 8   ? W[e] * W[e] * W[e]
               : kind == 9 ? (e % n < 3 ? 30 * W[e] : W[e])
               : kind == 10
                   ? (e / n % 2 ? 1.0f : -1.0f) + 1e-3f * W[e] /* integer sums as large as they get */
               : kind == 11 ? (e % n % 2 ? 1.0f : -1.0f) + 1e-3f * W[e]
               : kind == 12 ? (burst(e / n) > 0 ? burst(e / n) : 0.1f * W[e])
                            : W[e];
    for (int64_t e = 0; e < ROWS * n; e++)
        x[e] = kind == 8    ? x[e] * x[e] * x[e]
               : kind == 9  ? (e % n < 3 ? 30 * x[e] : x[e])
               : kind == 10 ? (e / n % 3 ? 1.0f : -2.0f)
               : kind == 12 ? (e / n % 2 && e % 2 ? -1.0f : 1.0f) /* the others see other atoms */
               : kind == 11 ? (e / n % 2 ? 2e38f * (e % n < n / 2 ? 1 : -1) : x[e])
                            : x[e];
    if (kind == 6) {
        x[1] = NAN;
        x[3 * n] = INFINITY;
        x[4 * n] = FLT_MAX;
    }
}

/* Approximate scores are within half the margin of the exact ones. */
static void check_margins(const dl_prefilter *filter, const dl_prefilter_space *space,
                          const dl_packed *packed, const float *x) {
    int64_t m = packed->m, n = packed->n;
    int64_t room = filter->E16.panels * DL_PANEL16 + DL_CANDIDATES_SLACK;
    dl_candidates hits = {room, DL_NEW(int64_t, ROWS), DL_NEW(int32_t, ROWS * room),
                          DL_NEW(float, ROWS *room)};
    uint32_t cut[ROWS] = {0};
    assert_true(hits.count && hits.index && hits.value);
    dl_kernels_now()->above16(&filter->E16, 0, filter->E16.panels, space->X16, space->scale, ROWS, false, cut,
                              hits);
    for (int64_t i = 0; i < ROWS; i++) {
        const int32_t *index = hits.index + i * room;
        int64_t c = 0;
        for (int64_t j = 0; space->margin[i] < INFINITY && j < m; j++) {
            bool listed = c < hits.count[i] && index[c] == j;
            double score = listed ? (double)hits.value[i * room + c] : 0, sum = (double)packed->bias[j];
            c += listed;
            for (int64_t d = 0; d < n; d++)
                sum += (double)x[i * n + d] * (double)filter->E[j * n + d];
            assert_true(fabs(score - sum) <= space->margin[i] / 2);
        }
        assert_true(c == hits.count[i] || !(space->margin[i] < INFINITY));
    }
    dl_free(hits.count);
    dl_free(hits.index);
    dl_free(hits.value);
}

/* Returns how many samples were coded from candidates. */
static int check_kind(int kind, int64_t m, int64_t n, int64_t k, bool positive, bool biased) {
    float *W = DL_NEW(float, m *n), *x = DL_NEW(float, ROWS *n), *bias = DL_NEW(float, m);
    dl_workspace *spaces = NULL;
    dl_slots plain, filtered;
    dl_packed packed;
    dl_prefilter filter;
    int from_candidates = 0;
    assert_true(W && x && bias);
    fill_kind(kind, m, n, W, x);
    fill_normal(bias, m);
    assert_int_equal(dl_packed_alloc(&packed, m, n), DLTF_OK);
    dl_packed_fill(&packed, W, biased ? bias : NULL);
    assert_int_equal(dl_slots_alloc(&plain, ROWS, k), DLTF_OK);
    assert_int_equal(dl_slots_alloc(&filtered, ROWS, k), DLTF_OK);
    assert_int_equal(dl_workspaces_alloc(1, m, n, k, &spaces), DLTF_OK);
    assert_int_equal(dl_prefilter_make(W, &packed, &filter), DLTF_OK);
    assert_int_equal(dl_prefilter_space_alloc(DL_TILE, n, k, &spaces[0].filter), DLTF_OK);
    dl_feature coder = {.E = &packed, .k = k, .positive = positive};
    dl_feature_tile(&coder, x, n, ROWS, &spaces[0], plain);
    coder.filter = &filter;
    dl_feature_tile(&coder, x, n, ROWS, &spaces[0], filtered);
    for (int64_t i = 0; i < ROWS; i++) {
        size_t bytes = (size_t)plain.count[i] * 4;
        if (filtered.count[i] != plain.count[i] ||
            memcmp(filtered.index + i * k, plain.index + i * k, bytes) != 0 ||
            memcmp(filtered.value + i * k, plain.value + i * k, bytes) != 0)
            fail_msg("%s, m %lld n %lld k %lld: sample %lld has a different code", kind_names[kind],
                     (long long)m, (long long)n, (long long)k, (long long)i);
        from_candidates += spaces[0].filter->margin[i] < spaces[0].filter->weakest[i];
    }
    check_margins(&filter, spaces[0].filter, &packed, x);
    dl_prefilter_free(&filter);
    dl_workspaces_free(spaces, 1);
    dl_slots_free(&plain);
    dl_slots_free(&filtered);
    dl_packed_free(&packed);
    dl_free(W);
    dl_free(x);
    dl_free(bias);
    return from_candidates;
}

/* Also where DLTF_KERNELS names another level. */
static void use_integers(void) {
    if (!dl_kernels_level(0)->above16)
        skip();
    dl_kernels_force(dl_kernels_level(0));
}

static void same_bits(void **state) {
    (void)state;
    const int64_t m[] = {1, 31, 33, 1024, 1057, 3000}, n[] = {1, 2, 7, 64, 131};
    use_integers();
    for (int kind = 0; kind < KINDS; kind++)
        for (int s = 0; s < 6; s++)
            for (int d = 0; d < (test_small() ? 3 : 5); d++)
                for (int variant = 0; variant < 4; variant++)
                    check_kind(kind, m[s], n[d], variant == 3 ? m[s] : 1 + (m[s] - 1) / 40, variant == 1,
                               variant == 2);
}

static void lists_have_room(void **state) {
    (void)state;
    use_integers();
    check_kind(12, 3072, 64, 64, false, false);
}

/* Typical samples must all be coded from candidates. */
static void typical_samples_are_filtered(void **state) {
    (void)state;
    use_integers();
    assert_int_equal(check_kind(0, 3000, 131, 16, false, false), ROWS);
    assert_int_equal(check_kind(0, 3000, 131, 16, true, true), ROWS);
}

/* The public encoder uses the filter on its own, and frees it. */
static void in_an_encoder(void **state) {
    (void)state;
    enum { m = 8192, n = 128, k = 8, N = 100 };
    static float W[m * n], x[N * n], value[2][N * k];
    static int32_t count[2][N], index[2][N * k];
    dltf_model *model = NULL;
    dltf_encoder *encoder = NULL;
    const dl_kernels *levels[2] = {dl_kernels_level(0), dl_kernels_level(0)};
    if (!levels[0]->above16)
        skip();
    for (int l = 1; levels[1]->above16; l++)
        levels[1] = dl_kernels_level(l);
    fill_normal(W, m * n);
    fill_normal(x, N * n);
    assert_int_equal(dltf_model_new(&(dltf_model_view){.m = m, .n = n, .k = k, .dictionary = W}, &model),
                     DLTF_OK);
    for (int level = 0; level < 2; level++) {
        dl_kernels_force(levels[level]);
        assert_int_equal(dl_prefilter_pays(m, n, k), level == 0);
        assert_survives_lack_of_memory(dltf_encoder_new(model, NULL, &encoder), level == 0 ? 17 : 8);
        assert_int_equal(
            dltf_encoder_run(encoder, dltf_matrix_f32(x, N, n), count[level], index[level], value[level]),
            DLTF_OK);
        dltf_encoder_free(encoder);
    }
    dl_kernels_force(NULL);
    assert_memory_equal(count[0], count[1], sizeof count[0]);
    assert_memory_equal(index[0], index[1], sizeof index[0]);
    assert_memory_equal(value[0], value[1], sizeof value[0]);
    dltf_model_free(model);
}

TESTS_MAIN(cmocka_unit_test(same_bits), cmocka_unit_test(lists_have_room),
           cmocka_unit_test(typical_samples_are_filtered), cmocka_unit_test(in_an_encoder))
