/* Pieces of a stream that is encoded. */
#ifndef DL_API_PIECE_H
#define DL_API_PIECE_H

#include "base/meter.h"
#include "dltf/encode.h"

/* Reports `done` rows. Fails once the caller cancels. */
dltf_status dl_piece_report(dl_meter *meter, int64_t done);

/* The next rows, at most `most` of them. After a signal the callback decides whether to continue. */
dltf_status dl_piece_read(dltf_reader *reader, int64_t most, dl_meter *meter, int64_t done, dltf_matrix *X);

#endif
