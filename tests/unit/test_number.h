/* Comparisons of numbers that NaN fails. Include cmocka.h before. cmocka's own assert_float_equal lets NaN
 * pass, and fmax ignores it. */
#ifndef TEST_NUMBER_H
#define TEST_NUMBER_H

#include <math.h>

static inline void assert_near(double x, double wanted, double tolerance) {
    if (!(fabs(x - wanted) <= tolerance))
        fail_msg("%.17g is not within %g of %.17g", x, tolerance, wanted);
}

/* The larger of two; NaN if either is. */
static inline double larger(double a, double b) {
    return a > b || isnan(a) ? a : b;
}

#endif
