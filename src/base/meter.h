/* Progress of a task made of several parts, each of which adds its units of work, and cancellation from
 * anywhere inside it: dl_poll. */
#ifndef DL_BASE_METER_H
#define DL_BASE_METER_H

#include "base/status.h"

typedef struct dl_meter {
    const char *task; /* as in dltf_progress */
    dltf_progress_fn progress;
    void *context;
    int64_t done, total;
    const struct dltf_iteration *iteration; /* as in dltf_progress */
    const struct dltf_state *state;         /* as last reported */
    bool cancelled;
    double next, next_cpu; /* when dl_poll reports again */
    struct dl_meter *outer;
} dl_meter;

dl_meter dl_meter_new(const char *task, dltf_progress_fn progress, void *context, int64_t total);

/* Reports `units` more; false once the caller cancels. */
bool dl_meter_add(dl_meter *meter, int64_t units);
/* The same with the state that the caller may save; NULL: none. */
bool dl_meter_add_state(dl_meter *meter, int64_t units, const struct dltf_state *state);

/* Makes the meter the one that dl_poll uses on this thread, until dl_meter_unwatch: before it goes out of
 * scope. A meter without callback leaves that to the call around it. */
void dl_meter_watch(dl_meter *meter);
void dl_meter_unwatch(const dl_meter *meter);

/* For loops that take more than a few milliseconds and have no meter at hand: repeats the last report of the
 * watched meter, some times a second. False once the caller cancels: give up, and return DLTF_CANCELLED. The
 * caller may save a checkpoint at every poll, so what a checkpoint contains must be consistent then. */
bool dl_poll(void);

#endif
