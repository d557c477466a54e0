/* Progress of all parts, reported to one callback. */
#include "base/meter.h"

bool dl_meter_add(dl_meter *meter, int64_t units) {
    return dl_meter_add_state(meter, units, NULL);
}

bool dl_meter_add_state(dl_meter *meter, int64_t units, const struct dltf_state *state) {
    meter->done += units;
    dltf_progress now = {.task = meter->task, .done = meter->done, .total = meter->total, .state = state};
    return !meter->progress || meter->progress(meter->context, &now) == 0;
}
