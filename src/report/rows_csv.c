/* Rows as CSV (RFC 4180, but with LF line ends). */
#include "report/rows.h"

#include "report/json.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Writes a field, quoted if necessary. */
static void write_field(FILE *out, const char *text) {
    if (!strpbrk(text, ",\"\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

char *rows_csv(const json_t *rows) {
    const char *columns[ROWS_MAX_COLUMNS];
    char *content = NULL, text[ROWS_CELL_SIZE];
    size_t size = 0;
    FILE *out = json_out_of_memory() ? NULL : open_memstream(&content, &size);
    if (!out)
        return NULL;
    int count = rows_columns(rows, columns);
    for (int c = 0; c < count; c++)
        fprintf(out, "%s%s", c ? "," : "", columns[c]);
    fputc('\n', out);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        for (int c = 0; c < count; c++) {
            rows_cell(json_object_get(json_array_get(rows, i), columns[c]), ROWS_EXACT, text);
            fputs(c ? "," : "", out);
            write_field(out, text);
        }
        fputc('\n', out);
    }
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        free(content);
        return NULL;
    }
    return content;
}
