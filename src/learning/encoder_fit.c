/* The three untied encoders. With Z the codes of several passes, in the paper's letters:
 *
 *   dual       E = (W W^T + r I)^{-1} W, <e_j, w_j> = 1, with r = sigma^2 m / (k mean z^2): the best linear
 *              estimate of codes with this variance from samples with this noise
 *   distilled  min sum_i ||E^T x_i - b - z_i||^2 + N r ||E||^2: the affine map that comes closest to the
 *              codes of new samples; r by generalised cross-validation
 *   tight      the tight frame nearest to W: scores interfere as little as they can */
#include "learning/encoder_fit.h"

#include "base/memory.h"
#include "coding/dual.h"
#include "data/matrix.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

static double ridge_of_noise(const dltf_learner *l, const dl_multipass *t) {
    double used = 0, energy = 0, free_entries = fmax(1, (double)(l->n - l->k)); /* after fitting k values */
    for (int64_t j = 0; j < l->m; j++) {
        used += t->statistics.use[j];
        energy += t->statistics.D[j * l->m + j];
    }
    double noise = t->residual / ((double)t->count * free_entries);
    return energy > 0 ? noise * (double)l->m * used / ((double)l->k * energy) : l->options.ridge;
}

/* Cov(X) into t->A, Cov(Z, X) into l->E, from sums. Returns the variance of the codes, of all atoms together.
 */
static double centre(dltf_learner *l, dl_multipass *t) {
    const dl_statistics *sums = &t->statistics;
    int64_t m = l->m, n = l->n;
    double N = (double)t->count, variance = 0;
    for (int64_t j = 0; j < m; j++) {
        double mean = sums->code_sum[j] / N;
        for (int64_t d = 0; d < n; d++)
            l->E[j * n + d] = sums->C[j * n + d] / N - mean * t->x_sum[d] / N;
        variance += fmax(0, sums->D[j * m + j] / N - mean * mean);
    }
    for (int64_t p = 0; p < n; p++)
        for (int64_t q = 0; q < n; q++)
            t->A[p * n + q] = t->A[p * n + q] / N - t->x_sum[p] / N * t->x_sum[q] / N;
    return variance;
}

/* The ridge with the least error on samples that were not fitted, as generalised cross-validation (Golub,
 * Heath and Wahba 1979) estimates it: squared error / (1 - degrees of freedom / N)^2. In the basis of the
 * eigenvectors of Cov(X): its eigenvalues, and the squared norms of the columns of Cov(Z, X). */
static double choose_ridge(const dl_multipass *t, int64_t n, const double *values, const double *squares,
                           double variance) {
    enum { LEAST = -12, MOST = 6 }; /* half powers of ten, times the mean variance of an entry */
    double N = (double)t->count, mean = 0, best = INFINITY;
    for (int64_t d = 0; d < n; d++)
        mean += values[d] / (double)n;
    double least = 1e-12 * t->X_square / (N * (double)n); /* below it, variance is rounding */
    double chosen = fmax(least, mean * pow(10, MOST / 2.0));
    for (int power = LEAST; power <= MOST; power++) {
        double r = fmax(least, mean * pow(10, power / 2.0)), error = variance, freedom = 1;
        for (int64_t d = 0; d < n; d++) {
            double inverse = 1 / (values[d] + r);
            error -= squares[d] * inverse * (2 - values[d] * inverse);
            freedom += values[d] * inverse;
        }
        double score = fmax(0, error) / pow(1 - freedom / N, 2);
        if (freedom < 0.99 * N && score < best) { /* closer to N, nothing is left but rounding */
            best = score;
            chosen = r;
        }
    }
    return chosen;
}

