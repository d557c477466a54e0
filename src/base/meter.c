/* Progress of all parts, reported to one callback. */
#include "base/meter.h"

bool dl_meter_add(dl_meter *meter, int64_t units) {
    meter->done += units;
    dltf_progress now = {meter->task, meter->done, meter->total, NULL};
    return !meter->progress || meter->progress(meter->context, &now) == 0;
}
