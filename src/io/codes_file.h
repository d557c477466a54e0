/* Sparse codes in SciPy's .npz form. */
#ifndef DL_IO_CODES_FILE_H
#define DL_IO_CODES_FILE_H

#include "io/file.h"
#include "io/writer.h"

dltf_status dl_codes_parse(const dl_file *file, dltf_codes **codes);
/* `wide`: int64 indices, as more than 2^31 - 1 entries need. */
dltf_status dl_codes_write(dltf_csr csr, bool wide, dl_writer *out);

#endif
