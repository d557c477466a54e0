/* Assignment against all permutations, dictionaries against permuted and rescaled copies, scores by hand. */
#include "dltf.h"

#include "base/memory.h"
#include "base/random.h"
#include "match/hungarian.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "test_failure.h"

enum { MOST = 7 };

static const dl_random source = {.seed = 3, .stream = 1};
static uint64_t drawn;

static double normal(void) {
    return dl_random_normal(source, drawn++);
}

/* The best total over all ways to assign distinct free columns to rows i, i+1, ...; `skips` rows may stay
 * unmatched. */
static double best_total(const double *profit, int64_t rows, int64_t cols, int64_t i, unsigned taken,
                         int64_t skips) {
    if (i == rows)
        return 0;
    double best = skips > 0 ? best_total(profit, rows, cols, i + 1, taken, skips - 1) : -INFINITY;
    for (int64_t j = 0; j < cols; j++)
        if (!(taken >> j & 1u))
            best = fmax(best,
                        profit[i * cols + j] + best_total(profit, rows, cols, i + 1, taken | 1u << j, skips));
    return best;
}

static double total_of(const double *profit, int64_t rows, int64_t cols, const int32_t *match) {
    unsigned taken = 0;
    int64_t pairs = 0;
    double total = 0;
    for (int64_t i = 0; i < rows; i++) {
        assert_in_range(match[i] + 1, 0, cols);
        if (match[i] < 0)
            continue;
        assert_false(taken >> match[i] & 1u);
        taken |= 1u << match[i];
        total += profit[i * cols + match[i]];
        pairs++;
    }
    assert_int_equal(pairs, rows < cols ? rows : cols);
    return total;
}

static void check_assignment(const double *profit, int64_t rows, int64_t cols) {
    int32_t match[MOST];
    assert_int_equal(dl_assign(profit, rows, cols, match), DLTF_OK);
    double best = best_total(profit, rows, cols, 0, 0, rows > cols ? rows - cols : 0);
    double total = total_of(profit, rows, cols, match);
    assert_true(fabs(total - best) <= 1e-12 * (1 + fabs(best)));
}

static void assignment_is_best(void **state) {
    (void)state;
    double profit[MOST * MOST];
    for (int64_t rows = 1; rows <= MOST; rows++)
        for (int64_t cols = 1; cols <= MOST; cols++)
            for (int trial = 0; trial < (rows + cols > 12 ? 6 : 30); trial++) {
                for (int e = 0; e < MOST * MOST; e++) {
                    double x = normal();
                    profit[e] = trial % 3 == 0 ? x : trial % 3 == 1 ? round(x) : -fabs(x) - 5;
                }
                check_assignment(profit, rows, cols);
            }
    memset(profit, 0, sizeof profit);
    check_assignment(profit, MOST, MOST);
}

static void large_assignment(void **state) {
    (void)state;
    enum { SIZE = 200 };
    double *profit = DL_NEW(double, SIZE *SIZE);
    int64_t hidden[SIZE];
    int32_t match[SIZE];
    dl_random_permutation(source, 1000000, SIZE, hidden);
    for (int e = 0; e < SIZE * SIZE; e++)
        profit[e] = dl_random_uniform(source, drawn++);
    for (int i = 0; i < SIZE; i++)
        profit[i * SIZE + hidden[i]] = 1 + 1e-3; /* larger than any other entry */
    assert_int_equal(dl_assign(profit, SIZE, SIZE, match), DLTF_OK);
    for (int i = 0; i < SIZE; i++)
        assert_int_equal(match[i], hidden[i]);
    assert_fails(dl_assign(profit, 0, 3, match), DLTF_ARGUMENT, "0 rows and 3 columns");
    dl_free(profit);
}

