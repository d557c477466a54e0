/* Rounding to integers of 16 bits, and the layout that vpdpwssd expects: adjacent pairs of entries. */
#include "kernels/packed16.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The largest integer, and the norm of a row of integers before rounding adds to it. 46,340^2 < 2^31; the
 * difference is more than the rounding errors of the norm. */
static const double LARGEST = 32766, LARGEST_NORM = 46300;

/* The error of an integer: half a unit, and the rounding of a quotient below 2^15. */
static const double ERROR = 0.502;

static int64_t pairs_of(int64_t n) {
    return (n + 1) / 2;
}

dltf_status dl_packed16_alloc(dl_packed16 *packed, int64_t m, int64_t n) {
    dltf_status status = DLTF_OK;
    *packed = (dl_packed16){.m = m, .n = n, .pairs = pairs_of(n)};
    packed->panels = (m + DL_PANEL16 - 1) / DL_PANEL16;
    int64_t rows = packed->panels * DL_PANEL16, entries = 0;
    if (!dl_multiply(rows, 2 * packed->pairs, &entries))
        return dl_fail(DLTF_MEMORY, "a score matrix of %lld x %lld is too large", (long long)m, (long long)n);
    DL_TRY_NEW(packed->data, entries);
    DL_TRY_NEW(packed->scale, rows);
    DL_TRY_NEW(packed->bias, rows);
done:
    if (status != DLTF_OK)
        dl_packed16_free(packed);
    return status;
}

void dl_packed16_free(dl_packed16 *packed) {
    dl_free(packed->data);
    dl_free(packed->scale);
    dl_free(packed->bias);
    *packed = (dl_packed16){0};
}

/* The largest magnitude of finite numbers: the bits of magnitudes are ordered as they are. A maximum of
 * integers is vectorised, one of floats is not. */
static float largest_of(const float *x, int64_t n) {
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

double dl_round16(const float *x, int64_t n, int16_t *pairs, float *scale) {
    const float shift = 0x1.8p23f; /* a float of this size has no digits after the point: adding it rounds */
    double root = sqrt((double)n), norm = sqrt(dl_kernels_now()->square(x, n));
    double unit = fmax(norm / (LARGEST_NORM - ERROR * root), (double)largest_of(x, n) / LARGEST);
    float s = nextafterf((float)fmax(unit, (double)FLT_MIN), INFINITY);
    pairs[2 * pairs_of(n) - 1] = 0;
    if (!(norm < INFINITY) || !(s < INFINITY)) {
        memset(pairs, 0, (size_t)n * sizeof *pairs);
        *scale = 1;
        return INFINITY;
    }
    for (int64_t d = 0; d < n; d++)
        pairs[d] = (int16_t)((x[d] / s + shift) - shift);
    *scale = s;
    return ERROR * root * (double)s;
}

double dl_packed16_set(dl_packed16 *packed, int64_t j, int64_t rows, const float *E, const float *bias,
                       int16_t *work) {
    int64_t pairs = packed->pairs, length = 2 * pairs;
    int16_t *column = packed->data + 2 * (j / DL_PANEL16 * pairs * DL_PANEL16 + j % DL_PANEL16);
    double lost = 0;
    for (int64_t r = 0; r < rows; r++)
        lost = fmax(lost, dl_round16(E + r * packed->n, packed->n, work + r * length, &packed->scale[j + r]));
    for (int64_t p = 0; p < pairs; p++)
        for (int64_t r = 0; r < rows; r++)
            memcpy(column + 2 * (p * DL_PANEL16 + r), work + r * length + 2 * p, 2 * sizeof *column);
    memcpy(packed->bias + j, bias, (size_t)rows * sizeof *bias);
    return lost;
}
