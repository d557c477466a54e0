/* Progress of a whole from its parts: each adds its units as it goes. */
#ifndef DL_BASE_METER_H
#define DL_BASE_METER_H

#include "base/status.h"

typedef struct dl_meter {
    const char *task; /* as dltf_progress has it */
    dltf_progress_fn progress;
    void *context;
    int64_t done, total;
} dl_meter;

/* Reports `units` more; false once the caller cancels. */
bool dl_meter_add(dl_meter *meter, int64_t units);

#endif