/* Atoms permuted, with random signs and norms: all are matched with cosine 1. */
static void disguised_dictionary(void **state) {
    (void)state;
    enum { M = 40, N = 16, EXTRA = 5 };
    float W[(M + EXTRA) * N], W0[M * N], cosine[M + EXTRA];
    int64_t order[M];
    int32_t match[M + EXTRA];
    dl_random_permutation(source, 2000000, M, order);
    for (int e = 0; e < M * N; e++)
        W0[e] = (float)normal();
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            W[i * N + j] = W0[order[i] * N + j] * (i % 2 ? -3.0f : 0.5f);
    for (int e = M * N; e < (M + EXTRA) * N; e++)
        W[e] = (float)normal();
    dltf_matrix truth = dltf_matrix_f32(W0, M, N);
    for (int extra = 0; extra <= EXTRA; extra += EXTRA) {
        assert_int_equal(dltf_match(dltf_matrix_f32(W, M + extra, N), truth, match, cosine), DLTF_OK);
        for (int i = 0; i < M; i++) {
            assert_int_equal(match[i], order[i]);
            assert_true(fabsf(cosine[i] - 1) < 1e-6f && cosine[i] <= 1);
        }
        for (int i = M; i < M + extra; i++)
            assert_true(match[i] == -1 && cosine[i] == 0);
    }
    assert_int_equal(dltf_match(dltf_matrix_f32(W, 7, N), truth, match, NULL), DLTF_OK);
    for (int i = 0; i < 7; i++)
        assert_int_equal(match[i], order[i]);
}

static void match_rejects(void **state) {
    (void)state;
    float W[6] = {1, 0, 0, 1, 0, 0};
    int32_t match[3];
    assert_int_equal(dltf_match(dltf_matrix_f32(W, 2, 2), dltf_matrix_f32(W, 1, 3), match, NULL),
                     DLTF_ARGUMENT);
    assert_string_equal(dltf_message(),
                        "true dictionary: atoms of 3 entries, but those of the dictionary have 2");
    assert_fails(dltf_match(dltf_matrix_f32(W, 3, 2), dltf_matrix_f32(W, 2, 2), match, NULL), DLTF_DATA,
                 "row 2 is all zero");
    assert_fails(dltf_match(dltf_matrix_f32(W, 2, 2), dltf_matrix_f32(NULL, 2, 2), match, NULL),
                 DLTF_ARGUMENT, "no data");
}

static dltf_codes *make_codes(int64_t rows, int64_t cols, const int64_t *indptr, const int32_t *indices) {
    float values[16];
    dltf_codes *codes = NULL;
    for (int e = 0; e < 16; e++)
        values[e] = 1;
    assert_int_equal(dltf_codes_new((dltf_csr){rows, cols, indptr, indices, values, NULL}, &codes), DLTF_OK);
    return codes;
}

static void scores_by_hand(void **state) {
    (void)state;
    /* Supports {0,1} {1,2} {} {0,3} against {0,1} {0,3} {2} {0}: |xor| = 0, 4, 1, 1. */
    dltf_codes *Z = make_codes(4, 4, (int64_t[]){0, 2, 4, 4, 6}, (int32_t[]){0, 1, 1, 2, 0, 3});
    dltf_codes *Z0 = make_codes(4, 4, (int64_t[]){0, 2, 4, 5, 6}, (int32_t[]){0, 1, 0, 3, 2, 0});
    dltf_support_score score;
    assert_int_equal(dltf_supports_score(Z, Z0, NULL, &score), DLTF_OK);
    assert_true(score.ave_dif == (0 + 2 + 0.5 + 0.5) / 4 && score.exact == 0.25);
    /* Mapped to {3,0} {0,2} {} {3,1}: |xor| = 2, 2, 1, 3. */
    assert_int_equal(dltf_supports_score(Z, Z0, (int32_t[]){3, 0, 2, 1}, &score), DLTF_OK);
    assert_true(score.ave_dif == (1 + 1 + 0.5 + 1.5) / 4 && score.exact == 0);
    /* Atom 1 unmatched: {0} + a wrong one, {2} + a wrong one, {}, {0,3}: 2, 4, 1, 1. */
    assert_int_equal(dltf_supports_score(Z, Z0, (int32_t[]){0, -1, 2, 3}, &score), DLTF_OK);
    assert_true(score.ave_dif == (1 + 2 + 0.5 + 0.5) / 4 && score.exact == 0);
    /* Two atoms mapped to one: only one of them can be right. {0,0}: 2; {0,2}: 2; {}: 1; {0,3}: 1. */
    assert_int_equal(dltf_supports_score(Z, Z0, (int32_t[]){0, 0, 2, 3}, &score), DLTF_OK);
    assert_true(score.ave_dif == (1 + 1 + 0.5 + 0.5) / 4 && score.exact == 0);
    dltf_codes_free(Z);
    dltf_codes_free(Z0);
}

