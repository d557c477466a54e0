/* The three untied encoders. In the paper's notation, with Z the multi-pass codes:
 *
 *   dual       E = (W W^T + r I)^{-1} W, <e_j, w_j> = 1, with r = sigma^2 m / (k mean z^2): the best linear
 *              estimate of codes with this variance from samples with this noise
 *   distilled  min sum_i ||E^T x_i - b - z_i||^2 + N r ||E||^2: the affine map that comes closest to the
 *              codes of new samples; r by generalised cross-validation
 *   tight      the tight frame nearest to W: least interference between scores */
#include "learning/stages/encoder_fit.h"

#include "base/memory.h"
#include "coding/dual.h"
#include "data/matrix.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

static double ridge_from_noise(const dltf_learner *l, const dl_multipass *t) {
    double used = 0, energy = 0,
           freedom = fmax(1, (double)(l->n - l->k)); /* of a residual after fitting k values */
    for (int64_t j = 0; j < l->m; j++) {
        used += t->statistics.use[j];
        energy += t->statistics.D[j * l->m + j];
    }
    double noise = t->residual / ((double)t->count * freedom);
    return energy > 0 ? noise * (double)l->m * used / ((double)l->k * energy) : l->options.ridge;
}

/* Computes Cov(X) into t->A and Cov(Z, X) into l->E from sums. Returns the variance of the codes, summed over
 * atoms. */
static double center(dltf_learner *l, dl_multipass *t) {
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

/* The ridge with the least out-of-sample error, estimated by generalised cross-validation (Golub, Heath and
 * Wahba 1979): squared error / (1 - degrees of freedom / N)^2. `values` are the eigenvalues of Cov(X),
 * `squares` the squared norms of the columns of Cov(Z, X) in the basis of its eigenvectors. */
static double choose_ridge(const dl_multipass *t, int64_t n, const double *values, const double *squares,
                           double variance) {
    enum { MIN_POWER = -12, MAX_POWER = 6 }; /* of sqrt(10), times the mean variance of an entry */
    double N = (double)t->count, mean = 0, best = INFINITY;
    for (int64_t d = 0; d < n; d++)
        mean += values[d] / (double)n;
    double smallest = 1e-12 * t->X_square / (N * (double)n); /* smaller variances are rounding error */
    double chosen = fmax(smallest, mean * pow(10, MAX_POWER / 2.0));
    for (int power = MIN_POWER; power <= MAX_POWER; power++) {
        double r = fmax(smallest, mean * pow(10, power / 2.0)), error = variance, freedom = 1;
        for (int64_t d = 0; d < n; d++) {
            double inverse = 1 / (values[d] + r);
            error -= squares[d] * inverse * (2 - values[d] * inverse);
            freedom += values[d] * inverse;
        }
        double score = fmax(0, error) / pow(1 - freedom / N, 2);
        if (freedom < 0.99 * N && score < best) { /* closer to N the error is rounding */
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
    double N = (double)t->count, variance = center(l, t), *work = NULL;
    DL_TRY_NEW(work, 2 * n + m * n + dl_eigenvectors_scratch(n));
    double *values = work, *squares = values + n, *P = squares + n, *V = t->A;
    if (!dl_eigenvectors(V, n, values, P + m * n)) {
        status = dl_fail(DLTF_NUMERIC, "eigendecomposition of the data covariance failed");
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

/* Normalises the rows. Returns the largest relative deviation of their norms from the common norm in a
 * tight frame. */
static double normalise_rows(int64_t m, int64_t n, double *E) {
    double expected = m > n ? sqrt((double)n / (double)m) : 1, worst = 0;
    for (int64_t j = 0; j < m; j++) {
        worst = fmax(worst, fabs(dl_norm(E + j * n, n) / expected - 1));
        dl_normalise(E + j * n, n);
    }
    return worst;
}

dltf_status dl_tight_frame(int threads, const double *W, int64_t m, int64_t n, double *E) {
    enum { MAX_ITERATIONS = 50 };
    const double tolerance = 1e-4;
    int64_t size = m < n ? m : n;
    double *work = DL_NEW(double, 3 * size * size + size + dl_eigenvectors_scratch(size) + m * n);
    if (!work)
        return DLTF_MEMORY;
    dltf_status status = DLTF_OK;
    memcpy(E, W, (size_t)(m * n) * sizeof *E);
    double deviation = 1;
    for (int i = 0; i < MAX_ITERATIONS && deviation > tolerance && status == DLTF_OK; i++) {
        if (!polar_factor(threads, m, n, work, E))
            status = dl_fail(DLTF_NUMERIC,
                             "eigendecomposition failed while computing the tight frame of the dictionary");
        deviation = normalise_rows(m, n, E);
    }
    dl_free(work);
    return status;
}

dltf_status dl_fit_encoder(dltf_learner *l, dl_multipass *t) {
    memset(l->bias, 0, (size_t)l->m * sizeof *l->bias);
    switch (l->options.encoder) {
    case DLTF_ENCODER_DISTILLED:
    case DLTF_ENCODER_BEST:
        return distil(l, t);
    case DLTF_ENCODER_DUAL:
        dl_dual_encoder(l->threads, l->W, l->m, l->n, ridge_from_noise(l, t), t->factor, l->E);
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
