/* Oracles for scores, selection and least squares on a support. */
#include "reference/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int64_t ref_topk(const double *scores, int64_t m, int64_t k, bool positive, int32_t *indices) {
    bool *chosen = calloc((size_t)m + 1, sizeof *chosen);
    if (!chosen)
        abort();
    int64_t count = 0;
    for (int64_t round = 0; round < k; round++) {
        int64_t best = -1;
        double best_size = 0;
        for (int64_t j = 0; j < m; j++) {
            double size = positive ? scores[j] : fabs(scores[j]);
            if (!chosen[j] && size > best_size) {
                best = j;
                best_size = size;
            }
        }
        if (best < 0)
            break;
        chosen[best] = true;
    }
    for (int64_t j = 0; j < m; j++)
        if (chosen[j])
            indices[count++] = (int32_t)j;
    free(chosen);
    return count;
}

void ref_scores(const double *X, int64_t N, int64_t n, const double *W, int64_t m, double *out) {
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < m; j++) {
            double sum = 0;
            for (int64_t l = 0; l < n; l++)
                sum += X[i * n + l] * W[j * n + l];
            out[i * m + j] = sum;
        }
}

/* Solves the count x (count + 1) system [A | b] in place; the solution replaces b. */
static bool eliminate(double *A, int64_t count) {
    int64_t width = count + 1;
    for (int64_t p = 0; p < count; p++) {
        int64_t pivot = p;
        for (int64_t i = p + 1; i < count; i++)
            if (fabs(A[i * width + p]) > fabs(A[pivot * width + p]))
                pivot = i;
        if (fabs(A[pivot * width + p]) < 1e-13)
            return false;
        for (int64_t j = 0; j < width; j++) {
            double swap = A[p * width + j];
            A[p * width + j] = A[pivot * width + j];
            A[pivot * width + j] = swap;
        }
        for (int64_t i = 0; i < count; i++) {
            double factor = A[i * width + p] / A[p * width + p];
            if (i == p)
                continue;
            for (int64_t j = p; j < width; j++)
                A[i * width + j] -= factor * A[p * width + j];
        }
    }
    for (int64_t i = 0; i < count; i++)
        A[i * width + count] /= A[i * width + i];
    return true;
}

bool ref_least_squares(const double *W, int64_t n, const int32_t *support, int64_t count, const double *x,
                       double *z) {
    int64_t width = count + 1;
    double *A = calloc((size_t)(count * width + 1), sizeof *A);
    if (!A)
        abort();
    for (int64_t i = 0; i < count; i++)
        for (int64_t l = 0; l < n; l++) {
            double w = W[support[i] * n + l];
            for (int64_t j = 0; j < count; j++)
                A[i * width + j] += w * W[support[j] * n + l];
            A[i * width + count] += w * x[l];
        }
    bool solved = eliminate(A, count);
    for (int64_t i = 0; solved && i < count; i++)
        z[i] = A[i * width + count];
    free(A);
    return solved;
}
