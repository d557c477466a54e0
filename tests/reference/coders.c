/* Oracles of the coders, one sample at a time. Residuals and scores are recomputed in every step. */
#include "reference/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *zeros(int64_t count) {
    double *x = calloc((size_t)count + 1, sizeof *x);
    if (!x)
        abort();
    return x;
}

/* r = x - Wz */
static void residual(const double *W, int64_t m, int64_t n, const double *x, const double *z, double *r) {
    memcpy(r, x, (size_t)n * sizeof *r);
    for (int64_t j = 0; j < m; j++)
        for (int64_t d = 0; d < n; d++)
            r[d] -= z[j] * W[j * n + d];
}

static double square(const double *x, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

double ref_residual(const double *W, int64_t m, int64_t n, const double *x, const double *z) {
    double *r = zeros(n);
    residual(W, m, n, x, z, r);
    double sum = square(r, n);
    free(r);
    return sum;
}

static int64_t support_of(const double *z, int64_t m, int32_t *S) {
    int64_t count = 0;
    for (int64_t j = 0; j < m; j++)
        if (z[j] != 0)
            S[count++] = (int32_t)j;
    return count;
}

/* Least squares on S into z, zeros elsewhere; false if the atoms are dependent. */
static bool fit(const double *W, int64_t m, int64_t n, const double *x, const int32_t *S, int64_t count,
                double *z) {
    double *values = zeros(count);
    bool solved = ref_least_squares(W, n, S, count, x, values);
    if (solved) {
        memset(z, 0, (size_t)m * sizeof *z);
        for (int64_t e = 0; e < count; e++)
            z[S[e]] = values[e];
    }
    free(values);
    return solved;
}

double ref_omp(const double *W, int64_t m, int64_t n, const double *x, int64_t k, double error, double *z) {
    double *r = zeros(n), *scores = zeros(m), margin = 1, scale = sqrt(square(x, n));
    int32_t *S = calloc((size_t)k + 1, sizeof *S);
    memset(z, 0, (size_t)m * sizeof *z);
    for (int64_t count = 0; count < k; count++) {
        residual(W, m, n, x, z, r);
        ref_scores(r, 1, n, W, m, scores);
        int64_t best = 0;
        double second = 0;
        for (int64_t j = 1; j < m; j++)
            best = fabs(scores[j]) > fabs(scores[best]) ? j : best;
        for (int64_t j = 0; j < m; j++)
            second = j != best ? fmax(second, fabs(scores[j])) : second;
        if (error > 0)
            margin = fmin(margin, fabs(square(r, n) - error) / (scale * scale));
        if ((error > 0 && square(r, n) <= error) || fabs(scores[best]) <= 1e-6 * scale)
            break;
        margin = fmin(margin, (fabs(scores[best]) - second) / scale);
        S[count] = (int32_t)best;
        if (!fit(W, m, n, x, S, count + 1, z))
            break;
    }
    free(r);
    free(scores);
    free(S);
    return margin;
}

/* Relative gap between the k-th and the next largest choice. */
static double margin_of(const double *u, int64_t m, int64_t k, bool positive) {
    int32_t *S = calloc((size_t)m + 1, sizeof *S);
    double *left = zeros(m), kept = INFINITY, next = 0, scale = 0;
    memcpy(left, u, (size_t)m * sizeof *left);
    int64_t count = ref_topk(u, m, k, positive, S);
    for (int64_t e = 0; e < count; e++) {
        kept = fmin(kept, fabs(u[S[e]]));
        scale = fmax(scale, fabs(u[S[e]]));
        left[S[e]] = 0;
    }
    for (int64_t j = 0; j < m; j++)
        next = fmax(next, positive ? left[j] : fabs(left[j]));
    free(S);
    free(left);
    return count == 0 ? 1 : (kept - next) / scale;
}

/* max_k(u) */
static void threshold(const double *u, int64_t m, int64_t k, bool positive, double *z) {
    int32_t *S = calloc((size_t)m + 1, sizeof *S);
    int64_t count = ref_topk(u, m, k, positive, S);
    memset(z, 0, (size_t)m * sizeof *z);
    for (int64_t e = 0; e < count; e++)
        z[S[e]] = u[S[e]];
    free(S);
}

static bool same_support(const double *a, const double *b, int64_t m) {
    for (int64_t j = 0; j < m; j++)
        if ((a[j] != 0) != (b[j] != 0))
            return false;
    return true;
}

/* ||g||^2 / ||W g||^2, with g restricted to the support of `where`. */
static double ratio(const double *W, int64_t m, int64_t n, const double *g, const double *where) {
    double *part = zeros(m), *none = zeros(n), *image = zeros(n);
    for (int64_t j = 0; j < m; j++)
        part[j] = where[j] != 0 ? g[j] : 0;
    residual(W, m, n, none, part, image);
    double above = square(part, m), below = square(image, n);
    free(part);
    free(none);
    free(image);
    return below > 0 ? above / below : 0;
}

double ref_iht(const double *W, int64_t m, int64_t n, const double *x, int64_t k, bool positive, double mu,
               double safe, int64_t passes, double *z) {
    double *r = zeros(n), *g = zeros(m), *u = zeros(m), *next = zeros(m), *d = zeros(m), margin = 1;
    memset(z, 0, (size_t)m * sizeof *z);
    for (int64_t pass = 0; pass < passes; pass++) {
        residual(W, m, n, x, z, r);
        ref_scores(r, 1, n, W, m, g);
        double step = mu;
        if (mu == 0) {
            threshold(g, m, k, positive, next);
            step = ratio(W, m, n, g, square(z, m) > 0 ? z : next);
            step = step > 0 ? step : safe;
        }
        for (;;) {
            for (int64_t j = 0; j < m; j++)
                u[j] = z[j] + step * g[j];
            threshold(u, m, k, positive, next);
            for (int64_t j = 0; j < m; j++)
                d[j] = next[j] - z[j];
            double bound = ratio(W, m, n, d, d);
            if (mu == 0)
                margin = fmin(margin, fabs(1 - 0.99 * bound / step));
            if (mu > 0 || step <= safe || same_support(z, next, m) || step <= 0.99 * bound)
                break;
            step = fmax(0.51 * step, safe);
        }
        margin = fmin(margin, margin_of(u, m, k, positive));
        memcpy(z, next, (size_t)m * sizeof *z);
    }
    free(r);
    free(g);
    free(u);
    free(next);
    free(d);
    return margin;
}

static void fit_support(const double *W, int64_t m, int64_t n, const double *x, bool positive, double *z) {
    int32_t *S = calloc((size_t)m + 1, sizeof *S);
    bool negative = true;
    while (negative) {
        fit(W, m, n, x, S, support_of(z, m, S), z);
        negative = false;
        for (int64_t j = 0; j < m && positive; j++)
            if (z[j] < 0) {
                negative = true;
                z[j] = 0;
            }
    }
    free(S);
}

double ref_htp(const double *W, const double *E, int64_t m, int64_t n, const double *x, int64_t k,
               bool positive, int64_t passes, double *z) {
    double *r = zeros(n), *g = zeros(m), *now = zeros(m), margin = 1;
    fit_support(W, m, n, x, positive, z);
    memcpy(now, z, (size_t)m * sizeof *now);
    for (int64_t pass = 1; pass < passes; pass++) {
        residual(W, m, n, x, now, r);
        ref_scores(r, 1, n, E, m, g);
        for (int64_t j = 0; j < m; j++)
            g[j] += now[j];
        margin = fmin(margin, margin_of(g, m, k, positive));
        threshold(g, m, k, positive, now);
        fit_support(W, m, n, x, positive, now);
        double before = ref_residual(W, m, n, x, z), after = ref_residual(W, m, n, x, now);
        if (!same_support(now, z, m))
            margin = fmin(margin, fabs(before - after) / square(x, n));
        if (after < before)
            memcpy(z, now, (size_t)m * sizeof *z);
    }
    free(r);
    free(g);
    free(now);
    return margin;
}

/* coherence - max |<w_j, w_i>| over the atoms i != j of z. */
static double coherence_margin(const double *W, int64_t m, int64_t n, int64_t j, double coherence,
                               const double *z) {
    double margin = coherence;
    for (int64_t i = 0; i < m; i++) {
        double product = 0;
        for (int64_t d = 0; d < n && z[i] != 0; d++)
            product += W[i * n + d] * W[j * n + d];
        margin = i != j ? fmin(margin, coherence - fabs(product)) : margin;
    }
    return margin;
}

double ref_incoherent(const double *W, int64_t m, int64_t n, const double *x, int64_t k, bool positive,
                      double coherence, double threshold, double *z) {
    double *scores = zeros(m), margin = 1, scale = sqrt(square(x, n)), last = INFINITY;
    int64_t kept = 0;
    ref_scores(x, 1, n, W, m, scores);
    memset(z, 0, (size_t)m * sizeof *z);
    for (int64_t seen = 0; seen < m && kept < k; seen++) {
        int64_t best = 0;
        for (int64_t j = 0; j < m; j++)
            if ((positive ? scores[j] : fabs(scores[j])) > (positive ? scores[best] : fabs(scores[best])))
                best = j;
        double score = positive ? scores[best] : fabs(scores[best]);
        if (score <= 0)
            break;
        margin = fmin(margin, fabs(score - threshold) / scale);
        if (score <= threshold)
            break;
        double room = coherence_margin(W, m, n, best, coherence, z);
        margin = fmin(margin, fmin(fabs(room), (last - score) / scale));
        last = INFINITY; /* only the order relative to a kept atom matters */
        if (room >= 0) {
            last = score;
            z[best] = scores[best];
            kept++;
        }
        scores[best] = 0;
    }
    free(scores);
    return margin;
}

/* z = argmin ||x - Wz||^2 + ridge ||z||^2 over the atoms of `list`: least squares with more rows. */
static void fit_ridge(const double *W, int64_t n, const double *x, const int32_t *list, int64_t count,
                      double ridge, double *z) {
    int64_t longer = n + count;
    double *rows = zeros(count * longer), *target = zeros(longer);
    int32_t *all = calloc((size_t)count + 1, sizeof *all);
    memcpy(target, x, (size_t)n * sizeof *x);
    for (int64_t i = 0; i < count; i++) {
        memcpy(rows + i * longer, W + list[i] * n, (size_t)n * sizeof *W);
        rows[i * longer + n + i] = sqrt(ridge);
        all[i] = (int32_t)i;
    }
    if (!ref_least_squares(rows, longer, all, count, target, z))
        abort();
    free(rows);
    free(target);
    free(all);
}

/* Moves the `kept` atoms with the largest |z| (positive: z) to the front; returns the margin. */
static double keep_largest(int32_t *list, double *z, int64_t count, int64_t kept, bool positive) {
    double scale = 0;
    for (int64_t i = 0; i < count; i++)
        scale = fmax(scale, fabs(z[i]));
    for (int64_t i = 0; i < count; i++)
        z[i] = positive ? z[i] : fabs(z[i]);
    for (int64_t i = 0; i < count && i <= kept; i++)
        for (int64_t j = i + 1; j < count; j++)
            if (z[j] > z[i]) {
                double value = z[i];
                int32_t atom = list[i];
                z[i] = z[j];
                list[i] = list[j];
                z[j] = value;
                list[j] = atom;
            }
    return kept < count && scale > 0 ? (z[kept - 1] - z[kept]) / scale : 1;
}

/* Leaves at most k of the `count` atoms of `list`, of which the first k are the best; returns the smallest
 * margin. */
static double eliminate(const double *W, int64_t n, const double *x, int64_t k, bool positive, int32_t *list,
                        int64_t count) {
    const double ridge = 0.03;
    double *z = zeros(count), *r = zeros(n), margin = 1;
    if (count > 2 * k) {
        fit_ridge(W, n, x, list, k, ridge, z);
        memcpy(r, x, (size_t)n * sizeof *r);
        for (int64_t i = 0; i < k; i++)
            for (int64_t d = 0; d < n; d++)
                r[d] -= z[i] * W[list[i] * n + d];
        for (int64_t i = k; i < count; i++) {
            z[i] = 0;
            for (int64_t d = 0; d < n; d++)
                z[i] += W[list[i] * n + d] * r[d];
        }
        margin = keep_largest(list + k, z + k, count - k, k, positive);
        count = 2 * k;
    }
    for (int64_t kept = k + (k + 3) / 4; count > k; kept = k) {
        if (count <= kept)
            continue;
        fit_ridge(W, n, x, list, count, ridge, z);
        margin = fmin(margin, keep_largest(list, z, count, kept, positive));
        count = kept;
    }
    free(z);
    free(r);
    return margin;
}

/* Elimination among the atoms of `list`, then least squares. */
static double decide(const double *W, int64_t m, int64_t n, const double *x, int64_t k, bool positive,
                     int32_t *list, int64_t count, double *z) {
    double margin = eliminate(W, n, x, k, positive, list, count);
    memset(z, 0, (size_t)m * sizeof *z);
    for (int64_t e = 0; e < count && e < k; e++)
        z[list[e]] = 1;
    fit_support(W, m, n, x, positive, z);
    for (int64_t j = 0; j < m; j++)
        margin = positive && z[j] != 0 ? fmin(margin, fabs(z[j]) / sqrt(square(x, n))) : margin;
    return margin;
}

double ref_shortlist(const double *W, const double *E, int64_t m, int64_t n, const double *x, int64_t k,
                     bool positive, int64_t candidates, int lists, double *z) {
    double *scores = zeros(m), *listed = zeros(m), *r = zeros(n);
    int32_t *list = calloc((size_t)m + 1, sizeof *list);
    ref_scores(x, 1, n, W, m, scores);
    double margin = margin_of(scores, m, candidates, positive);
    int64_t count = ref_topk(scores, m, candidates, positive, list);
    for (int64_t e = 0; e < count; e++)
        listed[e] = scores[list[e]];
    if (count > k)
        margin = fmin(margin, keep_largest(list, listed, count, k, positive));
    margin = fmin(margin, decide(W, m, n, x, k, positive, list, count, z));
    if (lists == 2) {
        residual(W, m, n, x, z, r);
        ref_scores(r, 1, n, E, m, scores);
        margin = fmin(margin, margin_of(scores, m, k, positive));
        count = ref_topk(scores, m, k, positive, list);
        for (int64_t e = 0; e < count; e++)
            z[list[e]] = 1;
        count = support_of(z, m, list);
        margin = fmin(margin, decide(W, m, n, x, k, positive, list, count, z));
    }
    free(scores);
    free(listed);
    free(r);
    free(list);
    return margin;
}
