/* The Python dict literal in the header of a .npy file. */
#ifndef DL_IO_FORMATS_NPY_DICT_H
#define DL_IO_FORMATS_NPY_DICT_H

#include "io/formats/elements.h"

/* Parses descr, fortran_order and shape; leaves the other fields of `elements` unchanged. */
dltf_status dl_npy_dict_parse(const char *text, int64_t length, dl_elements *elements);

#endif
