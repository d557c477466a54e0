/* Panels of a chart: frame, ticks, polylines, spans, legend. */
#include "report/chart.h"

#include "report/axis.h"
#include "report/markup.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sizes in pixels. */
enum { LEFT = 64, RIGHT = 16, TOP = 30, BOTTOM = 46, HEAD = 36, LEGEND_LINE = 18, STRIP = 17, MARK = 3 };
enum { MANY_POINTS = 60 }; /* of a line: no marks from here on */

/* ---- Points ---- */

chart_line *chart_find_line(chart_panel *panel, const char *name, bool dashed) {
    for (int l = 0; l < panel->count; l++)
        if (strcmp(panel->lines[l].name, name) == 0 && panel->lines[l].dashed == dashed)
            return &panel->lines[l];
    if (panel->count == CHART_MAX_LINES)
        return NULL;
    chart_line *line = &panel->lines[panel->count++];
    *line = (chart_line){.name = name, .dashed = dashed};
    return line;
}

static bool grow(double **values, int capacity) {
    double *larger = realloc(*values, (size_t)capacity * sizeof *larger);
    if (larger)
        *values = larger;
    return larger != NULL;
}

bool chart_add_point(chart_line *line, double x, double y) {
    if (isnan(x) || isnan(y))
        return true;
    if (line->count == line->capacity) {
        int capacity = line->capacity > 0 ? 2 * line->capacity : 16;
        if (!grow(&line->x, capacity) || !grow(&line->y, capacity))
            return false;
        line->capacity = capacity;
    }
    line->x[line->count] = x;
    line->y[line->count++] = y;
    return true;
}

void chart_clear(chart_panel *panels, int count) {
    for (int p = 0; p < count; p++)
        for (int l = 0; l < panels[p].count; l++) {
            free(panels[p].lines[l].x);
            free(panels[p].lines[l].y);
            panels[p].lines[l] = (chart_line){.count = 0};
        }
}

/* ---- Legend ---- */

/* The distinct names of lines, in order of first appearance. */
typedef struct legend {
    int count;
    const char *names[SVG_COLOURS];
} legend;

/* Lines beyond the last colour share it. */
static int find_name(legend *all, const char *name) {
    for (int i = 0; i < all->count; i++)
        if (strcmp(all->names[i], name) == 0)
            return i;
    if (all->count == SVG_COLOURS)
        return SVG_COLOURS - 1;
    all->names[all->count] = name;
    return all->count++;
}

static void collect_names(const chart_panel *panel, legend *all) {
    for (int l = 0; l < panel->count; l++)
        find_name(all, panel->lines[l].name);
}

/* Draws the entries in lines of at most `width` pixels and returns the height; only measures if out is NULL.
 */
static double legend_entries(FILE *out, const legend *all, double left, double top, double width) {
    double x = 0, y = all->count > 0 ? LEGEND_LINE : 0;
    for (int i = 0; i < all->count; i++) {
        double extent = 42 + SVG_LETTER * (double)strlen(all->names[i]);
        if (x > 0 && x + extent > width) {
            x = 0;
            y += LEGEND_LINE;
        }
        if (out) {
            char style[64];
            snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"3\"", svg_colours[i]);
            svg_line(out, left + x, top + y - 8, left + x + 20, top + y - 8, style);
            svg_text(out, left + x + 26, top + y - 4, "text-anchor=\"start\"", all->names[i]);
        }
        x += extent;
    }
    return y;
}

/* ---- Panels ---- */

/* The rectangle of a plot on the page, and its axes. */
typedef struct frame {
    double left, top, width, height;
    axis x, y;
} frame;

static double along_x(const frame *f, double x) {
    return f->left + f->width * axis_share(&f->x, x);
}

static double along_y(const frame *f, double y) {
    return f->top + f->height * (1 - axis_share(&f->y, y));
}

