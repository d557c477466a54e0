/* Every kernel level that this CPU supports against plain double loops: scores over all sizes around the
 * blocks of the kernels, selection over all m and many k, features of dictionaries coded block by block. */
#include "test_size.h"
#include "test_util.h"

#include "base/memory.h"
#include "coding/feature.h"
#include "kernels/packed.h"
#include "reference/reference.h"

#include <float.h>
#include <math.h>

enum { MOST_ROWS = 40, MOST_n = 130, MOST_m = 300, PAD = 3 };

static float X[MOST_ROWS * (MOST_n + PAD) + PAD], E[MOST_m * MOST_n], bias[MOST_m], S[MOST_ROWS * MOST_m];

static void check_scores(const dl_kernels *kernels, int64_t rows, int64_t m, int64_t n, bool biased) {
    dl_packed packed;
    int64_t x_stride = n + PAD; /* misaligned rows with something between them */
    const float *x = X + 1;
    assert_int_equal(dl_packed_alloc(&packed, m, n), DLTF_OK);
    dl_packed_fill(&packed, E, biased ? bias : NULL);
    for (int64_t i = 0; i < rows * m; i++)
        S[i] = NAN;
    kernels->scores(&packed, 0, packed.panels, x, x_stride, rows, S, m);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < m; j++) {
            double sum = biased ? -(double)bias[j] : 0, size = fabs(sum);
            for (int64_t d = 0; d < n; d++) {
                sum += (double)x[i * x_stride + d] * (double)E[j * n + d];
                size += fabs((double)x[i * x_stride + d] * (double)E[j * n + d]);
            }
            if (!(fabs((double)S[i * m + j] - sum) <= 1e-6 * (size + 1)))
                fail_msg("%s: rows %lld m %lld n %lld: score %lld,%lld is %g, should be %g", kernels->level,
                         (long long)rows, (long long)m, (long long)n, (long long)i, (long long)j,
                         (double)S[i * m + j], sum);
        }
    dl_packed_free(&packed);
}

static void scores(void **state) {
    (void)state;
    fill_normal(X, (int64_t)(sizeof X / sizeof *X));
    fill_normal(E, MOST_m * MOST_n);
    fill_normal(bias, MOST_m);
    const dl_kernels *kernels;
    for (int l = 0; (kernels = dl_kernels_level(l)); l++) {
        for (int64_t m = 1; m <= MOST_m; m++)
            check_scores(kernels, 1 + m % 14, m, 1 + m % 17, m % 2 == 0);
        for (int64_t n = 1; n <= MOST_n; n++)
            check_scores(kernels, 5, 33, n, false);
        for (int64_t rows = 1; rows <= MOST_ROWS; rows++)
            check_scores(kernels, rows, 150, 7, true);
        check_scores(kernels, 1, 256, 100, true);
    }
}

/* A score has the same bits whatever samples and atoms it is computed with: tiles of all widths and heights
 * agree with single samples and single panels, also where the next panels are prefetched. */
static void check_tiles(const dl_kernels *kernels, int64_t rows, int64_t m, int64_t n, const float *x,
                        const float *atoms) {
    static float alone[DL_PANEL];
    dl_packed packed;
    assert_int_equal(dl_packed_alloc(&packed, m, n), DLTF_OK);
    dl_packed_fill(&packed, atoms, bias);
    for (int64_t first = 0; first < packed.panels; first++) {
        int64_t stride = m - first * DL_PANEL;
        kernels->scores(&packed, first, packed.panels, x, n, rows, S, stride);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t p = first; p < packed.panels; p++) {
                int64_t left = m - p * DL_PANEL, count = left < DL_PANEL ? left : DL_PANEL;
                kernels->scores(&packed, p, p + 1, x + i * n, n, 1, alone, DL_PANEL);
                assert_memory_equal(S + i * stride + (p - first) * DL_PANEL, alone,
                                    (size_t)count * sizeof *alone);
            }
    }
    dl_packed_free(&packed);
}

static void tiles_agree(void **state) {
    (void)state;
    enum { LONG = 701 };
    float *x = DL_NEW(float, MOST_ROWS *LONG), *atoms = DL_NEW(float, MOST_m *LONG);
    assert_true(x && atoms);
    fill_normal(x, MOST_ROWS * LONG);
    fill_normal(atoms, MOST_m * LONG);
    fill_normal(bias, MOST_m);
    const dl_kernels *kernels;
    for (int l = 0; (kernels = dl_kernels_level(l)); l++) {
        for (int64_t m = 1; m <= 200; m += 3)
            check_tiles(kernels, 1 + m % MOST_ROWS, m, 1 + m % 9, x, atoms);
        for (int64_t rows = 1; rows <= MOST_ROWS; rows += test_small() ? 13 : 3)
            check_tiles(kernels, rows, 256 + rows, LONG, x, atoms);
    }
    dl_free(x);
    dl_free(atoms);
}

