/* Progress of a task made of several parts, each of which adds its units of work. */
#ifndef DL_BASE_METER_H
#define DL_BASE_METER_H

#include "base/status.h"

typedef struct dl_meter {
    const char *task; /* as in dltf_progress */
    dltf_progress_fn progress;
    void *context;
    int64_t done, total;
} dl_meter;

/* Reports `units` more; false once the caller cancels. */
bool dl_meter_add(dl_meter *meter, int64_t units);
/* The same with the state that the caller may save; NULL: none. */
bool dl_meter_add_state(dl_meter *meter, int64_t units, const struct dltf_state *state);

#endif
