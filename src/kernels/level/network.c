/* Elementwise work of networks: activations, dropout, steps of the optimisers. */
#include "kernels/level/level.h"

#include <math.h>

void DL_LEVELLED(dl_relu)(float *y, const float *bias, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        float sum = y[i] + bias[i];
        y[i] = sum < 0 ? 0 : sum;
    }
}

void DL_LEVELLED(dl_relu_slope)(float *delta, const float *y, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        delta[i] = y[i] > 0 ? delta[i] : 0;
}

enum { BLOCKS = DL_DRAWS / 8, ROUNDS = 10 };

/* One round of Philox on BLOCKS counters, one per lane. */
static inline __attribute__((always_inline)) void philox_round(uint32_t c[4][BLOCKS], uint32_t key0,
                                                               uint32_t key1) {
    for (int l = 0; l < BLOCKS; l++) {
        uint64_t product0 = (uint64_t)0xD2511F53u * c[0][l];
        uint64_t product1 = (uint64_t)0xCD9E8D57u * c[2][l];
        c[0][l] = (uint32_t)(product1 >> 32) ^ c[1][l] ^ key0;
        c[2][l] = (uint32_t)(product0 >> 32) ^ c[3][l] ^ key1;
        c[1][l] = (uint32_t)product1;
        c[3][l] = (uint32_t)product0;
    }
}

void DL_LEVELLED(dl_draws16)(uint64_t seed, uint32_t stream, uint64_t group, uint16_t draws[DL_DRAWS]) {
    uint32_t c[4][BLOCKS], key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
    for (int l = 0; l < BLOCKS; l++) {
        uint64_t block = group * BLOCKS + (uint64_t)l;
        c[0][l] = (uint32_t)block;
        c[1][l] = (uint32_t)(block >> 32);
        c[2][l] = stream;
        c[3][l] = 0;
    }
    for (int round = 0; round < ROUNDS; round++) {
        philox_round(c, key0, key1);
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    for (int word = 0; word < 4; word++)
        for (int l = 0; l < BLOCKS; l++) {
            draws[2 * word * BLOCKS + l] = (uint16_t)c[word][l];
            draws[(2 * word + 1) * BLOCKS + l] = (uint16_t)(c[word][l] >> 16);
        }
}

void DL_LEVELLED(dl_drop)(float *y, const uint16_t *draws, int64_t n, int32_t threshold, float scale) {
    for (int64_t i = 0; i < n; i++)
        y[i] = (int32_t)draws[i] < threshold ? 0 : scale * y[i];
}

void DL_LEVELLED(dl_sgd)(float *p, float *velocity, const float *gradient, int64_t n, dl_sgd_factors f) {
    for (int64_t i = 0; i < n; i++) {
        float g = gradient[i] + f.decay * p[i];
        float v = f.keep * velocity[i] + g;
        velocity[i] = v;
        p[i] -= f.rate * (f.a * g + f.b * v);
    }
}

void DL_LEVELLED(dl_adam)(float *p, float *moment, float *square, const float *gradient, int64_t n,
                          dl_adam_factors f) {
    float add_moment = 1 - f.keep_moment, add_square = 1 - f.keep_square;
    for (int64_t i = 0; i < n; i++) {
        float g = gradient[i] + f.decay * p[i];
        float m = f.keep_moment * moment[i] + add_moment * g;
        float s = f.keep_square * square[i] + add_square * (g * g);
        moment[i] = m;
        square[i] = s;
        p[i] -= f.rate * m / (sqrtf(s) + f.epsilon);
    }
}