/* Sums of scaled rows: the same bytes at every level. */
static void scaled_rows(void **state) {
    (void)state;
    double sum[MOST_n + 1];
    float sum32[MOST_n + 1], scaled[MOST_n + 1];
    fill_normal(E, MOST_m * MOST_n);
    const dl_kernels *kernels;
    for (int l = 0; (kernels = dl_kernels_level(l)); l++)
        for (int64_t n = 1; n <= MOST_n; n++) {
            float scale = E[2 * MOST_n + n];
            for (int64_t d = 0; d <= n; d++)
                sum[d] = (double)(sum32[d] = E[MOST_n + d]);
            kernels->add_scaled(sum, scale, E, n);
            kernels->add_scaled32(sum32, scale, E, n);
            scaled[n] = 7;
            kernels->scaled_sum32(scaled, scale, E, E + MOST_n, n);
            for (int64_t d = 0; d < n; d++) {
                volatile float product = scale * E[d]; /* two roundings */
                assert_true(sum[d] == (double)E[MOST_n + d] + (double)scale * (double)E[d]);
                assert_true(sum32[d] == E[MOST_n + d] + product);
                volatile float both = E[d] + E[MOST_n + d];
                assert_true(scaled[d] == scale * both);
            }
            assert_true(scaled[n] == 7);
            assert_true(sum[n] == (double)E[MOST_n + n] && sum32[n] == E[MOST_n + n]);
        }
}

/* ||x + y||^2 and ||x - y||^2: the same bytes at every level. */
static void squares_of_sums(void **state) {
    (void)state;
    fill_normal(E, MOST_m * MOST_n);
    const dl_kernels *kernels;
    for (int64_t n = 0; n <= MOST_n; n++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const float *x = E + n, *y = E + MOST_n + 2 * n;
            double first = dl_kernels_level(0)->square_of_sum(x, sign, y, n), sum = 0;
            for (int64_t d = 0; d < n; d++)
                sum += pow((double)x[d] + sign * (double)y[d], 2);
            assert_near(first, sum, 1e-13 * sum);
            for (int l = 1; (kernels = dl_kernels_level(l)); l++)
                assert_true(kernels->square_of_sum(x, sign, y, n) == first);
        }
}

/* Squared distances to listed rows, any count and length. */
static void distances(void **state) {
    (void)state;
    enum { LISTED = 11 };
    int32_t index[LISTED];
    float out[LISTED + 1];
    fill_normal(E, MOST_m * MOST_n);
    const dl_kernels *kernels;
    for (int l = 0; (kernels = dl_kernels_level(l)); l++)
        for (int64_t n = 1; n <= MOST_n; n++)
            for (int64_t count = 0; count <= LISTED; count++) {
                const float *x = E + MOST_m * MOST_n - n;
                for (int64_t e = 0; e < count; e++)
                    index[e] = (int32_t)below(MOST_m);
                out[count] = -1;
                kernels->distances(x, E, n, index, count, out);
                for (int64_t e = 0; e < count; e++) {
                    double sum = 0;
                    for (int64_t d = 0; d < n; d++)
                        sum += pow((double)x[d] - (double)E[index[e] * n + d], 2);
                    assert_true(fabs((double)out[e] - sum) <= 1e-6 * sum);
                }
                assert_true(out[count] == -1);
            }
}

/* ---- Selection ---- */

enum { RARE_VALUES = 9 };
static const float rare[RARE_VALUES] = {0, -0.0f, 1, -1, FLT_MIN / 8, -FLT_TRUE_MIN, FLT_MAX, -FLT_MAX, 0.5f};

enum { KINDS = 6 };

static void fill_scores(float *scores, int64_t m, int kind) {
    for (int64_t j = 0; j < m; j++) {
        double z = normal();
        if (kind >= 4) { /* heavy tails; rows that do not resemble each other */
            scores[j] = (float)(kind == 4 ? z * z * z * z * z : z * exp(9 * sin((double)m)) + 3 * cos(z));
            continue;
        }
        scores[j] = kind == 0   ? (float)z
                    : kind == 1 ? (float)round(2 * z) /* ties everywhere */
                    : kind == 2 ? rare[(int64_t)(fabs(z) * 1e6) % RARE_VALUES]
                                : (float)(z > 1.5 ? z : 0); /* mostly zero */
    }
}

