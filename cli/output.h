/* Output of the program: results to stdout, remarks and errors to stderr. report/ formats the results. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "cli/command.h"
#include "report/facts.h"

/* Sets the command named in error messages, then the common options. */
void output_begin(const char *command);
void output_configure(bool quiet, bool json);
bool output_is_quiet(void);

/* The first error so far, without the name of the command; NULL if there was none. Ranks other than 0 print
 * nothing: rank 0 prints what they failed with. */
const char *output_message(void);

/* For commands whose result itself is written to standard output by the library: sends reports to stderr from
 * now on, and makes a closed pipe a write error. Rejects a terminal. Returns an exit code. */
int output_take_stdout(void);

/* Prints a line on stderr, unless quiet. */
void remark(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Print "dltf COMMAND: message" on stderr and return the matching exit code. */
int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
int failure(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints another line of an error message; unlike a remark also if quiet. */
void continue_message(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same with the library's last error message; options are shown as --name. */
int library_failure(dltf_status status);

/* By subject: the file that an argument of a library call came from; NULL if none. */
typedef const char *const sources[DLTF_SUBJECT_COUNT];

/* The same, naming the file instead of the subject. */
int library_failure_in(dltf_status status, sources from);
int interrupted_exit(void);
/* The same of a command whose output is this file, or "-": standard output may have got a part. */
int interrupted_exit_of(const char *output);
/* The message of a signal handler that ends the program. */
void output_interrupted(void);

/* "1 sample", "2 samples"; "1 entry", "2 entries". Returns one of a few static
 * buffers, used in rotation. */
const char *counted(int64_t count, const char *noun);
/* "2,000", for reports. Returns a static buffer. */
const char *grouped(int64_t count);

/* Prints a JSON object, or rows as a table, to the stream of reports. */
void output_json(const json_t *object);
void output_rows(const json_t *rows);
/* Prints facts, as JSON if requested, and frees them. If they are a by-product because the result is a file,
 * --quiet suppresses the text form. */
void output_facts(facts *f, bool by_product);

/* The number of ranks and what rank 0 has sent. */
void output_ranks(facts *f);

/* There was not enough memory for something to print. */
void output_lost(void);

/* The exit code of a command that ended with `code`: a failure if there was not enough memory for something
 * to print. */
int output_finish(int code);

#endif
