/* Oracles of learning. */
#include "reference/learning.h"

#include "reference/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *zeros(int64_t count) {
    double *x = calloc((size_t)count, sizeof *x);
    if (!x)
        abort();
    return x;
}

/* out (a x b) = left^T right for left N x a, right N x b. */
static double *product_tn(const double *left, const double *right, int64_t N, int64_t a, int64_t b) {
    double *out = zeros(a * b);
    for (int64_t i = 0; i < N; i++)
        for (int64_t p = 0; p < a; p++)
            for (int64_t q = 0; q < b; q++)
                out[p * b + q] += left[i * a + p] * right[i * b + q];
    return out;
}

static double square(const double *x, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sum;
}

ref_statistics ref_statistics_new(const double *X, const double *Z, const double *M, int64_t m, int64_t n,
                                  int64_t N) {
    ref_statistics s = {.C = product_tn(Z, X, N, m, n),
                        .D = product_tn(Z, Z, N, m, m),
                        .A = product_tn(X, X, N, n, n),
                        .X_square = square(X, N * n)};
    if (M) {
        s.F = product_tn(M, X, N, m, n);
        s.H = product_tn(Z, M, N, m, m);
        s.M_square = square(M, N * m);
    }
    return s;
}

void ref_statistics_free(ref_statistics *s) {
    free(s->C);
    free(s->D);
    free(s->A);
    free(s->F);
    free(s->H);
    *s = (ref_statistics){0};
}

/* ---- Z ---- */

/* r = x - Wz */
static void residual(const double *W, int64_t m, int64_t n, const double *x, const double *z, double *r) {
    memcpy(r, x, (size_t)n * sizeof *r);
    for (int64_t j = 0; j < m; j++)
        for (int64_t i = 0; i < n; i++)
            r[i] -= z[j] * W[j * n + i];
}

double ref_z_objective(const double *W, int64_t m, int64_t n, const double *x, const double *z,
                       const double *shift, double theta, double beta) {
    double *r = zeros(n), *s = zeros(m);
    residual(W, m, n, x, z, r);
    double f = theta / 2 * square(r, n);
    if (shift) {
        ref_scores(r, 1, n, W, m, s);
        for (int64_t j = 0; j < m; j++)
            s[j] = shift[j] - s[j];
        f += beta / 2 * square(s, m);
    }
    free(r);
    free(s);
    return f;
}

/* z <- max_k(z); returns the size of its support. */
static int64_t threshold(double *z, int64_t m, int64_t k, bool positive, int32_t *support) {
    int64_t count = ref_topk(z, m, k, positive, support), next = 0;
    for (int64_t j = 0; j < m; j++)
        if (next < count && support[next] == j)
            next++;
        else
            z[j] = 0;
    return count;
}

/* Least squares on the support, if its atoms are independent and (with `positive`) all values positive. */
static void fit(const double *W, int64_t n, bool positive, const double *x, const int32_t *support,
                int64_t count, double *z) {
    double *values = zeros(count + 1);
    bool good = count > 0 && ref_least_squares(W, n, support, count, x, values);
    for (int64_t e = 0; e < count; e++)
        good = good && (!positive || values[e] > 0);
    for (int64_t e = 0; e < count && good; e++)
        z[support[e]] = values[e];
    free(values);
}

void ref_z_step(const double *W, int64_t m, int64_t n, int64_t k, bool positive, const double *x,
                const double *shift, double theta, double beta, double step, int steps, double *z) {
    double *r = zeros(n), *p = zeros(m), *u = zeros(n), *g = zeros(m), *start = zeros(m);
    int32_t *support = calloc((size_t)m, sizeof *support);
    if (!support)
        abort();
    ref_scores(x, 1, n, W, m, z);
    int64_t count = threshold(z, m, k, positive, support);
    memcpy(start, z, (size_t)m * sizeof *z);
    for (int t = 0; t < steps; t++) {
        residual(W, m, n, x, z, r);
        ref_scores(r, 1, n, W, m, p); /* W^T (x - Wz) */
        for (int64_t j = 0; j < m; j++)
            g[j] = -theta * p[j];
        if (shift) { /* + beta W^T W (shift - p) */
            memset(u, 0, (size_t)n * sizeof *u);
            for (int64_t j = 0; j < m; j++)
                for (int64_t i = 0; i < n; i++)
                    u[i] += (shift[j] - p[j]) * W[j * n + i];
            ref_scores(u, 1, n, W, m, p);
            for (int64_t j = 0; j < m; j++)
                g[j] += beta * p[j];
        }
        for (int64_t j = 0; j < m; j++)
            z[j] -= step * g[j];
        count = threshold(z, m, k, positive, support);
    }
    if (!shift)
        fit(W, n, positive, x, support, count, z);
    if (!(ref_z_objective(W, m, n, x, z, shift, theta, beta) <=
          ref_z_objective(W, m, n, x, start, shift, theta, beta)))
        memcpy(z, start, (size_t)m * sizeof *z);
    free(r);
    free(p);
    free(u);
    free(g);
    free(start);
    free(support);
}

