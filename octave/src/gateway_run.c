/* Errors, objects of the current call, Ctrl-C and progress. */
#include "gateway.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>

enum { MOST_OBJECTS = 32 };

static struct {
    void *object;
    void (*release)(void *);
} owned[MOST_OBJECTS];
static int owned_count;

static volatile sig_atomic_t interrupted;
static struct sigaction octave_action;
static bool watching, progress_wanted, progress_printed;

/* ---- Objects ---- */

void gw_own(void *object, void (*release)(void *)) {
    if (owned_count == MOST_OBJECTS) {
        release(object);
        gw_fail("memory", "dltf_mex: more than %d objects in one call", MOST_OBJECTS);
    }
    owned[owned_count].object = object;
    owned[owned_count++].release = release;
}

static void stop_watching(void) {
    if (!watching)
        return;
    watching = false;
    dltf_bind_watch(NULL, NULL);
    sigaction(SIGINT, &octave_action, NULL);
}

/* The newest first: a learner before its samples. */
void gw_release(void) {
    stop_watching();
    while (owned_count > 0) {
        owned_count--;
        owned[owned_count].release(owned[owned_count].object);
    }
}

#define DEFINE_FREE(kind)                                                                                    \
    void gw_free_##kind(void *object) {                                                                      \
        dltf_##kind##_free(object);                                                                          \
    }
DEFINE_FREE(array)
DEFINE_FREE(clusters)
DEFINE_FREE(codes)
DEFINE_FREE(hasher)
DEFINE_FREE(image)
DEFINE_FREE(index)
DEFINE_FREE(learner)
DEFINE_FREE(model)
DEFINE_FREE(neighbours)
DEFINE_FREE(options)
DEFINE_FREE(synthetic)
DEFINE_FREE(values)

/* ---- Errors ---- */

void gw_fail(const char *name, const char *format, ...) {
    char id[64], text[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    snprintf(id, sizeof id, "dltf:%s", name);
    gw_release();
    mexErrMsgIdAndTxt(id, "%s", text);
}

void gw_check(dltf_status status) {
    if (status != DLTF_OK)
        gw_fail(dltf_status_name(status), "%s", dltf_message());
}

/* ---- Ctrl-C and progress ---- */

static void note_interrupt(int number) {
    (void)number;
    interrupted = 1;
}

/* Octave's own handler makes its evaluator throw, which must not happen inside the library. */
void gw_begin(void) {
    struct sigaction action = {.sa_handler = note_interrupt};
    interrupted = 0;
    progress_printed = false;
    watching = true;
    sigaction(SIGINT, &action, &octave_action);
    dltf_bind_watch(gw_report, NULL);
}

void gw_end(dltf_status status) {
    stop_watching();
    if (progress_printed)
        fputs("\r\033[K", stderr);
    if (interrupted) {
        raise(SIGINT); /* for Octave, which returns to its prompt */
        gw_fail("cancelled", "interrupted");
    }
    gw_check(status);
}

bool gw_interrupted(void) {
    return interrupted;
}

void gw_show_progress(bool show) {
    progress_wanted = show;
}

int gw_report(void *context, const char *task, int64_t done, int64_t total, const char *stage, int64_t index,
              double error, const struct dltf_state *state) {
    (void)context;
    (void)index;
    (void)state;
    if (progress_wanted && total > 0) {
        fprintf(stderr, "\r%s %3.0f%%", task, 100 * (double)done / (double)total);
        if (error == error)
            fprintf(stderr, "  %s, relative error %.4f", stage, error);
        fputs("\033[K", stderr);
        progress_printed = true;
    }
    return interrupted;
}
