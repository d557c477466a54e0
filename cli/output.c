/* Result and message output. */
#include "cli/output.h"

#include "cli/interrupt.h"
#include "cli/progress.h"
#include "report/json.h"
#include "report/rows.h"

#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

static struct {
    const char *command;
    bool quiet, json;
    bool reports_to_stderr;
    bool lost;          /* results that there was no memory for */
    char message[2048]; /* the first error */
} terminal;

void output_begin(const char *command) {
    terminal.command = command;
}

void output_configure(bool quiet, bool json) {
    terminal.quiet = quiet;
    terminal.json = json;
}

/* Rank 0 speaks for all. */
static bool silent(void) {
    return dltf_rank() > 0;
}

bool output_is_quiet(void) {
    return terminal.quiet || silent();
}

const char *output_message(void) {
    return *terminal.message ? terminal.message : NULL;
}

int output_take_stdout(void) {
    if (isatty(STDOUT_FILENO))
        return usage_error("standard output is a terminal: redirect it, or give a file name");
    signal(SIGPIPE, SIG_IGN);
    terminal.reports_to_stderr = true;
    return EXIT_OK;
}

static FILE *reports(void) {
    return terminal.reports_to_stderr && !silent() ? stderr : stdout;
}

/* ---- Messages ---- */

/* Prints a line. File names may contain anything. */
static void print_line(const char *format, va_list arguments) {
    enum { LINE = 1 << 14 };
    static char text[LINE], shown[LINE];
    vsnprintf(text, sizeof text, format, arguments);
    fprintf(stderr, "%s\n", dl_printable(text, shown, sizeof shown));
}

static void keep_error(const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    if (!*terminal.message)
        vsnprintf(terminal.message, sizeof terminal.message, format, again);
    va_end(again);
}

static void print_error(const char *format, va_list arguments) {
    keep_error(format, arguments);
    if (silent())
        return;
    progress_erase();
    fflush(stdout);
    fprintf(stderr, terminal.command ? "dltf %s: " : "dltf: ", terminal.command);
    print_line(format, arguments);
}

void remark(const char *format, ...) {
    if (output_is_quiet())
        return;
    progress_erase();
    fflush(stdout);
    va_list arguments;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
}

void continue_message(const char *format, ...) {
    if (silent())
        return;
    va_list arguments;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
}

int usage_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_error(format, arguments);
    va_end(arguments);
    return EXIT_USAGE;
}

int failure(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_error(format, arguments);
    va_end(arguments);
    return EXIT_FAILED;
}

int library_failure_in(dltf_status status, sources from) {
    if (status == DLTF_CANCELLED)
        return interrupted_exit();
    dltf_error error = dltf_last_error();
    if (status == DLTF_MEMORY && error.status != DLTF_MEMORY) /* not an allocation of the library */
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

void output_interrupted(void) {
    const char *parts[] = {progress_is_visible() ? "\r\033[K" : "", "dltf", terminal.command ? " " : "",
                           terminal.command ? terminal.command : "", ": interrupted\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        (void)!write(STDERR_FILENO, parts[i], strlen(parts[i]));
}

int interrupted_exit(void) {
    failure("interrupted, nothing was written");
    return interrupt_exit_code();
}

int interrupted_exit_of(const char *output) {
    if (strcmp(output, "-") != 0)
        return interrupted_exit();
    failure("interrupted");
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

const char *grouped(int64_t count) {
    static char text[32];
    char digits[24], *to = text;
    int length = snprintf(digits, sizeof digits, "%lld", (long long)count);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0 && digits[i - 1] != '-')
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

/* ---- Results ---- */

void output_lost(void) {
    terminal.lost = true;
}

int output_finish(int code) {
    return code == EXIT_OK && terminal.lost ? failure("not enough memory for the results") : code;
}

void output_ranks(facts *f) {
    dltf_traffic traffic = dltf_ranks_traffic();
    facts_integer(f, "ranks", "ranks", dltf_ranks());
    facts_integer(f, "rank_exchanges", NULL, traffic.exchanges);
    facts_integer(f, "rank_bytes_sent", NULL, traffic.bytes);
}

void output_json(const json_t *object) {
    terminal.lost |= !json_print(object, reports());
}

void output_rows(const json_t *rows) {
    terminal.lost |= json_out_of_memory();
    if (!terminal.lost)
        rows_print(rows, reports());
}

void output_facts(facts *f, bool by_product) {
    terminal.lost |= json_out_of_memory();
    if (terminal.json)
        output_json(f->object);
    else if ((!by_product || !terminal.quiet) && !terminal.lost)
        facts_print(f, reports());
    facts_free(f);
}
