/* Sparse codes under construction. Finished codes are read through dltf_codes_csr. */
#ifndef DL_DATA_CODES_H
#define DL_DATA_CODES_H

#include "base/handle.h"
#include "dltf/data.h"

struct dltf_codes {
    dl_handle handle;
    int64_t rows, cols;
    int64_t *indptr;
    int32_t *indices;
    float *values;
};

/* Empty codes of `rows` samples with room for `entries` entries; indptr is all zero. */
dltf_status dl_codes_alloc(int64_t rows, int64_t cols, int64_t entries, dltf_codes **codes);

/* Compacts codes of fixed width, in which sample i has count[i] entries from i*k on, to compressed rows in
 * place. Drops entries that are exactly zero, as refitting may produce. */
void dl_codes_compress(dltf_codes *codes, const int32_t *count, int64_t k);

/* Checks that the arrays form valid codes: indptr starts at 0 and does not decrease, indices ascend within
 * 0 .. cols-1, values are finite and non-zero. */
dltf_status dl_codes_check(dltf_csr csr);

#endif
