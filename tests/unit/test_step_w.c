/* The W-step: objective and gradient against loops and finite differences, properties of the search. */
#include "learning/paper/step_w.h"
#include "reference/learning.h"
#include "reference/reference.h"

#include "test_learning.h"

/* A random W-subproblem whose statistics were computed by loops in double. */
typedef struct instance {
    int64_t m, n, N;
    double *W, *X, *Z, *M;
    ref_statistics sums;
    dl_statistics s;
    dl_w_problem problem;
    dl_w_space space;
} instance;

static void draw(double *x, int64_t count, double share) {
    for (int64_t i = 0; i < count; i++)
        x[i] = below(1000) < (int64_t)(1000 * share) ? normal() : 0;
}

static void make(instance *t, int64_t m, int64_t n, int64_t N, double theta, double beta) {
    *t = (instance){
        .m = m, .n = n, .N = N, .W = new_dictionary(m, n), .X = new_f64(N * n), .Z = new_f64(N * m)};
    draw(t->X, N * n, 1);
    draw(t->Z, N * m, 0.3);
    if (beta > 0) {
        t->M = new_f64(N * m);
        draw(t->M, N * m, 1);
    }
    t->sums = ref_statistics_new(t->X, t->Z, t->M, m, n, N);
    t->s = (dl_statistics){.m = m,
                           .n = n,
                           .C = t->sums.C,
                           .D = t->sums.D,
                           .F = t->sums.F,
                           .H = t->sums.H,
                           .M_square = t->sums.M_square,
                           .threads = 1};
    t->problem = (dl_w_problem){.s = &t->s,
                                .A = beta > 0 ? t->sums.A : NULL,
                                .X_square = t->sums.X_square,
                                .rho = 0.7,
                                .theta = theta,
                                .beta = beta};
    assert_int_equal(dl_w_space_alloc(&t->space, 2, m, n, beta > 0), DLTF_OK);
}

static void release(instance *t) {
    free(t->W);
    free(t->X);
    free(t->Z);
    free(t->M);
    ref_statistics_free(&t->sums);
    dl_w_space_free(&t->space);
}

static double by_loops(const instance *t, const double *W) {
    return ref_w_objective(W, t->X, t->Z, t->M, t->m, t->n, t->N, t->problem.rho, t->problem.theta,
                           t->problem.beta);
}

