#include "api/piece.h"

#include "data/samples.h"

/* A piece takes about this many bytes of samples and codes, and at most this many tiles. */
enum { PIECE_BYTES = 8 << 20, PIECE_TILES = 64 };

int64_t dl_piece_rows(int64_t n, int64_t k) {
    int64_t tile = DL_TILE * (n * (int64_t)sizeof(double) + k * (int64_t)(sizeof(int32_t) + sizeof(float)));
    int64_t tiles = PIECE_BYTES / tile;
    return DL_TILE * (tiles < 1 ? 1 : tiles > PIECE_TILES ? PIECE_TILES : tiles);
}

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