double ref_largest_eigenvalue(const double *W, int64_t m, int64_t n) {
    double *v = zeros(n), *next = zeros(n), value = 0;
    for (int64_t i = 0; i < n; i++)
        v[i] = 1 + 0.1 * (double)(i % 7);
    for (int step = 0; step < 500; step++) {
        memset(next, 0, (size_t)n * sizeof *next);
        for (int64_t j = 0; j < m; j++) {
            double along = 0;
            for (int64_t i = 0; i < n; i++)
                along += W[j * n + i] * v[i];
            for (int64_t i = 0; i < n; i++)
                next[i] += along * W[j * n + i];
        }
        value = sqrt(square(next, n));
        for (int64_t i = 0; i < n && value > 0; i++)
            v[i] = next[i] / value;
    }
    free(v);
    free(next);
    return value;
}

/* ---- The dual encoder ---- */

/* B (size x cols) <- A^{-1} B; A (size x size) is destroyed. */
static bool eliminate(double *A, int64_t size, double *B, int64_t cols) {
    for (int64_t c = 0; c < size; c++) {
        int64_t pivot = c;
        for (int64_t i = c + 1; i < size; i++)
            if (fabs(A[i * size + c]) > fabs(A[pivot * size + c]))
                pivot = i;
        if (fabs(A[pivot * size + c]) < 1e-13)
            return false;
        for (int64_t j = 0; j < size; j++) {
            double keep = A[c * size + j];
            A[c * size + j] = A[pivot * size + j];
            A[pivot * size + j] = keep;
        }
        for (int64_t j = 0; j < cols; j++) {
            double keep = B[c * cols + j];
            B[c * cols + j] = B[pivot * cols + j];
            B[pivot * cols + j] = keep;
        }
        for (int64_t i = 0; i < size; i++) {
            double factor = A[i * size + c] / A[c * size + c];
            if (i == c || factor == 0)
                continue;
            for (int64_t j = 0; j < size; j++)
                A[i * size + j] -= factor * A[c * size + j];
            for (int64_t j = 0; j < cols; j++)
                B[i * cols + j] -= factor * B[c * cols + j];
        }
    }
    for (int64_t i = 0; i < size; i++)
        for (int64_t j = 0; j < cols; j++)
            B[i * cols + j] /= A[i * size + i];
    return true;
}

bool ref_dual_encoder(const double *W, int64_t m, int64_t n, double r, bool small, double *E) {
    int64_t size = small ? m : n, cols = small ? n : m;
    double *A = zeros(size * size), *B = zeros(size * cols);
    for (int64_t i = 0; i < size; i++) {
        for (int64_t j = 0; j < size; j++)
            for (int64_t e = 0; e < (small ? n : m); e++)
                A[i * size + j] += small ? W[i * n + e] * W[j * n + e] : W[e * n + i] * W[e * n + j];
        A[i * size + i] += r;
        for (int64_t j = 0; j < cols; j++)
            B[i * cols + j] = small ? W[i * n + j] : W[j * n + i];
    }
    bool regular = eliminate(A, size, B, cols);
    for (int64_t j = 0; j < m && regular; j++) {
        double along = 0;
        for (int64_t i = 0; i < n; i++) {
            E[j * n + i] = small ? B[j * n + i] : B[i * m + j];
            along += E[j * n + i] * W[j * n + i];
        }
        for (int64_t i = 0; i < n; i++)
            E[j * n + i] /= along;
    }
    free(A);
    free(B);
    return regular;
}

/* ---- The distilled encoder ---- */

static double *column_means(const double *X, int64_t N, int64_t n) {
    double *mean = zeros(n);
    for (int64_t i = 0; i < N * n; i++)
        mean[i % n] += X[i] / (double)N;
    return mean;
}

double ref_affine_ridge(const double *X, const double *Z, int64_t N, int64_t n, int64_t m, double r,
                        double *E, double *b) {
    double *x0 = column_means(X, N, n), *z0 = column_means(Z, N, m), error = 0, freedom = 1;
    double *A = zeros(n * n), *copy = zeros(n * n), *B = zeros(n * m), *H = zeros(n * n);
    for (int64_t p = 0; p < n; p++) {
        for (int64_t i = 0; i < N; i++) {
            double x = (X[i * n + p] - x0[p]) / (double)N;
            for (int64_t q = 0; q < n; q++)
                A[p * n + q] += x * (X[i * n + q] - x0[q]);
            for (int64_t j = 0; j < m; j++)
                B[p * m + j] += x * (Z[i * m + j] - z0[j]);
        }
    }
    memcpy(H, A, (size_t)(n * n) * sizeof *H);
    for (int64_t p = 0; p < n; p++)
        A[p * n + p] += r;
    memcpy(copy, A, (size_t)(n * n) * sizeof *copy);
    if (!eliminate(A, n, B, m) || !eliminate(copy, n, H, n))
        abort();
    for (int64_t p = 0; p < n; p++)
        freedom += H[p * n + p];
    for (int64_t j = 0; j < m; j++) {
        b[j] = -z0[j];
        for (int64_t p = 0; p < n; p++) {
            E[j * n + p] = B[p * m + j];
            b[j] += E[j * n + p] * x0[p];
        }
    }
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < m; j++) {
            double left = -b[j] - Z[i * m + j];
            for (int64_t p = 0; p < n; p++)
                left += E[j * n + p] * X[i * n + p];
            error += left * left;
        }
    free(x0);
    free(z0);
    free(A);
    free(copy);
    free(B);
    free(H);
    return error / ((1 - freedom / (double)N) * (1 - freedom / (double)N));
}
