/* SVG as text in memory. */
#include "report/svg.h"

#include "report/markup.h"

#include <stdbool.h>
#include <stdlib.h>

const char *const svg_colours[SVG_COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                              "#e69f00", "#56b4e9", "#000000", "#999999"};

void svg_begin(svg_page *page, double width, double height, const char *title) {
    *page = (svg_page){.text = NULL};
    page->out = open_memstream(&page->text, &page->size);
    if (!page->out)
        return;
    fprintf(page->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f "
            "%.0f\" font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            width, height, width, height);
    svg_text(page->out, 16, 22, "font-size=\"15\" font-weight=\"bold\"", title);
}

char *svg_end(svg_page *page) {
    if (!page->out)
        return NULL;
    fputs("</svg>\n", page->out);
    bool failed = ferror(page->out) != 0;
    if (fclose(page->out) != 0 || failed) {
        free(page->text);
        return NULL;
    }
    return page->text;
}

void svg_text(FILE *out, double x, double y, const char *attributes, const char *text) {
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    markup_text(out, text);
    fputs("</text>\n", out);
}

void svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *attributes) {
    fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2, attributes);
}

void svg_rectangle(FILE *out, double x, double y, double width, double height, const char *attributes) {
    fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" %s/>\n", x, y, width, height,
            attributes);
}
