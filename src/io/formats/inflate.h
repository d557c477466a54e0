/* Unpacks deflate streams of any length into memory bounded by the caller. */
#ifndef DL_IO_FORMATS_INFLATE_H
#define DL_IO_FORMATS_INFLATE_H

#include "base/status.h"

#include <zlib.h>

typedef enum dl_wrapper { DL_WRAPPER_NONE, DL_WRAPPER_GZIP } dl_wrapper;

typedef struct dl_inflate {
    z_stream stream;
    const uint8_t *next; /* input not yet passed to zlib */
    int64_t left;
    bool ended;
} dl_inflate;

dltf_status dl_inflate_open(dl_inflate *inflater, const uint8_t *bytes, int64_t size, dl_wrapper wrapper);
/* Unpacks up to `count` bytes; fewer only at the end of the stream. */
dltf_status dl_inflate_read(dl_inflate *inflater, void *out, int64_t count, int64_t *got);
/* Fails unless the stream ends here, with a valid checksum and no trailing data. */
dltf_status dl_inflate_finish(dl_inflate *inflater);
/* Also valid after a failed open. */
void dl_inflate_close(dl_inflate *inflater);

/* Whether `packed` bytes can unpack to `size`: deflate compresses by a factor of at most 1032. */
bool dl_inflate_plausible(int64_t packed, int64_t size);

#endif
