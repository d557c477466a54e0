/* The progress bar, passed to every long call of the library. It appears only on a terminal and after half a
 * second, is redrawn at most ten times a second, and is erased at the end. It never exceeds a line: if the
 * terminal is narrow, less important parts are left out. It also passes Ctrl-C on to the library. */
#include "cli/progress.h"

#include "cli/interrupt.h"
#include "cli/output.h"
#include "report/history.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR_WIDTH = 16, DEFAULT_COLUMNS = 80 };

static const double PATIENCE = 0.5, REDRAW = 0.1;

static struct {
    char task[64];
    double started, drawn;
    int64_t first; /* `done` at the start; not 0 for a resumed training */
    bool visible;
    char note[80];
    double error; /* of a training, as last measured; NaN before */
} bar = {.error = NAN};

bool progress_is_visible(void) {
    return bar.visible;
}

void progress_erase(void) {
    if (bar.visible)
        fputs("\r\033[K", stderr);
    bar.visible = false;
}

void progress_note(const char *text) {
    snprintf(bar.note, sizeof bar.note, "%s", text);
}

/* ---- The line ---- */

/* The parts of the line, from the most to the least important one. */
typedef enum importance { SHARE, TASK, TIME_LEFT, ERROR, NOTE, BLOCKS, STAGE, COHERENCE } importance;

typedef struct line {
    struct {
        importance importance;
        char text[96]; /* begins with the blanks that separate it from the part before */
    } parts[COHERENCE + 1];
    int count;
} line;

static void add(line *l, importance importance, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add(line *l, importance importance, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    l->parts[l->count].importance = importance;
    vsnprintf(l->parts[l->count].text, sizeof l->parts[l->count].text, format, arguments);
    va_end(arguments);
    l->count++;
}

/* Asked for at every drawing: the user may resize the terminal. */
static int columns(void) {
    struct winsize size = {0};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    const char *text = getenv("COLUMNS");
    long given = text ? strtol(text, NULL, 10) : 0;
    return given > 0 && given < 10000 ? (int)given : DEFAULT_COLUMNS;
}

/* Joins the parts up to `least` important. Returns the length. */
static int join(const line *l, importance least, char *text, size_t size) {
    int used = 0;
    *text = '\0';
    for (int i = 0; i < l->count; i++) {
        const char *part = l->parts[i].text;
        if (l->parts[i].importance > least)
            continue;
        if (used == 0)
            part += strspn(part, " ");
        used += snprintf(text + used, size - (size_t)used, "%s", part);
    }
    return used;
}

/* The last column stays empty: some terminals wrap after a character there. */
static void show(const line *l) {
    char text[sizeof l->parts];
    int room = columns() - 1, least = COHERENCE;
    while (join(l, (importance)least, text, sizeof text) > room && least > SHARE)
        least--;
    fprintf(stderr, "\r\033[K%.*s", room, text);
    fflush(stderr);
    bar.visible = true;
}

void progress_begin(const char *task) {
    line l = {.count = 0};
    if (output_is_quiet() || !isatty(STDERR_FILENO))
        return;
    add(&l, TASK, "%s ...", task);
    show(&l);
}

static void restart(const dltf_progress *progress, double now) {
    snprintf(bar.task, sizeof bar.task, "%s", progress->task);
    bar.started = now;
    bar.first = progress->done;
}

static void add_time_left(line *l, const dltf_progress *progress, double elapsed) {
    int64_t since = progress->done - bar.first;
    if (since <= 0)
        return;
    double left = elapsed * (double)(progress->total - progress->done) / (double)since;
    if (left >= 3600)
        add(l, TIME_LEFT, "  %.1f h left", left / 3600);
    else if (left >= 60)
        add(l, TIME_LEFT, "  %.0f min left", left / 60);
    else
        add(l, TIME_LEFT, "  %.0f s left", left);
}

static void add_share(line *l, const dltf_progress *progress, double elapsed) {
    double share = (double)progress->done / (double)progress->total;
    share = share > 1 ? 1 : share;
    char blocks[BAR_WIDTH + 1];
    for (int i = 0; i < BAR_WIDTH; i++)
        blocks[i] = i < (int)(share * BAR_WIDTH + 0.5) ? '#' : '.';
    blocks[BAR_WIDTH] = '\0';
    add(l, BLOCKS, " [%s]", blocks);
    add(l, SHARE, " %3.0f%%", 100 * share);
    add_time_left(l, progress, elapsed);
}

/* For a stream, whose total is unknown. */
static void add_count(line *l, const dltf_progress *progress, double elapsed) {
    add(l, SHARE, "  %lld done", (long long)progress->done);
    add(l, TIME_LEFT, "  %.0f per second", (double)(progress->done - bar.first) / elapsed);
}

static void draw(const dltf_progress *progress, double elapsed) {
    line l = {.count = 0};
    add(&l, TASK, "%s", progress->task);
    if (progress->total > 0)
        add_share(&l, progress, elapsed);
    else
        add_count(&l, progress, elapsed);
    /* `done` and `total` measure work, not iterations; the iteration is in the record. */
    const dltf_iteration *iteration = progress->iteration;
    if (iteration)
        add(&l, STAGE, "  %s %lld", iteration->stage, (long long)iteration->index + 1);
    if (iteration && !isnan(bar.error))
        add(&l, ERROR, "  refit error %.4f", bar.error);
    if (iteration && !isnan(iteration->coherence))
        add(&l, COHERENCE, "  coherence %.3f", iteration->coherence);
    if (*bar.note)
        add(&l, NOTE, "  %s", bar.note);
    show(&l);
}

/* ---- Steps ---- */

int progress_step(void *context, const dltf_progress *progress) {
    (void)context;
    double now = dl_seconds();
    if (strncmp(bar.task, progress->task, sizeof bar.task - 1) != 0 || progress->done < bar.first)
        restart(progress, now);
    if (progress->iteration && !isnan(progress->iteration->refit_error))
        bar.error = progress->iteration->refit_error;
    if (!output_is_quiet() && isatty(STDERR_FILENO) && now - bar.started > PATIENCE &&
        now - bar.drawn > REDRAW) {
        draw(progress, now - bar.started);
        bar.drawn = now;
    }
    return interrupted();
}