static void add_ranges(const chart_panel *panel, frame *f) {
    for (int l = 0; l < panel->count; l++)
        for (int p = 0; p < panel->lines[l].count; p++) {
            axis_include(&f->x, panel->lines[l].x[p]);
            axis_include(&f->y, panel->lines[l].y[p]);
        }
    for (int s = 0; s < panel->span_count; s++) {
        axis_include(&f->x, panel->spans[s].from);
        axis_include(&f->x, panel->spans[s].to);
    }
    if (!panel->log_y)
        axis_include(&f->y, 0);
    axis_finish(&f->x, false);
    axis_finish(&f->y, true);
}

static void draw_x_tick(FILE *out, const frame *f, double x) {
    char label[AXIS_LABEL];
    double at = along_x(f, x), bottom = f->top + f->height;
    axis_label(x, label);
    svg_line(out, at, f->top, at, bottom, "stroke=\"#ddd\"");
    svg_text(out, at, bottom + 15, "text-anchor=\"middle\"", label);
}

static void draw_y_tick(FILE *out, const frame *f, double y) {
    char label[AXIS_LABEL];
    double at = along_y(f, y);
    axis_label(y, label);
    svg_line(out, f->left, at, f->left + f->width, at, "stroke=\"#ddd\"");
    svg_text(out, f->left - 6, at + 4, "text-anchor=\"end\"", label);
}

static void draw_axes(FILE *out, const chart_panel *panel, const frame *f) {
    char turned[96];
    double bottom = f->top + f->height, middle = f->top + f->height / 2, ticks[AXIS_MAX_TICKS];
    int count = axis_ticks(&f->y, (int)(f->height / 36), ticks);
    for (int i = 0; i < count; i++)
        draw_y_tick(out, f, ticks[i]);
    if (panel->x_ticks_at_points)
        for (int p = 0; panel->count > 0 && p < panel->lines[0].count; p++)
            draw_x_tick(out, f, panel->lines[0].x[p]);
    else {
        count = axis_ticks(&f->x, (int)(f->width / 50), ticks);
        for (int i = 0; i < count; i++)
            draw_x_tick(out, f, ticks[i]);
    }
    svg_rectangle(out, f->left, f->top, f->width, f->height, "fill=\"none\" stroke=\"#444\"");
    svg_text(out, f->left + f->width / 2, bottom + 34, "text-anchor=\"middle\"", panel->x_label);
    snprintf(turned, sizeof turned, "text-anchor=\"middle\" transform=\"rotate(-90 %.1f %.1f)\"",
             f->left - 48, middle);
    svg_text(out, f->left - 48, middle, turned, panel->y_label);
}

static void draw_line(FILE *out, const frame *f, const chart_line *line, const char *colour) {
    fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"%s points=\"", colour,
            line->dashed ? " stroke-dasharray=\"5 3\"" : "");
    for (int p = 0; p < line->count; p++)
        fprintf(out, "%s%.1f,%.1f", p ? " " : "", along_x(f, line->x[p]), along_y(f, line->y[p]));
    fputs("\"/>\n", out);
    for (int p = 0; p < line->count && line->count < MANY_POINTS; p++) /* hollow on dashed lines */
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"%s\" stroke=\"%s\"/>\n",
                along_x(f, line->x[p]), along_y(f, line->y[p]), MARK, line->dashed ? "#fff" : colour, colour);
}

/* ---- Spans ---- */

static bool begins_strip(const chart_panel *panel, int s) {
    return s == 0 || strcmp(panel->spans[s].line, panel->spans[s - 1].line) != 0;
}

static int strip_count(const chart_panel *panel) {
    int count = 0;
    for (int s = 0; s < panel->span_count; s++)
        count += begins_strip(panel, s);
    return count;
}

/* A name is written where it fits; viewers show the others when pointed at. Of a single strip, the ends of
 * spans are lines through the plot. */
