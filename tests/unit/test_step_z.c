/* The Z-step: sparse codes, never worse than the initial ones, as good as the same step by loops, and least
 * squares without noise term. */
#include "learning/paper/step_z.h"
#include "reference/learning.h"
#include "reference/reference.h"

#include "test_learning.h"

enum { STEPS = 5 };

/* A tile of samples and the inputs of the step, in both precisions. */
typedef struct instance {
    int64_t m, n, k, rows;
    double *W, *X, *M; /* the values of the floats below */
    float *W32, *X32, *M32, *G32;
    dl_packed packed, G_packed;
    dl_z_problem problem;
    dl_z_space space;
    dl_slots Z;
} instance;

static void set_dictionary(instance *t, const double *W) {
    free(t->W32);
    free(t->W);
    free(t->G32);
    t->W32 = new_narrow(W, t->m * t->n);
    t->W = new_wide(t->W32, t->m * t->n);
    double *G = new_gram(t->W, t->m, t->n);
    t->G32 = new_narrow(G, t->m * t->m);
    free(G);
    double sigma = ref_largest_eigenvalue(t->W, t->m, t->n);
    t->problem.step = dl_z_step_length(sigma, t->problem.theta, t->problem.beta);
    dl_packed_free(&t->packed);
    assert_int_equal(dl_packed_alloc(&t->packed, t->m, t->n), DLTF_OK);
    dl_packed_fill(&t->packed, t->W32, NULL);
    dl_packed_free(&t->G_packed);
    assert_int_equal(dl_packed_alloc(&t->G_packed, t->m, t->m), DLTF_OK);
    dl_packed_fill(&t->G_packed, t->G32, NULL);
    t->problem.W = &t->packed;
    t->problem.G_packed = &t->G_packed;
    t->problem.G = t->G32;
}

static void set_samples(instance *t) {
    free(t->X);
    t->X = new_wide(t->X32, t->rows * t->n);
}

static void make(instance *t, int64_t m, int64_t n, int64_t k, int64_t rows, double theta, double beta) {
    *t = (instance){.m = m, .n = n, .k = k, .rows = rows, .X32 = new_f32(rows * n)};
    t->problem = (dl_z_problem){.m = m, .k = k, .theta = theta, .beta = beta};
    double *W = new_dictionary(m, n);
    set_dictionary(t, W);
    free(W);
    fill_normal(t->X32, rows * n);
    set_samples(t);
    if (beta > 0) {
        t->M32 = new_f32(rows * m);
        fill_normal(t->M32, rows * m);
        t->M = new_wide(t->M32, rows * m);
    }
    assert_int_equal(dl_z_space_alloc(&t->space, m, k), DLTF_OK);
    assert_int_equal(dl_slots_alloc(&t->Z, rows, k), DLTF_OK);
}

static void release(instance *t) {
    free(t->W);
    free(t->X);
    free(t->M);
    free(t->W32);
    free(t->X32);
    free(t->M32);
    free(t->G32);
    dl_packed_free(&t->packed);
    dl_packed_free(&t->G_packed);
    dl_z_space_free(&t->space);
    dl_slots_free(&t->Z);
}

static double objective(const instance *t, int64_t i, const double *z) {
    return ref_z_objective(t->W, t->m, t->n, t->X + i * t->n, z, t->M ? t->M + i * t->m : NULL,
                           t->problem.theta, t->problem.beta);
}

/* The code of sample i, dense; checks that it is valid. */
static double *new_code(const instance *t, int64_t i) {
    double *z = new_f64(t->m);
    int64_t count = t->Z.count[i], first = i * t->k;
    assert_true(count >= 0 && count <= t->k);
    for (int64_t e = 0; e < count; e++) {
        int32_t j = t->Z.index[first + e];
        assert_true(j >= 0 && j < t->m && (e == 0 || j > t->Z.index[first + e - 1]));
        assert_true(isfinite(t->Z.value[first + e]));
        z[j] = (double)t->Z.value[first + e];
    }
    return z;
}

/* max_k(W^T x) of sample i, dense. */
static double *new_start(const instance *t, int64_t i) {
    double *z = new_f64(t->m), *scores = new_f64(t->m);
    int32_t *support = calloc((size_t)t->m, sizeof *support);
    ref_scores(t->X + i * t->n, 1, t->n, t->W, t->m, scores);
    int64_t count = ref_topk(scores, t->m, t->k, t->problem.positive, support);
    for (int64_t e = 0; e < count; e++)
        z[support[e]] = scores[support[e]];
    free(scores);
    free(support);
    return z;
}

