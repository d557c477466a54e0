/* Kernels of networks at every level: random numbers against the generator of base, all others against plain
 * loops and to the same bytes at every level; the statistics of dropout. */
#include "test_util.h"

#include "kernels/kernels.h"
#include "network/dropout.h"

#include <math.h>

enum { MOST = 150 };

static void draws(void **state) {
    (void)state;
    const uint64_t seed = 0x123456789abcdefull, groups[] = {0, 1, 77, 0xffffffffull, 0x123456789aull};
    const dl_kernels *kernels;
    for (int l = 0; (kernels = dl_kernels_level(l)); l++)
        for (int g = 0; g < 5; g++) {
            uint16_t got[DL_DRAWS];
            kernels->draws16(seed, 9, groups[g], got);
            for (int block = 0; block < DL_DRAWS / 8; block++) {
                uint64_t index = groups[g] * (DL_DRAWS / 8) + (uint64_t)block;
                uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), 9, 0};
                uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)}, out[4];
                dl_philox(counter, key, out);
                for (int word = 0; word < 4; word++) {
                    assert_int_equal(got[32 * word + block], out[word] & 0xffff);
                    assert_int_equal(got[32 * word + 16 + block], out[word] >> 16);
                }
            }
        }
}

static void activations(void **state) {
    (void)state;
    float y[MOST + 1], bias[MOST], delta[MOST + 1], before[MOST + 1];
    uint16_t draw[MOST];
    const dl_kernels *kernels;
    for (int l = 0; (kernels = dl_kernels_level(l)); l++)
        for (int64_t n = 1; n <= MOST; n++) {
            fill_normal(y, n + 1);
            fill_normal(bias, n);
            fill_normal(delta, n + 1);
            memcpy(before, y, sizeof before);
            kernels->relu(y, bias, n);
            for (int64_t i = 0; i < n; i++)
                assert_true(y[i] == fmaxf(before[i] + bias[i], 0));
            assert_true(y[n] == before[n]);
            memcpy(before, delta, sizeof before);
            kernels->relu_slope(delta, y, n);
            for (int64_t i = 0; i < n; i++)
                assert_true(delta[i] == (y[i] > 0 ? before[i] : 0));
            for (int64_t i = 0; i < n; i++)
                draw[i] = (uint16_t)below(4);
            kernels->drop(before, draw, n, 2, 1.5f);
            for (int64_t i = 0; i < n; i++)
                assert_true(draw[i] < 2 ? before[i] == 0 : y[i] == 0 || before[i] == 1.5f * delta[i]);
            y[0] = NAN; /* a diverged network must stay visible */
            kernels->relu(y, bias, 1);
            assert_true(isnan(y[0]));
        }
}

static void steps(void **state) {
    (void)state;
    const dl_sgd_factors sgd = {0.1f, 0.9f, 0.01f, 1, 0.9f};
    const dl_adam_factors adam = {0.1f, 0.9f, 0.999f, 1e-4f, 0.01f};
    float start[4][MOST + 1], p[MOST + 1], moment[MOST + 1], square[MOST + 1], first[3][MOST + 1];
    const dl_kernels *kernels;
    for (int a = 0; a < 4; a++)
        fill_normal(start[a], MOST + 1);
    for (int i = 0; i <= MOST; i++)
        start[2][i] = fabsf(start[2][i]);
    for (int64_t n = 1; n <= MOST; n++)
        for (int which = 0; which < 2; which++)
            for (int l = 0; (kernels = dl_kernels_level(l)); l++) {
                memcpy(p, start[0], sizeof p);
                memcpy(moment, start[1], sizeof p);
                memcpy(square, start[2], sizeof p);
                if (which == 0)
                    kernels->sgd(p, moment, start[3], n, sgd);
                else
                    kernels->adam(p, moment, square, start[3], n, adam);
                if (l == 0) {
                    memcpy(first[0], p, sizeof p);
                    memcpy(first[1], moment, sizeof p);
                    memcpy(first[2], square, sizeof p);
                }
                assert_memory_equal(first[0], p, sizeof p);
                assert_memory_equal(first[1], moment, sizeof p);
                assert_memory_equal(first[2], square, sizeof p);
                assert_true(p[n] == start[0][n] && moment[n] == start[1][n] && square[n] == start[2][n]);
                assert_true(p[n - 1] != start[0][n - 1]);
            }
}

/* The share of zeros is p, kept values are scaled so that the mean stays, and neither rows, layers, steps nor
 * seeds repeat each other. */
static void dropout_statistics(void **state) {
    (void)state;
    enum { ROWS = 200, WIDTH = 300 };
    static float y[4][ROWS * WIDTH];
    const double shares[] = {0.1, 0.2, 0.5, 0.9};
    for (int s = 0; s < 4; s++) {
        dl_dropout variants[4] = {
            dl_dropout_new(shares[s], 1, 1, WIDTH), dl_dropout_new(shares[s], 1, 2, WIDTH),
            dl_dropout_new(shares[s], 2, 1, WIDTH), dl_dropout_new(shares[s], 1, 1, WIDTH)};
        for (int v = 0; v < 4; v++) {
            double sum = 0, zeros = 0;
            for (int i = 0; i < ROWS * WIDTH; i++)
                y[v][i] = 1;
            for (int64_t tile = 0; tile < 3; tile++)
                dl_dropout_apply(&variants[v], v == 3 ? ROWS : 0, ROWS, dl_units(WIDTH, tile), y[v]);
            for (int i = 0; i < ROWS * WIDTH; i++) {
                sum += (double)y[v][i];
                zeros += y[v][i] == 0;
                assert_true(y[v][i] == 0 || fabs((double)y[v][i] * (1 - shares[s]) - 1) < 1e-3);
            }
            double count = ROWS * WIDTH, sd = sqrt(shares[s] * (1 - shares[s]) / count);
            assert_true(fabs(zeros / count - shares[s]) < 5 * sd);
            assert_true(fabs(sum / count - 1) < 5 * sd / (1 - shares[s]) + 1e-4);
        }
        for (int v = 1; v < 4; v++) {
            double both = 0, count = ROWS * WIDTH, square = shares[s] * shares[s];
            for (int i = 0; i < ROWS * WIDTH; i++)
                both += y[0][i] == 0 && y[v][i] == 0;
            assert_true(fabs(both / count - square) < 5 * sqrt(square * (1 - square) / count));
        }
    }
}

TESTS_MAIN(cmocka_unit_test(draws), cmocka_unit_test(activations), cmocka_unit_test(steps),
           cmocka_unit_test(dropout_statistics))
