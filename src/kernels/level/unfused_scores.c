/* Scores with separate roundings of products and sums, the same bits at every level. */
#include "kernels/level/lanes.h"

/* Twelve vectors of sums leave registers for the rest at every level. */
enum { VECTORS = DL_PANEL / DL_LANES, ROWS = 12 / VECTORS };

/* One panel and R samples; R is a constant wherever this is inlined. */
DL_INLINE void tile(const float *X, int64_t x_stride, const float *panel, const float *bias, int64_t n,
                    int64_t atoms, float *S, int64_t s_stride, const int R) {
    vec sum[ROWS][VECTORS];
    DL_UNROLL
    for (int r = 0; r < R; r++)
        DL_UNROLL
    for (int v = 0; v < VECTORS; v++)
        sum[r][v] = load(bias + v * DL_LANES);
    for (int64_t d = 0; d < n; d++)
        DL_UNROLL
    for (int r = 0; r < R; r++) {
        float x = X[r * x_stride + d];
        DL_UNROLL
        for (int v = 0; v < VECTORS; v++)
            sum[r][v] += x * load(panel + d * DL_PANEL + v * DL_LANES);
    }
    DL_UNROLL
    for (int r = 0; r < R; r++) {
        float sums[DL_PANEL];
        memcpy(sums, sum[r], sizeof sums);
        memcpy(S + r * s_stride, sums, (size_t)atoms * sizeof *S);
    }
}

void DL_LEVELLED(dl_unfused_scores)(const dl_packed *E, int64_t first, int64_t last, const float *X,
                                    int64_t x_stride, int64_t rows, float *S, int64_t s_stride) {
    for (int64_t p = first; p < last; p++) {
        const float *panel = E->data + p * E->n * DL_PANEL, *bias = E->bias + p * DL_PANEL;
        float *out = S + (p - first) * DL_PANEL;
        int64_t left = E->m - p * DL_PANEL, atoms = left < DL_PANEL ? left : DL_PANEL, i = 0;
        for (; i + ROWS <= rows; i += ROWS)
            tile(X + i * x_stride, x_stride, panel, bias, E->n, atoms, out + i * s_stride, s_stride, ROWS);
        for (; i < rows; i++)
            tile(X + i * x_stride, x_stride, panel, bias, E->n, atoms, out + i * s_stride, s_stride, 1);
    }
}
