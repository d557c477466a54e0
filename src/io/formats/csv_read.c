/* Reading matrices from text. Two passes: the first counts lines, so that memory is allocated once and
 * bounded by the size of the file; the second parses numbers. Blank lines and lines that begin with # are
 * skipped. */
#include "base/memory.h"
#include "base/number.h"
#include "data/array.h"
#include "io/files/bytes.h"
#include "io/formats/csv.h"
#include "io/formats/csv_columns.h"
#include "io/formats/csv_gaps.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <strings.h>

typedef struct table {
    char separator;
    int64_t rows;
    int64_t first_line; /* the line that set the number of columns */
    dl_csv_line first;  /* the first line of numbers */
    dl_csv_columns columns;
    dl_missing missing;
} table;

/* What people write for a value that they do not have; NaN is a number. */
static bool is_missing(dl_csv_field f) {
    static const char *const words[] = {"", "NA", "N/A", "null", "None", "?"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if ((size_t)f.length == strlen(words[i]) && strncasecmp(f.text, words[i], (size_t)f.length) == 0)
            return true;
    return false;
}

static bool is_text(dl_csv_field f) {
    double value;
    return !is_missing(f) && !dl_number_parse(f.text, f.length, &value);
}

/* A first line with a field of text holds column names. */
static bool is_header(dl_csv_line line) {
    dl_csv_field f;
    while (dl_csv_next_field(&line, &f))
        if (is_text(f))
            return true;
    return false;
}

/* "; columns with text: colour, 5: leave them out with --columns=-colour,-5", of the first line of numbers,
 * if `column` has text there; otherwise "". */
static const char *text_columns(const table *t, int64_t column, char *list, size_t size) {
    char name[DL_CSV_NAME];
    dl_csv_field f;
    bool found = false;
    int used = snprintf(list, size, "; leave out columns with text: --columns=");
    int64_t at = 0, shown = 0;
    for (dl_csv_line line = t->first; at < t->columns.count && dl_csv_next_field(&line, &f); at++) {
        if (!t->columns.keep[at] || !is_text(f))
            continue;
        found = found || at == column;
        if (used + DL_CSV_NAME + 4 < (int)size)
            used += snprintf(list + used, size - (size_t)used, "%s-%s", shown++ ? "," : "",
                             dl_csv_columns_name(&t->columns, at, name));
    }
    if (!found)
        list[0] = '\0';
    return list;
}

static dltf_status bad_field(const table *t, int64_t line, int64_t column, dl_csv_field f) {
    char list[240];
    if (is_missing(f) && f.length == 0)
        return dl_fail(DLTF_FORMAT,
                       "line %" PRId64 ", field %" PRId64
                       " is empty: --missing drop leaves out such lines, --missing mean fills them",
                       line, column + 1);
    if (is_missing(f))
        return dl_fail(
            DLTF_FORMAT,
            "line %" PRId64 ", field %" PRId64
            ": '%s' is a missing value: --missing drop leaves out such lines, --missing mean fills them",
            line, column + 1, DL_PRINTABLE(f.text, f.length));
    return dl_fail(DLTF_FORMAT, "line %" PRId64 ", field %" PRId64 ": '%s' is not a number%s", line,
                   column + 1, DL_PRINTABLE(f.text, f.length), text_columns(t, column, list, sizeof list));
}

/* The kept fields of a line; missing ones are NaN. */
static dltf_status read_line(dl_csv_line line, int64_t number, const table *t, double *out) {
    int64_t column = 0, cols = t->columns.count;
    dl_csv_field f;
    for (dl_csv_line c = line; dl_csv_next_field(&c, &f); column++) {
        if (column == cols)
            break;
        if (!t->columns.keep[column])
            continue;
        if (t->missing != DL_MISSING_ERROR && is_missing(f))
            *out++ = NAN;
        else if (!is_missing(f) && dl_number_parse(f.text, f.length, out))
            out++;
        else
            return bad_field(t, number, column, f);
    }
    int64_t count = column < cols ? column : dl_csv_count_fields(line);
    if (count != cols)
        return dl_fail(DLTF_FORMAT, "line %" PRId64 " has %" PRId64 " fields, line %" PRId64 " has %" PRId64,
                       number, count, t->first_line, cols);
    return DLTF_OK;
}

static dl_csv_reader start(const dl_file *file) {
    const char *text = (const char *)file->bytes;
    bool marked = file->size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0; /* byte order mark */
    return (dl_csv_reader){.at = text + (marked ? 3 : 0), .end = text + file->size};
}

/* Finds the shape; leaves `from` after the header, if there is one. */
static dltf_status survey(const dl_file *file, dl_csv_reader *from, table *t) {
    dl_csv_line line;
    *from = start(file);
    if (memchr(file->bytes, '\0', (size_t)file->size))
        return dl_fail(DLTF_FORMAT, "is not a text file: it contains NUL bytes");
    dl_csv_reader next = *from;
    if (!dl_csv_next_line(&next, &line))
        return dl_fail(DLTF_FORMAT, "contains no numbers");
    t->separator = line.separator = dl_csv_separator(line);
    t->columns.count = dl_csv_count_fields(line);
    t->first_line = next.line;
    if (is_header(line)) {
        t->columns.header = line;
        *from = next;
    }
    for (next = *from; dl_csv_next_line(&next, &line); t->rows++)
        if (t->rows == 0)
            t->first = line;
    if (t->rows == 0)
        return dl_fail(DLTF_FORMAT, "contains no numbers: its only line is '%s'",
                       DL_PRINTABLE(line.at, line.end - line.at));
    t->first.separator = t->separator;
    return dl_csv_columns_choose(&t->columns, file->reading ? file->reading->columns : NULL);
}

/* How many numbers the file can hold: one takes a byte, its separator, and another one if it is not missing.
 * If there are more in the table, some line is too short, and reading it fails before room runs out. */
static int64_t room_for(const dl_file *file, const table *t) {
    int64_t room = 0, shortest = t->missing == DL_MISSING_ERROR ? 2 : 1;
    int64_t most = (file->size + 1) / shortest + t->columns.count;
    return dl_multiply(t->rows, t->columns.kept, &room) && room < most ? room : most;
}

static dltf_status read_numbers(const dl_file *file, table *t, dltf_array *array) {
    dl_csv_reader next;
    dl_csv_line line;
    dltf_status status = survey(file, &next, t);
    if (status != DLTF_OK)
        return status;
    double *numbers = DL_NEW(double, room_for(file, t));
    if (!numbers)
        return DLTF_MEMORY;
    array->memory = numbers;
    for (int64_t row = 0; status == DLTF_OK && dl_csv_next_line(&next, &line); row++) {
        line.separator = t->separator;
        status = read_line(line, next.line, t, numbers + row * t->columns.kept);
    }
    if (status == DLTF_OK && t->missing != DL_MISSING_ERROR)
        status =
            dl_csv_fill_gaps(&t->columns, t->missing, numbers, &t->rows, array->remark, sizeof array->remark);
    array->matrix = dltf_matrix_f64(numbers, t->rows, t->columns.kept);
    if (status == DLTF_OK)
        dl_csv_remark_identifier(&t->columns, numbers, t->rows, array->remark, sizeof array->remark);
    return status;
}

dltf_status dl_csv_load(dl_file *file, dltf_array **array) {
    dl_decimal_point point;
    table t = {.missing = file->reading ? file->reading->missing : DL_MISSING_ERROR};
    dltf_array *made = dl_array_new();
    if (!made)
        return DLTF_MEMORY;
    dltf_status status = dl_decimal_point_open(&point);
    if (status == DLTF_OK) {
        status = read_numbers(file, &t, made);
        dl_decimal_point_close(&point);
    }
    dl_free(t.columns.keep);
    if (status == DLTF_OK)
        *array = made;
    else
        dltf_array_free(made);
    return status;
}
