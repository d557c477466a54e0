/* Parts of SVG pictures: a page, text, lines, colours. Self-contained, no fonts or scripts. */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include <stdio.h>

enum { SVG_COLOURS = 8, SVG_LETTER = 7 }; /* SVG_LETTER: width of a letter in pixels, a generous mean */

/* Okabe and Ito's palette, distinct for colour-blind readers. */
extern const char *const svg_colours[SVG_COLOURS];

/* A page that is written as text; `out` is NULL if out of memory. */
typedef struct svg_page {
    FILE *out;
    char *text;
    size_t size;
} svg_page;

void svg_begin(svg_page *page, double width, double height, const char *title);
/* The text, allocated; NULL if out of memory. */
char *svg_end(svg_page *page);

void svg_text(FILE *out, double x, double y, const char *attributes, const char *text);
void svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *attributes);
void svg_rectangle(FILE *out, double x, double y, double width, double height, const char *attributes);

#endif
