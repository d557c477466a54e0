/* The three untied encoders. With Z the codes of several passes, C = X Z^T, D = Z Z^T (the paper's letters):
 *
 *   dual       E = (W W^T + r I)^{-1} W, <e_j, w_j> = 1; r = sigma^2 m / (k mean z^2), the ridge of the best
 * linear estimate of codes with these variances distilled  min sum_i ||E^T x_i - b - z_i||^2: the affine map
 * that comes closest to the codes tight      the tight frame nearest to W: scores interfere as little as they
 * can
 *
 * Called in the last iteration of stage_encoder.c. */
#include "learning/encoder_fit.h"

#include "base/memory.h"
#include "coding/dual.h"
#include "data/matrix.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

static const double DISTIL_RIDGE = 1e-6; /* of the mean variance of an entry */

static double ridge_of_noise(const dltf_learner *l) {
    const dl_encoder_stage *s = &l->encoder;
    double used = 0, energy = 0, free_entries = fmax(1, (double)(l->n - l->k)); /* after fitting k values */
    for (int64_t j = 0; j < l->m; j++) {
        used += l->statistics.use[j];
        energy += l->statistics.D[j * l->m + j];
    }
    double noise = s->residual / ((double)s->count * free_entries);
    return energy > 0 ? noise * (double)l->m * used / ((double)l->k * energy) : l->options.ridge;
}

/* (Cov(X) + ridge I) E^T = Cov(X, Z), b = E^T mean(x) - mean(z). */
static void distil(dltf_learner *l) {
    dl_encoder_stage *s = &l->encoder;
    int64_t m = l->m, n = l->n;
    double N = (double)s->count, *E = s->E, trace = 0;
    for (int64_t j = 0; j < m; j++)
        for (int64_t d = 0; d < n; d++)
            E[j * n + d] = l->statistics.C[j * n + d] / N - l->statistics.code_sum[j] / N * s->x_sum[d] / N;
    for (int64_t p = 0; p < n; p++) {
        for (int64_t q = 0; q < n; q++)
            s->A[p * n + q] = s->A[p * n + q] / N - s->x_sum[p] / N * s->x_sum[q] / N;
        trace += s->A[p * n + p];
    }
    for (double ridge = DISTIL_RIDGE * trace / (double)n; isfinite(ridge); ridge = 10 * ridge + 1e-30) {
        memcpy(s->factor, s->A, (size_t)(n * n) * sizeof *s->factor);
        for (int64_t p = 0; p < n; p++)
            s->factor[p * n + p] += ridge;
        if (dl_cholesky(s->factor, n))
            break;
    }
    dl_solve_right(l->threads, s->factor, n, E, m);
    for (int64_t j = 0; j < m; j++) {
        s->bias[j] = -l->statistics.code_sum[j] / N;
        for (int64_t d = 0; d < n; d++)
            s->bias[j] += E[j * n + d] * s->x_sum[d] / N;
    }
}

/* E <- R E or, for m > n, E R, where R is the inverse square root of the smaller of E E^T and E^T E: all
 * singular values become 1. Overwrites `work`. */
static bool polar_factor(int threads, int64_t m, int64_t n, double *work, double *E) {
    int64_t size = m < n ? m : n, square = size * size;
    double *V = work, *scaled = V + square, *R = scaled + square, *values = R + square,
           *old = values + 4 * size;
    memcpy(old, E, (size_t)(m * n) * sizeof *old);
    if (m < n)
        dl_gemm(threads, DL_PLAIN, DL_TRANSPOSED, m, m, n, 1, E, E, 0, V);
    else
        dl_gemm(threads, DL_TRANSPOSED, DL_PLAIN, n, n, m, 1, E, E, 0, V);
    if (!dl_eigenvectors(V, size, values, values + size))
        return false;
    for (int64_t v = 0; v < size; v++) {
        double value = fmax(values[v], 1e-12 * values[size - 1]);
        for (int64_t i = 0; i < size; i++)
            scaled[v * size + i] = V[v * size + i] / sqrt(value);
    }
    dl_gemm(threads, DL_TRANSPOSED, DL_PLAIN, size, size, size, 1, V, scaled, 0, R);
    if (m < n)
        dl_gemm(threads, DL_PLAIN, DL_PLAIN, m, n, m, 1, R, old, 0, E);
    else
        dl_gemm(threads, DL_PLAIN, DL_PLAIN, m, n, n, 1, old, R, 0, E);
    return true;
}

dltf_status dl_tight_frame(int threads, const double *W, int64_t m, int64_t n, double *E) {
    enum { TURNS = 10 };
    int64_t size = m < n ? m : n;
    double *work = DL_NEW(double, 3 * size * size + 4 * size + m * n);
    if (!work)
        return DLTF_MEMORY;
    dltf_status status = DLTF_OK;
    memcpy(E, W, (size_t)(m * n) * sizeof *E);
    for (int turn = 0; turn < TURNS && status == DLTF_OK; turn++) {
        if (!polar_factor(threads, m, n, work, E))
            status = dl_fail(DLTF_NUMERIC, "the tight frame of the dictionary was not found");
        for (int64_t j = 0; j < m; j++)
            dl_normalise(E + j * n, n);
    }
    dl_free(work);
    return status;
}

dltf_status dl_fit_encoder(dltf_learner *l) {
    dl_encoder_stage *s = &l->encoder;
    memset(s->bias, 0, (size_t)l->m * sizeof *s->bias);
    switch (l->options.encoder) {
    case DLTF_ENCODER_DISTILLED:
        distil(l);
        break;
    case DLTF_ENCODER_DUAL:
        dl_dual_encoder(l->threads, l->W, l->m, l->n, ridge_of_noise(l), s->factor, s->E);
        break;
    case DLTF_ENCODER_TIGHT:
        return dl_tight_frame(l->threads, l->W, l->m, l->n, s->E);
    case DLTF_ENCODER_TIED:
        break;
    }
    return DLTF_OK;
}
