/* The tensors of sparse autoencoders, from safetensors and .npz. */
#include "base/memory.h"
#include "io/files/bytes.h"
#include "io/formats/npz.h"
#include "io/formats/sae.h"
#include "io/formats/safetensors.h"

#include <math.h>
#include <stdio.h>

enum { MOST_NAMES = 2 };

/* A tensor that is expected: the names it may have, its shape, whether it is stored transposed. */
typedef struct expected {
    const char *names[MOST_NAMES]; /* the second may be NULL */
    int64_t rows, cols;            /* as stored; cols = 0: a vector */
    bool transposed;
} expected;

/* ---- Sources ---- */

static int64_t source_count(dl_sae_source source) {
    return source.bundle ? source.bundle->count : source.zip->count;
}

/* The name of tensor i, without ".npy". */
static const char *source_name(dl_sae_source source, int64_t i, char *name, size_t size) {
    if (source.bundle)
        return source.bundle->tensors[i].name;
    const dl_zip_member *member = &source.zip->members[i];
    int length = member->name_length;
    if (length > 4 && memcmp(member->name + length - 4, ".npy", 4) == 0)
        length -= 4;
    snprintf(name, size, "%.*s", length, member->name);
    return name;
}

static bool source_has(dl_sae_source source, const char *name) {
    char other[256];
    for (int64_t i = 0; i < source_count(source); i++)
        if (strcmp(source_name(source, i, other, sizeof other), name) == 0)
            return true;
    return false;
}

static dl_elements elements_of(const dl_tensor *tensor) {
    dl_elements e = {.kind = tensor->type == DL_TENSOR_BF16 ? 'V' : 'f',
                     .item = dl_tensor_type_size(tensor->type),
                     .rank = tensor->rank,
                     .shape = {tensor->rows, tensor->cols},
                     .data = tensor->data};
    if (tensor->type == DL_TENSOR_I32 || tensor->type == DL_TENSOR_I64 || tensor->type == DL_TENSOR_U8)
        e.kind = 'i';
    return e;
}

/* `content` owns the elements; close it after use. */
static dltf_status source_get(dl_sae_source source, const char *name, dl_elements *elements,
                              dl_file *content) {
    *content = (dl_file){0};
    if (source.zip)
        return dl_npz_get(source.zip, name, elements, content);
    *elements = elements_of(dl_bundle_find(source.bundle, name));
    return DLTF_OK;
}

/* ---- One tensor ---- */

/* "[3, 4]" */
static const char *show_shape(char text[DL_SHOWN], int rank, const int64_t *shape) {
    int used = snprintf(text, DL_SHOWN, "[");
    for (int a = 0; a < rank && a < 3; a++)
        used +=
            snprintf(text + used, (size_t)(DL_SHOWN - used), "%s%lld", a ? ", " : "", (long long)shape[a]);
    snprintf(text + used, (size_t)(DL_SHOWN - used), rank > 3 ? ", ...]" : "]");
    return text;
}

static dltf_status check_elements(const char *name, const expected *t, const dl_elements *e) {
    char found[DL_SHOWN], wanted[DL_SHOWN];
    int rank = t->cols > 0 ? 2 : 1;
    int64_t shape[2] = {t->rows, t->cols};
    if ((e->kind != 'f' && e->kind != 'V') || e->item > 8)
        return dl_fail(DLTF_FORMAT,
                       "tensor '%s' does not contain real numbers: expected F32, F64, F16 or "
                       "BF16",
                       name);
    if (e->rank != rank || e->shape[0] != t->rows || (rank == 2 && e->shape[1] != t->cols))
        return dl_fail(DLTF_FORMAT, "tensor '%s' has shape %s: expected %s", name,
                       show_shape(found, e->rank, e->shape), show_shape(wanted, rank, shape));
    return DLTF_OK;
}

/* Copies elements in the order of `out`, which is that of storage or its transpose. */
static dltf_status copy_elements(const char *name, const expected *t, const dl_elements *e, float *out) {
    int64_t cols = t->cols > 0 ? t->cols : 1;
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            float value = (float)dl_elements_real(e, e->fortran ? j * t->rows + i : i * cols + j);
            if (!isfinite(value))
                return dl_fail(DLTF_FORMAT,
                               "tensor '%s': entry %lld of row %lld is %s: expected a finite float32", name,
                               (long long)j, (long long)i, isnan(value) ? "NaN" : "infinite");
            out[t->transposed ? j * t->rows + i : i * cols + j] = value;
        }
    return DLTF_OK;
}

static const char *present_name(dl_sae_source source, const expected *t) {
    for (int i = 0; i < MOST_NAMES && t->names[i]; i++)
        if (source_has(source, t->names[i]))
            return t->names[i];
    return NULL;
}

/* Allocates once the tensor is known to be in the file: the sizes may come from a cfg.json. */
static dltf_status read_tensor(dl_sae_source source, const expected *t, float **out) {
    dl_elements elements;
    dl_file content = {0};
    char wanted[DL_SHOWN];
    const char *name = present_name(source, t);
    if (!name)
        return dl_fail(DLTF_FORMAT, "tensor '%s' is missing: expected shape %s", t->names[0],
                       show_shape(wanted, t->cols > 0 ? 2 : 1, (int64_t[]){t->rows, t->cols}));
    dltf_status status = source_get(source, name, &elements, &content);
    if (status == DLTF_OK)
        status = check_elements(name, t, &elements);
    if (status == DLTF_OK && !(*out = DL_NEW(float, t->rows *(t->cols > 0 ? t->cols : 1))))
        status = DLTF_MEMORY;
    if (status == DLTF_OK)
        status = copy_elements(name, t, &elements, *out);
    dl_file_close(&content);
    return status;
}

