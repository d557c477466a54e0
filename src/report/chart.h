/* Line charts as SVG: panels with axes, lines with marks, one legend. Self-contained, no fonts or scripts. */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include <stdbool.h>

enum { CHART_MAX_POINTS = 32, CHART_MAX_LINES = 12 };

typedef struct chart_line {
    const char *name; /* lines of the same name share a colour and a legend entry */
    bool dashed;
    int count;
    double x[CHART_MAX_POINTS], y[CHART_MAX_POINTS]; /* x ascending; y >= 0 */
} chart_line;

typedef struct chart_panel {
    char title[80];
    const char *x_label, *y_label;
    bool log_x;
    int count;
    chart_line lines[CHART_MAX_LINES];
} chart_panel;

/* The panels in rows of `columns`, as allocated text; NULL if out of memory. Panels without points are drawn
 * empty. */
char *chart_svg(const char *title, const chart_panel *panels, int count, int columns);

#endif