/* Magnitude of the terms in the objective of sample i: about 10^6 times the error of single precision. */
static double size_of(const instance *t, int64_t i) {
    double *zero = new_f64(t->m), size = objective(t, i, zero);
    free(zero);
    return size;
}

/* P = GZ - W^T X, by loops. */
static void assert_gap(const instance *t, int64_t i, const double *z) {
    double r[64], size = 1;
    assert_true(t->n <= 64);
    for (int64_t d = 0; d < t->n; d++) {
        r[d] = -t->X[i * t->n + d];
        for (int64_t j = 0; j < t->m; j++) {
            r[d] += z[j] * t->W[j * t->n + d];
            size += fabs(z[j]) / (double)t->n;
        }
    }
    for (int64_t j = 0; j < t->m; j++)
        assert_near((double)t->space.P[i * t->m + j], dot_f64(r, t->W + j * t->n, t->n), 1e-5 * size);
}

/* The residual is orthogonal to the atoms of the support: the values are least squares. */
static bool is_least_squares(const instance *t, int64_t i) {
    double worst = 0;
    for (int64_t e = i * t->k; e < i * t->k + t->Z.count[i]; e++)
        worst = larger(worst, fabs((double)t->space.P[i * t->m + t->Z.index[e]]));
    return worst < 1e-4;
}

static bool same_code(const double *a, const double *b, int64_t m) {
    for (int64_t j = 0; j < m; j++)
        if ((a[j] != 0) != (b[j] != 0) || !(fabs(a[j] - b[j]) <= 1e-4 * (1 + fabs(a[j]))))
            return false;
    return true;
}

typedef struct tally {
    int64_t samples, better, as_loops, started;
} tally;

/* Runs the step and checks every sample; counts those that improved on their start, and those whose objective
 * is that of the same step by loops (a tie in single precision may go the other way). */
static void check(instance *t, tally *count) {
    dl_score_tile(t->problem.W, t->X32, t->n, t->rows, t->space.B);
    dl_z_step(&t->problem, t->M32, t->rows, &t->space, t->Z);
    if (!t->M)
        dl_z_gap(&t->problem, t->space.B, t->Z, t->rows, 1, t->space.P);
    for (int64_t i = 0; i < t->rows; i++) {
        double *z = new_code(t, i), *start = new_start(t, i), *wanted = new_f64(t->m);
        double rounding = 1e-5 * size_of(t, i), f = objective(t, i, z), before = objective(t, i, start);
        if (!(f <= before + rounding))
            fail_msg("sample %lld: objective %g, that of the start %g", (long long)i, f, before);
        assert_gap(t, i, z);
        bool kept = same_code(z, start, t->m);
        if (!t->M && !kept && !t->problem.positive)
            assert_true(is_least_squares(t, i));
        ref_z_step(t->W, t->m, t->n, t->k, t->problem.positive, t->X + i * t->n,
                   t->M ? t->M + i * t->m : NULL, t->problem.theta, t->problem.beta, t->problem.step, STEPS,
                   wanted);
        count->samples++;
        count->better += f < before - 10 * rounding;
        count->as_loops += fabs(f - objective(t, i, wanted)) <= 10 * rounding;
        count->started += kept;
        free(z);
        free(start);
        free(wanted);
    }
}

static void data_term(void **state) {
    (void)state;
    tally count = {0};
    for (int trial = 0; trial < sized(40, 12); trial++) {
        instance t;
        int64_t m = between(2, 48);
        make(&t, m, between(6, 24), between(1, m < 6 ? m : 6), between(1, DL_TILE), trial % 2 ? 0.2 : 3, 0);
        check(&t, &count);
        release(&t);
    }
    print_message("data term: %lld samples, %lld better than their start, %lld kept it, %lld as by loops\n",
                  (long long)count.samples, (long long)count.better, (long long)count.started,
                  (long long)count.as_loops);
    assert_true(1000 * count.as_loops > 995 * count.samples);
}

