/* Line charts as SVG: panels with axes, lines with marks, one legend. Self-contained, no fonts or scripts. */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include <stdbool.h>

enum { CHART_MOST_POINTS = 32, CHART_MOST_LINES = 12 };

typedef struct chart_line {
    const char *name; /* lines of one name share a colour and an entry of the legend */
    bool dashed;
    int count;
    double x[CHART_MOST_POINTS], y[CHART_MOST_POINTS]; /* x ascending; y >= 0 */
} chart_line;

typedef struct chart_panel {
    char title[80];
    const char *x_label, *y_label;
    bool log_x;
    int count;
    chart_line lines[CHART_MOST_LINES];
} chart_panel;

/* The panels in rows of `columns`, as allocated text; NULL without memory. Panels without points are left
 * empty. */
char *chart_svg(const char *title, const chart_panel *panels, int count, int columns);

#endif