/* E^T = (Cov(X) + r I)^{-1} Cov(X, Z), b = E^T mean(x) - mean(z). */
static dltf_status distil(dltf_learner *l, dl_multipass *t) {
    dltf_status status = DLTF_OK;
    int64_t m = l->m, n = l->n;
    double N = (double)t->count, variance = centre(l, t), *work = NULL;
    DL_TRY_NEW(work, 2 * n + m * n + dl_eigenvectors_scratch(n));
    double *values = work, *squares = values + n, *P = squares + n, *V = t->A;
    if (!dl_eigenvectors(V, n, values, P + m * n)) {
        status = dl_fail(DLTF_NUMERIC, "the eigenvectors of the covariance of the data were not found");
        goto done;
    }
    dl_gemm(l->threads, DL_PLAIN, DL_TRANSPOSED, m, n, n, 1, l->E, V, 0, P);
    for (int64_t d = 0; d < n; d++)
        values[d] = fmax(0, values[d]);
    for (int64_t i = 0; i < m * n; i++)
        squares[i % n] += P[i] * P[i];
    double r = choose_ridge(t, n, values, squares, variance);
    for (int64_t i = 0; i < m * n; i++)
        P[i] /= values[i % n] + r;
    dl_gemm(l->threads, DL_PLAIN, DL_PLAIN, m, n, n, 1, P, V, 0, l->E);
    for (int64_t j = 0; j < m; j++) {
        l->bias[j] = -t->statistics.code_sum[j] / N;
        for (int64_t d = 0; d < n; d++)
            l->bias[j] += l->E[j * n + d] * t->x_sum[d] / N;
    }
done:
    dl_free(work);
    return status;
}

/* E <- R E or, for m > n, E R, where R is the inverse square root of the smaller of E E^T and E^T E: all
 * singular values become 1. Overwrites `work`. */
static bool polar_factor(int threads, int64_t m, int64_t n, double *work, double *E) {
    int64_t size = m < n ? m : n, square = size * size;
    double *V = work, *scaled = V + square, *R = scaled + square, *values = R + square;
    double *scratch = values + size, *old = scratch + dl_eigenvectors_scratch(size);
    memcpy(old, E, (size_t)(m * n) * sizeof *old);
    if (m < n)
        dl_gemm(threads, DL_PLAIN, DL_TRANSPOSED, m, m, n, 1, E, E, 0, V);
    else
        dl_gemm(threads, DL_TRANSPOSED, DL_PLAIN, n, n, m, 1, E, E, 0, V);
    if (!dl_eigenvectors(V, size, values, scratch))
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

/* Unit norms; returns by how much the norms were not all the same before, as a share. */
static double even_out(int64_t m, int64_t n, double *E) {
    double wanted = m > n ? sqrt((double)n / (double)m) : 1, worst = 0; /* of the rows of a polar factor */
    for (int64_t j = 0; j < m; j++) {
        worst = fmax(worst, fabs(dl_norm(E + j * n, n) / wanted - 1));
        dl_normalise(E + j * n, n);
    }
    return worst;
}

dltf_status dl_tight_frame(int threads, const double *W, int64_t m, int64_t n, double *E) {
    enum { TURNS = 50 };
    const double close_enough = 1e-4;
    int64_t size = m < n ? m : n;
    double *work = DL_NEW(double, 3 * size * size + size + dl_eigenvectors_scratch(size) + m * n);
    if (!work)
        return DLTF_MEMORY;
    dltf_status status = DLTF_OK;
    memcpy(E, W, (size_t)(m * n) * sizeof *E);
    double uneven = 1;
    for (int turn = 0; turn < TURNS && uneven > close_enough && status == DLTF_OK; turn++) {
        if (!polar_factor(threads, m, n, work, E))
            status = dl_fail(DLTF_NUMERIC, "the tight frame of the dictionary was not found");
        uneven = even_out(m, n, E);
    }
    dl_free(work);
    return status;
}

dltf_status dl_fit_encoder(dltf_learner *l, dl_multipass *t) {
    memset(l->bias, 0, (size_t)l->m * sizeof *l->bias);
    switch (l->options.encoder) {
    case DLTF_ENCODER_DISTILLED:
        return distil(l, t);
    case DLTF_ENCODER_DUAL:
        dl_dual_encoder(l->threads, l->W, l->m, l->n, ridge_of_noise(l, t), t->factor, l->E);
        break;
    case DLTF_ENCODER_TIGHT:
        return dl_tight_frame(l->threads, l->W, l->m, l->n, l->E);
    case DLTF_ENCODER_AUTO:
    case DLTF_ENCODER_TIED:
    case DLTF_ENCODER_LEARNED:
        break;
    }
    return DLTF_OK;
}
