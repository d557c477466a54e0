/* The smooth coherence: value and gradient against loops and finite differences, and what the stage does. */
#include "learning/learner.h"
#include "learning/paper/spread.h"

#include "test_learning.h"

static double value_by_loops(const dl_spread_problem *p, const double *W, int64_t m) {
    double sum = 0, distance = 0;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++) {
            double g = 0;
            for (int64_t d = 0; d < p->n; d++)
                g += W[i * p->n + d] * W[j * p->n + d];
            sum += i == j ? 0 : exp(p->sharpness * fabs(g));
        }
    for (int64_t i = 0; i < m * p->n; i++)
        distance += (W[i] - p->W0[i]) * (W[i] - p->W0[i]);
    return log(sum) / p->sharpness + p->lambda / (double)m * distance;
}

static const int64_t shapes[][2] = {{2, 1}, {2, 5}, {9, 4}, {20, 7}, {70, 6}};

static void value_and_gradient(void **state) {
    (void)state;
    const double h = 1e-5;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        int64_t m = shapes[s][0], n = shapes[s][1];
        dl_w_space space;
        assert_int_equal(dl_w_space_alloc(&space, 2, m, n, false), DLTF_OK);
        double *W0 = new_dictionary(m, n), *W = new_dictionary(m, n);
        dl_spread_problem p = {.n = n, .sharpness = 5 + 10 * (double)s, .lambda = 0.7, .W0 = W0};
        double wanted = value_by_loops(&p, W, m);
        assert_near(dl_spread_objective(&p, W, &space), wanted, 1e-12 * (1 + fabs(wanted)));
        dl_spread_gradient(&p, W, &space);
        for (int64_t i = 0; i < m * n; i++) {
            double at = W[i];
            W[i] = at + h;
            double high = value_by_loops(&p, W, m);
            W[i] = at - h;
            double low = value_by_loops(&p, W, m);
            W[i] = at;
            assert_near(space.gradient[i], (high - low) / (2 * h), 1e-5);
        }
        free(W0);
        free(W);
        dl_w_space_free(&space);
    }
}

/* No step is accepted that the line search forbids, and none of a very sharp problem overflows. */
static void steps(void **state) {
    (void)state;
    const int64_t m = 40, n = 10;
    for (double sharpness = 1; sharpness < 1e7; sharpness *= 30) {
        dl_w_space space;
        assert_int_equal(dl_w_space_alloc(&space, 1, m, n, false), DLTF_OK);
        double *W0 = new_dictionary(m, n), *W = new_f64(m * n), tau = 0.1;
        memcpy(W, W0, (size_t)(m * n) * sizeof *W);
        dl_spread_problem p = {.n = n, .sharpness = sharpness, .lambda = 1, .W0 = W0};
        dl_search_outcome outcome = dl_spread_step(&p, 20, &tau, W, &space);
        assert_true(outcome.after <= outcome.before);
        if (sharpness < 3000) /* beyond, the maximum has kinks within a step */
            assert_true(outcome.after < outcome.before);
        assert_true(outcome.worst_excess <= 0);
        free(W0);
        free(W);
        dl_w_space_free(&space);
    }
}

static dltf_model *train(dltf_matrix X, dltf_incoherence incoherence, double keep, int threads) {
    dltf_train_options o = dltf_train_options_default();
    dltf_model *model = NULL;
    o.m = 48;
    o.k = 3;
    o.seed = 4;
    o.threads = threads;
    o.encoder = DLTF_ENCODER_TIED;
    o.steps = 20;
    o.iterations = 20;
    o.incoherence = incoherence;
    o.keep = keep;
    assert_int_equal(dltf_train(X, &o, NULL, NULL, &model), DLTF_OK);
    return model;
}

static double coherence_of(const dltf_model *model) {
    const dltf_model_view parts = dltf_model_get(model);
    double largest = 0;
    for (int64_t i = 0; i < parts.m; i++)
        for (int64_t j = 0; j < i; j++) {
            double g = 0;
            for (int64_t d = 0; d < parts.n; d++)
                g += (double)parts.dictionary[i * parts.n + d] * (double)parts.dictionary[j * parts.n + d];
            largest = fmax(largest, fabs(g));
        }
    return largest;
}

static double mean_cosine(const dltf_model *a, const dltf_model *b) {
    const dltf_model_view p = dltf_model_get(a), q = dltf_model_get(b);
    double sum = 0;
    for (int64_t i = 0; i < p.m * p.n; i++)
        sum += (double)p.dictionary[i] * (double)q.dictionary[i];
    return sum / (double)p.m;
}

/* The stage lowers the coherence, moves atoms little, the more the smaller the weight, and gives the same
 * bytes for any number of threads. */
static void stage(void **state) {
    (void)state;
    const int64_t N = 600, n = 24;
    float *data = malloc((size_t)(N * n) * sizeof *data);
    fill_normal(data, N * n);
    dltf_matrix X = dltf_matrix_f32(data, N, n);
    dltf_model *tied = train(X, DLTF_INCOHERENCE_2, 3, 1), *near = train(X, DLTF_INCOHERENCE_INF, 30, 1);
    dltf_model *far = train(X, DLTF_INCOHERENCE_INF, 1, 1), *again = train(X, DLTF_INCOHERENCE_INF, 1, 2);
    assert_true(coherence_of(near) < 0.95 * coherence_of(tied));
    assert_true(coherence_of(far) < 0.95 * coherence_of(near));
    assert_true(mean_cosine(tied, near) > 0.99 && mean_cosine(tied, near) > mean_cosine(tied, far));
    const dltf_model_view one = dltf_model_get(far), two = dltf_model_get(again);
    assert_memory_equal(one.dictionary, two.dictionary, (size_t)(one.m * one.n) * sizeof(float));
    dltf_model_free(tied);
    dltf_model_free(near);
    dltf_model_free(far);
    dltf_model_free(again);
    free(data);
}

TESTS_MAIN(cmocka_unit_test(value_and_gradient), cmocka_unit_test(steps), cmocka_unit_test(stage))
