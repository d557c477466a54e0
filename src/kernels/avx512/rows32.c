/* Operations on rows of floats with AVX-512. Rows have about a hundred entries, so that their ends count:
 * masks instead of single entries, sums in registers. The bits of the portable versions (level/rows32.c,
 * level/vectors.c): products and sums are rounded apart. */
#include "kernels/avx512/transpose.h"
#include "kernels/level/level.h"

enum { LANES = 16 };

static inline __mmask16 lanes_left(int64_t left) {
    return left >= LANES ? 0xffff : (__mmask16)((1u << left) - 1);
}

float DL_LEVELLED(dl_dot32)(const float *x, const float *y, int64_t n) {
    __m512 low = _mm512_setzero_ps(), high = low;
    int64_t i = 0;
    for (; i + 2 * LANES <= n; i += 2 * LANES) {
        low = _mm512_add_ps(low, _mm512_mul_ps(_mm512_loadu_ps(x + i), _mm512_loadu_ps(y + i)));
        high = _mm512_add_ps(high,
                             _mm512_mul_ps(_mm512_loadu_ps(x + i + LANES), _mm512_loadu_ps(y + i + LANES)));
    }
    if (i < n) {
        __mmask16 mask = lanes_left(n - i);
        low = _mm512_mask_add_ps(
            low, mask, low,
            _mm512_mul_ps(_mm512_maskz_loadu_ps(mask, x + i), _mm512_maskz_loadu_ps(mask, y + i)));
        i += LANES;
    }
    if (i < n) {
        __mmask16 mask = lanes_left(n - i);
        high = _mm512_mask_add_ps(
            high, mask, high,
            _mm512_mul_ps(_mm512_maskz_loadu_ps(mask, x + i), _mm512_maskz_loadu_ps(mask, y + i)));
    }
    low = _mm512_add_ps(low, high);
    __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(low), _mm512_extractf32x8_ps(low, 1));
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

void DL_LEVELLED(dl_add_scaled32)(float *sum, float scale, const float *x, int64_t n) {
    const __m512 scales = _mm512_set1_ps(scale);
    for (int64_t i = 0; i < n; i += LANES) {
        __mmask16 mask = lanes_left(n - i);
        __m512 term = _mm512_mul_ps(scales, _mm512_maskz_loadu_ps(mask, x + i));
        _mm512_mask_storeu_ps(sum + i, mask, _mm512_add_ps(_mm512_maskz_loadu_ps(mask, sum + i), term));
    }
}

void DL_LEVELLED(dl_descend32)(float *p, float *moment, const float *gradient, int64_t n, float keep,
                               float step) {
    const __m512 kept = _mm512_set1_ps(keep), added = _mm512_set1_ps(1 - keep), steps = _mm512_set1_ps(step);
    for (int64_t i = 0; i < n; i += LANES) {
        __mmask16 mask = lanes_left(n - i);
        __m512 average = _mm512_add_ps(_mm512_mul_ps(kept, _mm512_maskz_loadu_ps(mask, moment + i)),
                                       _mm512_mul_ps(added, _mm512_maskz_loadu_ps(mask, gradient + i)));
        __m512 moved = _mm512_sub_ps(_mm512_maskz_loadu_ps(mask, p + i), _mm512_mul_ps(steps, average));
        _mm512_mask_storeu_ps(moment + i, mask, average);
        _mm512_mask_storeu_ps(p + i, mask, moved);
    }
}

void DL_LEVELLED(dl_combine32)(float *p, float a, float b, const float *x, int64_t n) {
    const __m512 as = _mm512_set1_ps(a), bs = _mm512_set1_ps(b);
    for (int64_t i = 0; i < n; i += LANES) {
        __mmask16 mask = lanes_left(n - i);
        __m512 kept = _mm512_mul_ps(as, _mm512_maskz_loadu_ps(mask, p + i));
        __m512 added = _mm512_mul_ps(bs, _mm512_maskz_loadu_ps(mask, x + i));
        _mm512_mask_storeu_ps(p + i, mask, _mm512_add_ps(kept, added));
    }
}

void DL_LEVELLED(dl_interleave)(void *panel, int64_t width, const void *rows, int64_t stride, int64_t n) {
    enum { WORD = 4 };
    char *to = panel;
    const char *from = rows;
    for (int64_t d = 0; d < n; d += DL_PANEL) {
        __m512i block[DL_PANEL];
        __mmask16 mask = lanes_left(n - d);
        DL_UNROLL
        for (int r = 0; r < DL_PANEL; r++)
            block[r] = _mm512_maskz_loadu_epi32(mask, from + (r * stride + d) * WORD);
        dl_transpose(block);
        for (int c = 0; c < DL_PANEL && d + c < n; c++)
            _mm512_storeu_si512(to + (d + c) * width * WORD, block[c]);
    }
}
