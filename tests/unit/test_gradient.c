/* The gradient learner: gradients against finite differences, steps against dense loops in double. */
#include "learning/gradient/gradient.h"
#include "test_small_learner.h"

#include <stdio.h>

enum { m = 9, n = 5, k = 3, ROWS = 7 };

static const dl_gradient_rule plain = {.rate = 0.01f, .growth = 1, .from_center = true};

/* Random parameters and a coded batch. */
static void make(dl_gradient *g, bool positive, int threads) {
    assert_int_equal(dl_gradient_alloc(g, threads, m, n, k, positive, false, ROWS), DLTF_OK);
    double *W = new_dictionary(m, n);
    for (int64_t i = 0; i < m * n; i++)
        g->W.value[i] = (float)W[i];
    fill_normal(g->E.value, m * n);
    fill_normal(g->b.value, m);
    fill_normal(g->Y, ROWS * n);
    free(W);
    dl_gradient_pack(g);
    g->rows = ROWS;
    dl_gradient_code(g);
}

/* 1/2 sum ||y - Wz||^2 / ROWS with codes on the supports that were chosen, from parameters in double. */
static double loss(const dl_gradient *g, const double *W, const double *E, const double *b) {
    double sum = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        double r[n];
        for (int64_t d = 0; d < n; d++)
            r[d] = (double)g->Y[i * n + d];
        for (int64_t e = i * k; e < i * k + g->Z.count[i]; e++) {
            int64_t j = g->Z.index[e];
            double z = -b[j];
            for (int64_t d = 0; d < n; d++)
                z += E[j * n + d] * (double)g->Y[i * n + d];
            for (int64_t d = 0; d < n; d++)
                r[d] -= z * W[j * n + d];
        }
        sum += dot_f64(r, r, n) / 2 / ROWS;
    }
    return sum;
}

static double difference(const dl_gradient *g, double *W, double *E, double *b, double *at) {
    double keep = *at, step = 1e-6;
    *at = keep + step;
    double above = loss(g, W, E, b);
    *at = keep - step;
    double below = loss(g, W, E, b);
    *at = keep;
    return (above - below) / (2 * step);
}

/* The mean of the batch where the encoder is learned from y - c, otherwise 0. */
static void center_of(const dl_gradient *g, double *c) {
    for (int64_t d = 0; d < n; d++) {
        c[d] = 0;
        for (int64_t i = 0; g->positive && i < ROWS; i++)
            c[d] += (double)g->Y[i * n + d] / ROWS;
    }
}

/* After the first step a moment is a tenth of the gradient; that of E is taken with the score of c fixed. */
static void gradients(void **state) {
    (void)state;
    for (int positive = 0; positive < 2; positive++) {
        dl_gradient g;
        make(&g, positive, 1);
        double *W = new_wide(g.W.value, m * n), *E = new_wide(g.E.value, m * n), *b = new_wide(g.b.value, m);
        double *w_slope = new_f64(m * n), *e_slope = new_f64(m * n), *b_slope = new_f64(m), c[n];
        center_of(&g, c);
        for (int64_t i = 0; i < m * n; i++) {
            w_slope[i] = difference(&g, W, E, b, &W[i]);
            e_slope[i] = difference(&g, W, E, b, &E[i]);
        }
        for (int64_t j = 0; j < m; j++) {
            b_slope[j] = difference(&g, W, E, b, &b[j]);
            double along = dot_f64(w_slope + j * n, W + j * n, n) / dot_f64(W + j * n, W + j * n, n);
            for (int64_t d = 0; d < n; d++) {
                w_slope[j * n + d] -= along * W[j * n + d];
                e_slope[j * n + d] += b_slope[j] * c[d];
            }
        }
        dl_gradient_step(&g, &plain);
        for (int64_t i = 0; i < m * n; i++) {
            assert_near(10 * (double)g.W.moment[i], w_slope[i], 1e-5);
            assert_near(10 * (double)g.E.moment[i], e_slope[i], 1e-5);
        }
        for (int64_t j = 0; j < m; j++)
            assert_near(10 * (double)g.b.moment[j], b_slope[j], 1e-5);
        free(W);
        free(E);
        free(b);
        free(w_slope);
        free(e_slope);
        free(b_slope);
        dl_gradient_free(&g);
    }
}

