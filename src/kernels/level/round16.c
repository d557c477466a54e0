/* Rows of floats as integers, for the filter of large dictionaries, and sums of rows. */
#include "kernels/level/level.h"

#include <string.h>

void DL_LEVELLED(dl_scaled_sum32)(float *p, float scale, const float *x, const float *y, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        p[i] = scale * (x[i] + y[i]);
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
