/* Codes of a batch whose atoms are divided among threads and groups. */
#include "learning/gradient/gradient.h"
#include "test_size.h"
#include "test_small_learner.h"

enum { n = 12, ROWS = 201, MOST_THREADS = 7 };

/* Every encoder row occurs twice, half the dictionary apart: all scores are tied, mostly between parts. */
static dl_gradient *make(int threads, int64_t m, int64_t k, bool positive) {
    dl_gradient *g = malloc(sizeof *g);
    assert_int_equal(dl_gradient_alloc(g, threads, m, n, k, positive, false, ROWS), DLTF_OK);
    test_draws = 0; /* the same numbers for each number of threads */
    fill_normal(g->W.value, m * n);
    fill_normal(g->E.value, m / 2 * n);
    memcpy(g->E.value + m / 2 * n, g->E.value, (size_t)(m / 2 * n) * sizeof(float));
    fill_normal(g->Y, ROWS * n);
    memset(g->Y, 0, n * sizeof(float)); /* scores of zero: a code without entries */
    dl_gradient_pack(g);
    g->rows = ROWS;
    return g;
}

static void release(dl_gradient *g) {
    dl_gradient_free(g);
    free(g);
}

static void assert_same_batch(const dl_gradient *a, const dl_gradient *b) {
    for (int64_t i = 0; i < ROWS; i++) {
        assert_int_equal(a->Z.count[i], b->Z.count[i]);
        size_t count = (size_t)a->Z.count[i];
        assert_memory_equal(a->Z.index + i * a->k, b->Z.index + i * b->k, count * sizeof(int32_t));
        assert_memory_equal(a->Z.value + i * a->k, b->Z.value + i * b->k, count * sizeof(float));
    }
    assert_memory_equal(a->R, b->R, ROWS * n * sizeof(float));
}

/* r = y - Wz, by plain loops. */
static void assert_residuals(const dl_gradient *g) {
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t d = 0; d < n; d++) {
            double r = (double)g->Y[i * n + d];
            for (int64_t e = i * g->k; e < i * g->k + g->Z.count[i]; e++)
                r -= (double)g->Z.value[e] * (double)g->W.value[g->Z.index[e] * n + d];
            assert_near((double)g->R[i * n + d], r, 1e-3);
        }
}

static void compare(int64_t m, int64_t active, int64_t k, bool positive) {
    const dl_gradient_rule rule = {.rate = 0.01f, .tie = 0.01f, .growth = 1, .from_center = true};
    dl_gradient *one = make(1, m, k, positive);
    dl_gradient_activate(one, active);
    dl_gradient_code(one);
    assert_int_equal(one->Z.count[0], 0);
    assert_residuals(one);
    for (int threads = 2; threads <= MOST_THREADS; threads++) {
        dl_gradient *g = make(threads, m, k, positive);
        dl_gradient_activate(g, active);
        dl_gradient_code(g);
        assert_same_batch(one, g);
        if (threads == MOST_THREADS) {
            dl_gradient_step(one, &rule);
            dl_gradient_step(g, &rule);
            assert_memory_equal(one->W.value, g->W.value, (size_t)(m * n) * sizeof(float));
            assert_memory_equal(one->E.value, g->E.value, (size_t)(m * n) * sizeof(float));
        }
        release(g);
    }
    release(one);
}

static void threads_agree(void **state) {
    (void)state;
    for (int positive = 0; positive < 2; positive++) {
        compare(2, 2, 1, positive);
        compare(50, 50, 8, positive);      /* a last panel that is not full; more threads than panels */
        compare(300, 160, 20, positive);   /* atoms that do not take part yet */
        compare(2100, 2100, 16, positive); /* parts on either side of DL_BLOCK_ATOMS */
        if (!test_small())
            compare(20000, 20000, 9, positive); /* more groups */
    }
}

TESTS_MAIN(cmocka_unit_test(threads_agree))
