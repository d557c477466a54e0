/* .fbin, .u8bin, .i8bin and .f16bin: rows and columns as uint32, then the elements, all little-endian. The
 * formats of benchmarks for nearest-neighbour search (https://big-ann-benchmarks.com). */
#ifndef DL_IO_FORMATS_BIN_H
#define DL_IO_FORMATS_BIN_H

#include "io/formats/row_file.h"

dltf_status dl_fbin_load(dl_file *file, dltf_array **array);
dltf_status dl_u8bin_load(dl_file *file, dltf_array **array);
dltf_status dl_i8bin_load(dl_file *file, dltf_array **array);
dltf_status dl_f16bin_load(dl_file *file, dltf_array **array);

dltf_status dl_fbin_describe(const dl_file *start, int64_t size, dl_row_layout *layout);
dltf_status dl_u8bin_describe(const dl_file *start, int64_t size, dl_row_layout *layout);
dltf_status dl_i8bin_describe(const dl_file *start, int64_t size, dl_row_layout *layout);
dltf_status dl_f16bin_describe(const dl_file *start, int64_t size, dl_row_layout *layout);

#endif
