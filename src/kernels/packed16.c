/* Rounding to bfloat16, the upper half of a float, and the layout that vdpbf16ps expects: adjacent pairs of
 * entries. */
#include "kernels/packed16.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

static int64_t pairs_of(int64_t n) {
    return (n + 1) / 2;
}

dltf_status dl_packed16_alloc(dl_packed16 *packed, int64_t m, int64_t n) {
    dltf_status status = DLTF_OK;
    *packed = (dl_packed16){.m = m, .n = n, .pairs = pairs_of(n), .panels = (m + DL_PANEL - 1) / DL_PANEL};
    int64_t rows = packed->panels * DL_PANEL, entries = 0;
    if (!dl_multiply(rows, packed->pairs, &entries))
        return dl_fail(DLTF_MEMORY, "a score matrix of %lld x %lld is too large", (long long)m, (long long)n);
    DL_TRY_NEW(packed->data, entries);
    DL_TRY_NEW(packed->bias, rows);
done:
    if (status != DLTF_OK)
        dl_packed16_free(packed);
    return status;
}

void dl_packed16_free(dl_packed16 *packed) {
    dl_free(packed->data);
    dl_free(packed->bias);
    *packed = (dl_packed16){0};
}

/* Rounds to nearest, ties to even; overflow gives infinity. NaN may become infinity too. */
static uint32_t upper_half(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
}

static double rounding_error(float x, uint32_t half) {
    uint32_t bits = half << 16;
    float kept;
    memcpy(&kept, &bits, sizeof kept);
    return (double)x - (double)kept;
}

double dl_round16(const float *x, int64_t n, uint32_t *pairs) {
    double square = 0;
    for (int64_t p = 0; p < pairs_of(n); p++) {
        float second = 2 * p + 1 < n ? x[2 * p + 1] : 0;
        uint32_t low = upper_half(x[2 * p]), high = upper_half(second);
        double a = rounding_error(x[2 * p], low), b = rounding_error(second, high);
        square += a * a + b * b;
        pairs[p] = high << 16 | low;
    }
    return sqrt(square);
}

void dl_packed16_fill(dl_packed16 *packed, const float *E, const float *bias) {
    int64_t pairs = packed->pairs;
    for (int64_t j = 0; j < packed->m; j++) {
        uint32_t *column = packed->data + j / DL_PANEL * pairs * DL_PANEL + j % DL_PANEL;
        const float *e = E + j * packed->n;
        for (int64_t p = 0; p < pairs; p++) {
            float second = 2 * p + 1 < packed->n ? e[2 * p + 1] : 0;
            column[p * DL_PANEL] = upper_half(second) << 16 | upper_half(e[2 * p]);
        }
        packed->bias[j] = bias[j];
    }
}
