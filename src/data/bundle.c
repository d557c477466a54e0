/* Named tensors with notes. */
#include "data/bundle.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

int dl_tensor_type_size(dl_tensor_type type) {
    switch (type) {
    case DL_TENSOR_F64:
    case DL_TENSOR_I64:
        return 8;
    case DL_TENSOR_F32:
    case DL_TENSOR_I32:
        return 4;
    case DL_TENSOR_F16:
    case DL_TENSOR_BF16:
        return 2;
    case DL_TENSOR_U8:
        break;
    }
    return 1;
}

int64_t dl_tensor_bytes(const dl_tensor *tensor) {
    return tensor->rows * tensor->cols * dl_tensor_type_size(tensor->type);
}

static dltf_status make_room(dl_bundle *bundle) {
    if (bundle->count < bundle->capacity)
        return DLTF_OK;
    int capacity = 2 * bundle->capacity + 8;
    dl_tensor *tensors = dl_grow(bundle->tensors, bundle->count, capacity, sizeof *tensors);
    if (!tensors)
        return DLTF_MEMORY;
    bundle->tensors = tensors;
    bundle->capacity = capacity;
    return DLTF_OK;
}

/* Adds a tensor without data; `count` receives the number of its elements. */
static dltf_status append(dl_bundle *bundle, const char *name, dl_tensor_type type, int64_t rows,
                          int64_t cols, int64_t *count) {
    dl_tensor tensor = {.type = type, .rows = rows, .cols = cols > 0 ? cols : 1, .rank = cols > 0 ? 2 : 1};
    if (strlen(name) >= sizeof tensor.name)
        return dl_fail(DLTF_FORMAT, "tensor name '%.60s...' is too long", name);
    if (dl_bundle_find(bundle, name))
        return dl_fail(DLTF_FORMAT, "duplicate tensor '%s'", name);
    if (rows < 0 || cols < 0 || !dl_multiply(rows, tensor.cols, count))
        return dl_fail(DLTF_FORMAT, "tensor '%s' has an invalid shape", name);
    dltf_status status = make_room(bundle);
    if (status != DLTF_OK)
        return status;
    snprintf(tensor.name, sizeof tensor.name, "%s", name);
    bundle->tensors[bundle->count++] = tensor;
    return DLTF_OK;
}

dltf_status dl_bundle_add(dl_bundle *bundle, const char *name, dl_tensor_type type, int64_t rows,
                          int64_t cols, void **data) {
    int64_t count = 0;
    dltf_status status = append(bundle, name, type, rows, cols, &count);
    if (status != DLTF_OK)
        return status;
    dl_tensor *tensor = &bundle->tensors[bundle->count - 1];
    tensor->data = dl_alloc(count, (size_t)dl_tensor_type_size(type));
    if (!tensor->data) {
        bundle->count--;
        return DLTF_MEMORY;
    }
    *data = tensor->data;
    return DLTF_OK;
}

dltf_status dl_bundle_add_copy(dl_bundle *bundle, const char *name, dl_tensor_type type, int64_t rows,
                               int64_t cols, const void *content) {
    void *data = NULL;
    dltf_status status = dl_bundle_add(bundle, name, type, rows, cols, &data);
    if (status == DLTF_OK)
        memcpy(data, content, (size_t)dl_tensor_bytes(&bundle->tensors[bundle->count - 1]));
    return status;
}

dltf_status dl_bundle_add_view(dl_bundle *bundle, const char *name, dl_tensor_type type, int64_t rows,
                               int64_t cols, const void *content) {
    int64_t count = 0;
    dltf_status status = append(bundle, name, type, rows, cols, &count);
    if (status != DLTF_OK)
        return status;
    dl_tensor *tensor = &bundle->tensors[bundle->count - 1];
    tensor->data = (void *)(uintptr_t)content;
    tensor->borrowed = true;
    return DLTF_OK;
}

const dl_tensor *dl_bundle_find(const dl_bundle *bundle, const char *name) {
    for (int i = 0; i < bundle->count; i++)
        if (strcmp(bundle->tensors[i].name, name) == 0)
            return &bundle->tensors[i];
    return NULL;
}

dltf_status dl_bundle_get(const dl_bundle *bundle, const char *name, dl_tensor_type type, int64_t rows,
                          int64_t cols, const void **content) {
    const dl_tensor *tensor = dl_bundle_find(bundle, name);
    if (!tensor)
        return dl_fail(DLTF_FORMAT, "tensor '%s' is missing", name);
    int rank = cols > 0 ? 2 : 1;
    int64_t width = cols > 0 ? cols : 1;
    if (tensor->type != type || tensor->rank != rank || tensor->rows != rows || tensor->cols != width)
        return dl_fail(DLTF_FORMAT,
                       "tensor '%s' has the wrong type or shape: expected %lld x %lld, but found %lld x %lld",
                       name, (long long)rows, (long long)width, (long long)tensor->rows,
                       (long long)tensor->cols);
    *content = tensor->data;
    return DLTF_OK;
}

void dl_bundle_free(dl_bundle *bundle) {
    for (int i = 0; i < bundle->count; i++)
        if (!bundle->tensors[i].borrowed)
            dl_free(bundle->tensors[i].data);
    dl_free(bundle->tensors);
    dl_notes_free(&bundle->notes);
    *bundle = (dl_bundle){0};
}
