/* Shared by the tests of learning/: random dictionaries and codes, and problems that are smaller in slow
 * builds. */
#ifndef TEST_LEARNING_H
#define TEST_LEARNING_H

#include "learning/learner_facts.h"
#include "test_size.h"
#include "test_util.h"

#include "coding/feature.h"

/* `large`, or `small` where a sanitizer makes everything slow. */
static inline int64_t sized(int64_t large, int64_t small) {
    return test_small() ? small : large;
}

static inline double *new_f64(int64_t count) {
    double *x = calloc((size_t)count + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static inline float *new_f32(int64_t count) {
    float *x = calloc((size_t)count + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static inline double dot_f64(const double *a, const double *b, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static inline void unit_rows(double *W, int64_t m, int64_t n) {
    for (int64_t j = 0; j < m; j++) {
        double norm = sqrt(dot_f64(W + j * n, W + j * n, n));
        for (int64_t i = 0; i < n; i++)
            W[j * n + i] /= norm;
    }
}

/* m Gaussian atoms of norm 1. */
static inline double *new_dictionary(int64_t m, int64_t n) {
    double *W = new_f64(m * n);
    fill_normal_f64(W, m * n);
    unit_rows(W, m, n);
    return W;
}

static inline float *new_narrow(const double *from, int64_t count) {
    float *to = new_f32(count);
    for (int64_t i = 0; i < count; i++)
        to[i] = (float)from[i];
    return to;
}

static inline double *new_wide(const float *from, int64_t count) {
    double *to = new_f64(count);
    widen(from, count, to);
    return to;
}

/* The Gram matrix W W^T of rows, m x m. */
static inline double *new_gram(const double *W, int64_t m, int64_t n) {
    double *G = new_f64(m * m);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++)
            G[i * m + j] = dot_f64(W + i * n, W + j * n, n);
    return G;
}

/* Random codes with 0 .. k entries per sample. Returns the same codes dense. */
static inline double *fill_codes(dl_slots Z, int64_t m) {
    double *dense = new_f64(Z.rows * m);
    for (int64_t i = 0; i < Z.rows; i++) {
        int64_t wanted = below(Z.k + 1), count = 0;
        for (int64_t j = 0; j < m; j++)
            if (below(m - j) < wanted - count) {
                float z = (float)normal();
                Z.index[i * Z.k + count] = (int32_t)j;
                Z.value[i * Z.k + count++] = z;
                dense[i * m + j] = (double)z;
            }
        Z.count[i] = (int32_t)count;
    }
    return dense;
}

static inline void assert_unit_rows(const double *W, int64_t m, int64_t n, double tolerance) {
    for (int64_t j = 0; j < m; j++)
        assert_near(sqrt(dot_f64(W + j * n, W + j * n, n)), 1, tolerance);
}

static inline void assert_all_near(const double *x, const double *wanted, int64_t count, double tolerance) {
    for (int64_t i = 0; i < count; i++)
        if (!(fabs(x[i] - wanted[i]) <= tolerance))
            fail_msg("entry %lld: %.17g is not within %g of %.17g", (long long)i, x[i], tolerance, wanted[i]);
}

/* ---- whole trainings ---- */

static inline dltf_synthetic *new_synthetic(int64_t n, int64_t m, int64_t k, int64_t N, double noise) {
    dltf_synthetic_options spec = {.size = sizeof(dltf_synthetic_options),
                                   .n = n,
                                   .m = m,
                                   .k = k,
                                   .samples = N,
                                   .noise = noise,
                                   .seed = 1};
    dltf_synthetic *problem = NULL;
    assert_int_equal(dltf_synthetic_new(&spec, NULL, NULL, &problem), DLTF_OK);
    return problem;
}

/* Finite atoms of norm 1. */
static inline void assert_sound_model(const dltf_model *model) {
    dltf_model_view view = dltf_model_get(model);
    assert_true(view.k >= 1 && view.k <= view.m);
    for (int64_t j = 0; j < view.m; j++) {
        double square = 0;
        for (int64_t i = 0; i < view.n; i++)
            square += (double)view.dictionary[j * view.n + i] * (double)view.dictionary[j * view.n + i];
        assert_near(sqrt(square), 1, 1e-6);
    }
}

static inline void assert_same_dictionary(const dltf_model *a, const dltf_model *b) {
    dltf_model_view left = dltf_model_get(a), right = dltf_model_get(b);
    assert_int_equal(left.m, right.m);
    assert_int_equal(left.n, right.n);
    assert_memory_equal(left.dictionary, right.dictionary, (size_t)(left.m * left.n) * sizeof(float));
}

/* The same history except for times. */
static inline void assert_same_history(const dltf_learner *a, const dltf_learner *b) {
    int64_t left = 0, right = 0;
    const dltf_iteration *x = dl_learner_history(a, &left), *y = dl_learner_history(b, &right);
    assert_int_equal(left, right);
    for (int64_t i = 0; i < left; i++) {
        dltf_iteration p = x[i], q = y[i];
        p.seconds = q.seconds = 0;
        assert_string_equal(p.stage, q.stage);
        p.stage = q.stage = NULL;
        if (memcmp(&p, &q, sizeof p) != 0) /* NaN and all */
            fail_msg("record %lld differs: objective %.17g and %.17g", (long long)i, p.objective,
                     q.objective);
    }
}

/* A progress callback that cancels when `left` calls have been made. */
typedef struct test_brake {
    int64_t left;
} test_brake;

static inline int brake(void *context, const dltf_progress *progress) {
    test_brake *b = context;
    (void)progress;
    return --b->left == 0;
}

#endif
