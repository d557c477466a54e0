/* Histograms as SVG. */
#ifndef REPORT_HISTOGRAM_H
#define REPORT_HISTOGRAM_H

#include <stdint.h>

typedef struct histogram {
    const char *title, *x_label, *y_label;
    int bars;         /* of equal width, at least 1 */
    double low, high; /* the range; low < high. Values outside of it count for the first and last bar */
} histogram;

/* Allocated; NULL if out of memory. NaN is not counted. */
char *histogram_svg(const histogram *h, const double *values, int64_t count);

#endif
