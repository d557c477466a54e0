/* SVG line charts: a panel is a frame, ticks and polylines. */
#include "report/chart.h"

#include "report/markup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sizes in pixels. */
enum { WIDTH = 330, HEIGHT = 260, LEFT = 52, RIGHT = 14, TOP = 30, BOTTOM = 46, HEAD = 64, MARK = 3 };

/* Okabe and Ito's palette, distinct for colour-blind readers. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#000000", "#999999"};
enum { COLOURS = sizeof colours / sizeof *colours };

/* The rectangle of a plot on the page, and the ranges of its axes; x holds logarithms on a log axis. */
typedef struct frame {
    double left, top, width, height;
    double x_low, x_high, y_high; /* y begins at 0 */
    bool log_x;
} frame;

static double along_x(const frame *f, double x) {
    double at = f->log_x ? log10(x) : x;
    return f->left + f->width * (at - f->x_low) / (f->x_high - f->x_low);
}

static double along_y(const frame *f, double y) {
    return f->top + f->height * (1 - y / f->y_high);
}

/* 1, 2 or 5 times a power of ten, such that about `wanted` steps cover the range. */
static double nice_step(double range, int wanted) {
    double rough = range / wanted, power = pow(10, floor(log10(rough))), part = rough / power;
    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

static frame make_frame(const chart_panel *panel, double left, double top) {
    frame f = {left, top, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM, INFINITY, -INFINITY, 0, panel->log_x};
    for (int l = 0; l < panel->count; l++)
        for (int p = 0; p < panel->lines[l].count; p++) {
            double x = f.log_x ? log10(panel->lines[l].x[p]) : panel->lines[l].x[p];
            f.x_low = fmin(f.x_low, x);
            f.x_high = fmax(f.x_high, x);
            f.y_high = fmax(f.y_high, panel->lines[l].y[p]);
        }
    if (!(f.x_low < f.x_high)) { /* fewer than two points */
        f.x_low = isfinite(f.x_low) ? f.x_low - 1 : 0;
        f.x_high = f.x_low + 2;
    }
    f.y_high = f.y_high > 0 ? f.y_high : 1;
    double step = nice_step(f.y_high, 5);
    f.y_high = step * ceil(f.y_high * 1.02 / step);
    return f;
}

static void write_text(FILE *out, double x, double y, const char *attributes, const char *text) {
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    markup_text(out, text);
    fputs("</text>\n", out);
}

static void write_grid_line(FILE *out, double x1, double y1, double x2, double y2) {
    fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n", x1, y1, x2, y2);
}

static void write_x_tick(FILE *out, const frame *f, double x) {
    char label[32];
    double at = along_x(f, x), bottom = f->top + f->height;
    snprintf(label, sizeof label, "%g", x);
    write_grid_line(out, at, f->top, at, bottom);
    write_text(out, at, bottom + 15, "text-anchor=\"middle\"", label);
}

static void write_axes(FILE *out, const chart_panel *panel, const frame *f) {
    char label[32], turned[80];
    double bottom = f->top + f->height, middle = f->top + f->height / 2, step = nice_step(f->y_high, 5);
    for (int i = 0; i * step <= f->y_high * 1.0001; i++) {
        double at = along_y(f, i * step);
        snprintf(label, sizeof label, "%g", i * step);
        write_grid_line(out, f->left, at, f->left + f->width, at);
        write_text(out, f->left - 6, at + 4, "text-anchor=\"end\"", label);
    }
    if (f->log_x)
        for (double e = ceil(f->x_low - 1e-9); e <= f->x_high + 1e-9; e++)
            write_x_tick(out, f, pow(10, e));
    else /* ticks at the values themselves, which are few */
        for (int p = 0; panel->count > 0 && p < panel->lines[0].count; p++)
            write_x_tick(out, f, panel->lines[0].x[p]);
    fprintf(out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" stroke=\"#444\"/>\n",
            f->left, f->top, f->width, f->height);
    write_text(out, f->left + f->width / 2, f->top - 10, "text-anchor=\"middle\" font-weight=\"bold\"",
               panel->title);
    write_text(out, f->left + f->width / 2, bottom + 34, "text-anchor=\"middle\"", panel->x_label);
    snprintf(turned, sizeof turned, "text-anchor=\"middle\" transform=\"rotate(-90 %.1f %.1f)\"",
             f->left - 36, middle);
    write_text(out, f->left - 36, middle, turned, panel->y_label);
}

static void write_line(FILE *out, const frame *f, const chart_line *line, const char *colour) {
    fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"%s points=\"", colour,
            line->dashed ? " stroke-dasharray=\"5 3\"" : "");
    for (int p = 0; p < line->count; p++)
        fprintf(out, "%s%.1f,%.1f", p ? " " : "", along_x(f, line->x[p]), along_y(f, line->y[p]));
    fputs("\"/>\n", out);
    for (int p = 0; p < line->count; p++) /* hollow on dashed lines */
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"%s\" stroke=\"%s\"/>\n",
                along_x(f, line->x[p]), along_y(f, line->y[p]), MARK, line->dashed ? "#fff" : colour, colour);
}

/* The distinct names of all lines, in order of first appearance. */
typedef struct legend {
    int count;
    const char *names[COLOURS];
} legend;

static int find_name(legend *all, const char *name) {
    for (int i = 0; i < all->count; i++)
        if (strcmp(all->names[i], name) == 0)
            return i;
    if (all->count == COLOURS)
        return COLOURS - 1;
    all->names[all->count] = name;
    return all->count++;
}

static void write_legend(FILE *out, const legend *all, double y) {
    double x = LEFT;
    for (int i = 0; i < all->count; i++) {
        fprintf(out,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
                "stroke-width=\"3\"/>\n",
                x, y - 4, x + 22, y - 4, colours[i]);
        write_text(out, x + 28, y, "text-anchor=\"start\"", all->names[i]);
        x += 48 + 7 * (double)strlen(all->names[i]);
    }
}

static void write_panel(FILE *out, const chart_panel *panel, int index, int columns, legend *all) {
    frame f = make_frame(panel, LEFT + WIDTH * (index % columns), HEAD + TOP + HEIGHT * (index / columns));
    write_axes(out, panel, &f);
    for (int l = 0; l < panel->count; l++)
        write_line(out, &f, &panel->lines[l], colours[find_name(all, panel->lines[l].name)]);
}

char *chart_svg(const char *title, const chart_panel *panels, int count, int columns) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    int width = WIDTH * (count < columns ? count : columns);
    int height = HEAD + HEIGHT * ((count + columns - 1) / columns);
    legend all = {0};
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            width, height, width, height);
    write_text(out, LEFT, 22, "font-size=\"15\" font-weight=\"bold\"", title);
    for (int i = 0; i < count; i++)
        write_panel(out, &panels[i], i, columns, &all);
    write_legend(out, &all, 46);
    fputs("</svg>\n", out);
    if (ferror(out) | fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}
