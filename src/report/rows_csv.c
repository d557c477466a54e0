/* Rows as CSV (RFC 4180, but with LF line ends). */
#include "report/rows.h"

#include "report/json.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Spreadsheets evaluate text that begins like a formula, even in quotes, unless an apostrophe comes first. */
static const char *shield(const char *text) {
    return *text && strchr("=+-@\t\r", *text) ? "'" : "";
}

/* Writes text, quoted if necessary. */
static void write_text(FILE *out, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        fprintf(out, "%s%s", shield(text), text);
        return;
    }
    fprintf(out, "\"%s", shield(text));
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
    for (int c = 0; c < count; c++) {
        fputs(c ? "," : "", out);
        write_text(out, columns[c]);
    }
    fputc('\n', out);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        for (int c = 0; c < count; c++) {
            const json_t *value = json_object_get(json_array_get(rows, i), columns[c]);
            rows_cell(value, ROWS_EXACT, text);
            fputs(c ? "," : "", out);
            if (json_is_string(value))
                write_text(out, text);
            else
                fputs(text, out);
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