/* With refit: values are those of least squares, D is what scores lack of them. */
static void refitted(void **state) {
    (void)state;
    dl_gradient g, plain_codes;
    make(&plain_codes, false, 1);
    make(&g, false, 1);
    memcpy(g.Y, plain_codes.Y, ROWS * n * sizeof *g.Y);
    memcpy(g.W.value, plain_codes.W.value, m * n * sizeof *g.Y);
    memcpy(g.E.value, plain_codes.E.value, m * n * sizeof *g.Y);
    memcpy(g.b.value, plain_codes.b.value, m * sizeof *g.Y);
    dl_gradient_pack(&g);
    assert_int_equal(dl_gradient_alloc_refit(&g), DLTF_OK);
    g.refit = true;
    dl_gradient_error raw = dl_gradient_code(&plain_codes), best = dl_gradient_code(&g);
    assert_true(best.left < raw.left && best.energy == raw.energy);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t e = i * k; e < i * k + g.Z.count[i]; e++) {
            assert_int_equal(g.Z.index[e], plain_codes.Z.index[e]);
            assert_near((double)g.D[e], (double)(g.Z.value[e] - plain_codes.Z.value[e]), 1e-5);
            double along = 0; /* the residual is orthogonal to every atom of the code */
            for (int64_t d = 0; d < n; d++)
                along += (double)g.R[i * n + d] * (double)g.W.value[g.Z.index[e] * n + d];
            assert_near(along, 0, 1e-4);
        }
    dl_gradient_free(&plain_codes);
    dl_gradient_free(&g);
}

/* ---- Steps against dense loops ---- */

typedef struct dense {
    double W[m * n], E[m * n], b[m], mW[m * n], mE[m * n], mb[m], vW[m], vE[m], vb[m];
    int t[m];
} dense;

static void dense_adam(double *p, double *moment, double *v, const double *slope, int64_t count, int t,
                       double rate) {
    *v = 0.99 * *v + 0.01 * dot_f64(slope, slope, count) / (double)count;
    for (int64_t i = 0; i < count; i++) {
        moment[i] = 0.9 * moment[i] + 0.1 * slope[i];
        p[i] -= rate * (moment[i] / (1 - pow(0.9, t))) / (sqrt(*v / (1 - pow(0.99, t))) + 1e-8);
    }
}

/* The same step from Y and the supports of the batch, densely: every atom visits every sample. */
static void dense_step(dense *s, const dl_gradient *g, double rate, double tie) {
    double z[ROWS * m] = {0}, r[ROWS * n], d, center[n];
    center_of(g, center);
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t c = 0; c < n; c++)
            r[i * n + c] = (double)g->Y[i * n + c];
        for (int64_t e = i * k; e < i * k + g->Z.count[i]; e++) {
            int64_t j = g->Z.index[e];
            for (int64_t c = 0; c < n; c++)
                z[i * m + j] += s->E[j * n + c] * (double)g->Y[i * n + c];
            z[i * m + j] -= s->b[j];
            for (int64_t c = 0; c < n; c++)
                r[i * n + c] -= z[i * m + j] * s->W[j * n + c];
        }
    }
    for (int64_t j = 0; j < m; j++) {
        double w_slope[n] = {0}, e_slope[n] = {0}, b_slope = 0, *w = s->W + j * n, *e = s->E + j * n;
        bool used = false;
        for (int64_t i = 0; i < ROWS; i++) {
            if (z[i * m + j] == 0)
                continue;
            used = true;
            d = dot_f64(w, r + i * n, n);
            for (int64_t c = 0; c < n; c++) {
                w_slope[c] -= z[i * m + j] * r[i * n + c] / ROWS;
                e_slope[c] -= d * ((double)g->Y[i * n + c] - center[c]) / ROWS;
            }
            b_slope += d / ROWS;
        }
        if (!used)
            continue;
        double along = dot_f64(w_slope, w, n), before = dot_f64(e, center, n);
        for (int64_t c = 0; c < n; c++)
            w_slope[c] -= along * w[c];
        s->t[j]++;
        dense_adam(w, s->mW + j * n, &s->vW[j], w_slope, n, s->t[j], rate);
        dense_adam(e, s->mE + j * n, &s->vE[j], e_slope, n, s->t[j], rate);
        dense_adam(&s->b[j], &s->mb[j], &s->vb[j], &b_slope, 1, s->t[j], rate);
        double on = dot_f64(e, w, n), norm;
        for (int64_t c = 0; c < n; c++)
            e[c] += tie * (on * w[c] - e[c]);
        s->b[j] += dot_f64(e, center, n) - before;
        norm = sqrt(dot_f64(w, w, n));
        for (int64_t c = 0; c < n; c++)
            w[c] /= norm;
    }
}

