/* Inner products in plain C that compilers vectorise: four rows share each load of x, and each row has its
 * own lanes, whose fixed order of addition gives the same result on every CPU. */
#include "kernels/level/level.h"

enum { ROWS = 4, LANES = 8 };

static inline __attribute__((always_inline)) double total(const double lane[LANES]) {
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

static inline __attribute__((always_inline)) void products(const double *x, const double *rows, int64_t n,
                                                           int count, double *out) {
    double lane[ROWS][LANES] = {{0}};
    int64_t j = 0;
    for (; j + LANES <= n; j += LANES)
        for (int r = 0; r < count; r++)
            for (int l = 0; l < LANES; l++)
                lane[r][l] += x[j + l] * rows[r * n + j + l];
    for (int l = 0; j + l < n; l++)
        for (int r = 0; r < count; r++)
            lane[r][l] += x[j + l] * rows[r * n + j + l];
    for (int r = 0; r < count; r++)
        out[r] = total(lane[r]);
}

double DL_LEVELLED(dl_dot)(const double *x, const double *y, int64_t n) {
    double sum;
    products(x, y, n, 1, &sum);
    return sum;
}

void DL_LEVELLED(dl_gram_row)(const double *x, const double *rows, int64_t count, int64_t n, double *out) {
    int64_t i = 0;
    for (; i + ROWS <= count; i += ROWS)
        products(x, rows + i * n, n, ROWS, out + i);
    for (; i < count; i++)
        products(x, rows + i * n, n, 1, out + i);
}

double DL_LEVELLED(dl_square)(const float *x, int64_t n) {
    double lane[LANES] = {0};
    int64_t j = 0;
    for (; j + LANES <= n; j += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] += (double)x[j + l] * (double)x[j + l];
    for (int l = 0; j + l < n; l++)
        lane[l] += (double)x[j + l] * (double)x[j + l];
    return total(lane);
}

double DL_LEVELLED(dl_project_rows)(const float *R, int64_t n, const int32_t *row, int64_t count,
                                    const double *w, float *z, double *v) {
    double square = 0;
    for (int64_t i = 0; i < count; i++) {
        const float *r = R + row[i] * n;
        double lane[LANES] = {0};
        int64_t j = 0;
        for (; j + LANES <= n; j += LANES)
            for (int l = 0; l < LANES; l++)
                lane[l] += (double)r[j + l] * w[j + l];
        for (int l = 0; j + l < n; l++)
            lane[l] += (double)r[j + l] * w[j + l];
        double along = total(lane);
        z[i] = (float)along;
        square += along * along;
        for (j = 0; j < n; j++)
            v[j] += along * (double)r[j];
    }
    return square;
}
