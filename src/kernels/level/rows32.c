/* Operations on rows of floats, for the gradient learner. Lanes have a fixed order of addition, so that
 * compilers can vectorise and the result is the same on every CPU. */
#include "kernels/kernels.h"
#include "kernels/level/level.h"

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

void DL_LEVELLED(dl_add_scaled32)(float *sum, float scale, const float *x, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        sum[i] += scale * x[i];
}

void DL_LEVELLED(dl_descend32)(float *p, float *moment, const float *gradient, int64_t n, float keep,
                               float step) {
    for (int64_t i = 0; i < n; i++) {
        moment[i] = keep * moment[i] + (1 - keep) * gradient[i];
        p[i] -= step * moment[i];
    }
}

void DL_LEVELLED(dl_combine32)(float *p, float a, float b, const float *x, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        p[i] = a * p[i] + b * x[i];
}

void DL_LEVELLED(dl_interleave)(void *panel, int64_t width, const void *rows, int64_t stride, int64_t n) {
    enum { WORD = 4 };
    char *to = panel;
    const char *from = rows;
    for (int64_t d = 0; d < n; d++)
        for (int r = 0; r < DL_PANEL; r++)
            memcpy(to + (d * width + r) * WORD, from + (r * stride + d) * WORD, WORD);
}
