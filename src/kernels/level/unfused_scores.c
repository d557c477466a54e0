/* Scores in plain C, the same bits at every level: four samples with one panel at a time, in loops of fixed
 * length that compilers vectorise. */
#include "kernels/level/level.h"

#include <string.h>

enum { ROWS = 4 };

static inline __attribute__((always_inline)) void block(const float *X, int64_t x_stride, const float *panel,
                                                        const float *bias, int64_t n, int64_t cols, float *S,
                                                        int64_t s_stride, int rows) {
    float sum[ROWS][DL_PANEL];
    for (int r = 0; r < rows; r++)
        memcpy(sum[r], bias, sizeof sum[r]);
    for (int64_t d = 0; d < n; d++)
        for (int r = 0; r < rows; r++) {
            float x = X[r * x_stride + d];
            for (int j = 0; j < DL_PANEL; j++)
                sum[r][j] += x * panel[d * DL_PANEL + j];
        }
    for (int r = 0; r < rows; r++)
        memcpy(S + r * s_stride, sum[r], (size_t)cols * sizeof *S);
}

void DL_LEVELLED(dl_unfused_scores)(const dl_packed *E, int64_t first, int64_t last, const float *X,
                                    int64_t x_stride, int64_t rows, float *S, int64_t s_stride) {
    for (int64_t p = first; p < last; p++) {
        const float *panel = E->data + p * E->n * DL_PANEL, *bias = E->bias + p * DL_PANEL;
        float *out = S + (p - first) * DL_PANEL;
        int64_t left = E->m - p * DL_PANEL, cols = left < DL_PANEL ? left : DL_PANEL, i = 0;
        for (; i + ROWS <= rows; i += ROWS)
            block(X + i * x_stride, x_stride, panel, bias, E->n, cols, out + i * s_stride, s_stride, ROWS);
        for (; i < rows; i++)
            block(X + i * x_stride, x_stride, panel, bias, E->n, cols, out + i * s_stride, s_stride, 1);
    }
}
