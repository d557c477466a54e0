/* Least squares for the dictionary, by Cholesky. */
#include "learning/stages/dictionary_fit.h"

#include "data/matrix.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

void dl_fit_dictionary(dltf_learner *l, double *D, double *C, double ridge_share, double *factor,
                       double *fit) {
    int64_t m = l->m, n = l->n;
    double trace = 0;
    for (int64_t j = 0; j < m; j++)
        trace += D[j * m + j];
    if (!(trace > 0))
        return;
    for (double ridge = ridge_share * trace / (double)m; isfinite(ridge); ridge *= 10) {
        memcpy(factor, D, (size_t)(m * m) * sizeof *factor);
        for (int64_t j = 0; j < m; j++)
            factor[j * m + j] += ridge;
        if (dl_cholesky(factor, m))
            break;
    }
    memcpy(fit, C, (size_t)(m * n) * sizeof *fit);
    dl_solve_left(l->threads, factor, m, fit, n);
    for (int64_t j = 0; j < m; j++) {
        double norm = dl_norm(fit + j * n, n);
        if (!(norm > 1e-12))
            continue;
        for (int64_t i = 0; i < n; i++) {
            l->W[j * n + i] = fit[j * n + i] / norm;
            C[j * n + i] *= norm;
        }
        for (int64_t i = 0; i < m; i++) {
            D[j * m + i] *= norm;
            D[i * m + j] *= norm;
        }
    }
}