static const int64_t shapes[][2] = {{1, 1}, {1, 5}, {6, 1}, {4, 9}, {9, 4}, {7, 7}, {20, 6}, {70, 3}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void objective(void **state) {
    (void)state;
    for (int trial = 0; trial < 4 * SHAPES; trial++) {
        instance t;
        double theta = trial % 2 ? 0.3 : 2, beta = trial / 2 % 2 ? 0.9 : 0;
        make(&t, shapes[trial / 4][0], shapes[trial / 4][1], between(1, 40), theta, beta);
        for (int point = 0; point < 3; point++) { /* also at atoms that are not unit-norm */
            double wanted = by_loops(&t, t.W), residual = 0, incoherence = 0;
            assert_near(dl_w_objective(&t.problem, t.W, &t.space), wanted, 1e-10 * wanted);
            residual = ref_w_objective(t.W, t.X, t.Z, NULL, t.m, t.n, t.N, 0, 2, 0);
            incoherence = ref_w_objective(t.W, t.X, t.Z, NULL, t.m, t.n, t.N, 1, 0, 0);
            assert_near(dl_w_residual(&t.problem, t.W, t.space.G), residual,
                        1e-10 * (residual + t.sums.X_square));
            assert_near(dl_w_incoherence(t.space.G, t.m), incoherence, 1e-10 * (1 + incoherence));
            draw(t.W, t.m * t.n, 1);
        }
        release(&t);
    }
}

/* f is a polynomial of degree 4 along any line: the fourth-order central difference is exact up to rounding.
 */
static double difference(const instance *t, double *W, int64_t entry) {
    const double h = 0.05;
    double at = W[entry], f[4], places[] = {-2, -1, 1, 2};
    for (int i = 0; i < 4; i++) {
        W[entry] = at + places[i] * h;
        f[i] = by_loops(t, W);
    }
    W[entry] = at;
    return (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h);
}

static double gradient_error(instance *t) {
    double wrong = 0, size = 0;
    dl_w_objective(&t->problem, t->W, &t->space);
    dl_w_gradient(&t->problem, t->W, &t->space);
    for (int64_t i = 0; i < t->m * t->n; i++) {
        double d = difference(t, t->W, i);
        wrong += (t->space.gradient[i] - d) * (t->space.gradient[i] - d);
        size += d * d;
    }
    return sqrt(wrong / (size + 1e-300));
}

static void gradient(void **state) {
    (void)state;
    double worst = 0;
    for (int trial = 0; trial < 4 * SHAPES; trial++) {
        instance t;
        int64_t m = shapes[trial / 4][0], n = shapes[trial / 4][1];
        make(&t, m < 30 ? m : 12, n, between(2, 25), trial % 2 ? 0.3 : 0, trial / 2 % 2 ? 0.9 : 0);
        if (trial % 4 == 0)
            t.problem.theta = 1;
        if (t.m > 1 || trial % 4 != 0)
            draw(t.W, t.m * t.n, 1); /* at atoms of any norm, to detect errors along the atom */
        worst = larger(worst, gradient_error(&t));
        release(&t);
    }
    print_message("gradient: largest relative error %.1e\n", worst);
    assert_true(worst < 1e-9);
}

/* Each term alone, so that errors in a small one show. */
static void gradient_of_each_term(void **state) {
    (void)state;
    for (int term = 0; term < 3; term++) {
        instance t;
        make(&t, 8, 5, 12, term == 1, 0.9);
        t.problem.rho = term == 0;
        t.problem.beta = term == 2;
        t.problem.theta = term == 1;
        draw(t.W, t.m * t.n, 1);
        assert_true(gradient_error(&t) < 1e-9);
        release(&t);
    }
}

static double frame_potential(const double *W, int64_t m, int64_t n) {
    double *G = new_gram(W, m, n), sum = dot_f64(G, G, m * m);
    free(G);
    return sum;
}

/* One call; its outcome is checked by loops. */
static void assert_step(instance *t, int steps, double *tau) {
    double before = by_loops(t, t->W);
    dl_search_outcome outcome = dl_w_step(&t->problem, steps, tau, t->W, &t->space);
    double after = by_loops(t, t->W), rounding = 1e-9 * (1 + before);
    assert_near(outcome.before, before, rounding);
    assert_near(outcome.after, after, rounding);
    assert_true(outcome.worst_excess <= 0); /* never above the non-monotone reference value */
    assert_true(outcome.after <= outcome.before * (1 + 1e-15)); /* the reference value is rounded */
    assert_true(isfinite(*tau) && *tau > 0);
    assert_unit_rows(t->W, t->m, t->n, 1e-12);
}

/* One step of given length: the closed form of the Cayley curve with the whole gradient g and h = tau/2,
 *   w(tau) = {[(1 + h w^T g)^2 - h^2 ||g||^2] w - tau g} / (1 + h^2 (||g||^2 - (w^T g)^2)). */
static void follows_the_curve(void **state) {
    (void)state;
    for (int trial = 0; trial < 8; trial++) {
        instance t;
        make(&t, 9, trial % 2 ? 5 : 12, 20, 0.5, trial / 2 % 2 ? 0.3 : 0);
        double tau = 0.05, g[9 * 12], wanted[9 * 12], f = by_loops(&t, t.W);
        for (int64_t i = 0; i < t.m * t.n; i++)
            g[i] = difference(&t, t.W, i);
        double first = tau, after = INFINITY;
        for (; !(after < f); first /= 10) { /* backtracks like the search */
            double h = first / 2;
            for (int64_t j = 0; j < t.m; j++) {
                const double *w = t.W + j * t.n, *d = g + j * t.n;
                double gg = dot_f64(d, d, t.n), wg = dot_f64(w, d, t.n);
                double keep = (1 + h * wg) * (1 + h * wg) - h * h * gg, below = 1 + h * h * (gg - wg * wg);
                for (int64_t i = 0; i < t.n; i++)
                    wanted[j * t.n + i] = (keep * w[i] - first * d[i]) / below;
            }
            after = by_loops(&t, wanted);
        }
        dl_w_step(&t.problem, 1, &tau, t.W, &t.space);
        assert_all_near(t.W, wanted, t.m * t.n, 1e-9);
        release(&t);
    }
}

static void descends(void **state) {
    (void)state;
    for (int trial = 0; trial < 4 * SHAPES; trial++) {
        instance t;
        double tau = pow(10, (double)between(-6, 3));
        make(&t, shapes[trial / 4][0], shapes[trial / 4][1], between(1, 40), trial % 2 ? 0.3 : 20,
             trial / 2 % 2 ? 0.9 : 0);
        double first = by_loops(&t, t.W);
        for (int call = 0; call < 20; call++)
            assert_step(&t, 10, &tau);
        if (t.n > 1) /* for n = 1 only the sign can change */
            assert_true(by_loops(&t, t.W) < first);
        release(&t);
    }
}

/* The result is a stationary point on the spheres: the gradient is parallel to each atom. */
static void reaches_a_stationary_point(void **state) {
    (void)state;
    for (int admm = 0; admm < 2; admm++) {
        instance t;
        double tau = 1e-3;
        make(&t, 10, 6, 30, 0.5, admm ? 0.4 : 0);
        for (int call = 0; call < 100; call++)
            dl_w_step(&t.problem, 10, &tau, t.W, &t.space);
        dl_w_objective(&t.problem, t.W, &t.space);
        dl_w_gradient(&t.problem, t.W, &t.space);
        double tangent = 0, size = dot_f64(t.space.gradient, t.space.gradient, t.m * t.n);
        for (int64_t j = 0; j < t.m; j++) {
            const double *g = t.space.gradient + j * t.n, *w = t.W + j * t.n;
            double along = dot_f64(g, w, t.n);
            tangent += dot_f64(g, g, t.n) - along * along;
        }
        assert_true(tangent < 1e-8 * size);
        release(&t);
    }
}

/* Norms once drifted to 1.5 here: the radial part of the gradient is large, the tangential part small. */
static void keeps_norms_over_many_steps(void **state) {
    (void)state;
    for (int trial = 0; trial < 3; trial++) {
        instance t;
        double tau = 1e-3;
        make(&t, 40, 16, 60, trial == 0 ? 0.003 : trial == 1 ? 0 : 1e-6, trial == 2 ? 1e-3 : 0);
        assert_step(&t, 300, &tau);
        for (int call = 0; call < 30; call++)
            assert_step(&t, 10, &tau);
        release(&t);
    }
}

static void tight_frames(void **state) {
    (void)state;
    const int64_t sizes[][2] = {{8, 4}, {20, 7}, {24, 16}, {6, 6}, {5, 12}, {1, 4}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        instance t;
        int64_t m = sizes[i][0], n = sizes[i][1];
        double tau = 1e-3, least = m > n ? (double)(m * m) / (double)n : (double)m;
        make(&t, m, n, 3, 0, 0);
        for (int call = 0; call < 60; call++)
            dl_w_step(&t.problem, 10, &tau, t.W, &t.space);
        assert_near(frame_potential(t.W, m, n), least, 1e-6 * least);
        double *G = new_gram(t.W, m, n);
        for (int64_t p = 0; p < m && m <= n; p++)
            for (int64_t q = 0; q < m; q++)
                assert_near(G[p * m + q], p == q, 1e-4);
        free(G);
        release(&t);
    }
}

static void any_number_of_threads(void **state) {
    (void)state;
    enum { m = 150, n = 20 };
    instance t;
    make(&t, m, n, 30, 0.3, 0.4);
    double *start = new_f64(m * n), *one = new_f64(m * n);
    memcpy(start, t.W, m * n * sizeof *start);
    for (int threads = 1; threads <= 3; threads++) {
        double tau = 1e-3;
        t.space.threads = threads;
        memcpy(t.W, start, m * n * sizeof *start);
        dl_w_step(&t.problem, 5, &tau, t.W, &t.space);
        if (threads == 1)
            memcpy(one, t.W, m * n * sizeof *one);
        assert_memory_equal(t.W, one, m * n * sizeof *one);
    }
    free(start);
    free(one);
    release(&t);
}

static dltf_status make_space(void) {
    dl_w_space space;
    dltf_status status = dl_w_space_alloc(&space, 1, 5, 4, true);
    dl_w_space_free(&space);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    assert_survives_lack_of_memory(make_space(), 9);
}

TESTS_MAIN(cmocka_unit_test(objective), cmocka_unit_test(gradient), cmocka_unit_test(gradient_of_each_term),
           cmocka_unit_test(follows_the_curve), cmocka_unit_test(descends),
           cmocka_unit_test(reaches_a_stationary_point), cmocka_unit_test(keeps_norms_over_many_steps),
           cmocka_unit_test(tight_frames), cmocka_unit_test(any_number_of_threads),
           cmocka_unit_test(out_of_memory))
