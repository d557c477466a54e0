/* Replaces base/meter.c in the small library, which has no clock: only the loops that count units report. */
#include "base/meter.h"

dl_meter dl_meter_new(const char *task, dltf_progress_fn progress, void *context, int64_t total) {
    return (dl_meter){.task = task, .progress = progress, .context = context, .total = total};
}

bool dl_meter_add(dl_meter *meter, int64_t units) {
    meter->done += units;
    dltf_progress now = {.task = meter->task, .done = meter->done, .total = meter->total};
    return !meter->progress || meter->progress(meter->context, &now) == 0;
}

void dl_meter_watch(dl_meter *meter) {
    (void)meter;
}

void dl_meter_unwatch(const dl_meter *meter) {
    (void)meter;
}

bool dl_poll(void) {
    return true;
}
