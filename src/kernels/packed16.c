/* Rounding to integers of 16 bits, and the layout that vpdpwssd expects: adjacent pairs of entries. */
#include "kernels/packed16.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A panel is filled by DL_PANEL rows at a time. */
_Static_assert((int)DL_ROWS16 == (int)DL_PANEL, "rows that are interleaved at once");

/* The largest integer, and the norm of a row of integers before rounding adds to it. 46,340^2 < 2^31; the
 * difference is more than the rounding errors of the norm. */
static const double LARGEST = 32766, LARGEST_NORM = 46300;

/* The error of an integer: half a unit, and the roundings of 1 / s, of a product below 2^15 and of a sum. */
static const double ERROR = 0.508;

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

dl_packed16 dl_packed16_range(const dl_packed16 *packed, int64_t panel, int64_t atoms) {
    return (dl_packed16){.m = atoms,
                         .n = packed->n,
                         .pairs = packed->pairs,
                         .panels = (atoms + DL_PANEL16 - 1) / DL_PANEL16,
                         .data = packed->data + panel * packed->pairs * DL_PANEL16 * 2,
                         .scale = packed->scale + panel * DL_PANEL16,
                         .bias = packed->bias + panel * DL_PANEL16};
}

/* An upper bound on the norm of a row. Sums of floats are fast and accurate enough where no square
 * underflows noticeably or overflows. */
static double norm_of(const float *x, int64_t n) {
    const float small = 1e-25f, large = 1e30f;
    const dl_kernels *kernels = dl_kernels_now();
    float square = n < 1 << 20 ? kernels->dot32(x, x, n) : 0;
    if (!(square > small && square < large))
        return sqrt(kernels->square(x, n)) * (1 + 1e-9);
    return sqrt((double)square) * (1 + (double)(n + 4) * 0x1p-24);
}

dl_rounded16 dl_round16(const float *x, int64_t n, int16_t *pairs) {
    const dl_kernels *kernels = dl_kernels_now();
    double root = sqrt((double)n), norm = norm_of(x, n);
    double unit = fmax(norm / (LARGEST_NORM - ERROR * root), (double)kernels->largest32(x, n) / LARGEST);
    float s = nextafterf((float)fmax(unit, (double)FLT_MIN), INFINITY);
    pairs[2 * pairs_of(n) - 1] = 0;
    if (!(norm < INFINITY) || !(s < INFINITY)) {
        memset(pairs, 0, (size_t)n * sizeof *pairs);
        return (dl_rounded16){.scale = 1, .norm = norm, .lost = INFINITY};
    }
    kernels->round16(pairs, x, 1 / s, n);
    return (dl_rounded16){.scale = s, .norm = norm, .lost = ERROR * root * (double)s};
}

dl_rounded16 dl_packed16_set(dl_packed16 *packed, int64_t j, int64_t rows, const float *E, const float *bias,
                             int16_t *work) {
    int64_t pairs = packed->pairs, length = 2 * pairs;
    int16_t *column = packed->data + 2 * (j / DL_PANEL16 * pairs * DL_PANEL16 + j % DL_PANEL16);
    dl_rounded16 most = {0};
    for (int64_t r = 0; r < rows; r++) {
        dl_rounded16 row = dl_round16(E + r * packed->n, packed->n, work + r * length);
        packed->scale[j + r] = row.scale;
        most = (dl_rounded16){.scale = fmaxf(most.scale, row.scale),
                              .norm = fmax(most.norm, row.norm),
                              .lost = fmax(most.lost, row.lost)};
    }
    if (rows == DL_ROWS16)
        dl_kernels_now()->interleave(column, DL_PANEL16, work, pairs, pairs);
    for (int64_t p = 0; p < pairs && rows < DL_ROWS16; p++)
        for (int64_t r = 0; r < rows; r++)
            memcpy(column + 2 * (p * DL_PANEL16 + r), work + r * length + 2 * p, 2 * sizeof *column);
    memcpy(packed->bias + j, bias, (size_t)rows * sizeof *bias);
    return most;
}
