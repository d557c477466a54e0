/* Orthogonal matching pursuit on scores: finding the largest, and updating the others once it is chosen.
 * Fixed lanes and no reordering of sums: the same result on every CPU. */
#include "kernels/level/level.h"

#include <string.h>

enum { LANES = 16, BLOCK = 64 };

static inline int32_t magnitude(float x) {
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & 0x7fffffff;
}

/* Magnitudes are compared by their bits, in two loops without branches that compilers vectorise. */
int64_t DL_LEVELLED(dl_largest)(const float *x, int64_t m) {
    int32_t most = 0, at = INT32_MAX;
    for (int64_t j = 0; j < m; j++) {
        int32_t key = magnitude(x[j]);
        most = key > most ? key : most;
    }
    for (int32_t j = 0; j < (int32_t)m; j++) {
        int32_t here = j | (-(magnitude(x[j]) != most) & INT32_MAX);
        at = here < at ? here : at;
    }
    return at;
}

/* `width` columns of dl_pursue. */
static inline __attribute__((always_inline)) void columns(const float *g, float *D, int64_t count, int64_t m,
                                                          const float *l, float scale, float c, float *alpha,
                                                          int64_t width) {
    float d[BLOCK];
    for (int64_t i = 0; i < width; i++)
        d[i] = g[i];
    for (int64_t t = 0; t < count; t++)
        for (int64_t i = 0; i < width; i++)
            d[i] -= l[t] * D[t * m + i];
    for (int64_t i = 0; i < width; i++) {
        d[i] *= scale;
        D[count * m + i] = d[i];
        alpha[i] -= c * d[i];
    }
}

void DL_LEVELLED(dl_pursue)(const float *g, float *D, int64_t count, int64_t m, const float *l, float scale,
                            float c, float *alpha) {
    int64_t j = 0;
    for (; j + BLOCK <= m; j += BLOCK)
        columns(g + j, D + j, count, m, l, scale, c, alpha + j, BLOCK);
    for (; j + LANES <= m; j += LANES)
        columns(g + j, D + j, count, m, l, scale, c, alpha + j, LANES);
    columns(g + j, D + j, count, m, l, scale, c, alpha + j, m - j);
}
