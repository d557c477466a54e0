/* Squared distances of one row to several, for k-means. Four rows share each load of x, and have enough
 * independent sums to keep the multipliers busy. */
#include "kernels/level/level.h"

enum { ROWS = 4, LANES = 32 };

static inline __attribute__((always_inline)) void block(const float *x, const float *const row[ROWS],
                                                        int64_t n, int count, float *out) {
    float lane[ROWS][LANES] = {{0}};
    int64_t d = 0;
    for (; d + LANES <= n; d += LANES)
        for (int r = 0; r < count; r++)
            for (int l = 0; l < LANES; l++) {
                float difference = x[d + l] - row[r][d + l];
                lane[r][l] += difference * difference;
            }
    for (int l = 0; d + l < n; l++)
        for (int r = 0; r < count; r++) {
            float difference = x[d + l] - row[r][d + l];
            lane[r][l] += difference * difference;
        }
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int r = 0; r < count; r++)
            for (int l = 0; l < half; l++)
                lane[r][l] += lane[r][l + half];
    for (int r = 0; r < count; r++)
        out[r] = lane[r][0];
}

void DL_LEVELLED(dl_distances)(const float *x, const float *Y, int64_t n, const int32_t *index, int64_t count,
                               float *out) {
    int64_t e = 0;
    for (; e + ROWS <= count; e += ROWS) {
        const float *const rows[ROWS] = {Y + index[e] * n, Y + index[e + 1] * n, Y + index[e + 2] * n,
                                         Y + index[e + 3] * n};
        block(x, rows, n, ROWS, out + e);
    }
    for (; e < count; e++) {
        const float *const rows[ROWS] = {Y + index[e] * n};
        block(x, rows, n, 1, out + e);
    }
}
