/* Sparse matrices in SciPy's .npz form: of codes and of data. */
#ifndef DL_IO_FORMATS_CSR_H
#define DL_IO_FORMATS_CSR_H

#include "io/formats/elements.h"
#include "io/formats/zip.h"

/* An array of the archive, and the memory it points into. */
typedef struct dl_csr_part {
    dl_elements elements;
    dl_file content;
} dl_csr_part;

typedef struct dl_csr_parts {
    dl_csr_part format, shape, indptr, indices, data;
    int64_t rows, cols;
} dl_csr_parts;

/* Checks shape, lengths and indptr; not the indices. `kinds`: of values that are accepted, as in dl_elements.
 * To be closed also after a failure. */
dltf_status dl_csr_open(const dl_zip *zip, const char *kinds, dl_csr_parts *parts);
void dl_csr_close(dl_csr_parts *parts);

/* A sparse matrix with any kind of numbers. Within a row, columns ascend and are unique: duplicates are added
 * in the precision of the file, as SciPy does. */
dltf_status dl_csr_load(const dl_zip *zip, dltf_array **array);

#endif
