/* dltf/bind.h: for bindings to other languages. Only handles, numbers, text and pointers, so that a binding
 * need not know the layout of any struct; examples/binding.py is one in 60 lines. */
#ifndef DLTF_BIND_H
#define DLTF_BIND_H

#include "dltf/data.h"
#include "dltf/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Data, training and coding ----------------------------------------------------------------- */

/* A view of the caller's memory, which must outlive it: DLTF_F32, DLTF_F64 or DLTF_U8 in C order. For files,
 * see dltf_array_load. */
DLTF_API dltf_status dltf_array_borrow(const void *data, dltf_type type, int64_t rows, int64_t cols,
                                       dltf_array **array);

/* dltf_train and dltf_encode. NULL options: the defaults. */
DLTF_API dltf_status dltf_array_train(const dltf_array *X, const dltf_options *options,
                                      dltf_progress_fn progress, void *context, dltf_model **model);
DLTF_API dltf_status dltf_array_encode(const dltf_model *model, const dltf_array *X,
                                       const dltf_options *options, dltf_codes **codes);

/* The dictionary, m x n, and the sizes of a model. It lives as long as the model. */
DLTF_API const float *dltf_model_dictionary(const dltf_model *model, int64_t *m, int64_t *n, int64_t *k);

/* The arrays of dltf_codes_csr. They live as long as the codes. */
DLTF_API void dltf_codes_arrays(const dltf_codes *codes, int64_t *rows, int64_t *cols, const int64_t **indptr,
                                const int32_t **indices, const float **values);

#ifdef __cplusplus
}
#endif

#endif
