/* CIFAR-10, binary version: https://www.cs.toronto.edu/~kriz/cifar.html */
#ifndef DL_IO_FORMATS_CIFAR_H
#define DL_IO_FORMATS_CIFAR_H

#include "io/formats/row_file.h"

/* The images: 32 x 32 red, then green, then blue values per row. */
dltf_status dl_cifar_load(dl_file *file, dltf_array **array);
dltf_status dl_cifar_describe(const dl_file *start, int64_t size, dl_row_layout *layout);
/* The classes, 0 .. 9, in one column. */
dltf_status dl_cifar_load_labels(dl_file *file, dltf_array **array);

#endif
