/* Normal equations of a few atoms, possibly dependent. */
#include "coding/least_squares.h"

#include <math.h>

void dl_solve_support(double *G, double *b, int64_t s, double smallest_pivot) {
    for (int64_t j = 0; j < s; j++) {
        for (int64_t i = j; i < s; i++) {
            double sum = G[i * s + j];
            for (int64_t l = 0; l < j; l++)
                sum -= G[i * s + l] * G[j * s + l];
            G[i * s + j] = sum;
        }
        double pivot = G[j * s + j];
        double scale = pivot > smallest_pivot ? 1 / sqrt(pivot) : 0;
        for (int64_t i = j; i < s; i++)
            G[i * s + j] *= scale;
    }
    for (int64_t i = 0; i < s; i++) {
        for (int64_t l = 0; l < i; l++)
            b[i] -= G[i * s + l] * b[l];
        b[i] = G[i * s + i] > 0 ? b[i] / G[i * s + i] : 0;
    }
    for (int64_t i = s - 1; i >= 0; i--) {
        for (int64_t l = i + 1; l < s; l++)
            b[i] -= G[l * s + i] * b[l];
        b[i] = G[i * s + i] > 0 ? b[i] / G[i * s + i] : 0;
    }
}
