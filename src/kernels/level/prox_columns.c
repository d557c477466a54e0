/* The passes of the prox over DL_COLUMNS columns side by side, which compilers vectorise across columns. */
#include "kernels/level/level.h"

#include <math.h>

/* Entry i of a column adds to lane i mod 16 of its sum, as in level/prox.c. */
enum { LANES = 16, GROUP = 4 * LANES };

void DL_LEVELLED(dl_prox_transpose)(const float *C, int64_t m, int64_t count, float *T) {
    for (int64_t i = 0; i < m; i++)
        for (int l = 0; l < DL_COLUMNS; l++)
            T[i * DL_COLUMNS + l] = l < count ? fabsf(C[l * m + i]) : 0;
}

/* The sums of one lane, in rows first, first + 16, ... of T. */
static inline __attribute__((always_inline)) void count_lane(const float *T, int64_t m, int64_t first,
                                                             const float *low, const float *high, double *sum,
                                                             int32_t *full, int32_t *middle) {
    for (int l = 0; l < DL_COLUMNS; l++)
        sum[l] = 0;
    for (int64_t i = first; i < m; i += GROUP) {
        float part[DL_COLUMNS] = {0};
        for (int64_t row = i; row < i + GROUP && row < m; row += LANES)
            for (int l = 0; l < DL_COLUMNS; l++) {
                float a = T[row * DL_COLUMNS + l];
                int32_t is_full = a >= high[l], is_middle = (a > low[l]) - is_full;
                full[l] += is_full;
                middle[l] += is_middle;
                part[l] += is_middle ? a : 0;
            }
        for (int l = 0; l < DL_COLUMNS; l++)
            sum[l] += (double)part[l];
    }
}

static inline void add(double *sum, const double *other) {
    for (int l = 0; l < DL_COLUMNS; l++)
        sum[l] += other[l];
}

void DL_LEVELLED(dl_prox_count_columns)(const float *T, int64_t m, const float *low, const float *high,
                                        dl_prox_pieces *pieces) {
    double lane[LANES][DL_COLUMNS];
    int32_t full[DL_COLUMNS] = {0}, middle[DL_COLUMNS] = {0};
    for (int64_t l = 0; l < LANES; l++)
        count_lane(T, m, l, low, high, lane[l], full, middle);
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            add(lane[l], lane[l + half]);
    for (int l = 0; l < DL_COLUMNS; l++) {
        pieces->full[l] = (double)full[l];
        pieces->middle[l] = (double)middle[l];
        pieces->sum[l] = lane[0][l];
    }
}
