/* Tensors of safetensors files as samples. */
#ifndef DL_IO_FORMATS_SAFETENSORS_DATA_H
#define DL_IO_FORMATS_SAFETENSORS_DATA_H

#include "io/formats/row_file.h"

/* The tensor `name`; NULL: the only one of floats or, if there is none of floats, the only one. */
dltf_status dl_safetensors_load_data(dl_file *file, const char *name, dltf_array **array);

/* The same for reading by rows; start->reading has the name. */
dltf_status dl_safetensors_describe(const dl_file *start, int64_t size, dl_row_layout *layout);

#endif
