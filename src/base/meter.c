/* Progress of all parts, reported to one callback. */
#include "base/meter.h"

#include "base/clock.h"

#include <time.h>

/* Seconds between two reports of dl_poll: CPU time of this thread, so that a busy machine makes no
 * difference. Reading that takes a system call, so it is read only where so much time has passed at all. */
static const double PAUSE = 0.05;

static _Thread_local dl_meter *watched;

dl_meter dl_meter_new(const char *task, dltf_progress_fn progress, void *context, int64_t total) {
    return (dl_meter){.task = task, .progress = progress, .context = context, .total = total};
}

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void set_pause(dl_meter *meter) {
    meter->next = dl_seconds() + PAUSE;
    meter->next_cpu = cpu_seconds() + PAUSE;
}

static bool is_due(dl_meter *meter) {
    double now = dl_seconds();
    if (now < meter->next)
        return false;
    double left = meter->next_cpu - cpu_seconds();
    meter->next = now + left;
    return left <= 0;
}

static bool report(dl_meter *meter) {
    dltf_progress now = {.task = meter->task,
                         .done = meter->done,
                         .total = meter->total,
                         .iteration = meter->iteration,
                         .state = meter->state};
    dl_meter *before = watched;
    watched = NULL; /* the callback may use the library */
    if (meter->progress && meter->progress(meter->context, &now) != 0)
        meter->cancelled = true;
    watched = before;
    set_pause(meter);
    return !meter->cancelled;
}

bool dl_meter_add(dl_meter *meter, int64_t units) {
    return dl_meter_add_state(meter, units, NULL);
}

bool dl_meter_add_state(dl_meter *meter, int64_t units, const struct dltf_state *state) {
    meter->done += units;
    meter->state = state;
    return report(meter);
}

void dl_meter_watch(dl_meter *meter) {
    if (!meter->progress)
        return;
    meter->outer = watched;
    watched = meter;
    set_pause(meter);
}

void dl_meter_unwatch(const dl_meter *meter) {
    if (watched == meter)
        watched = meter->outer;
}

bool dl_poll(void) {
    if (watched && !watched->cancelled && is_due(watched))
        report(watched);
    return !watched || !watched->cancelled;
}
