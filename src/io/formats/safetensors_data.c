/* A tensor of a safetensors file as a matrix. Only the header and the chosen tensor are checked: the rest of
 * a large file is not read. */
#include "io/formats/safetensors_data.h"

#include "data/kind.h"
#include "io/files/bytes.h"
#include "io/formats/safetensors_header.h"

#include <stdio.h>

typedef struct tensor_type {
    const char *name;
    char kind;
    int64_t item;
} tensor_type;

static const tensor_type types[] = {{"F64", 'f', 8}, {"F32", 'f', 4}, {"F16", 'f', 2}, {"BF16", 'V', 2},
                                    {"I64", 'i', 8}, {"I32", 'i', 4}, {"I16", 'i', 2}, {"I8", 'i', 1},
                                    {"U64", 'u', 8}, {"U32", 'u', 4}, {"U16", 'u', 2}, {"U8", 'u', 1}};
enum { TYPES = sizeof types / sizeof *types, FLOATS = 4 };

#define NAMED(name) DL_PRINTABLE(name, (int64_t)strlen(name))

/* Its place in the table; -1: not a tensor, or of a type that cannot be read. */
static int type_of(const json_t *value) {
    const char *name = json_string_value(json_object_get(value, "dtype"));
    for (int t = 0; name && t < TYPES; t++)
        if (strcmp(name, types[t].name) == 0)
            return t;
    return -1;
}

static bool is_tensor(const char *name) {
    return strcmp(name, "__metadata__") != 0;
}

/* ---- The choice of a tensor ---- */

/* " [200 x 64 x 256]", of at most four axes. */
static void show_shape(const json_t *value, char *text, size_t size) {
    enum { SHOWN = 4 };
    const json_t *shape = json_object_get(value, "shape");
    size_t axes = json_array_size(shape), used = 0;
    text[0] = '\0';
    for (size_t a = 0; a < axes && a < SHOWN && used < size; a++)
        used += (size_t)snprintf(text + used, size - used, "%s%lld", a ? " x " : " [",
                                 (long long)json_integer_value(json_array_get(shape, a)));
    if (axes > 0 && used < size)
        snprintf(text + used, size - used, axes > SHOWN ? " x ...]" : "]");
}

/* "'a' [200 x 64], 'b' [64]" of the first `limit` types of the table, shortened with "...". */
static const char *list_tensors(json_t *header, int limit, char *list, size_t size) {
    enum { SHAPE = 96, MAX_ENTRY = DL_SHOWN + SHAPE + 4 };
    size_t used = 0;
    const char *name;
    json_t *value;
    strcpy(list, "none");
    json_object_foreach(header, name, value) {
        char shape[SHAPE];
        int type = type_of(value);
        if (!is_tensor(name) || type < 0 || type >= limit)
            continue;
        if (used + MAX_ENTRY + 6 > size) {
            strcpy(list + used, ", ...");
            break;
        }
        show_shape(value, shape, sizeof shape);
        used += (size_t)snprintf(list + used, size - used, "%s'%s'%s", used ? ", " : "", NAMED(name), shape);
    }
    return list;
}

/* The only tensor among the first `limit` types; *count: how many there are. */
static const char *only_tensor(json_t *header, int limit, int *count) {
    const char *name, *found = NULL;
    json_t *value;
    *count = 0;
    json_object_foreach(header, name, value) {
        int type = type_of(value);
        if (is_tensor(name) && type >= 0 && type < limit) {
            found = name;
            (*count)++;
        }
    }
    return found;
}

/* A file that dltf wrote is not data unless one of its tensors is asked for. */
static dltf_status check_purpose(const json_t *header) {
    const json_t *notes = json_object_get(header, "__metadata__");
    const char *kind = dl_kind_name(json_string_value(json_object_get(notes, "format")));
    if (!kind)
        return DLTF_OK;
    return dl_fail(DLTF_FORMAT, "is a %s; expected a data file, or one of its tensors: FILE.safetensors:NAME",
                   kind);
}

