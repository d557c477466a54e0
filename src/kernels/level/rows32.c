/* Operations on rows of floats, for the gradient learner. Lanes have a fixed order of addition, so that
 * compilers can vectorise and the result is the same on every CPU of a level. */
#include "kernels/kernels.h"
#include "kernels/level/level.h"
#if defined(__AVX512F__)
#include "kernels/avx512/transpose.h"
#endif

#include <string.h>

enum { LANES = 32 };

float DL_LEVELLED(dl_dot32)(const float *x, const float *y, int64_t n) {
    float lane[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] += x[i + l] * y[i + l];
    for (int l = 0; i + l < n; l++)
        lane[l] += x[i + l] * y[i + l];
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return lane[0];
}

void DL_LEVELLED(dl_descend32)(float *p, float *moment, const float *gradient, int64_t n, float keep,
                               float step) {
    for (int64_t i = 0; i < n; i++) {
        moment[i] = keep * moment[i] + (1 - keep) * gradient[i];
        p[i] -= step * moment[i];
    }
}

void DL_LEVELLED(dl_scaled_sum32)(float *p, float scale, const float *x, const float *y, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        p[i] = scale * (x[i] + y[i]);
}

void DL_LEVELLED(dl_combine32)(float *p, float a, float b, const float *x, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        p[i] = a * p[i] + b * x[i];
}

void DL_LEVELLED(dl_interleave)(void *panel, int64_t width, const void *rows, int64_t stride, int64_t n) {
    enum { WORD = 4 };
    char *to = panel;
    const char *from = rows;
    int64_t d = 0;
#if defined(__AVX512F__)
    for (; d + DL_PANEL <= n; d += DL_PANEL) {
        __m512i block[DL_PANEL];
        DL_UNROLL
        for (int r = 0; r < DL_PANEL; r++)
            block[r] = _mm512_loadu_si512(from + (r * stride + d) * WORD);
        dl_transpose(block);
        DL_UNROLL
        for (int c = 0; c < DL_PANEL; c++)
            _mm512_storeu_si512(to + (d + c) * width * WORD, block[c]);
    }
#endif
    for (; d < n; d++)
        for (int r = 0; r < DL_PANEL; r++)
            memcpy(to + (d * width + r) * WORD, from + (r * stride + d) * WORD, WORD);
}

/* A maximum of integers is vectorised, one of floats is not; the bits of magnitudes are ordered as they are.
 */
float DL_LEVELLED(dl_largest32)(const float *x, int64_t n) {
    int32_t most = 0;
    for (int64_t d = 0; d < n; d++) {
        int32_t bits;
        memcpy(&bits, &x[d], sizeof bits);
        bits &= INT32_MAX;
        most = bits > most ? bits : most;
    }
    float largest;
    memcpy(&largest, &most, sizeof largest);
    return largest;
}

void DL_LEVELLED(dl_round16)(int16_t *out, const float *x, float factor, int64_t n) {
    const float shift = 0x1.8p23f; /* a float of this size has no digits after the point: adding it rounds */
    for (int64_t d = 0; d < n; d++)
        out[d] = (int16_t)((x[d] * factor + shift) - shift);
}