static void with_noise_term(void **state) {
    (void)state;
    tally count = {0};
    for (int trial = 0; trial < sized(40, 12); trial++) {
        instance t;
        int64_t m = between(2, 48);
        make(&t, m, between(2, 24), between(1, m < 6 ? m : 6), between(1, DL_TILE), trial % 3 ? 0.2 : 0,
             trial % 2 ? 0.5 : 5);
        check(&t, &count);
        release(&t);
    }
    print_message("noise term: %lld samples, %lld better than their start, %lld kept it, %lld as by loops\n",
                  (long long)count.samples, (long long)count.better, (long long)count.started,
                  (long long)count.as_loops);
    assert_true(1000 * count.as_loops > 995 * count.samples);
    assert_true(2 * count.better > count.samples);
}

/* Positive selection gives positive codes: if least squares would not, the previous values stay. */
static void positive(void **state) {
    (void)state;
    int64_t negative = 0, entries = 0;
    tally count = {0};
    for (int trial = 0; trial < sized(30, 10); trial++) {
        instance t;
        int64_t m = between(2, 40);
        make(&t, m, between(6, 16), between(1, m < 6 ? m : 6), between(1, DL_TILE), 0.5, trial % 2 ? 0.5 : 0);
        t.problem.positive = true;
        check(&t, &count);
        for (int64_t i = 0; i < t.rows; i++)
            for (int64_t e = i * t.k; e < i * t.k + t.Z.count[i]; e++) {
                entries++;
                negative += !(t.Z.value[e] > 0);
            }
        release(&t);
    }
    print_message("positive: %lld of %lld entries are not positive\n", (long long)negative,
                  (long long)entries);
    assert_int_equal(negative, 0);
    assert_true(entries > count.samples);
    assert_true(1000 * count.as_loops > 995 * count.samples);
}

/* Orthonormal atoms: max_k(W^T x) is the solution, and the step must find it. */
static void orthonormal_atoms(void **state) {
    (void)state;
    enum { n = 16, k = 4 };
    instance t;
    make(&t, n, n, k, DL_TILE, 0.7, 0);
    double *W = new_dictionary(n, n);
    for (int64_t j = 0; j < n; j++) { /* Gram-Schmidt, twice */
        for (int64_t pass = 0; pass < 2 * j; pass++) {
            double along = dot_f64(W + j * n, W + pass % j * n, n);
            for (int64_t i = 0; i < n; i++)
                W[j * n + i] -= along * W[pass % j * n + i];
        }
        unit_rows(W + j * n, 1, n);
    }
    set_dictionary(&t, W);
    dl_score_tile(t.problem.W, t.X32, t.n, t.rows, t.space.B);
    dl_z_step(&t.problem, NULL, t.rows, &t.space, t.Z);
    for (int64_t i = 0; i < t.rows; i++) {
        double *z = new_code(&t, i), *start = new_start(&t, i);
        assert_true(same_code(z, start, n));
        free(z);
        free(start);
    }
    free(W);
    release(&t);
}

/* Samples with exactly k atoms of an incoherent dictionary are recovered. */
static void sparse_samples(void **state) {
    (void)state;
    enum { n = 64, m = 80, k = 3 };
    instance t;
    int64_t found = 0;
    make(&t, m, n, k, DL_TILE, 1, 0);
    double *truth = new_f64(t.rows * m);
    memset(t.X32, 0, (size_t)(t.rows * n) * sizeof *t.X32);
    for (int64_t i = 0; i < t.rows; i++)
        for (int64_t e = 0; e < k; e++) {
            int64_t j = below(m / k) * k + e;
            double z = below(2) ? 1 + 0.3 * normal() : -1 + 0.3 * normal();
            truth[i * m + j] = z;
            for (int64_t d = 0; d < n; d++)
                t.X32[i * n + d] += (float)z * t.W32[j * n + d];
        }
    set_samples(&t);
    dl_score_tile(t.problem.W, t.X32, t.n, t.rows, t.space.B);
    dl_z_step(&t.problem, NULL, t.rows, &t.space, t.Z);
    for (int64_t i = 0; i < t.rows; i++) {
        double *z = new_code(&t, i);
        found += same_code(z, truth + i * m, m);
        free(z);
    }
    print_message("sparse samples: %lld of %lld recovered\n", (long long)found, (long long)t.rows);
    assert_true(10 * found > 9 * t.rows);
    free(truth);
    release(&t);
}

