/* Orthogonal matching pursuit on scores: finding the largest, and updating the others once it is chosen.
 * Fixed lanes and no reordering of sums: the same result on every CPU. */
#include "kernels/level/lanes.h"

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

/* `vectors` vectors of columns of dl_pursue. */
DL_INLINE void columns(const float *g, float *D, int64_t count, int64_t m, const float *l, float scale,
                       float c, float *alpha, int vectors) {
    enum { MOST = 4 };
    vec d[MOST];
    DL_UNROLL for (int v = 0; v < vectors; v++) d[v] = load(g + v * DL_LANES);
    for (int64_t t = 0; t < count; t++) {
        DL_UNROLL for (int v = 0; v < vectors; v++) d[v] -= l[t] * load(D + t * m + v * DL_LANES);
    }
    DL_UNROLL for (int v = 0; v < vectors; v++) {
        d[v] *= scale;
        store(D + count * m + v * DL_LANES, d[v]);
        store(alpha + v * DL_LANES, load(alpha + v * DL_LANES) - c * d[v]);
    }
}

static void column(const float *g, float *D, int64_t count, int64_t m, const float *l, float scale, float c,
                   float *alpha) {
    float d = *g;
    for (int64_t t = 0; t < count; t++)
        d -= l[t] * D[t * m];
    D[count * m] = d *= scale;
    *alpha -= c * d;
}

void DL_LEVELLED(dl_pursue)(const float *g, float *D, int64_t count, int64_t m, const float *l, float scale,
                            float c, float *alpha) {
    int64_t j = 0;
    for (; j + 4 * DL_LANES <= m; j += 4 * DL_LANES)
        columns(g + j, D + j, count, m, l, scale, c, alpha + j, 4);
    for (; j + 2 * DL_LANES <= m; j += 2 * DL_LANES)
        columns(g + j, D + j, count, m, l, scale, c, alpha + j, 2);
    for (; j + DL_LANES <= m; j += DL_LANES)
        columns(g + j, D + j, count, m, l, scale, c, alpha + j, 1);
    for (; j < m; j++)
        column(g + j, D + j, count, m, l, scale, c, alpha + j);
}
