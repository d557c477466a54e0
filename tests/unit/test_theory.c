/* Coherence, Babel function and frame potential: known values of special frames, inequalities for others. */
#include "dltf.h"

#include "base/memory.h"
#include "base/random.h"
#include "kernels/gram.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "test_failure.h"

static const dl_random source = {.seed = 5, .stream = 1};
static uint64_t drawn;

static double normal(void) {
    return dl_random_normal(source, drawn++);
}

static void assert_near(double x, double expected) {
    if (!(fabs(x - expected) <= 1e-12 * (1 + fabs(expected))))
        fail_msg("%.17g instead of %.17g", x, expected);
}

static double coherence(dltf_matrix W) {
    double mu = -1;
    assert_int_equal(dltf_coherence(W, &mu), DLTF_OK);
    return mu;
}

static double potential(dltf_matrix W) {
    double sum = -1;
    assert_int_equal(dltf_frame_potential(W, &sum), DLTF_OK);
    return sum;
}

static void orthonormal(void **state) {
    (void)state;
    double W[25] = {0}, babel[4];
    for (int i = 0; i < 5; i++)
        W[6 * i] = i % 2 ? -7 : 0.1; /* not unit-norm */
    dltf_matrix frame = dltf_matrix_f64(W, 5, 5);
    assert_near(coherence(frame), 0);
    assert_near(potential(frame), 5);
    assert_int_equal(dltf_babel(frame, 4, babel), DLTF_OK);
    assert_near(babel[3], 0);
}

static void one_atom(void **state) {
    (void)state;
    float w[3] = {1, 2, 2};
    double babel;
    dltf_matrix frame = dltf_matrix_f32(w, 1, 3);
    assert_near(coherence(frame), 0);
    assert_near(potential(frame), 1);
    assert_fails(dltf_babel(frame, 1, &babel), DLTF_ARGUMENT, "has orders 1 to 0");
}

/* Three vectors in the plane at 120 degrees: a tight frame of coherence 1/2. */
static void mercedes_benz(void **state) {
    (void)state;
    const double s = sqrt(3) / 2;
    double W[6] = {0, 1, s, -0.5, -s, -0.5}, babel[2];
    dltf_matrix frame = dltf_matrix_f64(W, 3, 2);
    assert_near(coherence(frame), 0.5);
    assert_near(potential(frame), 4.5);
    assert_int_equal(dltf_babel(frame, 2, babel), DLTF_OK);
    assert_near(babel[0], 0.5);
    assert_near(babel[1], 1);
}

/* The n + 1 vertices of a regular simplex, centered: all cosines are -1/n, and the frame is tight in n
 * dimensions. */
static void simplex(void **state) {
    (void)state;
    enum { M = 8 };
    double W[M * M], babel[M - 1];
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            W[i * M + j] = (i == j) - 1.0 / M;
    dltf_matrix frame = dltf_matrix_f64(W, M, M);
    assert_near(coherence(frame), 1.0 / (M - 1));
    assert_near(potential(frame), (double)(M * M) / (M - 1));
    assert_int_equal(dltf_babel(frame, M - 1, babel), DLTF_OK);
    for (int s = 1; s < M; s++)
        assert_near(babel[s - 1], (double)s / (M - 1));
}

/* Points on circles of different frequencies: harmonic frames are tight, so their potential is m^2/n. */
static void harmonic_frame(void **state) {
    (void)state;
    enum { M = 50, N = 14 };
    double W[M * N];
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N / 2; j++) {
            double angle = 6.283185307179586 * (j + 1) * i / M;
            W[i * N + 2 * j] = cos(angle);
            W[i * N + 2 * j + 1] = sin(angle);
        }
    assert_near(potential(dltf_matrix_f64(W, M, N)), (double)(M * M) / N);
}

/* Babel function of four atoms, by hand. */
static void babel_by_hand(void **state) {
    (void)state;
    /* cosines 01: .6, 02: 0, 03: .8, 12: .8, 13: .48, 23: 0 */
    double W[12] = {1, 0, 0, 0.6, 0.8, 0, 0, 1, 0, -0.8, 0, 0.6}, babel[3];
    assert_int_equal(dltf_babel(dltf_matrix_f64(W, 4, 3), 3, babel), DLTF_OK);
    assert_near(babel[0], 0.8);
    assert_near(babel[1], 1.4);
    assert_near(babel[2], 1.88); /* atom 1: .8 + .6 + .48 */
}

