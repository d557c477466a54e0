/* Scores of bfloat16 matrices with AVX-512 BF16, twice as fast as floats but precise enough only to find
 * candidates, and exact scores of a few atoms. */
#include "kernels/level/level.h"
#include "kernels/level/table.h"
#include "kernels/popcnt.h"

#include <immintrin.h>
#include <math.h>

enum { ROWS = 12, TOGETHER = 8 };

static __m512bh pairs_at(const uint32_t *at) {
    return (__m512bh)_mm512_loadu_si512(at);
}

/* One panel and R <= 12 samples; R is a constant wherever this is inlined. */
static inline __attribute__((always_inline)) void block(const uint32_t *X, int64_t pairs,
                                                        const uint32_t *panel, const float *bias,
                                                        int64_t cols, float *S, int64_t s_stride,
                                                        const int R) {
    __m512 low[ROWS], high[ROWS];
    DL_UNROLL
    for (int r = 0; r < R; r++) {
        low[r] = _mm512_loadu_ps(bias);
        high[r] = _mm512_loadu_ps(bias + 16);
    }
    for (int64_t p = 0; p < pairs; p++) {
        __m512bh e0 = pairs_at(panel + p * DL_PANEL), e1 = pairs_at(panel + p * DL_PANEL + 16);
        DL_UNROLL
        for (int r = 0; r < R; r++) {
            __m512bh x = (__m512bh)_mm512_set1_epi32((int)X[r * pairs + p]);
            low[r] = _mm512_dpbf16_ps(low[r], e0, x);
            high[r] = _mm512_dpbf16_ps(high[r], e1, x);
        }
    }
    __mmask16 low_mask = (__mmask16)(cols >= 16 ? 0xffff : (1 << cols) - 1);
    __mmask16 high_mask = (__mmask16)(cols >= 32 ? 0xffff : cols > 16 ? (1 << (cols - 16)) - 1 : 0);
    DL_UNROLL
    for (int r = 0; r < R; r++) {
        _mm512_mask_storeu_ps(S + r * s_stride, low_mask, low[r]);
        _mm512_mask_storeu_ps(S + r * s_stride + 16, high_mask, high[r]);
    }
}

void dl_scores16_avx512(const dl_packed16 *E, int64_t first, int64_t last, const uint32_t *X, int64_t rows,
                        float *S, int64_t s_stride) {
    int64_t pairs = E->pairs;
    for (int64_t p = first; p < last; p++) {
        int64_t left = E->m - p * DL_PANEL, cols = left < DL_PANEL ? left : DL_PANEL, i = 0;
        const uint32_t *panel = E->data + p * pairs * DL_PANEL;
        const float *bias = E->bias + p * DL_PANEL;
        float *out = S + (p - first) * DL_PANEL;
        for (; i + ROWS <= rows; i += ROWS)
            block(X + i * pairs, pairs, panel, bias, cols, out + i * s_stride, s_stride, ROWS);
        for (; i + 4 <= rows; i += 4)
            block(X + i * pairs, pairs, panel, bias, cols, out + i * s_stride, s_stride, 4);
        for (; i < rows; i++)
            block(X + i * pairs, pairs, panel, bias, cols, out + i * s_stride, s_stride, 1);
    }
}

/* Adds in the order of dl_scores_avx512, entry by entry with one rounding each, so that the bits are the
 * same; several atoms at once hide the latency. */
void dl_exact_avx512(const float *E, int64_t n, const float *bias, const float *x, const int32_t *index,
                     int64_t count, float *value) {
    for (int64_t c = 0; c < count; c += TOGETHER) {
        int64_t left = count - c;
        const float *row[TOGETHER];
        float sum[TOGETHER];
        for (int t = 0; t < TOGETHER; t++) {
            int32_t j = index[t < left ? c + t : c];
            row[t] = E + j * n;
            sum[t] = bias[j];
        }
        for (int64_t d = 0; d < n; d++)
            DL_UNROLL
        for (int t = 0; t < TOGETHER; t++)
            sum[t] = fmaf(x[d], row[t][d], sum[t]);
        for (int t = 0; t < TOGETHER && t < left; t++)
            value[c + t] = sum[t];
    }
}

/* The kernels of AVX-512 with popcounts, and these two. */
const dl_kernels dl_kernels_avx512bf16 = {
    .level = "avx512bf16",
#define DL_KERNEL(result, name, parameters) .name = DL_LEVELLED(dl_##name),
#define DL_KERNEL_BITS(result, name, parameters) .name = dl_##name##_avx512popcnt,
#define DL_KERNEL16(result, name, parameters) .name = DL_LEVELLED(dl_##name),
#include "kernels/list.h"
};
