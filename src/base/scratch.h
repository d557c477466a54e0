/* Large arrays in a temporary file, for state that exceeds the memory a program may use. */
#ifndef DL_BASE_SCRATCH_H
#define DL_BASE_SCRATCH_H

#include "base/status.h"

typedef struct dl_scratch {
    void *memory;
    int64_t bytes;
} dl_scratch;

/* `bytes` zeros, mapped from an unnamed file in $TMPDIR or else /var/tmp, which vanishes with the process. */
dltf_status dl_scratch_new(int64_t bytes, dl_scratch *scratch);
void dl_scratch_free(dl_scratch *scratch);

/* Releases the resident pages of a part that is not needed for a while. Its content is kept. Does nothing for
 * memory that is not in the scratch. */
void dl_scratch_rest(const dl_scratch *scratch, const void *part, int64_t bytes);

#endif
