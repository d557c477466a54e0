/* HTML pages that need no other file: style and script are part of the page (page.css, page.js), pictures are
 * inline. Elements and attribute names are constants of the program; every other string is escaped here, for
 * the place where it stands: text, attribute or JSON. There is no way to write markup past this layer but
 * page_figure, which takes what chart_svg and bars_svg return. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* `out` is NULL if out of memory: all functions then do nothing. */
typedef struct page {
    FILE *out;
    char *text;
    size_t size;
    bool incomplete; /* something was left out for want of memory */
} page;

/* Up to the heading; `lead` is a paragraph below it, NULL: none. */
void page_begin(page *p, const char *title, const char *lead);
/* The page, allocated; NULL if there was not enough memory. */
char *page_end(page *p);

/* An element with attributes: names and values in turn, then NULL. An attribute whose value is NULL is left
 * out. */
void page_open(page *p, const char *element, ...) __attribute__((sentinel));
void page_close(page *p, const char *element);
/* The same with text as its content. */
void page_element(page *p, const char *element, const char *text, ...) __attribute__((sentinel));

/* NULL is no text. */
void page_text(page *p, const char *text);
void page_format(page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A string from a file: its writing direction is kept apart from that of the page, and it wraps anywhere. Of
 * more bytes than this, the first, and an ellipsis. */
enum { PAGE_NAME_MOST = 400 };
void page_name(page *p, const char *text);

/* A part of the page, with a heading; page.js makes links to the sections at the top. */
void page_section(page *p, const char *id, const char *title);
void page_section_end(page *p);

/* Rows (report/rows.h) as a table that readers can sort. `keys`: NULL-terminated; `titles`: of the columns,
 * NULL: the keys. */
void page_rows(page *p, const char *caption, const json_t *rows, const char *const *keys,
               const char *const *titles);
/* Names and values, such as facts: labels and texts in turn, a JSON array of strings (facts.lines). */
void page_pairs(page *p, const json_t *lines);

/* A chart. `svg`: from chart_svg or bars_svg, freed here; NULL counts as out of memory. `alternative`: what
 * it shows, in words; `caption`: below it, NULL: none. */
void page_figure(page *p, char *svg, const char *alternative, const char *caption);
/* A PNG. `kind`: its class in page.css, NULL: none. */
void page_picture(page *p, const void *png, size_t size, const char *kind, const char *alternative);

/* Data for scripts and other programs, with this id. */
void page_data(page *p, const char *id, const json_t *value);

#endif
