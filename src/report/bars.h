/* Bar charts as SVG. */
#ifndef REPORT_BARS_H
#define REPORT_BARS_H

typedef struct bar {
    char name[64];
    double value; /* >= 0 */
    int colour;   /* bars of the same kind have the same number */
} bar;

/* Horizontal bars, from the top, with their values. Allocated; NULL if out of memory. */
char *bars_svg(const char *title, const char *x_label, const bar *bars, int count);

#endif
