/* The two passes of the prox over a column: counting, and writing the solution. */
#include "kernels/level/level.h"

#include <math.h>
#include <string.h>

/* Entry i adds to lane i mod 16 of the sum, up to four of them in single precision, and the lanes are added
 * in one fixed order: the same number whatever the width of the registers, so that every instruction set
 * gives the same bytes. */
enum { LANES = 16, GROUP = 4 * LANES };

static inline __attribute__((always_inline)) dl_prox_piece gather(double lane[LANES], int64_t above,
                                                                  int64_t full) {
    for (int l = 0; l < 8; l++)
        lane[l] += lane[l + 8];
    for (int l = 0; l < 4; l++)
        lane[l] += lane[l + 4];
    return (dl_prox_piece){full, above - full, (lane[0] + lane[2]) + (lane[1] + lane[3])};
}

/* `size` entries, at most a group. Branch-free: branches would be mispredicted half of the time. */
static inline __attribute__((always_inline)) void count_group(const float *c, int64_t size, float low,
                                                              float high, double *lane, int32_t *above,
                                                              int32_t *full) {
    float part[LANES] = {0};
    for (int64_t i = 0; i < size; i += LANES)
        for (int l = 0; l < LANES; l++) {
            float a = fabsf(c[i + l]);
            int32_t is_above = a > low, is_full = a >= high;
            above[l] += is_above;
            full[l] += is_full;
            part[l] += is_above - is_full ? a : 0;
        }
    for (int l = 0; l < LANES; l++)
        lane[l] += (double)part[l];
}

dl_prox_piece DL_LEVELLED(dl_prox_count)(const float *c, int64_t m, float low, float high) {
    double lane[LANES] = {0};
    int32_t above[LANES] = {0}, full[LANES] = {0};
    int64_t i = 0, total_above = 0, total_full = 0;
    for (; i + GROUP <= m; i += GROUP)
        count_group(c + i, GROUP, low, high, lane, above, full);
    if (i < m) {
        float rest[GROUP] = {0}; /* a zero is never above, so the padding does not count */
        memcpy(rest, c + i, (size_t)(m - i) * sizeof *rest);
        count_group(rest, m - i, low, high, lane, above, full);
    }
    for (int l = 0; l < LANES; l++) {
        total_above += above[l];
        total_full += full[l];
    }
    return gather(lane, total_above, total_full);
}

/* The product with the two halves of `shrink` has practically one rounding, without conversions to double. */
void DL_LEVELLED(dl_prox_apply)(const float *c, int64_t m, float v, double shrink, float *q) {
    float high = (float)shrink, low = (float)(shrink - (double)high);
    for (int64_t i = 0; i < m; i++) {
        float a = fabsf(c[i]), shrunk = fmaf(a, high, a * low);
        float b = shrunk > v ? shrunk : v;
        q[i] = copysignf(a < b ? a : b, c[i]);
    }
}

dl_prox_piece DL_LEVELLED(dl_prox_try)(const float *c, int64_t m, float low, float high, float v,
                                       double shrink, float *q) {
    DL_LEVELLED(dl_prox_apply)(c, m, v, shrink, q);
    return DL_LEVELLED(dl_prox_count)(c, m, low, high);
}
