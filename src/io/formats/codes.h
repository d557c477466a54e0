/* Sparse codes in SciPy's .npz form. */
#ifndef DL_IO_FORMATS_CODES_H
#define DL_IO_FORMATS_CODES_H

#include "io/files/file.h"
#include "io/files/spool.h"
#include "io/files/writer.h"

dltf_status dl_codes_parse(const dl_file *file, dltf_codes **codes);

/* CSR codes whose arrays are spools, so that they may be larger than memory. */
typedef struct dl_codes_spools {
    int64_t rows, cols, entries;
    dl_spool indptr, indices, values; /* the first of int64 */
    int64_t index_size;               /* bytes of an element of `indices`, 4 or 8 */
    const char *value_code;           /* type of `values`, of 4 bytes: "f4", "i4" */
} dl_codes_spools;

/* `wide` writes int64 indices; required for more than 2^31 - 1 entries. */
dltf_status dl_codes_write(const dl_codes_spools *codes, bool wide, dl_writer *out);

/* Wraps codes in memory without copying. */
dl_codes_spools dl_codes_borrow(dltf_csr csr);

#endif
