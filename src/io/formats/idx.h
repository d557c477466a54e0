/* IDX, the format of MNIST, plain or gzipped. */
#ifndef DL_IO_FORMATS_IDX_H
#define DL_IO_FORMATS_IDX_H

#include "io/formats/row_file.h"

/* Checks the first bytes: 00 00, a type, at least one axis. */
bool dl_idx_recognise(const uint8_t *bytes, int64_t size);
bool dl_gzip_recognise(const uint8_t *bytes, int64_t size);

dltf_status dl_idx_load(dl_file *file, dltf_array **array);
dltf_status dl_idx_describe(const dl_file *start, int64_t size, dl_row_layout *layout);
/* IDX is the only content supported in .gz files. */
dltf_status dl_idx_gzip_load(dl_file *file, dltf_array **array);

#endif
