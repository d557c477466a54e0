/* A byte array that is appended to and later read back: in memory while small, then in a temporary file. For
 * content whose length must be known before it is written. */
#ifndef DL_IO_FILES_SPOOL_H
#define DL_IO_FILES_SPOOL_H

#include "base/status.h"

typedef struct dl_spool {
    const char *directory; /* of the file; borrowed */
    const uint8_t *memory; /* the last `used` bytes */
    uint8_t *buffer;       /* `memory` if owned, NULL if borrowed */
    int64_t used, stored;  /* bytes in memory; bytes in the file, which precede them */
    int descriptor;        /* of the file; -1 if none */
} dl_spool;

dltf_status dl_spool_open(dl_spool *spool, const char *directory);
/* A complete spool over borrowed bytes. */
dl_spool dl_spool_borrow(const void *bytes, int64_t size);
dltf_status dl_spool_append(dl_spool *spool, const void *bytes, int64_t count);
dltf_status dl_spool_read(const dl_spool *spool, int64_t offset, void *bytes, int64_t count);
void dl_spool_close(dl_spool *spool);

#endif
