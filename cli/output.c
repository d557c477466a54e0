/* The one place that prints: sentences, reports, tables, CSV and JSON. Every subcommand uses it. */
#include "cli/output.h"

#include "cli/interrupt.h"
#include "cli/progress.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_SIZE = 512, MOST_COLUMNS = 32, JSON_STYLE = JSON_INDENT(2) | JSON_REAL_PRECISION(12) };

static struct {
    const char *command;
    bool quiet, json;
    bool reports_to_stderr;
} terminal;

void output_begin(const char *command) {
    terminal.command = command;
}

void output_configure(bool quiet, bool json) {
    terminal.quiet = quiet;
    terminal.json = json;
}

bool output_is_quiet(void) {
    return terminal.quiet;
}

int output_take_stdout(void) {
    if (isatty(STDOUT_FILENO))
        return usage_error("standard output is a terminal: pipe the codes on, or name a file");
    signal(SIGPIPE, SIG_IGN);
    terminal.reports_to_stderr = true;
    return EXIT_OK;
}

static FILE *reports(void) {
    return terminal.reports_to_stderr ? stderr : stdout;
}

/* ---- Sentences ---- */

static void sentence(const char *format, va_list arguments) {
    progress_erase();
    fflush(stdout);
    fprintf(stderr, terminal.command ? "dltf %s: " : "dltf: ", terminal.command);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void remark(const char *format, ...) {
    if (terminal.quiet)
        return;
    progress_erase();
    fflush(stdout);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

int usage_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    sentence(format, arguments);
    va_end(arguments);
    return EXIT_USAGE;
}

int failure(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    sentence(format, arguments);
    va_end(arguments);
    return EXIT_FAILED;
}

int library_failure_in(dltf_status status, sources from) {
    if (status == DLTF_CANCELLED)
        return interrupted_exit();
    dltf_error error = dltf_last_error();
    if (status == DLTF_MEMORY && error.status != DLTF_MEMORY) /* it was not the library that had too little */
        failure("not enough memory");
    else if (error.subject == DLTF_SUBJECT_OPTION)
        failure("--%s: %s", error.name, error.text);
    else if (from[error.subject])
        failure("%s: %s", from[error.subject], error.text);
    else
        failure("%s", dltf_message());
    return status == DLTF_ARGUMENT ? EXIT_USAGE : EXIT_FAILED;
}

int library_failure(dltf_status status) {
    return library_failure_in(status, (sources){NULL});
}

int interrupted_exit(void) {
    failure("interrupted, nothing was written");
    return interrupt_exit_code();
}

const char *counted(int64_t count, const char *noun) {
    enum { RING = 4, SIZE = 64 };
    static char ring[RING][SIZE];
    static int next;
    char *text = ring[next++ % RING];
    size_t length = strlen(noun);
    bool entries = length > 0 && noun[length - 1] == 'y';
    const char *ending = count == 1 ? "" : entries ? "ies" : "s";
    length -= count != 1 && entries;
    snprintf(text, SIZE, "%lld %.*s%s", (long long)count, (int)length, noun, ending);
    return text;
}

/* ---- Reports ---- */

report report_new(void) {
    return (report){json_object(), json_array()};
}

static void add(report *r, const char *key, json_t *value, const char *label, const char *text) {
    if (key)
        json_object_set_new(r->object, key, value);
    else
        json_decref(value);
    if (label) {
        json_array_append_new(r->lines, json_string(label));
        json_array_append_new(r->lines, json_string(text));
    }
}

/* File names are any bytes, JSON is UTF-8: what is not gets question marks. */
static json_t *json_text(const char *text) {
    json_t *value = json_string(text);
    if (value)
        return value;
    char *copy = strdup(text);
    for (char *c = copy; c && *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    value = copy ? json_string(copy) : NULL;
    free(copy);
    return value;
}

void report_text(report *r, const char *key, const char *label, const char *text) {
    json_t *value = json_text(text);
    json_t *shown = json_incref(value);
    add(r, key, value, label, json_string_value(shown));
    json_decref(shown);
}

void report_integer(report *r, const char *key, const char *label, int64_t value) {
    char text[TEXT_SIZE];
    snprintf(text, sizeof text, "%lld", (long long)value);
    add(r, key, json_integer(value), label, text);
}

void report_real(report *r, const char *key, const char *label, double value) {
    char text[TEXT_SIZE];
    snprintf(text, sizeof text, "%.4g", value);
    add(r, key, json_number(value), label, text);
}

void report_line(report *r, const char *label, const char *format, ...) {
    char text[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    report_text(r, NULL, label, text);
}

void report_json(report *r, const char *key, json_t *value) {
    add(r, key, value, NULL, NULL);
}

static void print_lines(const json_t *lines) {
    int width = 0;
    for (size_t i = 0; i + 1 < json_array_size(lines); i += 2) {
        int length = (int)json_string_length(json_array_get(lines, i));
        width = length > width ? length : width;
    }
    for (size_t i = 0; i + 1 < json_array_size(lines); i += 2)
        fprintf(reports(), "%-*s  %s\n", width, json_string_value(json_array_get(lines, i)),
                json_string_value(json_array_get(lines, i + 1)));
}

void report_print(report *r, bool by_product) {
    if (terminal.json)
        json_print(r->object);
    else if (!by_product || !terminal.quiet)
        print_lines(r->lines);
    json_decref(r->object);
    json_decref(r->lines);
    *r = (report){NULL, NULL};
}

void json_print(const json_t *object) {
    json_dumpf(object, reports(), JSON_STYLE);
    fputc('\n', reports());
}

json_t *json_number(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

/* ---- Rows ---- */

/* The keys of all rows in the order in which they first appear. */
static int collect_columns(const json_t *rows, const char *columns[MOST_COLUMNS]) {
    int count = 0;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        for (void *it = json_object_iter(row); it; it = json_object_iter_next(row, it)) {
            const char *key = json_object_iter_key(it);
            int known = 0;
            while (known < count && strcmp(columns[known], key) != 0)
                known++;
            if (known == count && count < MOST_COLUMNS)
                columns[count++] = key;
        }
    }
    return count;
}

/* `exact`: for programs; otherwise three decimals for people, so that a column lines up. */
static void format_cell(const json_t *value, bool exact, char text[TEXT_SIZE]) {
    text[0] = '\0';
    if (json_is_string(value))
        snprintf(text, TEXT_SIZE, "%s", json_string_value(value));
    else if (json_is_integer(value))
        snprintf(text, TEXT_SIZE, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        snprintf(text, TEXT_SIZE, exact ? "%.9g" : "%.3f", json_real_value(value));
    else if (!exact)
        snprintf(text, TEXT_SIZE, "-");
}

static bool has_values(const json_t *rows, const char *key) {
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *value = json_object_get(json_array_get(rows, i), key);
        if (value && !json_is_null(value))
            return true;
    }
    return false;
}

static int column_width(const json_t *rows, const char *key) {
    char text[TEXT_SIZE];
    size_t width = strlen(key);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        format_cell(json_object_get(json_array_get(rows, i), key), false, text);
        width = strlen(text) > width ? strlen(text) : width;
    }
    return (int)width;
}

/* Text to the left, numbers to the right; two blanks between columns. */
static void print_cell(const char *text, int width, bool left, bool last) {
    if (left)
        printf("%-*s", width, text);
    else
        printf("%*s", width, text);
    fputs(last ? "\n" : "  ", stdout);
}

void rows_print(const json_t *rows) {
    const char *columns[MOST_COLUMNS];
    int widths[MOST_COLUMNS];
    bool left[MOST_COLUMNS];
    char text[TEXT_SIZE];
    int count = 0, all = collect_columns(rows, columns);
    for (int c = 0; c < all; c++)
        if (has_values(rows, columns[c]))
            columns[count++] = columns[c];
    for (int c = 0; c < count; c++) {
        widths[c] = column_width(rows, columns[c]);
        left[c] = json_is_string(json_object_get(json_array_get(rows, 0), columns[c]));
        print_cell(columns[c], widths[c], left[c], c == count - 1);
    }
    for (size_t i = 0; i < json_array_size(rows); i++)
        for (int c = 0; c < count; c++) {
            format_cell(json_object_get(json_array_get(rows, i), columns[c]), false, text);
            print_cell(text, widths[c], left[c], c == count - 1);
        }
}

/* A field of a CSV line, in quotes where it needs them. */
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
    const char *columns[MOST_COLUMNS];
    char *content = NULL, text[TEXT_SIZE];
    size_t size = 0;
    FILE *out = open_memstream(&content, &size);
    if (!out)
        return NULL;
    int count = collect_columns(rows, columns);
    for (int c = 0; c < count; c++)
        fprintf(out, "%s%s", c ? "," : "", columns[c]);
    fputc('\n', out);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        for (int c = 0; c < count; c++) {
            format_cell(json_object_get(json_array_get(rows, i), columns[c]), true, text);
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
