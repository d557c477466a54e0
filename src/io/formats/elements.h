/* Shared by .npy and IDX: typed elements in memory, in some byte and axis order, and their conversion to a
 * matrix. */
#ifndef DL_IO_FORMATS_ELEMENTS_H
#define DL_IO_FORMATS_ELEMENTS_H

#include "io/files/file.h"

enum { DL_MAX_AXES = 32 };

typedef struct dl_elements {
    char kind;    /* 'f' real, 'V' bfloat16, 'i' signed, 'u' unsigned, 'S' bytes, 'U' text in UCS-4 */
    int64_t item; /* bytes of one element */
    bool swapped; /* byte order differs from the host's; false for single bytes */
    bool fortran; /* first axis fastest */
    dl_columns_axis columns_axis;
    int rank;
    int64_t shape[DL_MAX_AXES];
    int64_t count; /* of elements; set by dl_elements_measure */
    int64_t bytes; /* count * item */
    const uint8_t *data;
    int64_t first; /* index of data[0] in the array, for messages; not 0 if read in pieces */
} dl_elements;

/* Sets count and bytes; fails if the shape is larger than can be addressed. */
dltf_status dl_elements_measure(dl_elements *elements);

/* Rows and columns of the matrix that the axes make: of three and more, the last one is the columns, or, as
 * `columns_axis` says, all but the first. Left open (auto), the latter holds for images, which are bytes with
 * three axes, or with four if the second or the last has 1, 3 or 4 channels. Count is not 0. */
void dl_elements_shape(const dl_elements *elements, int64_t *rows, int64_t *cols);
/* Says how the axes were understood if that may surprise; otherwise "". */
void dl_elements_remark(const dl_elements *elements, char *text, size_t size);

/* The element type of the resulting matrix; fails if the elements are not a matrix of numbers. */
dltf_status dl_elements_type(const dl_elements *elements, dltf_type *type);

/* Whether the elements have the bytes of a matrix of this type, so that no conversion is needed. */
bool dl_elements_native(const dl_elements *elements, dltf_type type);

/* Copies all elements as that type, in storage order. */
dltf_status dl_elements_convert(const dl_elements *elements, dltf_type type, void *out);

/* Copies all elements as doubles, from the first on; `data` may be the end of `out`. */
dltf_status dl_elements_widen(const dl_elements *elements, double *out);

/* The elements as a matrix. If they can be used in place, the array points into `owner`
 * and takes ownership of it. Otherwise copies, swaps bytes, and converts 16-bit reals to f32
 * and integers to f32 (up to 16 bits) or f64. */
dltf_status dl_elements_array(const dl_elements *elements, dl_file *owner, dltf_array **array);

/* One element of kind 'i' or 'u'; unsigned values beyond int64 saturate to INT64_MAX. */
int64_t dl_elements_integer(const dl_elements *elements, int64_t index);
/* One element of kind 'f' or 'V'. */
double dl_elements_real(const dl_elements *elements, int64_t index);

#endif
