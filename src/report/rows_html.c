/* Rows as an HTML table. */
#include "report/rows.h"

#include "report/markup.h"

void rows_html(const json_t *rows, const char *const *keys, FILE *out) {
    char text[ROWS_CELL_SIZE];
    fputs("<table><tr>", out);
    for (int i = 0; keys[i]; i++)
        fprintf(out, "<th>%s</th>", keys[i]);
    fputs("</tr>\n", out);
    for (size_t r = 0; r < json_array_size(rows); r++) {
        fputs("<tr>", out);
        for (int i = 0; keys[i]; i++) {
            rows_cell(json_object_get(json_array_get(rows, r), keys[i]), ROWS_SHORT, text);
            fputs("<td>", out);
            markup_text(out, text);
            fputs("</td>", out);
        }
        fputs("</tr>\n", out);
    }
    fputs("</table>\n", out);
}
