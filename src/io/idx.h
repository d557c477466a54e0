/* IDX, the format of MNIST, plain or packed by gzip. */
#ifndef DL_IO_IDX_H
#define DL_IO_IDX_H

#include "io/file.h"

/* By its first bytes: 00 00, a type, at least one axis. */
bool dl_idx_recognise(const uint8_t *bytes, int64_t size);
bool dl_gzip_recognise(const uint8_t *bytes, int64_t size);

dltf_status dl_idx_load(dl_file *file, dltf_array **array);
/* The only thing that is read from a .gz file. */
dltf_status dl_idx_gzip_load(dl_file *file, dltf_array **array);

#endif
