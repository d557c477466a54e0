/* Reading safetensors: header length (8 bytes), JSON header, tensor data. As the format requires, the header
 * must account for every byte of the data exactly once, so that a model cannot carry hidden content. */
#include "base/memory.h"
#include "io/files/bytes.h"
#include "io/formats/safetensors.h"
#include "io/formats/safetensors_header.h"

#include <jansson.h>
#include <stdlib.h>

enum { MAX_ITEMS = DL_SAFETENSORS_MAX_ITEMS };

/* A tensor as described by the header. */
typedef struct entry {
    const char *name;
    dl_tensor_type type;
    int rank;
    int64_t shape[2];
    int64_t begin, end;
} entry;

static const char *const type_names[] = {
    [DL_TENSOR_F32] = "F32", [DL_TENSOR_F64] = "F64", [DL_TENSOR_I64] = "I64",  [DL_TENSOR_I32] = "I32",
    [DL_TENSOR_U8] = "U8",   [DL_TENSOR_F16] = "F16", [DL_TENSOR_BF16] = "BF16"};
enum { TYPES = sizeof type_names / sizeof type_names[0] };

const char *dl_safetensors_type(dl_tensor_type type) {
    return type_names[type];
}

static dltf_status bad_tensor(const char *name, const char *what) {
    return dl_fail(DLTF_FORMAT, "tensor '%s' %s", DL_PRINTABLE(name, (int64_t)strlen(name)), what);
}

static dltf_status read_type(const json_t *value, entry *e) {
    const char *type = json_string_value(value);
    for (int i = 0; type && i < TYPES; i++)
        if (strcmp(type, type_names[i]) == 0) {
            e->type = (dl_tensor_type)i;
            return DLTF_OK;
        }
    return bad_tensor(e->name, "has an unsupported type: expected F32, F64, F16, BF16, I64, I32 or U8");
}

static dltf_status read_entry(const char *name, const json_t *value, entry *e) {
    int64_t offsets[2];
    *e = (entry){.name = name, .shape = {1, 1}};
    for (const char *c = name; *c; c++)
        if (*c < 0x20 || *c >= 0x7f)
            return bad_tensor(name, "has a name with unprintable characters");
    if (!json_is_object(value) || json_object_size(value) != 3)
        return bad_tensor(name, "must have dtype, shape and data_offsets, and nothing else");
    dltf_status status = read_type(json_object_get(value, "dtype"), e);
    if (status != DLTF_OK)
        return status;
    const json_t *shape = json_object_get(value, "shape");
    e->rank = (int)json_array_size(shape);
    if (e->rank < 1 || e->rank > 2 || !dl_safetensors_integers(shape, (size_t)e->rank, e->shape))
        return bad_tensor(name, "has a shape other than [rows] or [rows, columns]");
    if (e->shape[0] == 0 || e->shape[1] == 0)
        return bad_tensor(name, "has no elements");
    if (!dl_safetensors_integers(json_object_get(value, "data_offsets"), 2, offsets) ||
        offsets[0] > offsets[1])
        return bad_tensor(name, "has invalid data_offsets");
    int64_t bytes = 0;
    if (!dl_multiply(e->shape[0], e->shape[1], &bytes) ||
        !dl_multiply(bytes, dl_tensor_type_size(e->type), &bytes) || bytes != offsets[1] - offsets[0])
        return bad_tensor(name, "has data_offsets that do not match its shape");
    e->begin = offsets[0];
    e->end = offsets[1];
    return DLTF_OK;
}

static dltf_status read_metadata(const json_t *metadata, dl_notes *notes) {
    const char *name;
    json_t *value;
    if (!json_is_object(metadata) || json_object_size(metadata) > MAX_ITEMS)
        return dl_fail(DLTF_FORMAT, "corrupt header: __metadata__ must be an object of at most %d strings",
                       MAX_ITEMS);
    json_object_foreach((json_t *)(uintptr_t)metadata, name, value) {
        if (!json_is_string(value))
            return dl_fail(DLTF_FORMAT, "corrupt header: __metadata__ must contain only strings");
        dltf_status status = dl_notes_set(notes, name, json_string_value(value));
        if (status != DLTF_OK)
            return status;
    }
    return DLTF_OK;
}

