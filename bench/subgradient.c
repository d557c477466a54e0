/* Subgradient descent. Finds the k largest entries by quickselect, so that an iteration is O(m). */
#include "subgradient.h"

#include <math.h>
#include <stddef.h>

/* The k-th largest entry of x, by Hoare's quickselect. Reorders x. */
static double kth_largest(double *x, int64_t m, int64_t k) {
    int64_t low = 0, high = m - 1, place = k - 1;
    while (low < high) {
        double pivot = x[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (x[i] > pivot)
                i++;
            while (x[j] < pivot)
                j--;
            if (i <= j) {
                double swap = x[i];
                x[i++] = x[j];
                x[j--] = swap;
            }
        }
        if (place <= j)
            high = j;
        else if (place >= i)
            low = i;
        else
            break;
    }
    return x[place];
}

/* F(q). Stores a subgradient in g unless NULL: 2 gamma u q + 2 (q - c), u = 1 on k largest entries. */
static double evaluate(const double *q, const double *c, int64_t m, int64_t k, double gamma, double *scratch,
                       double *g) {
    for (int64_t i = 0; i < m; i++)
        scratch[i] = fabs(q[i]);
    double v = kth_largest(scratch, m, k), sum = 0;
    int64_t ties = k;
    for (int64_t i = 0; i < m; i++)
        ties -= fabs(q[i]) > v;
    for (int64_t i = 0; i < m; i++) {
        double distance = q[i] - c[i], a = fabs(q[i]);
        double weight = a > v || (a == v && ties-- > 0) ? gamma : 0;
        sum += weight * q[i] * q[i] + distance * distance;
        if (g)
            g[i] = 2 * (weight * q[i] + distance);
    }
    return sum;
}

double subgradient_objective(const double *q, const double *c, int64_t m, int64_t k, double gamma,
                             double *scratch) {
    return evaluate(q, c, m, k, gamma, scratch, NULL);
}

subgradient_result subgradient_method(subgradient_step rule, const double *c, int64_t m, int64_t k,
                                      double gamma, double optimum, double tolerance, int64_t most,
                                      double *work) {
    double *q = work, *g = work + m, *scratch = work + 2 * m, best = INFINITY;
    int64_t iteration = 0;
    for (int64_t i = 0; i < m; i++)
        q[i] = c[i];
    for (;; iteration++) {
        double F = evaluate(q, c, m, k, gamma, scratch, g), square = 0;
        best = fmin(best, F);
        for (int64_t i = 0; i < m; i++)
            square += g[i] * g[i];
        if (best - optimum <= tolerance * optimum || iteration == most || square == 0)
            break;
        double step = rule == SUBGRADIENT_POLYAK ? (F - optimum) / square : 1 / (double)(iteration + 2);
        for (int64_t i = 0; i < m; i++)
            q[i] -= step * g[i];
    }
    return (subgradient_result){iteration, (best - optimum) / optimum};
}
