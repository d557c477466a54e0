/* Sparse codes while they are being made. Finished codes are read through dltf_codes_csr. */
#ifndef DL_DATA_CODES_H
#define DL_DATA_CODES_H

#include "base/status.h"

struct dltf_codes {
    int64_t rows, cols;
    int64_t *indptr;
    int32_t *indices;
    float *values;
};

/* Empty codes of `rows` samples with room for `entries` entries; indptr is all zero. */
dltf_status dl_codes_alloc(int64_t rows, int64_t cols, int64_t entries, dltf_codes **codes);

/* Codes of fixed width, closed up in place to compressed rows: sample i has count[i] entries from i*k on.
 * Entries that are exactly zero, as refitting may make them, are dropped. */
void dl_codes_compress(dltf_codes *codes, const int32_t *count, int64_t k);

/* Whether the arrays form valid codes: indptr rises from 0, indices ascend within 0 .. cols-1, values finite.
 */
dltf_status dl_codes_check(dltf_csr csr);

#endif