static int compare_places(const void *a, const void *b) {
    const entry *left = a, *right = b;
    return (left->begin > right->begin) - (left->begin < right->begin);
}

/* Sorts tensors by position. Each must begin where the previous one ends, and the last must end with the
 * file. */
static dltf_status check_places(entry *entries, int64_t count, int64_t data_size) {
    int64_t at = 0;
    if (count > 0)
        qsort(entries, (size_t)count, sizeof *entries, compare_places);
    for (int64_t i = 0; i < count; i++) {
        if (entries[i].end > data_size)
            return dl_fail(DLTF_FORMAT, "truncated: tensor '%s' ends at byte %s of the data, file has %s",
                           DL_PRINTABLE(entries[i].name, (int64_t)strlen(entries[i].name)),
                           DL_COMMAS(entries[i].end), DL_COMMAS(data_size));
        if (entries[i].begin != at)
            return bad_tensor(entries[i].name,
                              entries[i].begin < at ? "overlaps another tensor" : "is preceded by a gap");
        at = entries[i].end;
    }
    if (at != data_size)
        return dl_fail(DLTF_FORMAT, "corrupt: %s more bytes than the header declares",
                       DL_COMMAS(data_size - at));
    return DLTF_OK;
}

/* Data that are not aligned cannot be used where they are. */
static dltf_status add_tensor(dl_bundle *bundle, const entry *e, const uint8_t *data, bool view) {
    const uint8_t *content = data + e->begin;
    bool aligned = dl_is_aligned(content, (size_t)dl_tensor_type_size(e->type));
    return (view && aligned ? dl_bundle_add_view : dl_bundle_add_copy)(
        bundle, e->name, e->type, e->shape[0], e->rank == 2 ? e->shape[1] : 0, content);
}

/* Fills the bundle from the parsed header and the bytes after it. */
static dltf_status read_tensors(const json_t *header, const uint8_t *data, int64_t data_size, bool view,
                                dl_bundle *bundle) {
    dltf_status status = DLTF_OK;
    entry *entries = NULL;
    int64_t count = 0;
    const char *name;
    json_t *value;
    DL_TRY_NEW(entries, (int64_t)json_object_size(header));
    json_object_foreach((json_t *)(uintptr_t)header, name, value) {
        if (strcmp(name, "__metadata__") == 0)
            DL_TRY(read_metadata(value, &bundle->notes));
        else
            DL_TRY(read_entry(name, value, &entries[count++]));
    }
    DL_TRY(check_places(entries, count, data_size));
    for (int64_t i = 0; i < count; i++)
        DL_TRY(add_tensor(bundle, &entries[i], data, view));
done:
    dl_free(entries);
    return status;
}

static dltf_status parse(const uint8_t *bytes, int64_t size, bool view, dl_bundle *bundle) {
    json_t *header = NULL;
    int64_t begin = 0;
    *bundle = (dl_bundle){0};
    dltf_status status = dl_safetensors_begin(bytes, size, size, &begin);
    if (status == DLTF_OK)
        status = dl_safetensors_header(bytes, begin, &header);
    if (status != DLTF_OK)
        return status;
    status = read_tensors(header, bytes + begin, size - begin, view, bundle);
    json_decref(header);
    if (status != DLTF_OK)
        dl_bundle_free(bundle);
    return status;
}

dltf_status dl_safetensors_parse(const uint8_t *bytes, int64_t size, dl_bundle *bundle) {
    return parse(bytes, size, false, bundle);
}

dltf_status dl_safetensors_view(const uint8_t *bytes, int64_t size, dl_bundle *bundle) {
    return parse(bytes, size, true, bundle);
}
