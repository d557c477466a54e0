/* dltf/bind.h: for bindings to other languages. Only handles, numbers, text and pointers, so that a binding
 * need not know the layout of any struct; examples/binding.py is one in 60 lines. */
#ifndef DLTF_BIND_H
#define DLTF_BIND_H

#include "dltf/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options by name --------------------------------------------------------------------------- */

/* The options of a task. Names, values and defaults are those of its option table and of the commands. */
typedef struct dltf_options dltf_options;

/* Tasks: "train", "encode", "denoise", "gist", "certify", "kmeans", "landmark", "hash", "evaluate", "search",
 * "network", "dec", "pretrain". All options have their defaults. */
DLTF_API dltf_status dltf_options_new(const char *task, dltf_options **options);
/* Like dltf_option_set. */
DLTF_API dltf_status dltf_options_set(dltf_options *options, const char *name, const char *text);
/* The value as text, 0 if the library chooses it; valid until the next call with this handle. NULL if there
 * is no such option. */
DLTF_API const char *dltf_options_get(dltf_options *options, const char *name);
/* The names, in the order of the table; NULL past the end. */
DLTF_API const char *dltf_options_name(const dltf_options *options, int index);
/* The struct itself, such as a dltf_train_options, for functions that take a pointer to it. */
DLTF_API const void *dltf_options_struct(const dltf_options *options);
DLTF_API void dltf_options_free(dltf_options *options);

/* ---- Data, training and coding ----------------------------------------------------------------- */

/* A view of the caller's memory, which must outlive it: DLTF_F32, DLTF_F64 or DLTF_U8 in C order. For files,
 * see dltf_array_load. */
DLTF_API dltf_status dltf_array_borrow(const void *data, dltf_type type, int64_t rows, int64_t cols,
                                       dltf_array **array);

/* dltf_train and dltf_encode. NULL options: the defaults. */
DLTF_API dltf_status dltf_array_train(const dltf_array *X, const dltf_options *options,
                                      dltf_progress_fn progress, void *context, dltf_model **model);
DLTF_API dltf_status dltf_array_encode(const dltf_array *X, const dltf_model *model,
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
