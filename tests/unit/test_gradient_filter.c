/* The gradient learner with the filter of large dictionaries gives the bytes of the one without: codes,
 * residuals and parameters over several steps. */
#include "kernels/kernels.h"
#include "learning/gradient/gradient.h"
#include "test_small_learner.h"

enum { n = 260, k = 6, m = 8256, ROWS = 70, STEPS = 4 };

/* Does not end during the test. */
enum { FOREVER = 1 << 20 };

typedef enum kind {
    PLAIN,
    ZEROS,       /* every third sample: no score to compare with */
    TIED,        /* all encoder rows are equal, so that nothing can be excluded */
    WIDE_RANGE,  /* one encoder row has a norm of 1000, which makes the bound useless */
    SOME_ACTIVE, /* atoms that do not take part yet; the last ones join later */
    KINDS
} kind;

static float W[m * n], E[m * n], b[m], Y[STEPS][ROWS * n];

static int fill(void **state) {
    (void)state;
    fill_normal(W, m * n);
    fill_normal(E, m * n);
    fill_normal(b, m);
    for (int step = 0; step < STEPS; step++)
        fill_normal(Y[step], ROWS * n);
    return 0;
}

static dl_gradient *make(int threads, bool positive, kind what, bool filter) {
    dl_gradient *g = malloc(sizeof *g);
    assert_int_equal(dl_gradient_alloc(g, threads, m, n, k, positive, false, ROWS), DLTF_OK);
    memcpy(g->W.value, W, sizeof W);
    memcpy(g->E.value, E, sizeof E);
    for (int64_t j = 0; j < m; j++) {
        g->b.value[j] = what == TIED ? 0 : b[j];
        if (what == TIED)
            memcpy(g->E.value + j * n, E, n * sizeof(float));
    }
    for (int64_t d = 0; what == WIDE_RANGE && d < n; d++)
        g->E.value[100 * n + d] *= 1000;
    g->pause = filter ? 0 : FOREVER;
    dl_gradient_pack(g);
    dl_gradient_activate(g, what == SOME_ACTIVE ? 5000 : m);
    g->rows = ROWS;
    return g;
}

static void release(dl_gradient *g) {
    dl_gradient_free(g);
    free(g);
}

static void load(dl_gradient *g, int step, kind what) {
    memcpy(g->Y, Y[step], sizeof Y[step]);
    for (int64_t i = 0; what == ZEROS && i < ROWS; i += 3)
        memset(g->Y + i * n, 0, n * sizeof(float));
}

static void assert_same(const dl_gradient *a, const dl_gradient *b) {
    for (int64_t i = 0; i < ROWS; i++) {
        assert_int_equal(a->Z.count[i], b->Z.count[i]);
        size_t count = (size_t)a->Z.count[i];
        assert_memory_equal(a->Z.index + i * k, b->Z.index + i * k, count * sizeof(int32_t));
        assert_memory_equal(a->Z.value + i * k, b->Z.value + i * k, count * sizeof(float));
    }
    assert_memory_equal(a->R, b->R, ROWS * n * sizeof(float));
    assert_memory_equal(a->W.value, b->W.value, (size_t)(m * n) * sizeof(float));
    assert_memory_equal(a->E.value, b->E.value, (size_t)(m * n) * sizeof(float));
    assert_memory_equal(a->b.value, b->b.value, m * sizeof(float));
}

static void compare(int threads, bool positive, kind what) {
    const dl_gradient_rule rule = {
        .rate = 0.01f, .tie = 0.01f, .patience = 2 * ROWS, .growth = 1.01f, .lift = 0.01f};
    dl_gradient *with = make(threads, positive, what, true), *without = make(threads, positive, what, false);
    assert_true(dl_gradient_filters(with) && !dl_gradient_filters(without));
    for (int step = 0; step < STEPS; step++) {
        load(with, step, what);
        load(without, step, what);
        dl_gradient_code(with);
        dl_gradient_code(without);
        dl_gradient_step(with, &rule);
        dl_gradient_step(without, &rule);
        assert_same(with, without);
        if (what == SOME_ACTIVE && step == 1) {
            dl_gradient_activate(with, m);
            dl_gradient_activate(without, m);
        }
        if (with->pause > 1)
            with->pause = 1; /* returns to the filter after the next batch */
    }
    release(with);
    release(without);
}

static void same_bytes(void **state) {
    (void)state;
    if (!dl_kernels_now()->above16)
        skip(); /* a CPU without products of integers has no filter */
    for (int what = 0; what < KINDS; what++)
        for (int threads = 1; threads <= 2; threads++)
            compare(threads, (what + threads) % 2, (kind)what);
}

/* A filter that fails rests, and is tried again. */
static void rests(void **state) {
    (void)state;
    if (!dl_kernels_now()->above16)
        skip();
    dl_gradient *g = make(1, false, TIED, true);
    load(g, 0, TIED);
    dl_gradient_code(g);
    assert_false(dl_gradient_filters(g));
    int64_t batches = g->pause;
    assert_in_range(batches, 2, 1000);
    memcpy(g->E.value, E, sizeof E);
    dl_gradient_pack(g);
    for (int64_t batch = 0; batch < batches; batch++) {
        assert_false(dl_gradient_filters(g));
        dl_gradient_code(g);
    }
    assert_true(dl_gradient_filters(g));
    dl_gradient_code(g);
    assert_true(dl_gradient_filters(g));
    release(g);
}

TESTS_MAIN(cmocka_unit_test_setup(same_bytes, fill), cmocka_unit_test(rests))
