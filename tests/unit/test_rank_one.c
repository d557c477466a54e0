/* Entries grouped by atom, and the rank-one update of an atom against its definition. */
#include "coding/by_atom.h"
#include "learning/stages/rank_one.h"

#include "test_learning.h"

static void grouped_by_atom(void **state) {
    (void)state;
    for (int trial = 0; trial < 50; trial++) {
        int64_t m = between(1, 40), k = between(1, m), N = between(1, 60), entries = 0;
        dl_slots Z;
        dl_by_atom by_atom;
        assert_int_equal(dl_slots_alloc(&Z, N, k), DLTF_OK);
        assert_int_equal(dl_by_atom_alloc(&by_atom, m, N * k), DLTF_OK);
        double *dense = fill_codes(Z, m);
        dl_by_atom_sort(&by_atom, Z);
        for (int64_t j = 0; j < m; j++) {
            dl_atom_entries own = dl_by_atom_of(&by_atom, j);
            for (int64_t i = 0, e = 0; i < N; i++) {
                if (dense[i * m + j] == 0)
                    continue;
                assert_true(e < own.count);
                assert_int_equal(own.entry[e] / k, i);
                assert_int_equal(Z.index[own.entry[e]], j);
                e++;
            }
            entries += own.count;
        }
        assert_int_equal(by_atom.start[m], entries);
        free(dense);
        dl_by_atom_free(&by_atom);
        dl_slots_free(&Z);
    }
}

/* Codes, a dictionary and the residuals of random samples. */
typedef struct problem {
    int64_t m, n, N;
    double *W, *X; /* X: N x n, the values of the floats */
    float *R;
    dl_slots Z;
    dl_by_atom by_atom;
} problem;

/* x - Wz without the contribution of atom j; -1: of all atoms. */
static void residual(const problem *p, int64_t i, int64_t j, double *r) {
    memcpy(r, p->X + i * p->n, (size_t)p->n * sizeof *r);
    for (int64_t e = i * p->Z.k; e < i * p->Z.k + p->Z.count[i]; e++)
        for (int64_t d = 0; d < p->n && p->Z.index[e] != j; d++)
            r[d] -= (double)p->Z.value[e] * p->W[p->Z.index[e] * p->n + d];
}

static double error(const problem *p) {
    double sum = 0, r[64];
    for (int64_t i = 0; i < p->N; i++) {
        residual(p, i, -1, r);
        sum += dot_f64(r, r, p->n);
    }
    return sum;
}

static problem new_problem(int64_t m, int64_t n, int64_t k, int64_t N) {
    problem p = {.m = m, .n = n, .N = N, .W = new_dictionary(m, n), .X = new_f64(N * n), .R = new_f32(N * n)};
    double r[64];
    assert_int_equal(dl_slots_alloc(&p.Z, N, k), DLTF_OK);
    assert_int_equal(dl_by_atom_alloc(&p.by_atom, m, N * k), DLTF_OK);
    free(fill_codes(p.Z, m));
    dl_by_atom_sort(&p.by_atom, p.Z);
    fill_normal_f64(p.X, N * n);
    for (int64_t i = 0; i < N; i++) {
        residual(&p, i, -1, r);
        for (int64_t d = 0; d < n; d++)
            p.R[i * n + d] = (float)r[d];
    }
    return p;
}

static void free_problem(problem *p) {
    free(p->W);
    free(p->X);
    free(p->R);
    dl_slots_free(&p->Z);
    dl_by_atom_free(&p->by_atom);
}

/* w = Ez/||Ez||, with E the samples of atom j minus the other atoms. */
static void direction(const problem *p, int64_t j, double *w) {
    dl_atom_entries own = dl_by_atom_of(&p->by_atom, j);
    double r[64];
    memset(w, 0, (size_t)p->n * sizeof *w);
    for (int64_t e = 0; e < own.count; e++) {
        residual(p, own.entry[e] / p->Z.k, j, r);
        for (int64_t d = 0; d < p->n; d++)
            w[d] += (double)p->Z.value[own.entry[e]] * r[d];
    }
    unit_rows(w, 1, p->n);
}

static void assert_residuals(const problem *p) {
    double r[64];
    for (int64_t i = 0; i < p->N; i++) {
        residual(p, i, -1, r);
        for (int64_t d = 0; d < p->n; d++)
            assert_near((double)p->R[i * p->n + d], r[d], 1e-5);
    }
}

/* One step is the power step; the exact update is its fixed point. Neither raises the error, and residuals,
 * codes and atoms agree afterwards. */
static void by_definition(void **state) {
    (void)state;
    for (int trial = 0; trial < 20; trial++) {
        int64_t m = between(1, 8), n = between(2, 20), k = between(1, m), N = trial % 4 ? 100 : 3000;
        problem p = new_problem(m, n, k, N);
        dl_rank_one space;
        assert_int_equal(dl_rank_one_alloc(&space, 2, n, N), DLTF_OK);
        for (int64_t j = 0; j < m; j++) {
            dl_atom_entries own = dl_by_atom_of(&p.by_atom, j);
            double wanted[64], r[64], before = error(&p);
            direction(&p, j, wanted);
            dl_rank_one_update(&space, trial % 2 ? DL_RANK_ONE_APPROXIMATE : DL_RANK_ONE_EXACT, p.R, p.Z, own,
                               p.W + j * n);
            if (trial % 2 == 0)
                direction(&p, j, wanted);
            if (own.count == 0)
                continue;
            assert_all_near(p.W + j * n, wanted, n, trial % 2 ? 1e-5 : 0.05);
            for (int64_t e = 0; e < own.count; e++) {
                residual(&p, own.entry[e] / k, j, r);
                assert_near((double)p.Z.value[own.entry[e]], dot_f64(p.W + j * n, r, n), 1e-4);
            }
            assert_true(error(&p) <= before * (1 + 1e-6));
        }
        assert_unit_rows(p.W, m, n, 1e-12);
        assert_residuals(&p);
        dl_rank_one_free(&space);
        free_problem(&p);
    }
}

/* Atoms in no code, or whose samples cancel, are unchanged. */
static void nothing_to_fit(void **state) {
    (void)state;
    float R[] = {0, 0, 0, 0}, value[] = {1, -1};
    int32_t count[] = {1, 1}, index[] = {0, 0};
    int64_t entry[] = {0, 1};
    double w[] = {0.6, 0.8};
    dl_slots Z = {2, 1, count, index, value};
    dl_rank_one space;
    assert_int_equal(dl_rank_one_alloc(&space, 1, 2, 2), DLTF_OK);
    dl_rank_one_update(&space, DL_RANK_ONE_EXACT, R, Z, (dl_atom_entries){0, entry}, w);
    assert_true(w[0] == 0.6 && w[1] == 0.8);
    for (int d = 0; d < 2; d++) { /* x_0 = x_1 = 0: E = 0 */
        R[d] = (float)-w[d];
        R[2 + d] = (float)w[d];
    }
    dl_rank_one_update(&space, DL_RANK_ONE_EXACT, R, Z, (dl_atom_entries){2, entry}, w);
    assert_true(w[0] == 0.6 && w[1] == 0.8);
    assert_true(value[0] == 1 && value[1] == -1);
    dl_rank_one_free(&space);
}

TESTS_MAIN(cmocka_unit_test(grouped_by_atom), cmocka_unit_test(by_definition),
           cmocka_unit_test(nothing_to_fit))