static void draw_spans(FILE *out, const chart_panel *panel, const frame *f, legend *all) {
    int strips = strip_count(panel), strip = -1, within = 0;
    for (int s = 0; s < panel->span_count; s++) {
        const chart_span *span = &panel->spans[s];
        strip += begins_strip(panel, s);
        within = begins_strip(panel, s) ? 0 : within + 1;
        double from = along_x(f, span->from), to = along_x(f, span->to);
        double top = f->top - (strips - strip) * STRIP;
        char style[128];
        snprintf(style, sizeof style, "fill=\"%s\" fill-opacity=\"%s\" stroke=\"#fff\"",
                 svg_colours[find_name(all, span->line)], within % 2 ? "0.34" : "0.2");
        fputs("<g><title>", out);
        markup_text(out, span->name);
        fputs("</title>\n", out);
        svg_rectangle(out, from, top, to - from, STRIP - 2, style);
        fputs("</g>\n", out);
        if (SVG_LETTER * (double)strlen(span->name) < to - from)
            svg_text(out, (from + to) / 2, top + 12, "text-anchor=\"middle\" font-size=\"11\"", span->name);
        if (strips == 1 && within > 0)
            svg_line(out, from, f->top, from, f->top + f->height, "stroke=\"#888\" stroke-dasharray=\"2 3\"");
    }
}

/* ---- The page ---- */

/* What all panels have in common. */
typedef struct layout {
    double width, height, head; /* of a panel, and of what is above the first */
    double strips, legend;      /* room in a panel for strips and its own legend */
} layout;

static layout plan(const chart *c, const legend *common) {
    layout l = {.width = c->width, .height = c->height, .head = HEAD};
    int columns = c->count < c->columns ? c->count : c->columns;
    for (int p = 0; p < c->count; p++) {
        legend own = {0};
        collect_names(&c->panels[p], &own);
        l.strips = fmax(l.strips, STRIP * strip_count(&c->panels[p]));
        if (c->legend_in_panel)
            l.legend = fmax(l.legend, legend_entries(NULL, &own, 0, 0, l.width - LEFT - RIGHT));
    }
    l.height += l.strips + l.legend;
    if (!c->legend_in_panel)
        l.head += legend_entries(NULL, common, 0, 0, columns * l.width - LEFT);
    return l;
}

static void draw_panel(FILE *out, const chart *c, int index, const layout *l, legend *common) {
    const chart_panel *panel = &c->panels[index];
    legend own = {0}, *names = c->legend_in_panel ? &own : common;
    frame f = {.left = LEFT + l->width * (index % c->columns),
               .top = l->head + TOP + l->strips + l->height * (index / c->columns),
               .width = l->width - LEFT - RIGHT,
               .height = c->height - TOP - BOTTOM,
               .x = axis_new(panel->log_x),
               .y = axis_new(panel->log_y)};
    add_ranges(panel, &f);
    collect_names(panel, names);
    svg_text(out, f.left + f.width / 2, f.top - l->strips - 10, "text-anchor=\"middle\" font-weight=\"bold\"",
             panel->title);
    draw_axes(out, panel, &f);
    draw_spans(out, panel, &f, names);
    for (int i = 0; i < panel->count; i++)
        draw_line(out, &f, &panel->lines[i], svg_colours[find_name(names, panel->lines[i].name)]);
    if (c->legend_in_panel)
        legend_entries(out, &own, f.left, f.top + f.height + BOTTOM - 6, f.width);
}

char *chart_svg(const chart *c) {
    svg_page page;
    legend common = {0};
    for (int p = 0; p < c->count; p++)
        collect_names(&c->panels[p], &common);
    layout l = plan(c, &common);
    int columns = c->count < c->columns ? c->count : c->columns;
    double width = columns * l.width, bottom = l.head + l.height * ((c->count + c->columns - 1) / c->columns);
    svg_begin(&page, width, bottom + (c->note ? LEGEND_LINE + 4 : 0), c->title);
    if (!page.out)
        return NULL;
    if (!c->legend_in_panel)
        legend_entries(page.out, &common, LEFT, HEAD - 6, width - LEFT);
    for (int p = 0; p < c->count; p++)
        draw_panel(page.out, c, p, &l, &common);
    if (c->note)
        svg_text(page.out, LEFT, bottom + LEGEND_LINE - 8, "fill=\"#444\"", c->note);
    return svg_end(&page);
}
