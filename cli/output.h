/* What is printed where: results to stdout, remarks and mistakes to stderr. How results look is the business
 * of report/. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "cli/command.h"
#include "report/facts.h"

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

/* A JSON object where reports go. */
void output_json(const json_t *object);
/* Prints facts, as JSON if that was asked for, and frees them. Where they are a by-product (a file is the
 * result), quiet leaves the lines for people out. */
void output_facts(facts *f, bool by_product);

#endif
