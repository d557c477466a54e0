/* Pieces of a stream that is encoded. */
#ifndef DL_API_PIECE_H
#define DL_API_PIECE_H

#include "base/meter.h"
#include "dltf/encode.h"

/* How many rows of n columns and codes of k entries are coded at a time: whole tiles. */
int64_t dl_piece_rows(int64_t n, int64_t k);

/* Reports `done` rows. Fails once the caller cancels. */
dltf_status dl_piece_report(dl_meter *meter, int64_t done);

/* The next rows, at most `most` of them. After a signal the callback decides whether to continue. */
dltf_status dl_piece_read(dltf_reader *reader, int64_t most, dl_meter *meter, int64_t done, dltf_matrix *X);

#endif
