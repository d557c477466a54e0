/* Hashers as tensors and notes: `method`, `bits`, `columns` and, of sparse methods, `k`. */
#include "base/shown.h"
#include "data/kind.h"
#include "hash/hasher.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const reserved[] = {"format", "version", "method", "bits", "columns", "k"};
enum { RESERVED = sizeof reserved / sizeof *reserved };

static bool is_reserved(const char *name) {
    for (int i = 0; i < RESERVED; i++)
        if (strcmp(name, reserved[i]) == 0)
            return true;
    return false;
}

static dltf_status set_number(dl_notes *notes, const char *name, int64_t number) {
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, number);
    return dl_notes_set(notes, name, text);
}

static dltf_status copy_notes(const dl_notes *from, dl_notes *to) {
    dltf_status status = DLTF_OK;
    for (int i = 0; i < from->count; i++)
        if (!is_reserved(from->list[i].name))
            DL_TRY(dl_notes_set(to, from->list[i].name, from->list[i].value));
done:
    return status;
}

dltf_status dl_hasher_to_bundle(const dltf_hasher *h, dl_bundle *bundle) {
    dltf_status status = DLTF_OK;
    DL_TRY(copy_notes(&h->content.notes, &bundle->notes));
    DL_TRY(dl_kind_mark(bundle, DL_KIND_HASHER));
    DL_TRY(dl_notes_set(&bundle->notes, "method", h->method->name));
    DL_TRY(set_number(&bundle->notes, "bits", h->bits));
    DL_TRY(set_number(&bundle->notes, "columns", h->n));
    if (h->method->default_k)
        DL_TRY(set_number(&bundle->notes, "k", h->k));
    for (int i = 0; i < h->content.count; i++) {
        const dl_tensor *t = &h->content.tensors[i];
        DL_TRY(dl_bundle_add_copy(bundle, t->name, t->type, t->rows, t->rank == 2 ? t->cols : 0, t->data));
    }
done:
    return status;
}

static dltf_status bad_note(const char *name, const char *value, const char *expected) {
    if (!value)
        return dl_fail(DLTF_FORMAT, "is not a complete hasher: metadata '%s' is missing", name);
    return dl_fail(DLTF_FORMAT, "metadata '%s' is '%s': expected %s", name,
                   DL_PRINTABLE(value, (int64_t)strlen(value)), expected);
}

/* A note that is a number as we write it, from 1 to INT32_MAX; otherwise 0. */
static int64_t get_number(const dl_notes *notes, const char *name) {
    const char *text = dl_notes_get(notes, name);
    int64_t number = 0;
    char again[24];
    for (const char *c = text; c && *c >= '0' && *c <= '9' && number <= INT32_MAX; c++)
        number = 10 * number + (*c - '0');
    snprintf(again, sizeof again, "%" PRId64, number);
    return text && strcmp(text, again) == 0 && number <= INT32_MAX ? number : 0;
}

static dltf_status read_notes(const dl_notes *notes, const dl_hash_method **method, int64_t *bits, int64_t *n,
                              int64_t *k) {
    const char *name = dl_notes_get(notes, "method");
    *method = name ? dl_hash_method_named(name) : NULL;
    *bits = get_number(notes, "bits");
    *n = get_number(notes, "columns");
    *k = get_number(notes, "k");
    if (!*method)
        return bad_note("method", name, "the name of a hashing method");
    const char *expected = dl_hash_bits_expected(*bits);
    if (expected)
        return bad_note("bits", dl_notes_get(notes, "bits"), expected);
    if (*n < 1)
        return bad_note("columns", dl_notes_get(notes, "columns"), "a positive number");
    if ((*method)->default_k && (*k < 1 || *k > *bits))
        return bad_note("k", dl_notes_get(notes, "k"), "a number from 1 to the number of bits");
    if (!(*method)->default_k)
        *k = 0;
    return DLTF_OK;
}

/* Checks type and shape before anything of that size is allocated. */
static dltf_status check_tensors(const dl_bundle *bundle, const dl_hash_method *method, int64_t bits,
                                 int64_t n) {
    dltf_status status = DLTF_OK;
    dltf_hasher sizes = {.bits = bits, .n = n};
    const void *content = NULL;
    int count = 1;
    DL_TRY(dl_bundle_get(bundle, "mean", DL_TENSOR_F32, n, 0, &content));
    for (const dl_hash_tensor *t = method->tensors; t->name; t++, count++)
        DL_TRY(dl_bundle_get(bundle, t->name, t->type, dl_hasher_size(&sizes, t->rows),
                             dl_hasher_size(&sizes, t->cols), &content));
    if (count != bundle->count)
        status = dl_fail(DLTF_FORMAT, "has %d tensors, but a hasher of method %s has %d", bundle->count,
                         method->name, count);
done:
    return status;
}

dltf_status dl_hasher_from_bundle(const dl_bundle *bundle, dltf_hasher **hasher) {
    dltf_status status = DLTF_OK;
    const dl_hash_method *method = NULL;
    int64_t bits = 0, n = 0, k = 0;
    dltf_hasher *h = NULL;
    *hasher = NULL;
    DL_TRY(dl_kind_check(bundle, DL_KIND_HASHER));
    DL_TRY(read_notes(&bundle->notes, &method, &bits, &n, &k));
    DL_TRY(check_tensors(bundle, method, bits, n));
    DL_TRY(dl_hasher_alloc(method, bits, n, k, &h));
    for (int i = 0; i < h->content.count; i++) {
        dl_tensor *to = &h->content.tensors[i];
        memcpy(to->data, dl_bundle_find(bundle, to->name)->data, (size_t)dl_tensor_bytes(to));
    }
    DL_TRY(copy_notes(&bundle->notes, &h->content.notes));
    DL_TRY(dl_hasher_prepare(h));
    *hasher = h;
    h = NULL;
done:
    dltf_hasher_free(h);
    return status;
}