static void inequalities(void **state) {
    (void)state;
    float W[60 * 24];
    double babel[59];
    for (int trial = 0; trial < 60; trial++) {
        int64_t m = 2 + dl_random_below(source, drawn++, 59), n = 1 + dl_random_below(source, drawn++, 24);
        for (int64_t e = 0; e < m * n; e++)
            W[e] = (float)normal();
        dltf_matrix frame = dltf_matrix_f32(W, m, n);
        double mu = coherence(frame), sum = potential(frame), M = (double)m, N = (double)n;
        double welch = m > n ? sqrt((M - N) / (N * (M - 1))) : 0;
        assert_true(mu >= welch - 1e-12 && mu <= 1);
        assert_true(sum >= fmax(M * M / N, M) - 1e-9);
        assert_true(sum <= M + M * (M - 1) * mu * mu + 1e-9);
        assert_int_equal(dltf_babel(frame, m - 1, babel), DLTF_OK);
        assert_near(babel[0], mu);
        for (int64_t s = 1; s < m - 1; s++) {
            assert_true(babel[s] >= babel[s - 1] && babel[s] <= (double)(s + 1) * mu + 1e-12);
            assert_true(s < 2 || babel[s] - babel[s - 1] <= babel[0] + 1e-12);
        }
    }
}

static void gram_rows(void **state) {
    (void)state;
    double x[40], rows[11 * 40], out[11];
    for (int64_t n = 1; n <= 40; n++)
        for (int64_t count = 0; count <= 11; count++) {
            for (int64_t e = 0; e < n; e++)
                x[e] = normal();
            for (int64_t e = 0; e < count * n; e++)
                rows[e] = normal();
            dl_gram_row(x, rows, count, n, out);
            for (int64_t i = 0; i < count; i++) {
                double sum = 0;
                for (int64_t j = 0; j < n; j++)
                    sum += x[j] * rows[i * n + j];
                assert_near(out[i], sum);
            }
        }
}

static void rejects_bad_arguments(void **state) {
    (void)state;
    float W[6] = {1, 0, 0, 1, 0, 0};
    double x[3];
    dltf_matrix frame = dltf_matrix_f32(W, 2, 2);
    assert_fails(dltf_coherence(dltf_matrix_f32(W, 3, 2), x), DLTF_DATA, "row 2 is all zero");
    assert_fails(dltf_coherence(dltf_matrix_f32(W, 0, 2), x), DLTF_ARGUMENT, "0 rows");
    assert_fails(dltf_frame_potential(dltf_matrix_f32(NULL, 2, 2), x), DLTF_ARGUMENT,
                 "the matrix has no data");
    assert_fails(dltf_babel(frame, 0, x), DLTF_ARGUMENT, "order 0 is out of range");
    assert_int_equal(dltf_babel(frame, 2, x), DLTF_ARGUMENT);
    assert_string_equal(dltf_message(),
                        "babel: order 2 is out of range: a dictionary of 2 atoms has orders 1 to 1");
    W[1] = NAN;
    assert_fails(dltf_babel(frame, 1, x), DLTF_DATA, "row 0, column 1 is NaN");
    W[1] = 0;
    for (int n = 1; n <= 2; n++) {
        dl_alloc_fail_after(n);
        assert_int_equal(dltf_coherence(frame, x), DLTF_MEMORY);
        dl_alloc_fail_after(n);
        assert_int_equal(dltf_babel(frame, 1, x), DLTF_MEMORY);
        dl_alloc_fail_after(n);
        assert_int_equal(dltf_frame_potential(frame, x), DLTF_MEMORY);
    }
    dl_alloc_fail_after(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orthonormal),           cmocka_unit_test(one_atom),
        cmocka_unit_test(mercedes_benz),         cmocka_unit_test(simplex),
        cmocka_unit_test(harmonic_frame),        cmocka_unit_test(babel_by_hand),
        cmocka_unit_test(inequalities),          cmocka_unit_test(gram_rows),
        cmocka_unit_test(rejects_bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
