/* Reading safetensors: header length (8 bytes), JSON header, tensor data. As the format requires, the header
 * must account for every byte of the data exactly once, so that a model cannot carry hidden content. */
#include "base/memory.h"
#include "io/files/bytes.h"
#include "io/formats/safetensors.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "safetensors is little-endian: swap bytes here on this machine");

/* Limits far above those of any model; they bound the work that a hostile header can cause. */
enum { PREFIX = 8, MAX_HEADER = DL_SAFETENSORS_MAX_HEADER, MAX_ITEMS = 10000 };

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

/* An array of `count` integers >= 0. */
static bool read_integers(const json_t *value, size_t count, int64_t *out) {
    if (!json_is_array(value) || json_array_size(value) != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(value, i);
        if (!json_is_integer(item) || json_integer_value(item) < 0)
            return false;
        out[i] = json_integer_value(item);
    }
    return true;
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
    if (e->rank < 1 || e->rank > 2 || !read_integers(shape, (size_t)e->rank, e->shape))
        return bad_tensor(name, "has a shape other than [rows] or [rows, columns]");
    if (e->shape[0] == 0 || e->shape[1] == 0)
        return bad_tensor(name, "has no elements");
    if (!read_integers(json_object_get(value, "data_offsets"), 2, offsets) || offsets[0] > offsets[1])
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
    if (!json_is_object(header) || json_object_size(header) > MAX_ITEMS)
        return dl_fail(DLTF_FORMAT, "corrupt header: expected an object of at most %d tensors", MAX_ITEMS);
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
    json_error_t error;
    *bundle = (dl_bundle){0};
    if (size < PREFIX + 2)
        return dl_fail(DLTF_FORMAT, "truncated: %" PRId64 " bytes are too few for a safetensors file", size);
    uint64_t length = dl_little64(bytes);
    if (length <= (uint64_t)size && length > MAX_HEADER && bytes[PREFIX] == '{')
        return dl_fail(DLTF_FORMAT, "header of %s bytes is too long: at most %s are supported",
                       DL_COMMAS((int64_t)length), DL_COMMAS(MAX_HEADER));
    if (length > MAX_HEADER || bytes[PREFIX] != '{')
        return dl_fail(DLTF_FORMAT,
                       "is not a safetensors file: it does not begin with a header length and {");
    if (length > (uint64_t)(size - PREFIX))
        return dl_fail(DLTF_FORMAT, "truncated: header length is %s bytes, file has %s",
                       DL_COMMAS((int64_t)length), DL_COMMAS(size));
    json_t *header = json_loadb((const char *)bytes + PREFIX, (size_t)length, JSON_REJECT_DUPLICATES, &error);
    /* jansson sets a code only in some places where it is out of memory, and no text in others. */
    if (!header && (!*error.text || json_error_code(&error) == json_error_out_of_memory))
        return dl_fail(DLTF_MEMORY, "not enough memory for the header");
    if (!header)
        return dl_fail(DLTF_FORMAT, "corrupt header: byte %d: %s", error.position,
                       DL_PRINTABLE(error.text, (int64_t)strlen(error.text)));
    dltf_status status =
        read_tensors(header, bytes + PREFIX + length, size - PREFIX - (int64_t)length, view, bundle);
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
