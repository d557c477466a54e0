/* A bound on the norm of Gaussian noise: the quantile of sigma chi_n, by the regularised incomplete gamma
 * function. */
#include "base/status.h"
#include "dltf/certify.h"

#include <float.h>
#include <math.h>

enum { MAX_TERMS = 100000 };

/* Q(a, x) = Gamma(a, x) / Gamma(a), the upper tail. For x < a + 1 by the power series of the lower part,
 * otherwise by Lentz's continued fraction. Both converge to full precision in about sqrt(a) terms. */
static double upper_gamma(double a, double x) {
    if (x <= 0)
        return 1;
    double factor = exp(a * log(x) - x - lgamma(a));
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (int i = 1; i < MAX_TERMS && term > sum * DBL_EPSILON / 4; i++) {
            term *= x / (a + i);
            sum += term;
        }
        return 1 - factor * sum;
    }
    double b = x + 1 - a, c = 1e300, d = 1 / b, product = d;
    for (int i = 1; i < MAX_TERMS; i++) {
        double an = -i * (i - a);
        b += 2;
        d = 1 / (an * d + b);
        c = b + an / c;
        product *= c * d;
        if (fabs(c * d - 1) <= DBL_EPSILON)
            break;
    }
    return factor * product;
}

/* The smallest r with P(||e|| > r) <= 1 - quantile, by bisection; accurate to about 10 digits, rounded up. */
dltf_status dltf_noise_bound(int64_t n, double sigma, double quantile, double *bound) {
    DL_REQUIRE(bound);
    if (n < 1 || n > INT32_MAX || !(sigma >= 0) || !isfinite(sigma) || !(quantile > 0 && quantile < 1))
        return dl_fail(DLTF_ARGUMENT,
                       "noise bound: n = %lld, sigma = %g, quantile = %g: n must be at least 1, sigma at "
                       "least 0, and quantile between 0 and 1",
                       (long long)n, sigma, quantile);
    double half = (double)n / 2, tail = (1 - quantile) * (1 - 1e-12), low = 0, high = half;
    while (upper_gamma(half, high) > tail)
        high *= 2;
    while (high - low > 1e-13 * high) {
        double middle = (low + high) / 2;
        if (upper_gamma(half, middle) > tail)
            low = middle;
        else
            high = middle;
    }
    *bound = sigma * sqrt(2 * high);
    return DLTF_OK;
}