static void score_rejects(void **state) {
    (void)state;
    dltf_codes *two = make_codes(2, 4, (int64_t[]){0, 1, 2}, (int32_t[]){0, 1});
    dltf_codes *one = make_codes(1, 4, (int64_t[]){0, 1}, (int32_t[]){0});
    dltf_codes *narrow = make_codes(2, 3, (int64_t[]){0, 1, 2}, (int32_t[]){0, 1});
    dltf_codes *none = make_codes(0, 4, (int64_t[]){0}, NULL);
    dltf_support_score score;
    assert_int_equal(dltf_supports_score(two, one, NULL, &score), DLTF_ARGUMENT);
    assert_string_equal(dltf_message(), "true codes: 1 rows, but the codes have 2");
    assert_fails(dltf_supports_score(two, narrow, NULL, &score), DLTF_ARGUMENT,
                 "but the codes have 4: pass a match");
    assert_int_equal(dltf_supports_score(two, narrow, (int32_t[]){0, 1, 2, 3}, &score), DLTF_ARGUMENT);
    assert_string_equal(dltf_message(), "score: atom 3 is matched to 3, but the true codes have 3 atoms");
    assert_fails(dltf_supports_score(two, narrow, (int32_t[]){0, 1, -2, -1}, &score), DLTF_ARGUMENT,
                 "atom 2 is matched to -2");
    assert_int_equal(dltf_supports_score(two, narrow, (int32_t[]){0, 1, 2, -1}, &score), DLTF_OK);
    assert_true(score.ave_dif == 0 && score.exact == 1);
    assert_fails(dltf_supports_score(none, none, NULL, &score), DLTF_ARGUMENT, "score: no samples");
    dltf_codes_free(two);
    dltf_codes_free(one);
    dltf_codes_free(narrow);
    dltf_codes_free(none);
}

static void out_of_memory(void **state) {
    (void)state;
    float W[6] = {1, 0, 0, 1, 1, 1};
    double profit[6] = {1, 2, 3, 4, 5, 6};
    int32_t match[3];
    dltf_matrix matrix = dltf_matrix_f32(W, 3, 2);
    dltf_codes *Z = make_codes(1, 4, (int64_t[]){0, 1}, (int32_t[]){0});
    dltf_support_score score;
    int64_t n = 1;
    for (dltf_status status = DLTF_MEMORY; status != DLTF_OK; n++) {
        dl_alloc_fail_after(n);
        status = dl_assign(profit, 3, 2, match);
        assert_true(status == DLTF_OK || status == DLTF_MEMORY);
    }
    assert_in_range(n, 7, 20);
    n = 1;
    for (dltf_status status = DLTF_MEMORY; status != DLTF_OK; n++) {
        dl_alloc_fail_after(n);
        status = dltf_match(matrix, matrix, match, NULL);
        assert_true(status == DLTF_OK || status == DLTF_MEMORY);
    }
    assert_in_range(n, 10, 20);
    dl_alloc_fail_after(1);
    assert_int_equal(dltf_supports_score(Z, Z, NULL, &score), DLTF_MEMORY);
    dl_alloc_fail_after(0);
    dltf_codes_free(Z);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assignment_is_best),   cmocka_unit_test(large_assignment),
        cmocka_unit_test(disguised_dictionary), cmocka_unit_test(match_rejects),
        cmocka_unit_test(scores_by_hand),       cmocka_unit_test(score_rejects),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
