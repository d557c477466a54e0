/* The Q- and the Y-step against Algorithm 1 and loops. */
#include "learning/paper/step_q.h"
#include "learning/paper/step_y.h"
#include "reference/reference.h"

#include "test_learning.h"

typedef struct instance {
    int64_t m, k, rows;
    double gamma, beta;
    float *P, *Y, *Q, *old, *M;
    dl_z_space space;
} instance;

static void make(instance *t, int64_t m, int64_t k, int64_t rows, double gamma, double beta) {
    *t = (instance){.m = m, .k = k, .rows = rows, .gamma = gamma, .beta = beta};
    float **all[] = {&t->P, &t->Y, &t->Q, &t->old, &t->M};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *all[i] = new_f32(rows * m);
        fill_normal(*all[i], rows * m);
    }
    memcpy(t->old, t->Q, (size_t)(rows * m) * sizeof *t->Q);
    assert_int_equal(dl_z_space_alloc(&t->space, m, k), DLTF_OK);
}

static dl_q_outcome step(instance *t) {
    dl_z_problem problem = {.m = t->m, .k = t->k, .beta = t->beta};
    memcpy(t->space.P, t->P, (size_t)(t->rows * t->m) * sizeof *t->P);
    return dl_q_step(&problem, t->gamma, t->rows, t->Y, &t->space, t->Q, t->M);
}

static void release(instance *t) {
    free(t->P);
    free(t->Y);
    free(t->Q);
    free(t->old);
    free(t->M);
    dl_z_space_free(&t->space);
}

/* ||q||^2_{k,2} */
static double top_square(const double *q, int64_t m, int64_t k) {
    int32_t *places = calloc((size_t)m, sizeof *places);
    int64_t count = ref_topk(q, m, k, false, places);
    double sum = 0;
    for (int64_t e = 0; e < count; e++)
        sum += q[places[e]] * q[places[e]];
    free(places);
    return sum;
}

static void check(instance *t) {
    int64_t m = t->m, most = 2 * t->k < m ? 2 * t->k : m;
    dl_q_outcome outcome = step(t);
    double noise = 0, change = 0;
    float *c = new_f32(m), *sorted = new_f32(m);
    for (int64_t i = 0; i < t->rows; i++) {
        const float *p = t->P + i * m, *y = t->Y + i * m, *q = t->Q + i * m;
        double size = 1;
        for (int64_t j = 0; j < m; j++) { /* c = W^T (x - Wz) - y / beta, and P = -W^T (x - Wz) */
            c[j] = (float)(-(double)p[j] - (double)y[j] / t->beta);
            size = fmax(size, fabs((double)c[j]));
        }
        assert_int_equal(dltf_prox_sorted(c, m, most, t->gamma, sorted), DLTF_OK);
        double *wanted = new_f64(m), *wide = new_wide(c, m), *got = new_wide(q, m);
        ref_prox(wide, m, most, t->gamma, wanted);
        for (int64_t j = 0; j < m; j++) {
            assert_near((double)q[j], (double)sorted[j], 2e-6 * size);
            assert_near((double)q[j], wanted[j], 2e-6 * size);
            assert_near((double)t->M[i * m + j], (double)q[j] + (double)y[j] / t->beta,
                        1e-6 * (size + fabs((double)y[j]) / t->beta));
            double moved = (double)q[j] - (double)t->old[i * m + j];
            change += moved * moved;
        }
        noise += top_square(got, m, most);
        free(wanted);
        free(wide);
        free(got);
    }
    assert_near(outcome.noise, noise, 1e-9 * (1 + noise));
    assert_near(outcome.change, change, 1e-9 * (1 + change));
    free(c);
    free(sorted);
}

static void q_step(void **state) {
    (void)state;
    const double gammas[] = {0, 1e-3, 0.1, 1, 30};
    for (int trial = 0; trial < sized(60, 20); trial++) {
        instance t;
        int64_t m = trial == 0 ? 1 : between(1, 60);
        int64_t k = trial % 4 == 1 ? (m + 1) / 2 : trial % 4 == 2 ? m : between(1, m); /* 2k = m, 2k > m */
        make(&t, m, k, trial == 3 ? DL_TILE : between(1, 30), gammas[trial % 5], trial % 2 ? 0.5 : 7);
        check(&t);
        release(&t);
    }
}

/* Zero residual and zero multiplier give zero Q, and a second step changes nothing. */
static void q_of_zero(void **state) {
    (void)state;
    instance t;
    make(&t, 10, 2, 4, 0.3, 0.5);
    memset(t.P, 0, 40 * sizeof *t.P);
    memset(t.Y, 0, 40 * sizeof *t.Y);
    check(&t);
    for (int64_t i = 0; i < 40; i++)
        assert_true(t.Q[i] == 0 && t.M[i] == 0);
    dl_q_outcome again = step(&t);
    assert_true(again.noise == 0 && again.change == 0);
    release(&t);
}

/* At the minimiser of lambda/2 ||q||^2 + y(q - s) + beta/2 (q - s)^2, s = W^T(x - Wz), no nearby q is better.
 */
static void q_minimises_the_lagrangian(void **state) {
    (void)state;
    instance t;
    const double beta = 0.8, lambda = 0.4;
    make(&t, 14, 3, 8, lambda / beta, beta);
    step(&t);
    for (int64_t i = 0; i < t.rows; i++) {
        double *q = new_wide(t.Q + i * t.m, t.m), best = INFINITY;
        for (int trial = 0; trial < 300; trial++) {
            double f = 0, *at = new_f64(t.m);
            for (int64_t j = 0; j < t.m; j++) {
                double s = -(double)t.P[i * t.m + j], y = (double)t.Y[i * t.m + j];
                at[j] = q[j] + (trial == 0 ? 0 : 1e-2 * normal());
                f += y * (at[j] - s) + beta / 2 * (at[j] - s) * (at[j] - s);
            }
            f += lambda / 2 * top_square(at, t.m, 6);
            if (trial == 0)
                best = f;
            assert_true(f >= best - 1e-6);
            free(at);
        }
        free(q);
    }
    release(&t);
}

static void y_step(void **state) {
    (void)state;
    for (int trial = 0; trial < 20; trial++) {
        int64_t count = trial == 0 ? 1 : between(1, 500);
        double beta = trial % 2 ? 0.5 : 12.3;
        float *P = new_f32(count), *Q = new_f32(count), *Y = new_f32(count), *old = new_f32(count);
        fill_normal(P, count);
        fill_normal(Q, count);
        fill_normal(Y, count);
        memcpy(old, Y, (size_t)count * sizeof *old);
        dl_y_step(beta, count, P, Q, Y);
        for (int64_t i = 0; i < count; i++) {
            double gap = (double)Q[i] + (double)P[i];
            assert_near((double)Y[i], (double)old[i] + beta * gap, 1e-6 * (1 + beta) * (1 + fabs(gap)));
        }
        free(P);
        free(Q);
        free(Y);
        free(old);
    }
}

TESTS_MAIN(cmocka_unit_test(q_step), cmocka_unit_test(q_of_zero),
           cmocka_unit_test(q_minimises_the_lagrangian), cmocka_unit_test(y_step))
