/* Rows of the tensors of a checkpoint. */
#ifndef DL_LEARNING_FIELD_ROWS_H
#define DL_LEARNING_FIELD_ROWS_H

#include "data/field.h"

/* Which rows of a tensor to copy, and where to. */
typedef struct dl_rows {
    int64_t all;          /* that the tensor must have */
    int64_t first, count; /* those to copy */
    int64_t to;           /* their place in the memory of the field, as a row */
} dl_rows;

/* Copies rows of the tensor of a field to its memory, which may be in the scratch file. Fails if the tensor
 * is missing, has another type or shape, or if one of these rows has a value that is not finite. */
dltf_status dl_field_copy_rows(const dl_bundle *bundle, const dl_field *f, dl_rows rows,
                               const dl_scratch *scratch);

#endif
