/* Sparse codes in SciPy's .npz form. */
#ifndef DL_IO_CODES_H
#define DL_IO_CODES_H

#include "io/file.h"
#include "io/spool.h"
#include "io/writer.h"

dltf_status dl_codes_parse(const dl_file *file, dltf_codes **codes);

/* Compressed rows, each array a spool: in memory or too long for it. */
typedef struct dl_codes_spools {
    int64_t rows, cols, entries;
    dl_spool indptr, indices, values; /* int64, int32, float */
} dl_codes_spools;

/* `wide`: int64 indices, as more than 2^31 - 1 entries need. */
dltf_status dl_codes_write(const dl_codes_spools *codes, bool wide, dl_writer *out);

/* Codes in memory, borrowed. */
dl_codes_spools dl_codes_borrow(dltf_csr csr);

#endif
