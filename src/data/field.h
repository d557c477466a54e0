/* A tensor of the state that a checkpoint stores. The same list is used for writing and reading. */
#ifndef DL_DATA_FIELD_H
#define DL_DATA_FIELD_H

#include "data/bundle.h"

typedef struct dl_field {
    const char *name; /* of the tensor */
    dl_tensor_type type;
    int64_t rows, cols; /* cols = 0: a vector */
    void *memory;
} dl_field;

enum { DL_MAX_FIELDS = 24 }; /* of one stage */

#endif
