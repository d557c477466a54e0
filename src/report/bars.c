/* Horizontal bars from zero, names on the left, values at their ends. */
#include "report/bars.h"

#include "report/axis.h"
#include "report/svg.h"

#include <math.h>
#include <string.h>

/* Sizes in pixels. */
enum { WIDTH = 640, HEAD = 40, ROW = 30, BAR = 18, BOTTOM = 44, MARGIN = 16, VALUE = 56 };

static double name_width(const bar *bars, int count) {
    size_t longest = 0;
    for (int i = 0; i < count; i++)
        longest = strlen(bars[i].name) > longest ? strlen(bars[i].name) : longest;
    return SVG_LETTER * (double)longest + MARGIN;
}

static void draw_ticks(FILE *out, const axis *a, double left, double width, double bottom) {
    double ticks[AXIS_MAX_TICKS];
    int count = axis_ticks(a, 8, ticks);
    for (int i = 0; i < count; i++) {
        char label[AXIS_LABEL];
        double x = left + width * axis_share(a, ticks[i]);
        axis_label(ticks[i], label);
        svg_line(out, x, HEAD, x, bottom, "stroke=\"#ddd\"");
        svg_text(out, x, bottom + 15, "text-anchor=\"middle\"", label);
    }
}

static void draw_bar(FILE *out, const axis *a, const bar *b, double left, double width, double top) {
    char style[32], label[AXIS_LABEL];
    double length = width * axis_share(a, b->value), base = top + BAR - 5;
    snprintf(style, sizeof style, "fill=\"%s\"", svg_colours[b->colour % SVG_COLOURS]);
    svg_rectangle(out, left, top, length, BAR, style);
    svg_text(out, left - 8, base, "text-anchor=\"end\"", b->name);
    snprintf(label, sizeof label, "%.3g", b->value);
    svg_text(out, left + length + 6, base, "text-anchor=\"start\"", label);
}

char *bars_svg(const char *title, const char *x_label, const bar *bars, int count) {
    svg_page page;
    double bottom = HEAD + ROW * count, left = name_width(bars, count) + MARGIN, width = WIDTH - left - VALUE;
    axis a = axis_new(false);
    axis_include(&a, 0);
    for (int i = 0; i < count; i++)
        axis_include(&a, bars[i].value);
    axis_finish(&a, false);
    svg_begin(&page, WIDTH, bottom + BOTTOM, title);
    if (!page.out)
        return NULL;
    draw_ticks(page.out, &a, left, width, bottom);
    for (int i = 0; i < count; i++)
        draw_bar(page.out, &a, &bars[i], left, width, HEAD + ROW * i + (ROW - BAR) / 2.0);
    svg_line(page.out, left, HEAD, left, bottom, "stroke=\"#444\"");
    svg_text(page.out, left + width / 2, bottom + 34, "text-anchor=\"middle\"", x_label);
    return svg_end(&page);
}
