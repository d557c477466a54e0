/* Line charts as SVG: panels with axes, lines with marks, spans above them, a legend. */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include <stdbool.h>

enum { CHART_MAX_LINES = 16, CHART_MAX_SPANS = 64 };

typedef struct chart_line {
    const char *name; /* lines of the same name share a colour and a legend entry */
    bool dashed;
    int count, capacity;
    double *x, *y; /* x ascending; positive on a log axis, y >= 0 otherwise */
} chart_line;

/* A part of the x axis with a name of its own, such as a stage of a training. Spans of the same line are
 * drawn as one strip above the frame, in its colour. */
typedef struct chart_span {
    const char *name, *line;
    double from, to;
} chart_span;

typedef struct chart_panel {
    char title[80];
    const char *x_label, *y_label;
    bool log_x, log_y;
    bool x_ticks_at_points; /* for a few values that are not evenly spaced; of the first line */
    int count, span_count;
    chart_line lines[CHART_MAX_LINES];
    chart_span spans[CHART_MAX_SPANS];
} chart_panel;

typedef struct chart {
    const char *title;
    const char *note; /* below the panels; may be NULL */
    int width;        /* of a panel, in pixels */
    int height;
    int columns;          /* of the grid of panels */
    bool legend_in_panel; /* every panel has its own colours and legend, for many names */
    int count;
    const chart_panel *panels; /* those without points are drawn empty */
} chart;

enum { CHART_WIDTH = 330, CHART_HEIGHT = 260 }; /* usual sizes of a panel */

/* The line of this name and style, added if missing; NULL if the panel is full. */
chart_line *chart_find_line(chart_panel *panel, const char *name, bool dashed);
/* Returns false if out of memory. */
bool chart_add_point(chart_line *line, double x, double y);
/* Frees the points. */
void chart_clear(chart_panel *panels, int count);

/* Allocated text; NULL if out of memory. */
char *chart_svg(const chart *chart);

#endif
