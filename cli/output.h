/* Everything that is printed: results to stdout, remarks and mistakes to stderr. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "cli/command.h"

#include <jansson.h>

/* The name that mistakes are reported under, then what the common options ask for. */
void output_begin(const char *command);
void output_configure(bool quiet, bool json);
bool output_is_quiet(void);

/* The result itself goes to standard output, through the library: reports go to stderr from now on, and a
 * closed pipe is a failure to write. Refuses a terminal. Returns an exit code. */
int output_take_stdout(void);

/* A line for people on stderr, unless quiet. */
void remark(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "dltf train: sentence" on stderr; the exit code that belongs to it is returned. */
int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
int failure(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same with the library's sentence for its last failed call; options are called --name. */
int library_failure(dltf_status status);

/* By subject: the file that an argument of a library call came from; NULL: from none. */
typedef const char *const sources[DLTF_SUBJECT_COUNT];

/* The same, naming the file instead of the subject. */
int library_failure_in(dltf_status status, sources from);
int interrupted_exit(void);

/* "1 sample", "2 samples"; "1 entry", "2 entries". In a static ring of a few buffers. */
const char *counted(int64_t count, const char *noun);

/* ---- A report: facts collected once, printed as JSON or as aligned lines for people ---- */

typedef struct report {
    json_t *object; /* for --json */
    json_t *lines;  /* for people: label, text, label, text, ... */
} report;

report report_new(void);
/* A NULL key leaves the fact out of the JSON, a NULL label out of the lines. */
void report_text(report *r, const char *key, const char *label, const char *text);
void report_integer(report *r, const char *key, const char *label, int64_t value);
void report_real(report *r, const char *key, const char *label, double value);
void report_line(report *r, const char *label, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* For the JSON alone; takes the value over. */
void report_json(report *r, const char *key, json_t *value);
/* Prints and frees. Where the report is a by-product (a file is the result), quiet leaves the lines out. */
void report_print(report *r, bool by_product);

/* ---- Rows: a JSON array of flat objects, as a table for people or as CSV ---- */

/* A missing or null value is a dash or, in CSV, empty; the table leaves out columns without values. */
void rows_print(const json_t *rows);
/* Allocated text; NULL without memory. */
char *rows_csv(const json_t *rows);

/* A JSON object where reports go. */
void json_print(const json_t *object);
/* JSON has no NaN: null stands for it. */
json_t *json_number(double value);

#endif
