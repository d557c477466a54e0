/* Scores where the CPU need not have fused multiply-add. */
#include "kernels/level/level.h"

void DL_LEVELLED(dl_scores)(const dl_packed *E, int64_t first, int64_t last, const float *X, int64_t x_stride,
                            int64_t rows, float *S, int64_t s_stride) {
    DL_LEVELLED(dl_unfused_scores)(E, first, last, X, x_stride, rows, S, s_stride);
}