enum { LARGE_m = 1100 };

static void check_select(const dl_kernels *kernels, int64_t rows, int64_t m, int64_t k, bool positive,
                         int kind) {
    static float scores[MOST_ROWS * LARGE_m], value[MOST_ROWS * LARGE_m + 1];
    static int32_t index[MOST_ROWS * LARGE_m + 1], count[MOST_ROWS], wanted[LARGE_m];
    static uint32_t keys[LARGE_m];
    static double wide[LARGE_m];
    for (int64_t i = 0; i < rows; i++)
        fill_scores(scores + i * m, m, kind == KINDS ? (int)(i % KINDS) : kind);
    index[rows * k] = -7;
    value[rows * k] = -7;
    kernels->select(scores, m, rows, m, k, positive, keys, count, index, value);
    assert_true(index[rows * k] == -7 && value[rows * k] == -7);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < m; j++)
            wide[j] = (double)scores[i * m + j];
        int64_t expected = ref_topk(wide, m, k, positive, wanted);
        if (count[i] != expected)
            fail_msg("%s: m %lld k %lld kind %d: %d kept, should be %lld", kernels->level, (long long)m,
                     (long long)k, kind, count[i], (long long)expected);
        for (int64_t e = 0; e < expected; e++) {
            assert_int_equal(index[i * k + e], wanted[e]);
            assert_true(value[i * k + e] == scores[i * m + wanted[e]]);
        }
    }
}

static void selection(void **state) {
    (void)state;
    const dl_kernels *kernels;
    int64_t step = test_small() ? 29 : 1;
    for (int l = 0; (kernels = dl_kernels_level(l)); l++) {
        if (l > 0 && kernels->select == dl_kernels_level(l - 1)->select)
            continue;
        for (int64_t m = 1; m <= MOST_m; m += step)
            for (int kind = (int)(m % 2); kind < KINDS; kind += m < 70 ? 1 : 2) {
                const int64_t ks[] = {1, 4, 8, 10, 11, m / 4, m / 2, m - 1, m};
                for (int c = 0; c < 9; c++)
                    if (ks[c] >= 1 && ks[c] <= m)
                        check_select(kernels, 1 + (m * 7 + c) % MOST_ROWS, m, ks[c], (m + c) % 3 == 0, kind);
            }
        for (int64_t m = MOST_m; m <= LARGE_m; m += 16 * step + 1)
            for (int kind = 0; kind <= KINDS; kind++)
                check_select(kernels, 20, m, 13 + m * (kind + m % 2) / 20, m % 3 == 0, kind);
    }
}

/* Rows so long that positions take more than 16 bits; small k has code of its own. */
static void long_rows(void **state) {
    (void)state;
    enum { ROWS = 17, M = 70000, K = 5 };
    static float scores[ROWS * M], value[ROWS * K];
    static int32_t index[ROWS * K], count[ROWS];
    static uint32_t keys[M];
    const dl_kernels *kernels;
    fill_normal(scores, ROWS * M);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t e = 0; e < K; e++)
            scores[i * M + 100 + e * (M - 200) / (K - 1) + i] = (float)(100 + e);
    for (int l = 0; (kernels = dl_kernels_level(l)); l++) {
        kernels->select(scores, M, ROWS, M, K, false, keys, count, index, value);
        for (int64_t i = 0; i < ROWS; i++)
            for (int64_t e = 0; e < K; e++)
                assert_int_equal(index[i * K + e], 100 + e * (M - 200) / (K - 1) + i);
    }
}

/* NaN and infinity are always selected, whatever their sign and the rule: the caller must see them. */
static void not_finite(void **state) {
    (void)state;
    const float bad[] = {NAN, -NAN, INFINITY, -INFINITY};
    const dl_kernels *kernels;
    enum { ROWS = 20, M = 50 };
    static float scores[ROWS * M], value[ROWS * M];
    static int32_t index[ROWS * M], count[ROWS];
    static uint32_t keys[M];
    for (int l = 0; (kernels = dl_kernels_level(l)); l++)
        for (int b = 0; b < 4; b++)
            for (int k = 1; k <= 20; k += 19)
                for (int positive = 0; positive < 2; positive++) {
                    fill_normal(scores, ROWS * M);
                    for (int64_t i = 0; i < ROWS; i++)
                        scores[i * M + (i * 13) % M] = bad[b];
                    kernels->select(scores, M, ROWS, M, k, positive, keys, count, index, value);
                    for (int64_t i = 0; i < ROWS; i++) {
                        bool seen = false;
                        for (int32_t e = 0; e < count[i]; e++)
                            seen |= !isfinite(value[i * k + e]);
                        assert_true(seen);
                    }
                }
}

