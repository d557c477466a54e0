/* A bundle: named tensors and notes. A model or a checkpoint on its way to or from a file. */
#ifndef DL_DATA_BUNDLE_H
#define DL_DATA_BUNDLE_H

#include "base/scratch.h"
#include "data/notes.h"

typedef enum dl_tensor_type {
    DL_TENSOR_F32,
    DL_TENSOR_F64,
    DL_TENSOR_I64,
    DL_TENSOR_I32,
    DL_TENSOR_U8,
    DL_TENSOR_F16, /* of other programs; never written */
    DL_TENSOR_BF16
} dl_tensor_type;

typedef struct dl_tensor {
    char name[48];
    dl_tensor_type type;
    int64_t rows, cols; /* a vector has rank 1 and cols = 1 */
    int rank;           /* 1 or 2 */
    void *data;         /* C order */
    bool borrowed;      /* data belong to someone else */
} dl_tensor;

typedef struct dl_bundle {
    dl_tensor *tensors;
    int count, capacity;
    dl_notes notes;
    dl_scratch mapped; /* a file that borrowed data may be in: dl_scratch_rest keeps them out of memory */
} dl_bundle;

int dl_tensor_type_size(dl_tensor_type type);
/* Size of its data in bytes. */
int64_t dl_tensor_bytes(const dl_tensor *tensor);

/* Adds a tensor; `data` receives its zeroed memory, to be filled. cols = 0 makes a vector. Fails if the name
 * is too long or already present. */
dltf_status dl_bundle_add(dl_bundle *bundle, const char *name, dl_tensor_type type, int64_t rows,
                          int64_t cols, void **data);
/* The same, filled with a copy of `content`. */
dltf_status dl_bundle_add_copy(dl_bundle *bundle, const char *name, dl_tensor_type type, int64_t rows,
                               int64_t cols, const void *content);
/* The same without a copy: `content` must outlive the bundle, which does not change it. */
dltf_status dl_bundle_add_view(dl_bundle *bundle, const char *name, dl_tensor_type type, int64_t rows,
                               int64_t cols, const void *content);
/* NULL if not found. */
const dl_tensor *dl_bundle_find(const dl_bundle *bundle, const char *name);
/* The data of the tensor of that name. Fails if it is missing or has another type or shape. */
dltf_status dl_bundle_get(const dl_bundle *bundle, const char *name, dl_tensor_type type, int64_t rows,
                          int64_t cols, const void **content);
void dl_bundle_free(dl_bundle *bundle);

#endif
