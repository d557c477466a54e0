/* Reading matrices from text. Two passes: the first counts lines, so that memory is allocated once and
 * bounded by the size of the file; the second parses numbers. Blank lines and lines that begin with # are
 * skipped. */
#include "base/memory.h"
#include "base/number.h"
#include "data/array.h"
#include "io/files/bytes.h"
#include "io/formats/csv.h"

#include <inttypes.h>

/* Position in the text, and the number of the last line read. */
typedef struct reader {
    const char *at, *end;
    int64_t line;
} reader;

/* The unread part of a line. */
typedef struct cursor {
    const char *at, *end;
    char separator; /* ' ': any run of blanks */
    bool more;      /* another field follows, possibly empty */
} cursor;

typedef struct field {
    const char *text;
    int64_t length;
} field;

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/* The next line that is neither blank nor a comment, without its line end. */
static bool next_line(reader *r, cursor *line) {
    while (r->at < r->end) {
        const char *begin = r->at;
        const char *end = memchr(begin, '\n', (size_t)(r->end - begin));
        r->at = end ? end + 1 : r->end;
        if (!end)
            end = r->end;
        r->line++;
        const char *first = begin, *last = end;
        while (first < last && is_blank(*first))
            first++;
        while (last > first && (is_blank(last[-1]) || last[-1] == '\r'))
            last--;
        if (first == last || *first == '#')
            continue;
        /* Keep tabs at either end, which may delimit empty fields; strip only the carriage return. */
        while (end > begin && end[-1] == '\r')
            end--;
        *line = (cursor){.at = begin, .end = end, .more = true};
        return true;
    }
    return false;
}

/* Semicolons take precedence over commas: files with decimal commas are separated by semicolons. */
static char find_separator(cursor line) {
    bool quoted = false, tab = false, comma = false;
    for (const char *at = line.at; at < line.end; at++) {
        if (*at == '"')
            quoted = !quoted;
        else if (quoted)
            continue;
        else if (*at == ';')
            return ';';
        tab |= !quoted && *at == '\t';
        comma |= !quoted && *at == ',';
    }
    return comma ? ',' : tab ? '\t' : ' ';
}

static bool is_space(const cursor *c, char ch) {
    return ch == ' ' || (ch == '\t' && c->separator != '\t');
}

static bool is_separator(const cursor *c, char ch) {
    return c->separator == ' ' ? is_blank(ch) : ch == c->separator;
}

/* The end of the quoted field that begins at c->at, past the closing quote; "" is an escaped quote. */
static const char *quote_end(const cursor *c) {
    for (const char *at = c->at + 1; at < c->end; at++)
        if (*at == '"') {
            if (at + 1 == c->end || at[1] != '"')
                return at + 1;
            at++;
        }
    return c->end;
}

static bool next_field(cursor *c, field *f) {
    while (c->at < c->end && is_space(c, *c->at))
        c->at++;
    if (!c->more || (c->separator == ' ' && c->at == c->end))
        return false;
    const char *begin = c->at;
    bool quoted = begin < c->end && *begin == '"';
    if (quoted)
        c->at = quote_end(c);
    while (c->at < c->end && !is_separator(c, *c->at))
        c->at++;
    const char *end = c->at;
    c->more = c->at < c->end;
    c->at += c->more;
    while (end > begin && is_space(c, end[-1]))
        end--;
    if (quoted && end - begin >= 2 && end[-1] == '"') {
        begin++;
        end--;
    }
    *f = (field){begin, end - begin};
    return true;
}

static int64_t count_fields(cursor line) {
    field f;
    int64_t count = 0;
    while (next_field(&line, &f))
        count++;
    return count;
}

/* A first line with a non-empty field that is not a number holds column names. */
static bool is_header(cursor line) {
    field f;
    double value;
    while (next_field(&line, &f))
        if (f.length > 0 && !dl_number_parse(f.text, f.length, &value))
            return true;
    return false;
}

typedef struct table {
    char separator;
    int64_t cols, rows;
    int64_t first_line; /* the line that set `cols` */
} table;

static dltf_status read_line(cursor line, int64_t number, const table *t, double *out) {
    int64_t col = 0;
    field f;
    for (cursor c = line; next_field(&c, &f); col++) {
        if (col == t->cols)
            break;
        if (f.length == 0)
            return dl_fail(DLTF_FORMAT, "line %" PRId64 ", field %" PRId64 " is empty", number, col + 1);
        if (!dl_number_parse(f.text, f.length, &out[col]))
            return dl_fail(DLTF_FORMAT, "line %" PRId64 ", field %" PRId64 ": '%s' is not a number", number,
                           col + 1, DL_PRINTABLE(f.text, f.length));
    }
    int64_t count = col < t->cols ? col : count_fields(line);
    if (count != t->cols)
        return dl_fail(DLTF_FORMAT, "line %" PRId64 " has %" PRId64 " fields, line %" PRId64 " has %" PRId64,
                       number, count, t->first_line, t->cols);
    return DLTF_OK;
}

static reader start(const dl_file *file) {
    const char *text = (const char *)file->bytes;
    bool marked = file->size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0; /* byte order mark */
    return (reader){.at = text + (marked ? 3 : 0), .end = text + file->size};
}

/* The first pass. Sets `from` to the first line of numbers. */
static dltf_status survey(const dl_file *file, reader *from, table *t) {
    cursor line;
    *from = start(file);
    if (memchr(file->bytes, '\0', (size_t)file->size))
        return dl_fail(DLTF_FORMAT, "is not a text file: it contains NUL bytes");
    reader next = *from;
    if (!next_line(&next, &line))
        return dl_fail(DLTF_FORMAT, "contains no numbers");
    t->separator = line.separator = find_separator(line);
    t->cols = count_fields(line);
    t->first_line = next.line;
    if (is_header(line))
        *from = next;
    for (next = *from; next_line(&next, &line);)
        t->rows++;
    if (t->rows == 0)
        return dl_fail(DLTF_FORMAT, "contains no numbers: its only line is '%s'",
                       DL_PRINTABLE(line.at, line.end - line.at));
    return DLTF_OK;
}

static dltf_status read_numbers(const dl_file *file, dltf_array *array) {
    reader next;
    cursor line;
    table t = {0};
    dltf_status status = survey(file, &next, &t);
    if (status != DLTF_OK)
        return status;
    /* A number takes at least two bytes including its separator, which bounds how many the file can hold. If
     * rows x cols is more than that, some line is too short, and the loop fails there before it runs out of
     * room. */
    int64_t room = 0, most = (file->size + 1) / 2 + t.cols;
    if (!dl_multiply(t.rows, t.cols, &room) || room > most)
        room = most;
    double *numbers = DL_NEW(double, room);
    if (!numbers)
        return DLTF_MEMORY;
    for (int64_t row = 0; status == DLTF_OK && next_line(&next, &line); row++) {
        line.separator = t.separator;
        status = read_line(line, next.line, &t, numbers + row * t.cols);
    }
    array->memory = numbers;
    array->matrix = dltf_matrix_f64(numbers, t.rows, t.cols);
    return status;
}

dltf_status dl_csv_load(dl_file *file, dltf_array **array) {
    dl_decimal_point point;
    dltf_array *made = dl_array_new();
    if (!made)
        return DLTF_MEMORY;
    dltf_status status = dl_decimal_point_open(&point);
    if (status == DLTF_OK) {
        status = read_numbers(file, made);
        dl_decimal_point_close(&point);
    }
    if (status == DLTF_OK)
        *array = made;
    else
        dltf_array_free(made);
    return status;
}
