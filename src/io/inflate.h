/* Unpacking deflate streams of any length into memory that the caller has bounded. */
#ifndef DL_IO_INFLATE_H
#define DL_IO_INFLATE_H

#include "base/status.h"

#include <zlib.h>

typedef enum dl_wrapper { DL_WRAPPER_NONE, DL_WRAPPER_GZIP } dl_wrapper;

typedef struct dl_inflate {
    z_stream stream;
    const uint8_t *next; /* input that zlib has not been given */
    int64_t left;
    bool ended;
} dl_inflate;

dltf_status dl_inflate_open(dl_inflate *inflater, const uint8_t *bytes, int64_t size, dl_wrapper wrapper);
/* Unpacks up to `count` bytes; fewer only where the stream ends. */
dltf_status dl_inflate_read(dl_inflate *inflater, void *out, int64_t count, int64_t *got);
/* Fails unless the stream ends right here, checksum included, and nothing follows it. */
dltf_status dl_inflate_finish(dl_inflate *inflater);
/* Also for an inflater whose open failed. */
void dl_inflate_close(dl_inflate *inflater);

/* Whether `packed` bytes can at all unpack to `size`: deflate gains at most a factor of 1032. */
bool dl_inflate_plausible(int64_t packed, int64_t size);

#endif