static void compare_steps(bool positive) {
    dl_gradient g;
    make(&g, positive, 2);
    dense s;
    memset(&s, 0, sizeof s);
    for (int64_t i = 0; i < m * n; i++) {
        s.W[i] = (double)g.W.value[i];
        s.E[i] = (double)g.E.value[i];
    }
    for (int64_t j = 0; j < m; j++)
        s.b[j] = (double)g.b.value[j];
    dl_gradient_rule rule = {.rate = 0.01f, .tie = 0.02f, .growth = 1, .from_center = true};
    for (int step = 0; step < 20; step++) {
        fill_normal(g.Y, ROWS * n);
        dl_gradient_code(&g);
        dense_step(&s, &g, 0.01, 0.02);
        dl_gradient_step(&g, &rule);
        for (int64_t i = 0; i < m * n; i++) {
            assert_near((double)g.W.value[i], s.W[i], 1e-4);
            assert_near((double)g.E.value[i], s.E[i], 1e-4);
        }
        for (int64_t j = 0; j < m; j++) {
            assert_near((double)g.b.value[j], s.b[j], 1e-4);
            assert_true(g.packed.bias[j] == -g.b.value[j]);
            for (int64_t d = 0; d < n; d++)
                assert_true(g.packed.data[d * DL_PANEL + j] == g.E.value[j * n + d]);
        }
    }
    dl_gradient_free(&g);
}

static void steps_by_loops(void **state) {
    (void)state;
    compare_steps(false);
    compare_steps(true);
}

/* As a rank may have it: a batch without samples has no codes and no error. */
static void empty_batch(void **state) {
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        dl_gradient g;
        make(&g, false, threads);
        g.rows = 0;
        dl_gradient_error error = dl_gradient_code(&g);
        assert_true(error.left == 0 && error.energy == 0);
        dl_gradient_free(&g);
    }
}

/* An unused atom is unchanged until its patience ends; then its encoder row grows (abs) or its bias falls
 * (positive), up to a bound. */
static void unused_atoms(void **state) {
    (void)state;
    for (int positive = 0; positive < 2; positive++) {
        dl_gradient g;
        make(&g, positive, 1);
        for (int64_t i = 0; i < ROWS * n; i++)
            g.Y[i] = 1;
        for (int64_t d = 0; d < n; d++)
            g.E.value[d] = -1e-4f; /* atom 0: scores -.0005 - b */
        g.b.value[0] = positive ? 10 : 0;
        dl_gradient_rule rule = {
            .rate = 0, .patience = 2 * ROWS, .growth = 1.01f, .lift = 0.5f, .from_center = true};
        dl_gradient_pack(&g);
        for (int step = 0; step < 2; step++) {
            dl_gradient_code(&g);
            dl_gradient_step(&g, &rule);
            assert_true(g.E.value[0] == -1e-4f && g.updates[0] == 0 && g.idle[0] == (step + 1) * ROWS);
        }
        for (int step = 0; step < 10; step++) {
            dl_gradient_code(&g);
            dl_gradient_step(&g, &rule);
        }
        assert_near((double)g.E.value[0], -1e-4 * (positive ? 1 : pow(1.01, 10)), 1e-9);
        assert_near((double)g.b.value[0], positive ? 5 : 0, 1e-6);
        assert_true(g.packed.data[0] == g.E.value[0] && g.packed.bias[0] == -g.b.value[0]);
        for (int64_t d = 0; d < n; d++)
            g.E.value[d] *= positive ? 1e5f : 1e9f; /* at the bound: left as it is */
        g.b.value[0] = -100;
        float b = g.b.value[0], e = g.E.value[0];
        for (int64_t i = 0; i < ROWS * k; i++)
            g.Z.index[i] = g.Z.index[i] == 0 ? 1 : g.Z.index[i];
        dl_gradient_step(&g, &rule);
        assert_true(g.b.value[0] == b && g.E.value[0] == e);
        dl_gradient_free(&g);
    }
}

TESTS_MAIN(cmocka_unit_test(gradients), cmocka_unit_test(refitted), cmocka_unit_test(steps_by_loops),
           cmocka_unit_test(empty_batch), cmocka_unit_test(unused_atoms))
