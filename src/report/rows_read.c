/* Rows from CSV. Files are untrusted: the numbers of columns, rows and characters are limited. */
#include "report/json.h"
#include "report/rows.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 1000000, MAX_LINE = 1 << 14 };

typedef struct csv_reader {
    FILE *in;
    char line[MAX_LINE]; /* the current one; fields are cut out of it */
    long number;         /* of the line, from 1 */
    int count;
    char *fields[ROWS_MAX_COLUMNS];
    char *error;
} csv_reader;

__attribute__((format(printf, 2, 3))) static bool fail(csv_reader *r, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->error, ROWS_ERROR_SIZE, format, arguments);
    va_end(arguments);
    return false;
}

/* Removes the quotes around a field. Returns the first character after it. */
static char *unquote(char *field) {
    char *to = field, *from = field + 1;
    for (; *from && !(from[0] == '"' && from[1] != '"'); from++) {
        from += *from == '"';
        *to++ = *from;
    }
    from += *from == '"';
    *to = '\0';
    return from;
}

/* Splits the line into fields. */
static bool split(csv_reader *r) {
    char *at = r->line;
    for (r->count = 0;; at++) {
        if (r->count == ROWS_MAX_COLUMNS)
            return fail(r, "line %ld has more than %d fields", r->number, ROWS_MAX_COLUMNS);
        char *field = at;
        if (*at == '"')
            at = unquote(at);
        else
            at += strcspn(at, ",");
        r->fields[r->count++] = field;
        if (*at != ',' && *at != '\0')
            return fail(r, "line %ld: text after a closing quote", r->number);
        bool last = *at == '\0';
        *at = '\0';
        if (last)
            return true;
    }
}

/* Reads the next line that is not empty; false at the end and after an error. */
static bool next_line(csv_reader *r) {
    do {
        r->number++;
        if (!fgets(r->line, sizeof r->line, r->in))
            return ferror(r->in) ? fail(r, "cannot read: %s", strerror(errno)) : false;
        size_t length = strlen(r->line);
        if (length == sizeof r->line - 1)
            return fail(r, "line %ld has more than %d characters", r->number, MAX_LINE - 2);
        bool complete = length > 0 && r->line[length - 1] == '\n';
        if (!complete && !feof(r->in))
            return fail(r, "line %ld holds a zero byte: not a CSV file", r->number);
        r->line[strcspn(r->line, "\r\n")] = '\0';
    } while (r->line[0] == '\0');
    return split(r);
}

/* NULL if the text is not UTF-8. */
static json_t *value_of(const char *text) {
    char *end = NULL;
    if (*text == '\0')
        return json_null();
    double value = strtod(text, &end);
    return *end == '\0' ? json_number(value) : json_string(text);
}

static bool add_row(csv_reader *r, char *const *names, int width, json_t *rows) {
    if (r->count != width)
        return fail(r, "line %ld has %d fields, expected %d", r->number, r->count, width);
    if (json_array_size(rows) == MAX_ROWS)
        return fail(r, "more than %d rows", MAX_ROWS);
    json_t *row = json_object();
    bool valid = row != NULL;
    for (int c = 0; c < width && valid; c++)
        valid = json_object_set_new(row, names[c], value_of(r->fields[c])) == 0;
    if (json_array_append_new(rows, row) != 0 || !valid)
        return fail(r, "line %ld is not UTF-8 text", r->number);
    return true;
}

static bool read_all(csv_reader *r, json_t *rows) {
    char *names[ROWS_MAX_COLUMNS];
    if (!next_line(r))
        return *r->error ? false : fail(r, "is empty");
    int width = 0;
    bool valid = true;
    for (; width < r->count && valid; width++)
        valid = (names[width] = strdup(r->fields[width])) != NULL || fail(r, "not enough memory");
    while (valid && next_line(r))
        valid = add_row(r, names, width, rows);
    while (width > 0)
        free(names[--width]);
    return valid && !*r->error;
}

json_t *rows_read_csv(FILE *in, char error[ROWS_ERROR_SIZE]) {
    csv_reader *r = calloc(1, sizeof *r);
    json_t *rows = json_array();
    *error = '\0';
    if (!r || !rows) {
        snprintf(error, ROWS_ERROR_SIZE, "not enough memory");
        free(r);
        json_decref(rows);
        return NULL;
    }
    r->in = in;
    r->error = error;
    if (!read_all(r, rows)) {
        json_decref(rows);
        rows = NULL;
    }
    free(r);
    return rows;
}
