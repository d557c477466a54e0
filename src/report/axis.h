/* Axes of charts: range, position of a value, ticks. */
#ifndef REPORT_AXIS_H
#define REPORT_AXIS_H

#include <stdbool.h>

enum { AXIS_MAX_TICKS = 40, AXIS_LABEL = 32 };

/* A range; of logarithms to base 10 if `log`. */
typedef struct axis {
    bool log;
    double low, high;
} axis;

axis axis_new(bool log);
/* Extends the range by a value. */
void axis_include(axis *a, double value);
/* Makes an empty range a proper one. `rounded`: extends it to ticks and leaves room above the largest value.
 */
void axis_finish(axis *a, bool rounded);

/* Where a value is: 0 at the low end, 1 at the high end. */
double axis_share(const axis *a, double value);

/* About `wanted` values for ticks, ascending; on a log axis powers of ten, with twice and five times these if
 * there are few. Returns their number. */
int axis_ticks(const axis *a, int wanted, double ticks[AXIS_MAX_TICKS]);

void axis_label(double value, char text[AXIS_LABEL]);

#endif
