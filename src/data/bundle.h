/* A bundle: named tensors and notes. What a model or a checkpoint is when it is on its way to or from a file.
 */
#ifndef DL_DATA_BUNDLE_H
#define DL_DATA_BUNDLE_H

#include "data/notes.h"

typedef enum dl_tensor_type {
    DL_TENSOR_F32,
    DL_TENSOR_F64,
    DL_TENSOR_I64,
    DL_TENSOR_I32,
    DL_TENSOR_U8
} dl_tensor_type;

typedef struct dl_tensor {
    char name[48];
    dl_tensor_type type;
    int64_t rows, cols; /* a vector has rank 1 and cols = 1 */
    int rank;           /* 1 or 2 */
    void *data;         /* owned, C order */
} dl_tensor;

typedef struct dl_bundle {
    dl_tensor *tensors;
    int count, capacity;
    dl_notes notes;
} dl_bundle;

int dl_tensor_type_size(dl_tensor_type type);
/* Bytes of its content. */
int64_t dl_tensor_bytes(const dl_tensor *tensor);

/* Adds a tensor and returns through `data` its zeroed memory to be filled. cols = 0 makes a vector. Fails for
 * a name that is already there or too long. */
dltf_status dl_bundle_add(dl_bundle *bundle, const char *name, dl_tensor_type type, int64_t rows,
                          int64_t cols, void **data);
/* The same, filled with a copy of `content`. */
dltf_status dl_bundle_add_copy(dl_bundle *bundle, const char *name, dl_tensor_type type, int64_t rows,
                               int64_t cols, const void *content);
/* NULL where there is none. */
const dl_tensor *dl_bundle_find(const dl_bundle *bundle, const char *name);
/* The tensor of that name, which must have this type and shape; otherwise a sentence. */
dltf_status dl_bundle_get(const dl_bundle *bundle, const char *name, dl_tensor_type type, int64_t rows,
                          int64_t cols, const void **content);
void dl_bundle_free(dl_bundle *bundle);

#endif
