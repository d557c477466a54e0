/* The progress bar, passed to every long call of the library. It appears only on a terminal and after half a
 * second, is redrawn at most ten times a second, and is erased at the end. It also passes Ctrl-C on to the
 * library. */
#include "cli/progress.h"

#include "cli/interrupt.h"
#include "cli/output.h"
#include "report/history.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { BAR_WIDTH = 20 };

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

void progress_begin(const char *task) {
    if (output_is_quiet() || !isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r\033[K%s ...", task);
    fflush(stderr);
    bar.visible = true;
}

static void restart(const dltf_progress *progress, double now) {
    snprintf(bar.task, sizeof bar.task, "%s", progress->task);
    bar.started = now;
    bar.first = progress->done;
}

static void draw_time_left(const dltf_progress *progress, double elapsed) {
    int64_t since = progress->done - bar.first;
    if (since <= 0)
        return;
    double left = elapsed * (double)(progress->total - progress->done) / (double)since;
    if (left >= 3600)
        fprintf(stderr, "  %.1f h left", left / 3600);
    else if (left >= 60)
        fprintf(stderr, "  %.0f min left", left / 60);
    else
        fprintf(stderr, "  %.0f s left", left);
}

static void draw_share(const dltf_progress *progress, double elapsed) {
    double share = (double)progress->done / (double)progress->total;
    share = share > 1 ? 1 : share;
    char blocks[BAR_WIDTH + 1];
    for (int i = 0; i < BAR_WIDTH; i++)
        blocks[i] = i < (int)(share * BAR_WIDTH + 0.5) ? '#' : '.';
    blocks[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r\033[K%s [%s] %3.0f%%", progress->task, blocks, 100 * share);
    draw_time_left(progress, elapsed);
}

/* For a stream, whose total is unknown. */
static void draw_count(const dltf_progress *progress, double elapsed) {
    fprintf(stderr, "\r\033[K%s  %lld done  %.0f per second", progress->task, (long long)progress->done,
            (double)(progress->done - bar.first) / elapsed);
}

static void draw(const dltf_progress *progress, double elapsed) {
    if (progress->total > 0)
        draw_share(progress, elapsed);
    else
        draw_count(progress, elapsed);
    /* `done` and `total` measure work, not iterations; the iteration is in the record. */
    const dltf_iteration *iteration = progress->iteration;
    if (iteration)
        fprintf(stderr, "  %s %lld", iteration->stage, (long long)iteration->index + 1);
    if (iteration && !isnan(bar.error))
        fprintf(stderr, "  error after refit %.4f", bar.error);
    if (iteration && !isnan(iteration->coherence))
        fprintf(stderr, "  coherence %.3f", iteration->coherence);
    if (*bar.note)
        fprintf(stderr, "  %s", bar.note);
    fflush(stderr);
    bar.visible = true;
}

int progress_step(void *context, const dltf_progress *progress) {
    (void)context;
    double now = dltf_seconds();
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