/* All atoms in every code; one atom; one dimension. */
static void extreme_shapes(void **state) {
    (void)state;
    const int64_t shapes[][3] = {{6, 9, 6}, {9, 4, 9}, {1, 5, 1},  {1, 1, 1},
                                 {7, 1, 2}, {7, 1, 7}, {30, 30, 1}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int noise = 0; noise < 2; noise++) {
            instance t;
            tally count = {0};
            make(&t, shapes[s][0], shapes[s][1], shapes[s][2], 20, 0.5, noise ? 0.5 : 0);
            check(&t, &count);
            if (!noise && t.m == t.k && t.n >= t.m) /* no sparsity: plain least squares */
                for (int64_t i = 0; i < t.rows; i++)
                    assert_true(t.Z.count[i] == t.k && is_least_squares(&t, i));
            release(&t);
        }
}

static void equal_atoms(void **state) {
    (void)state;
    for (int trial = 0; trial < 20; trial++) {
        instance t;
        tally count = {0};
        int64_t m = between(3, 12), n = between(2, 8);
        make(&t, m, n, between(2, m), 20, 0.5, trial % 2 ? 0.5 : 0);
        double *W = new_dictionary(m, n);
        for (int64_t j = 1; j < m; j += 2) /* every second atom equals the one before it, or its negative */
            for (int64_t i = 0; i < n; i++)
                W[j * n + i] = (j % 4 == 1 ? 1 : -1) * W[(j - 1) * n + i];
        set_dictionary(&t, W);
        check(&t, &count);
        free(W);
        release(&t);
    }
}

static void zero_samples(void **state) {
    (void)state;
    for (int noise = 0; noise < 2; noise++) {
        instance t;
        tally count = {0};
        make(&t, 12, 6, 3, 10, 0.5, noise ? 0.5 : 0);
        memset(t.X32 + 2 * t.n, 0, (size_t)(3 * t.n) * sizeof *t.X32);
        set_samples(&t);
        check(&t, &count);
        for (int64_t i = 2; i < 5 && !noise; i++)
            assert_int_equal(t.Z.count[i], 0);
        release(&t);
    }
}

/* All weights zero: any valid code will do. */
static void no_weight(void **state) {
    (void)state;
    instance t;
    tally count = {0};
    make(&t, 12, 6, 3, 10, 0, 0);
    assert_true(t.problem.step == 0);
    check(&t, &count);
    release(&t);
}

/* The objective that the step compares by, up to its constant. */
static void objective_of_a_code(void **state) {
    (void)state;
    for (int noise = 0; noise < 2; noise++) {
        instance t;
        make(&t, 20, 8, 4, 30, 0.6, noise ? 0.8 : 0);
        dl_score_tile(t.problem.W, t.X32, t.n, t.rows, t.space.B);
        dl_z_step(&t.problem, t.M32, t.rows, &t.space, t.Z);
        dl_z_gap(&t.problem, t.space.B, t.Z, t.rows, 1, t.space.P);
        for (int64_t i = 0; i < t.rows; i++) {
            double *z = new_code(&t, i), *x = t.X + i * t.n;
            double constant = t.problem.theta / 2 * dot_f64(x, x, t.n);
            double f = dl_z_objective(&t.problem, t.space.P + i * t.m, t.space.B + i * t.m,
                                      noise ? t.M32 + i * t.m : NULL, t.Z.index + i * t.k,
                                      t.Z.value + i * t.k, t.Z.count[i]);
            assert_near(f + constant, objective(&t, i, z), 1e-5 * (1 + size_of(&t, i)));
            free(z);
        }
        release(&t);
    }
}

static void step_length(void **state) {
    (void)state;
    assert_near(dl_z_step_length(3, 0.2, 0), 1.8 / 0.6, 1e-15);
    assert_near(dl_z_step_length(3, 0.2, 0.5), 1 / (0.6 + 4.5), 1e-15);
    assert_true(dl_z_step_length(3, 0, 0) == 0);
    assert_true(dl_z_step_length(0, 1, 1) == 0);
}

static dltf_status make_space(void) {
    dl_z_space space;
    dltf_status status = dl_z_space_alloc(&space, 7, 3);
    dl_z_space_free(&space);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    assert_survives_lack_of_memory(make_space(), 15);
}

TESTS_MAIN(cmocka_unit_test(data_term), cmocka_unit_test(with_noise_term), cmocka_unit_test(positive),
           cmocka_unit_test(orthonormal_atoms), cmocka_unit_test(sparse_samples),
           cmocka_unit_test(extreme_shapes), cmocka_unit_test(equal_atoms), cmocka_unit_test(zero_samples),
           cmocka_unit_test(no_weight), cmocka_unit_test(objective_of_a_code), cmocka_unit_test(step_length),
           cmocka_unit_test(out_of_memory))
