/* Ranges and ticks. */
#include "report/axis.h"

#include <math.h>
#include <stdio.h>

static const double NEAR = 1e-9; /* rounding errors of ticks, relative to a step */
/* Larger magnitudes are drawn as this one: a range must not overflow. A range is at least LEAST: steps
 * between ticks must not underflow. */
static const double MOST = 1e300, LEAST = 1e-290;

axis axis_new(bool log) {
    return (axis){log, INFINITY, -INFINITY};
}

/* Where a value is on the scale of the axis; NaN stays NaN. */
static double on_scale(const axis *a, double value) {
    double at = a->log ? log10(value) : value;
    return at > MOST ? MOST : at < -MOST ? -MOST : at;
}

void axis_include(axis *a, double value) {
    double at = on_scale(a, value); /* NaN is ignored below */
    a->low = fmin(a->low, at);
    a->high = fmax(a->high, at);
}

/* 1, 2 or 5 times a power of ten, such that at most `wanted` steps cover the range. */
static double nice_step(double range, int wanted) {
    double rough = range / (wanted > 1 ? wanted : 1), power = pow(10, floor(log10(rough)));
    double part = rough / power - NEAR;
    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

/* The nearest of 1, 2 and 5 times a power of ten that is not above (`up`: not below) 10^e. */
static double nice_exponent(double e, bool up) {
    static const double parts[] = {0, 0.301029995663981, 0.698970004336019, 1};
    double whole = floor(e), part = e - whole;
    int i = up ? 0 : 3;
    while (up ? parts[i] < part - NEAR : parts[i] > part + NEAR)
        i += up ? 1 : -1;
    return whole + parts[i];
}

void axis_finish(axis *a, bool rounded) {
    const double room = 1.02; /* above the largest value */
    if (!(a->low <= a->high))
        *a = (axis){a->log, 0, 1};
    if (a->high - a->low < LEAST) {
        double half = a->low != 0 && !a->log ? fmax(fabs(a->low) / 2, LEAST) : 0.5;
        a->low -= half;
        a->high += half;
    }
    if (!rounded)
        return;
    if (a->log) {
        a->low = nice_exponent(a->low, false);
        a->high = nice_exponent(a->high, true);
    } else {
        double step = nice_step(a->high - a->low, 6);
        a->high = step * ceil(a->high * room / step);
    }
}

double axis_share(const axis *a, double value) {
    return (on_scale(a, value) - a->low) / (a->high - a->low);
}

static int log_ticks(const axis *a, int wanted, double ticks[AXIS_MAX_TICKS]) {
    static const double parts[] = {1, 2, 5};
    double decades = a->high - a->low;
    int each = 3 * decades <= wanted + 1 ? 3 : 1, count = 0;
    double skip = each == 1 ? fmax(1, ceil(decades / wanted)) : 1;
    for (double e = floor(a->low); e <= a->high && count < AXIS_MAX_TICKS - 3; e += skip)
        for (int i = 0; i < each; i++) {
            double value = parts[i] * pow(10, e), at = log10(value);
            if (at >= a->low - NEAR && at <= a->high + NEAR)
                ticks[count++] = value;
        }
    return count;
}

int axis_ticks(const axis *a, int wanted, double ticks[AXIS_MAX_TICKS]) {
    wanted = wanted < AXIS_MAX_TICKS - 2 ? wanted : AXIS_MAX_TICKS - 2;
    if (a->log)
        return log_ticks(a, wanted, ticks);
    double step = nice_step(a->high - a->low, wanted), first = ceil(a->low / step - NEAR);
    int count = 0;
    /* The bound matters for ranges at the limit of precision: there first + 1 may equal first, or step 0. */
    for (; count < AXIS_MAX_TICKS && (first + count) * step <= a->high + NEAR * step; count++)
        ticks[count] = (first + count) * step + 0.0; /* no negative zero */
    return count;
}

void axis_label(double value, char text[AXIS_LABEL]) {
    snprintf(text, AXIS_LABEL, "%.6g", value);
}