/* ---- Scores above a cut ---- */

/* Lists against scores and a loop. Row 1 has a NaN, which makes every score of it NaN, also those of atoms
 * that only fill the last panel. */
static void check_scores_above(const dl_kernels *kernels, int64_t rows, int64_t m, int64_t n, bool positive) {
    enum { ROOM = 4 + MOST_m + DL_CANDIDATES_SLACK };
    static int32_t index[MOST_ROWS * ROOM];
    static float value[MOST_ROWS * ROOM];
    int64_t count[MOST_ROWS], x_stride = n + PAD;
    uint32_t cut[MOST_ROWS];
    dl_packed packed;
    dl_candidates hits = {ROOM, count, index, value};
    assert_int_equal(dl_packed_alloc(&packed, m, n), DLTF_OK);
    dl_packed_fill(&packed, E, bias);
    float ordinary = X[x_stride];
    if (rows > 1)
        X[x_stride] = NAN;
    kernels->scores(&packed, 0, packed.panels, X, x_stride, rows, S, m);
    for (int64_t i = 0; i < rows; i++) {
        float limit = i % 4 == 0 ? 0 : fabsf(S[i * m + i * 7 % m]); /* 0: all; otherwise a tie at the cut */
        memcpy(&cut[i], &limit, sizeof limit);
        count[i] = i % 5; /* entries that are there already */
    }
    kernels->scores_above(&packed, 0, packed.panels, X, x_stride, rows, positive, cut, hits);
    for (int64_t i = 0; i < rows; i++) {
        int64_t at = i * ROOM + i % 5;
        for (int64_t j = 0; j < m; j++) {
            float score = S[i * m + j], limit;
            memcpy(&limit, &cut[i], sizeof limit);
            bool chosen = isnan(score) ? !isnan(limit) : fabsf(score) > limit && (score > 0 || !positive);
            if (!chosen)
                continue;
            assert_int_equal(index[at], j);
            assert_memory_equal(&value[at++], &score, sizeof score);
        }
        assert_int_equal(count[i], at - i * ROOM);
    }
    X[x_stride] = ordinary;
    dl_packed_free(&packed);
}

static void scores_above(void **state) {
    (void)state;
    fill_normal(X, (int64_t)(sizeof X / sizeof *X));
    fill_normal(E, MOST_m * MOST_n);
    fill_normal(bias, MOST_m);
    const dl_kernels *kernels;
    for (int l = 0; (kernels = dl_kernels_level(l)); l++) {
        for (int64_t m = 1; m <= MOST_m; m++)
            check_scores_above(kernels, 1 + m % 14, m, 1 + m % 17, m % 3 == 0);
        for (int64_t rows = 1; rows <= MOST_ROWS; rows++)
            check_scores_above(kernels, rows, 150, 7, rows % 2 == 0);
    }
}

/* ---- Features of many atoms ---- */

