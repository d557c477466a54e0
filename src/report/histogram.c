/* Bars side by side above an axis. */
#include "report/histogram.h"

#include "report/axis.h"
#include "report/chart.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>

/* Sizes in pixels, as those of charts. */
enum { LEFT = 64, RIGHT = 16, TOP = 40, BOTTOM = 46 };

static void count_values(const histogram *h, const double *values, int64_t count, double *bars) {
    for (int64_t i = 0; i < count; i++) {
        double share = (values[i] - h->low) / (h->high - h->low);
        if (isnan(share))
            continue;
        double bar = floor(fmin(fmax(share, 0), 1) * h->bars);
        bars[(int)fmin(bar, h->bars - 1)]++;
    }
}

static void draw_axes(FILE *out, const histogram *h, const axis *x, const axis *y, double width,
                      double height) {
    double ticks[AXIS_MAX_TICKS], bottom = TOP + height;
    char label[AXIS_LABEL], turned[96];
    int count = axis_ticks(y, 5, ticks);
    for (int i = 0; i < count; i++) {
        double at = bottom - height * axis_share(y, ticks[i]);
        axis_label(ticks[i], label);
        svg_line(out, LEFT, at, LEFT + width, at, "stroke=\"#ddd\"");
        svg_text(out, LEFT - 6, at + 4, "text-anchor=\"end\"", label);
    }
    count = axis_ticks(x, 6, ticks);
    for (int i = 0; i < count; i++) {
        double at = LEFT + width * axis_share(x, ticks[i]);
        axis_label(ticks[i], label);
        svg_line(out, at, bottom, at, bottom + 4, "stroke=\"#444\"");
        svg_text(out, at, bottom + 17, "text-anchor=\"middle\"", label);
    }
    svg_text(out, LEFT + width / 2, bottom + 36, "text-anchor=\"middle\"", h->x_label);
    snprintf(turned, sizeof turned, "text-anchor=\"middle\" transform=\"rotate(-90 16 %.1f)\"",
             TOP + height / 2);
    svg_text(out, 16, TOP + height / 2, turned, h->y_label);
}

char *histogram_svg(const histogram *h, const double *values, int64_t count) {
    double width = CHART_WIDTH - LEFT - RIGHT, height = CHART_HEIGHT - TOP - BOTTOM, step = width / h->bars;
    axis x = axis_new(false), y = axis_new(false);
    svg_page page;
    double *bars = calloc((size_t)h->bars, sizeof *bars);
    if (!bars)
        return NULL;
    count_values(h, values, count, bars);
    axis_include(&x, h->low);
    axis_include(&x, h->high);
    axis_finish(&x, false);
    axis_include(&y, 0);
    for (int i = 0; i < h->bars; i++)
        axis_include(&y, bars[i]);
    axis_finish(&y, true);
    svg_begin(&page, CHART_WIDTH, CHART_HEIGHT, h->title);
    if (page.out) {
        draw_axes(page.out, h, &x, &y, width, height);
        for (int i = 0; i < h->bars; i++) {
            double tall = height * axis_share(&y, bars[i]);
            if (bars[i] > 0)
                svg_rectangle(page.out, LEFT + i * step + 0.5, TOP + height - tall, step - 1, tall,
                              "fill=\"#0072b2\"");
        }
        svg_line(page.out, LEFT, TOP + height, LEFT + width, TOP + height, "stroke=\"#444\"");
    }
    free(bars);
    return svg_end(&page);
}
