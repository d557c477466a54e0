/* The interface without structs: options by name, data and codes by pointer. */
#include "dltf/bind.h"
#include "base/memory.h"
#include "cluster/cluster_options.h"
#include "cluster/landmark_options.h"
#include "coding/encode_options.h"
#include "data/array.h"
#include "data/matrix.h"
#include "data/synthetic_options.h"
#include "denoise/denoise_options.h"
#include "dltf/encode.h"
#include "hash/hash_options.h"
#include "image/gist_options.h"
#include "learning/train_options.h"
#include "retrieval/hash_evaluate_options.h"
#include "search/search_options.h"
#include "theory/certify_options.h"

#include <string.h>

static const struct task {
    const char *name;
    dl_option_table (*table)(void);
} tasks[] = {
    {"train", dl_train_option_table},
    {"encode", dl_encode_option_table},
    {"denoise", dl_denoise_option_table},
    {"gist", dl_gist_option_table},
    {"certify", dl_certify_option_table},
    {"cluster", dl_cluster_option_table},
    {"landmark", dl_landmark_option_table},
    {"hash", dl_hash_option_table},
    {"hash_evaluate", dl_hash_evaluate_option_table},
    {"search", dl_search_option_table},
    {"synthetic", dl_synthetic_option_table},
};

enum { TASK_COUNT = sizeof tasks / sizeof *tasks, TEXT_SIZE = 400 };

struct dltf_options {
    const struct task *task;
    dl_option_table table;
    void *values; /* the struct of the task */
    char text[TEXT_SIZE];
};

dltf_status dltf_options_new(const char *task, dltf_options **options) {
    DL_CLEAR(options);
    DL_REQUIRE(task, options);
    dltf_status status = DLTF_OK;
    dltf_options *made = NULL;
    int found = 0;
    while (found < TASK_COUNT && strcmp(tasks[found].name, task) != 0)
        found++;
    if (found == TASK_COUNT)
        return dl_fail(DLTF_ARGUMENT, "unknown task '%s'", task);
    DL_TRY_NEW(made, 1);
    made->task = &tasks[found];
    made->table = made->task->table();
    made->values = dl_alloc((int64_t)made->table.size, 1);
    if (!made->values) {
        status = DLTF_MEMORY;
        goto done;
    }
    dl_option_defaults(made->table, made->values);
    *options = made;
    made = NULL;
done:
    dltf_options_free(made);
    return status;
}

dltf_status dltf_options_set(dltf_options *options, const char *name, const char *text) {
    DL_REQUIRE(options, name, text);
    return dl_option_set(options->table, options->values, name, text);
}

const char *dltf_options_get(dltf_options *options, const char *name) {
    const dl_option *option = options ? dl_option_find(options->table, name) : NULL;
    if (!option)
        return NULL;
    dl_option_format(option, options->values, options->text, sizeof options->text);
    return options->text;
}

const char *dltf_options_name(const dltf_options *options, int index) {
    return options && index >= 0 && index < options->table.count ? options->table.options[index].name : NULL;
}

const char *dltf_options_help(const dltf_options *options, const char *name) {
    const dl_option *option = options && name ? dl_option_find(options->table, name) : NULL;
    return option ? option->help : NULL;
}

const void *dltf_options_struct(const dltf_options *options) {
    return options ? options->values : NULL;
}

void dltf_options_free(dltf_options *options) {
    if (!options)
        return;
    dl_free(options->values);
    dl_free(options);
}

/* Fails for the options of another task, whose struct has another layout. */
static dltf_status check_task(const dltf_options *options, const char *task) {
    if (!options || strcmp(options->task->name, task) == 0)
        return DLTF_OK;
    return dl_fail(DLTF_ARGUMENT, "options of the task '%s' were given to '%s'", options->task->name, task);
}

dltf_status dltf_array_borrow(const void *data, dltf_type type, int64_t rows, int64_t cols,
                              dltf_array **array) {
    DL_CLEAR(array);
    DL_REQUIRE(data, array);
    if (type != DLTF_F32 && type != DLTF_F64 && type != DLTF_U8)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_DATA, "unsupported element type %d", (int)type);
    dltf_matrix matrix = {data, type, rows, cols, cols, 1};
    dltf_status status = dl_matrix_check(matrix, DLTF_SUBJECT_DATA);
    if (status != DLTF_OK)
        return status;
    dltf_array *made = DL_NEW(dltf_array, 1);
    if (!made)
        return DLTF_MEMORY;
    made->matrix = matrix;
    *array = made;
    return DLTF_OK;
}

dltf_status dltf_array_train(const dltf_array *X, const dltf_options *options, dltf_progress_fn progress,
                             void *context, dltf_model **model) {
    DL_CLEAR(model);
    DL_REQUIRE(X, model);
    dltf_status status = check_task(options, "train");
    if (status != DLTF_OK)
        return status;
    return dltf_train(X->matrix, options ? options->values : NULL, progress, context, model);
}

dltf_status dltf_array_encode(const dltf_model *model, const dltf_array *X, const dltf_options *options,
                              dltf_codes **codes) {
    DL_CLEAR(codes);
    DL_REQUIRE(X, model, codes);
    dltf_status status = check_task(options, "encode");
    if (status != DLTF_OK)
        return status;
    return dltf_encode(model, X->matrix, options ? options->values : NULL, NULL, NULL, codes);
}

/* What the caller does not ask for is NULL. */
#define STORE(to, value)                                                                                     \
    do {                                                                                                     \
        if (to)                                                                                              \
            *(to) = (value);                                                                                 \
    } while (0)

const float *dltf_model_dictionary(const dltf_model *model, int64_t *m, int64_t *n, int64_t *k) {
    dltf_model_view view = dltf_model_get(model);
    STORE(m, view.m);
    STORE(n, view.n);
    STORE(k, view.k);
    return view.dictionary;
}

void dltf_codes_arrays(const dltf_codes *codes, int64_t *rows, int64_t *cols, const int64_t **indptr,
                       const int32_t **indices, const float **values) {
    dltf_csr csr = dltf_codes_csr(codes);
    STORE(rows, csr.rows);
    STORE(cols, csr.cols);
    STORE(indptr, csr.indptr);
    STORE(indices, csr.indices);
    STORE(values, csr.values);
}
