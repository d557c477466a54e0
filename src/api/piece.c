#include "api/piece.h"

dltf_status dl_piece_report(dl_meter *meter, int64_t done) {
    meter->done = done;
    if (!dl_meter_add(meter, 0))
        return dl_fail(DLTF_CANCELLED, "encoding was cancelled");
    return DLTF_OK;
}

dltf_status dl_piece_read(dltf_reader *reader, int64_t most, dl_meter *meter, int64_t done, dltf_matrix *X) {
    for (;;) {
        dltf_status status = dltf_reader_next(reader, most, X);
        if (status == DLTF_CANCELLED && dl_piece_report(meter, done) == DLTF_OK)
            continue;
        return status;
    }
}
