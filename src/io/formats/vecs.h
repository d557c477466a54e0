/* .fvecs, .bvecs and .ivecs: vectors of floats, bytes and 32-bit integers, the formats of collections for
 * nearest-neighbour search (http://corpus-texmex.irisa.fr). */
#ifndef DL_IO_FORMATS_VECS_H
#define DL_IO_FORMATS_VECS_H

#include "io/formats/integers.h"
#include "io/formats/row_file.h"

dltf_status dl_fvecs_load(dl_file *file, dltf_array **array);
dltf_status dl_bvecs_load(dl_file *file, dltf_array **array);
/* As doubles, which hold every 32-bit integer. */
dltf_status dl_ivecs_load(dl_file *file, dltf_array **array);

dltf_status dl_fvecs_describe(const dl_file *start, int64_t size, dl_row_layout *layout);
dltf_status dl_bvecs_describe(const dl_file *start, int64_t size, dl_row_layout *layout);
dltf_status dl_ivecs_describe(const dl_file *start, int64_t size, dl_row_layout *layout);

/* Whether the bytes begin with a dimension, up to 65,536: enough to tell a stream from the other formats. */
bool dl_fvecs_recognise(const uint8_t *bytes, int64_t size);
/* The dimension of row `row` of a stream; `expected` is that of the rows before, or 0. */
dltf_status dl_vecs_check(const uint8_t *prefix, int64_t row, int64_t expected);

/* Any matrix as float32; fails if a double is out of range. */
dltf_status dl_fvecs_write(dltf_matrix matrix, dl_writer *out);
/* A matrix of DLTF_U8. */
dltf_status dl_bvecs_write(dltf_matrix matrix, dl_writer *out);
/* Fails if an integer has more than 32 bits. */
dltf_status dl_ivecs_write(const dl_integers *integers, dl_writer *out);

#endif
