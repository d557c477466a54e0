/* Hashers: their tensors, checks that all methods share, access. */
#include "hash/hasher.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/sized.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

int64_t dl_hasher_size(const dltf_hasher *h, dl_hash_size size) {
    switch (size) {
    case DL_HASH_NONE:
        break;
    case DL_HASH_BITS:
        return h->bits;
    case DL_HASH_COLUMNS:
        return h->n;
    case DL_HASH_COMPONENTS:
        return dl_min(h->bits, h->n);
    }
    return 0;
}

dltf_status dl_hasher_alloc(const dl_hash_method *method, int64_t bits, int64_t n, int64_t k,
                            dltf_hasher **hasher) {
    dltf_status status = DLTF_OK;
    dltf_hasher *h = NULL;
    void *data = NULL;
    DL_TRY_NEW(h, 1);
    *h = (dltf_hasher){.handle = DL_HANDLE_HASHER, .method = method, .bits = bits, .n = n, .k = k};
    DL_TRY(dl_bundle_add(&h->content, "mean", DL_TENSOR_F32, n, 0, &data));
    h->mean = data;
    for (const dl_hash_tensor *t = method->tensors; t->name; t++)
        DL_TRY(dl_bundle_add(&h->content, t->name, t->type, dl_hasher_size(h, t->rows),
                             dl_hasher_size(h, t->cols), &data));
    *hasher = h;
    h = NULL;
done:
    dltf_hasher_free(h);
    return status;
}

void dltf_hasher_free(dltf_hasher *h) {
    if (!h)
        return;
    dl_bundle_free(&h->content);
    dl_packed_free(&h->scores);
    dltf_model_free(h->model);
    dl_free(h);
}

void *dl_hasher_tensor(const dltf_hasher *h, const char *name) {
    return dl_bundle_find(&h->content, name)->data;
}

static dltf_status check_finite(const dl_tensor *tensor) {
    const float *values = tensor->data;
    for (int64_t i = 0; tensor->type == DL_TENSOR_F32 && i < tensor->rows * tensor->cols; i++)
        if (!isfinite(values[i]))
            return dl_fail(DLTF_FORMAT, "tensor '%s': row %" PRId64 ", column %" PRId64 " is %s",
                           tensor->name, i / tensor->cols, i % tensor->cols,
                           isnan(values[i]) ? "NaN" : "infinite");
    return DLTF_OK;
}

dltf_status dl_hasher_prepare(dltf_hasher *h) {
    for (int i = 0; i < h->content.count; i++) {
        dltf_status status = check_finite(&h->content.tensors[i]);
        if (status != DLTF_OK)
            return status;
    }
    return h->method->prepare(h);
}

static dltf_hasher_view view_of(const dltf_hasher *h) {
    int method = 0;
    while (dl_hash_method_find((dltf_hash_method)method) != h->method)
        method++;
    return (dltf_hasher_view){(dltf_hash_method)method, h->method->name, h->bits, h->n, h->k};
}

void dltf_hasher_get_sized(const dltf_hasher *h, dltf_hasher_view *found, size_t size) {
    dltf_hasher_view view = h && found ? view_of(h) : (dltf_hasher_view){0};
    DL_WRITE_STRUCT(dltf_hasher_view, found, size, &view);
}

const char *dltf_hasher_note(const dltf_hasher *h, const char *name) {
    return h && name ? dl_notes_get(&h->content.notes, name) : NULL;
}

const char *dltf_hasher_note_name(const dltf_hasher *h, int index) {
    if (!h || index < 0 || index >= h->content.notes.count)
        return NULL;
    return h->content.notes.list[index].name;
}