static dltf_status choose(json_t *header, const char **name) {
    char list[600];
    int count = 0, limit = FLOATS;
    if (*name && is_tensor(*name) && json_object_get(header, *name))
        return DLTF_OK;
    if (*name)
        return dl_fail(DLTF_FORMAT, "tensor '%s' not found; the file contains %s", NAMED(*name),
                       list_tensors(header, TYPES, list, sizeof list));
    dltf_status status = check_purpose(header);
    if (status != DLTF_OK)
        return status;
    *name = only_tensor(header, limit, &count);
    if (count == 0) {
        limit = TYPES;
        *name = only_tensor(header, limit, &count);
    }
    if (count == 0)
        return dl_fail(DLTF_FORMAT,
                       "contains no tensor of numbers: expected one of type F64, F32, F16 or BF16, "
                       "or of integers");
    if (count > 1)
        return dl_fail(DLTF_FORMAT, "contains several tensors (%s): choose one with FILE.safetensors:NAME",
                       list_tensors(header, limit, list, sizeof list));
    return DLTF_OK;
}

/* ---- The tensor ---- */

static dltf_status bad_tensor(const char *name, const char *what) {
    return dl_fail(DLTF_FORMAT, "tensor '%s' %s", NAMED(name), what);
}

static dltf_status read_shape(const char *name, const json_t *value, dl_elements *elements) {
    const json_t *shape = json_object_get(value, "shape");
    size_t rank = json_array_size(shape);
    if (!json_is_array(shape) || rank > DL_MAX_AXES || !dl_safetensors_integers(shape, rank, elements->shape))
        return bad_tensor(name, "has an invalid shape: expected a list of lengths, at most 32");
    elements->rank = (int)rank;
    return dl_elements_measure(elements);
}

/* Describes a tensor; *begin: its place in the data, of which there are `data_size` bytes. */
static dltf_status read_tensor(const char *name, const json_t *value, int64_t data_size,
                               dl_elements *elements, int64_t *begin) {
    int64_t offsets[2];
    int type = type_of(value);
    *elements = (dl_elements){0};
    if (type < 0)
        return bad_tensor(name,
                          "has an unsupported type: expected F64, F32, F16, BF16 or integers of 8 to 64 "
                          "bits");
    elements->kind = types[type].kind;
    elements->item = types[type].item;
    dltf_status status = read_shape(name, value, elements);
    if (status != DLTF_OK)
        return status;
    if (!dl_safetensors_integers(json_object_get(value, "data_offsets"), 2, offsets) ||
        offsets[0] > offsets[1])
        return bad_tensor(name, "has invalid data_offsets: expected its first byte and that after its last");
    if (elements->bytes != offsets[1] - offsets[0])
        return bad_tensor(name, "has data_offsets that do not match its shape");
    if (offsets[1] > data_size)
        return dl_fail(DLTF_FORMAT, "truncated: tensor '%s' ends at byte %s of the data, file has %s",
                       NAMED(name), DL_COMMAS(offsets[1]), DL_COMMAS(data_size));
    *begin = offsets[0];
    return DLTF_OK;
}

/* The chosen tensor of a file of `size` bytes whose first `data` are in memory; *begin: its byte of the file.
 */
static dltf_status find(const uint8_t *bytes, int64_t data, int64_t size, const char *name,
                        dl_elements *elements, int64_t *begin) {
    json_t *header = NULL;
    dltf_status status = dl_safetensors_header(bytes, data, &header);
    if (status != DLTF_OK)
        return status;
    status = choose(header, &name);
    if (status == DLTF_OK)
        status = read_tensor(name, json_object_get(header, name), size - data, elements, begin);
    *begin += data;
    json_decref(header);
    return status;
}

dltf_status dl_safetensors_load_data(dl_file *file, const char *name, dltf_array **array) {
    dl_elements elements;
    int64_t data = 0, begin = 0;
    dltf_status status = dl_safetensors_begin(file->bytes, file->size, file->size, &data);
    if (status == DLTF_OK)
        status = find(file->bytes, data, file->size, name, &elements, &begin);
    if (status != DLTF_OK)
        return status;
    elements.data = file->bytes + begin;
    elements.columns_axis = dl_file_axis(file);
    return dl_elements_array(&elements, file, array);
}

dltf_status dl_safetensors_describe(const dl_file *start, int64_t size, dl_row_layout *layout) {
    dl_elements elements;
    int64_t data = 0, begin = 0;
    dltf_status status = dl_safetensors_begin(start->bytes, start->size, size, &data);
    if (status == DLTF_OK && data > start->size) {
        *layout = (dl_row_layout){.header = data};
        return DLTF_OK;
    }
    if (status == DLTF_OK)
        status =
            find(start->bytes, data, size, start->reading ? start->reading->member : NULL, &elements, &begin);
    if (status != DLTF_OK)
        return status;
    elements.columns_axis = dl_file_axis(start);
    return dl_elements_layout(&elements, begin, layout);
}
