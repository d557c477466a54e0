/* Columns and cells of rows, and the text table. */
#include "report/rows.h"

#include "base/shown.h"

#include <stdbool.h>
#include <string.h>

int rows_columns(const json_t *rows, const char *columns[ROWS_MAX_COLUMNS]) {
    int count = 0;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        for (void *it = json_object_iter(row); it; it = json_object_iter_next(row, it)) {
            const char *key = json_object_iter_key(it);
            int known = 0;
            while (known < count && strcmp(columns[known], key) != 0)
                known++;
            if (known == count && count < ROWS_MAX_COLUMNS)
                columns[count++] = key;
        }
    }
    return count;
}

void rows_cell(const json_t *value, rows_reals reals, char text[ROWS_CELL_SIZE]) {
    static const char *const formats[] = {
        [ROWS_EXACT] = "%.9g", [ROWS_ALIGNED] = "%.3f", [ROWS_SHORT] = "%.4g"};
    text[0] = '\0';
    if (json_is_string(value))
        snprintf(text, ROWS_CELL_SIZE, "%s", json_string_value(value));
    else if (json_is_integer(value))
        snprintf(text, ROWS_CELL_SIZE, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        snprintf(text, ROWS_CELL_SIZE, formats[reals], json_real_value(value));
    else if (json_is_boolean(value))
        snprintf(text, ROWS_CELL_SIZE, json_is_true(value) ? "yes" : "no");
}

/* ---- Text table ---- */

static const json_t *value_at(const json_t *rows, size_t row, const char *key) {
    return json_object_get(json_array_get(rows, row), key);
}

static void table_cell(const json_t *value, char text[ROWS_CELL_SIZE]) {
    char raw[ROWS_CELL_SIZE];
    rows_cell(value, ROWS_ALIGNED, raw);
    dl_printable(raw, text, ROWS_CELL_SIZE);
    if (!value || json_is_null(value))
        strcpy(text, "-");
}

static bool has_values(const json_t *rows, const char *key) {
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *value = value_at(rows, i, key);
        if (value && !json_is_null(value))
            return true;
    }
    return false;
}

static int column_width(const json_t *rows, const char *key) {
    char text[ROWS_CELL_SIZE];
    size_t width = strlen(key);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        table_cell(value_at(rows, i, key), text);
        width = strlen(text) > width ? strlen(text) : width;
    }
    return (int)width;
}

/* Text is left-aligned, numbers right-aligned; two blanks between columns. */
static void print_cell(FILE *out, const char *text, int width, bool left, bool last) {
    if (left)
        fprintf(out, "%-*s", width, text);
    else
        fprintf(out, "%*s", width, text);
    fputs(last ? "\n" : "  ", out);
}

void rows_print(const json_t *rows, FILE *out) {
    const char *columns[ROWS_MAX_COLUMNS];
    int widths[ROWS_MAX_COLUMNS];
    bool left[ROWS_MAX_COLUMNS];
    char text[ROWS_CELL_SIZE];
    int count = 0, all = rows_columns(rows, columns);
    for (int c = 0; c < all; c++)
        if (has_values(rows, columns[c]))
            columns[count++] = columns[c];
    for (int c = 0; c < count; c++) {
        widths[c] = column_width(rows, columns[c]);
        left[c] = json_is_string(value_at(rows, 0, columns[c]));
        print_cell(out, columns[c], widths[c], left[c], c == count - 1);
    }
    for (size_t i = 0; i < json_array_size(rows); i++)
        for (int c = 0; c < count; c++) {
            table_cell(value_at(rows, i, columns[c]), text);
            print_cell(out, text, widths[c], left[c], c == count - 1);
        }
}
