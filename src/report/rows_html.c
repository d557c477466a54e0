/* Rows as an HTML table. */
#include "report/rows.h"

#include "report/markup.h"

static void write_cell(FILE *out, const char *element, const char *text) {
    fprintf(out, "<%s>", element);
    markup_text(out, text);
    fprintf(out, "</%s>", element);
}

void rows_html(const json_t *rows, const char *const *keys, FILE *out) {
    char text[ROWS_CELL_SIZE];
    fputs("<table><tr>", out);
    for (int i = 0; keys[i]; i++)
        write_cell(out, "th", keys[i]);
    fputs("</tr>\n", out);
    for (size_t r = 0; r < json_array_size(rows); r++) {
        fputs("<tr>", out);
        for (int i = 0; keys[i]; i++) {
            rows_cell(json_object_get(json_array_get(rows, r), keys[i]), ROWS_SHORT, text);
            write_cell(out, "td", text);
        }
        fputs("</tr>\n", out);
    }
    fputs("</table>\n", out);
}