static void check_features(int64_t m, int64_t n, int64_t k, bool positive, bool ties) {
    enum { ROWS = 30 };
    int64_t room = m * n > ROWS * n ? m * n : ROWS * n;
    float *W = DL_NEW(float, room), *x = DL_NEW(float, ROWS *n), *all = DL_NEW(float, ROWS *m);
    int32_t *wanted = DL_NEW(int32_t, m);
    double *wide = DL_NEW(double, m);
    dl_workspace *spaces = NULL;
    dl_slots slots;
    dl_packed packed;
    assert_true(W && x && all && wanted && wide);
    fill_normal(W, m * n);
    fill_normal(x, ROWS * n);
    for (int64_t i = 0; ties && i < m * n; i++)
        W[i] = roundf(W[i]);
    for (int64_t i = 0; ties && i < ROWS * n; i++)
        x[i] = roundf(x[i]);
    assert_int_equal(dl_packed_alloc(&packed, m, n), DLTF_OK);
    dl_packed_fill(&packed, W, NULL);
    assert_int_equal(dl_slots_alloc(&slots, ROWS, k), DLTF_OK);
    assert_int_equal(dl_workspaces_alloc(1, m, n, k, &spaces), DLTF_OK);
    dl_feature coder = {.E = &packed, .k = k, .positive = positive};
    dl_score_tile(coder.E, x, n, ROWS, all);
    dl_feature_tile(&coder, x, n, ROWS, &spaces[0], slots);
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t j = 0; j < m; j++)
            wide[j] = (double)all[i * m + j];
        assert_int_equal(slots.count[i], ref_topk(wide, m, k, positive, wanted));
        assert_memory_equal(slots.index + i * k, wanted, (size_t)slots.count[i] * sizeof *wanted);
        for (int64_t e = 0; e < slots.count[i]; e++)
            assert_true(slots.value[i * k + e] == all[i * m + wanted[e]]);
    }
    dl_workspaces_free(spaces, 1);
    dl_slots_free(&slots);
    dl_packed_free(&packed);
    dl_free(W);
    dl_free(x);
    dl_free(all);
    dl_free(wanted);
    dl_free(wide);
}

static void features_of_many_atoms(void **state) {
    (void)state;
    const int64_t sizes[] = {1025, 1024, 1023, 1056, 2048, 3001};
    const int count = test_small() ? 2 : 6;
    const dl_kernels *kernels;
    for (int l = 0; (kernels = dl_kernels_level(l)); l++) {
        dl_kernels_force(kernels);
        for (int s = 0; s < count; s++)
            for (int ties = 0; ties < 2; ties++) {
                check_features(sizes[s], 5, 1 + 31 * (s % 2), s % 3 == 0, ties);
                check_features(sizes[s], 3, sizes[s] - s, false, ties);
            }
    }
    dl_kernels_force(NULL);
}

/* Nothing is written beside the rows of the panel. */
static void interleaving(void **state) {
    (void)state;
    enum { WIDEST = 2 * DL_PANEL };
    static float rows[DL_PANEL * (MOST_n + PAD) + 1], panel[WIDEST * MOST_n + 2];
    fill_normal(rows, sizeof rows / sizeof *rows);
    const dl_kernels *kernels;
    for (int l = 0; (kernels = dl_kernels_level(l)); l++)
        for (int64_t n = 1; n <= MOST_n; n++) {
            int64_t stride = n + (n % 2 ? PAD : 0), width = n % 3 ? DL_PANEL : WIDEST;
            for (size_t e = 0; e < sizeof panel / sizeof *panel; e++)
                panel[e] = 7;
            kernels->interleave(panel + 1, width, rows + 1, stride, n);
            for (int64_t d = 0; d < n; d++)
                for (int64_t r = 0; r < width; r++)
                    assert_true(panel[1 + d * width + r] == (r < DL_PANEL ? rows[1 + r * stride + d] : 7));
            assert_true(panel[0] == 7 && panel[1 + width * n] == 7);
        }
}

/* Against double precision, with values at both ends of the range. */
static void rounding(void **state) {
    (void)state;
    float x[MOST_n + 1];
    int16_t out[MOST_n + 2];
    const dl_kernels *kernels;
    for (int l = 0; (kernels = dl_kernels_level(l)); l++)
        for (int64_t n = 1; n <= MOST_n; n++) {
            float largest = 0;
            fill_normal(x, n + 1);
            x[1 + n / 2] *= n % 2 ? 8 : -8;
            for (int64_t d = 1; d <= n; d++)
                largest = fmaxf(largest, fabsf(x[d]));
            assert_true(kernels->largest32(x + 1, n) == largest);
            out[0] = out[n + 1] = 7;
            kernels->round16(out + 1, x + 1, 32766 / largest, n);
            for (int64_t d = 1; d <= n; d++)
                assert_true(fabs((double)x[d] * 32766 / (double)largest - out[d]) < 0.508);
            assert_true(out[0] == 7 && out[n + 1] == 7);
        }
}

TESTS_MAIN(cmocka_unit_test(interleaving), cmocka_unit_test(rounding), cmocka_unit_test(scores),
           cmocka_unit_test(tiles_agree), cmocka_unit_test(scaled_rows), cmocka_unit_test(squares_of_sums),
           cmocka_unit_test(distances), cmocka_unit_test(selection), cmocka_unit_test(long_rows),
           cmocka_unit_test(not_finite), cmocka_unit_test(scores_above),
           cmocka_unit_test(features_of_many_atoms))