/* ---- All of them ---- */

static dltf_status refuse_others(dl_sae_source source, const expected *list, int count) {
    char other[256];
    for (int64_t i = 0; i < source_count(source); i++) {
        const char *name = source_name(source, i, other, sizeof other);
        bool known = false;
        for (int t = 0; t < count; t++)
            for (int a = 0; a < MOST_NAMES && list[t].names[a]; a++)
                known = known || strcmp(name, list[t].names[a]) == 0;
        if (!known)
            return dl_fail(DLTF_FORMAT, "tensor '%s' belongs to no architecture that a model can represent",
                           DL_PRINTABLE(name, (int64_t)strlen(name)));
    }
    return DLTF_OK;
}

/* n and m of files without settings, from b_dec and b_enc. */
static dltf_status find_size(dl_sae_source source, const char *name, int64_t *size) {
    dl_elements elements;
    dl_file content = {0};
    if (*size > 0 || !source_has(source, name))
        return DLTF_OK;
    dltf_status status = source_get(source, name, &elements, &content);
    if (status == DLTF_OK && (elements.rank != 1 || elements.shape[0] < 1 || elements.shape[0] > INT32_MAX))
        status = dl_fail(DLTF_FORMAT, "tensor '%s' is not a vector of 1 to 2147483647 entries", name);
    if (status == DLTF_OK)
        *size = elements.shape[0];
    dl_file_close(&content);
    return status;
}

/* Files without settings that lack one of the two name it as missing. */
static dltf_status find_sizes(dl_sae_source source, dl_sae_settings *s) {
    dltf_status status = find_size(source, "b_dec", &s->n);
    if (status == DLTF_OK)
        status = find_size(source, "b_enc", &s->m);
    if (status == DLTF_OK && (s->n == 0 || s->m == 0))
        status = dl_fail(DLTF_FORMAT, "tensor '%s' is missing: expected a vector", s->n ? "b_enc" : "b_dec");
    return status;
}

dltf_status dl_sae_read(dl_sae_source source, bool by_atom, dl_sae *sae) {
    dltf_status status = find_sizes(source, &sae->settings);
    if (status != DLTF_OK)
        return status;
    int64_t n = sae->settings.n, m = sae->settings.m;
    expected list[] = {
        {.names = {"W_enc", "w_enc"}, .rows = n, .cols = m, .transposed = true},
        {.names = {"b_enc"}, .rows = m},
        {.names = {"W_dec", "w_dec"}, .rows = m, .cols = n},
        {.names = {"b_dec"}, .rows = n},
        {.names = {"threshold"}, .rows = m},
    };
    float **outs[] = {&sae->W_enc, &sae->b_enc, &sae->W_dec, &sae->b_dec, &sae->threshold};
    int count = sae->settings.thresholds ? 5 : 4;
    if (by_atom) {
        list[0] = (expected){.names = {"encoder.weight"}, .rows = m, .cols = n};
        list[1].names[0] = "encoder.bias";
    }
    DL_TRY(refuse_others(source, list, count));
    for (int t = 0; t < count; t++)
        DL_TRY(read_tensor(source, &list[t], outs[t]));
done:
    if (status != DLTF_OK)
        dl_sae_free(sae);
    return status;
}

dltf_status dl_sae_bundle(const dl_sae *sae, bool by_atom, dl_bundle *bundle) {
    dltf_status status = DLTF_OK;
    int64_t n = sae->settings.n, m = sae->settings.m;
    void *data = NULL;
    if (by_atom)
        DL_TRY(dl_bundle_add_view(bundle, "encoder.weight", DL_TENSOR_F32, m, n, sae->W_enc));
    else {
        DL_TRY(dl_bundle_add(bundle, "W_enc", DL_TENSOR_F32, n, m, &data));
        for (int64_t j = 0; j < m; j++)
            for (int64_t i = 0; i < n; i++)
                ((float *)data)[i * m + j] = sae->W_enc[j * n + i];
    }
    DL_TRY(dl_bundle_add_view(bundle, by_atom ? "encoder.bias" : "b_enc", DL_TENSOR_F32, m, 0, sae->b_enc));
    DL_TRY(dl_bundle_add_view(bundle, "W_dec", DL_TENSOR_F32, m, n, sae->W_dec));
    DL_TRY(dl_bundle_add_view(bundle, "b_dec", DL_TENSOR_F32, n, 0, sae->b_dec));
    if (sae->settings.thresholds)
        DL_TRY(dl_bundle_add_view(bundle, "threshold", DL_TENSOR_F32, m, 0, sae->threshold));
done:
    return status;
}

void dl_sae_free(dl_sae *sae) {
    dl_free(sae->W_enc);
    dl_free(sae->W_dec);
    dl_free(sae->b_enc);
    dl_free(sae->b_dec);
    dl_free(sae->threshold);
    *sae = (dl_sae){.settings = sae->settings};
}
