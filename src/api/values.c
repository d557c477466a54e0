/* dltf_values: numbers, texts and arrays by name. */
#include "api/values.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

typedef enum value_kind { NUMBER, TEXT, ARRAY } value_kind;

static const char *const kind_names[] = {"number", "text", "array"};
static const char *const type_names[] = {"float32", "float64", "int64", "int32", "uint8"};
enum { TYPES = sizeof type_names / sizeof *type_names };
_Static_assert(DL_TENSOR_F32 == 0 && DL_TENSOR_F64 == 1 && DL_TENSOR_I64 == 2 && DL_TENSOR_I32 == 3 &&
                   DL_TENSOR_U8 == 4 && TYPES == 5,
               "the order of type_names");

enum { NAME_SIZE = 48 };

typedef struct value {
    char name[NAME_SIZE];
    value_kind kind;
    double number;
    dl_tensor_type type;
    int64_t rows, cols;
    const void *data;
    void *owned; /* a text, or the data if they belong to the values */
} value;

struct dltf_values {
    value *list;
    int count, capacity;
    dltf_status status; /* of filling */
};

bool dl_type_named(const char *name, dl_tensor_type *type) {
    for (int i = 0; i < TYPES; i++)
        if (strcmp(name, type_names[i]) == 0) {
            *type = (dl_tensor_type)i;
            return true;
        }
    return false;
}

const char *dl_type_name(dl_tensor_type type) {
    return type_names[type];
}

/* ---- Storing ---- */

static value *find(const dltf_values *values, const char *name) {
    for (int i = 0; i < values->count; i++)
        if (strcmp(values->list[i].name, name) == 0)
            return &values->list[i];
    return NULL;
}

/* The value of this name, emptied, or a new one. */
static dltf_status reserve(dltf_values *values, const char *name, value **reserved) {
    value *found = find(values, name);
    size_t length = strlen(name);
    if (length == 0 || length >= NAME_SIZE)
        return dl_fail(DLTF_ARGUMENT, "a name has %zu characters: expected 1 to %d", length, NAME_SIZE - 1);
    if (!found && values->count == values->capacity) {
        int capacity = 2 * values->capacity + 16;
        value *list = dl_grow(values->list, values->count, capacity, sizeof *list);
        if (!list)
            return DLTF_MEMORY;
        values->list = list;
        values->capacity = capacity;
    }
    if (!found)
        found = &values->list[values->count++];
    dl_free(found->owned);
    *found = (value){.kind = NUMBER};
    memcpy(found->name, name, length);
    *reserved = found;
    return DLTF_OK;
}

dltf_status dltf_values_new(dltf_values **values) {
    DL_CLEAR(values);
    DL_REQUIRE(values);
    *values = DL_NEW(dltf_values, 1);
    return *values ? DLTF_OK : DLTF_MEMORY;
}

void dltf_values_free(dltf_values *values) {
    if (!values)
        return;
    for (int i = 0; i < values->count; i++)
        dl_free(values->list[i].owned);
    dl_free(values->list);
    dl_free(values);
}

dltf_status dltf_values_set_number(dltf_values *values, const char *name, double number) {
    DL_REQUIRE(values, name);
    value *place = NULL;
    dltf_status status = reserve(values, name, &place);
    if (status == DLTF_OK)
        place->number = number;
    return status;
}

dltf_status dltf_values_set_text(dltf_values *values, const char *name, const char *text) {
    DL_REQUIRE(values, name, text);
    size_t size = strlen(text) + 1;
    value *place = NULL;
    char *copy = DL_NEW(char, (int64_t)size);
    dltf_status status = copy ? reserve(values, name, &place) : DLTF_MEMORY;
    if (status != DLTF_OK) {
        dl_free(copy);
        return status;
    }
    memcpy(copy, text, size);
    place->kind = TEXT;
    place->data = place->owned = copy;
    return DLTF_OK;
}

static dltf_status set_array(dltf_values *values, const char *name, dl_tensor_type type, int64_t rows,
                             int64_t cols, const void *data) {
    value *place = NULL;
    dltf_status status = reserve(values, name, &place);
    if (status == DLTF_OK) {
        place->kind = ARRAY;
        place->type = type;
        place->rows = rows;
        place->cols = cols;
        place->data = data;
    }
    return status;
}

dltf_status dltf_values_set_array(dltf_values *values, const char *name, const char *type, int64_t rows,
                                  int64_t cols, const void *data) {
    DL_REQUIRE(values, name, type, data);
    dl_tensor_type element;
    int64_t count = 0;
    if (!dl_type_named(type, &element))
        return dl_fail(DLTF_ARGUMENT, "array '%s': unknown type '%s'", name, type);
    if (rows < 1 || cols < 0 || !dl_multiply(rows, cols > 0 ? cols : 1, &count) || count > INT64_MAX / 8)
        return dl_fail(DLTF_ARGUMENT, "array '%s': %lld x %lld is out of range", name, (long long)rows,
                       (long long)cols);
    if (!dl_is_aligned(data, (size_t)dl_tensor_type_size(element)))
        return dl_fail(DLTF_ARGUMENT, "array '%s': its address is not a multiple of %d bytes", name,
                       dl_tensor_type_size(element));
    return set_array(values, name, element, rows, cols, data);
}

/* ---- Filling ---- */

void dl_values_put_number(dltf_values *values, const char *name, double number) {
    if (values->status == DLTF_OK)
        values->status = dltf_values_set_number(values, name, number);
}

void dl_values_put_text(dltf_values *values, const char *name, const char *text) {
    if (values->status == DLTF_OK && text)
        values->status = dltf_values_set_text(values, name, text);
}

void dl_values_put_array(dltf_values *values, const char *name, dl_tensor_type type, int64_t rows,
                         int64_t cols, const void *data) {
    if (values->status == DLTF_OK && data)
        values->status = set_array(values, name, type, rows, cols, data);
}

void *dl_values_add_vector(dltf_values *values, const char *name, dl_tensor_type type, int64_t count) {
    if (values->status != DLTF_OK)
        return NULL;
    void *data = dl_alloc(count, (size_t)dl_tensor_type_size(type));
    values->status = data ? set_array(values, name, type, count, 0, data) : DLTF_MEMORY;
    if (values->status != DLTF_OK) {
        dl_free(data);
        return NULL;
    }
    find(values, name)->owned = data;
    return data;
}

void dl_values_fail(dltf_values *values, dltf_status status) {
    if (values->status == DLTF_OK)
        values->status = status;
}

dltf_status dl_values_finish(dltf_values *made, dltf_values **values) {
    dltf_status status = made->status;
    if (status == DLTF_OK)
        *values = made;
    else
        dltf_values_free(made);
    return status;
}

/* ---- Reading ---- */

const char *dltf_values_name(const dltf_values *values, int index, const char **kind) {
    DL_CLEAR(kind);
    if (!values || index < 0 || index >= values->count)
        return NULL;
    if (kind)
        *kind = kind_names[values->list[index].kind];
    return values->list[index].name;
}

static dltf_status find_kind(const dltf_values *values, const char *name, value_kind kind,
                             const value **found) {
    *found = find(values, name);
    if (!*found)
        return dl_fail(DLTF_ARGUMENT, "no value has the name '%s'", name);
    if ((*found)->kind != kind)
        return dl_fail(DLTF_ARGUMENT, "'%s' is not of kind %s, but of kind %s", name, kind_names[kind],
                       kind_names[(*found)->kind]);
    return DLTF_OK;
}

dltf_status dltf_values_number(const dltf_values *values, const char *name, double *number) {
    DL_REQUIRE(values, name, number);
    const value *found = NULL;
    dltf_status status = find_kind(values, name, NUMBER, &found);
    *number = status == DLTF_OK ? found->number : (double)NAN;
    return status;
}

dltf_status dltf_values_text(const dltf_values *values, const char *name, const char **text) {
    DL_CLEAR(text);
    DL_REQUIRE(values, name, text);
    const value *found = NULL;
    dltf_status status = find_kind(values, name, TEXT, &found);
    if (status == DLTF_OK)
        *text = found->data;
    return status;
}

dltf_status dltf_values_array(const dltf_values *values, const char *name, const char **type, int64_t *rows,
                              int64_t *cols, const void **data) {
    DL_CLEAR(type);
    DL_CLEAR(data);
    DL_REQUIRE(values, name, type, rows, cols, data);
    const value *found = NULL;
    dltf_status status = find_kind(values, name, ARRAY, &found);
    *rows = status == DLTF_OK ? found->rows : 0;
    *cols = status == DLTF_OK ? found->cols : 0;
    if (status != DLTF_OK)
        return status;
    *type = type_names[found->type];
    *data = found->data;
    return DLTF_OK;
}

bool dl_values_has(const dltf_values *values, const char *name) {
    return find(values, name) != NULL;
}

dltf_status dl_values_check_names(const dltf_values *values, const char *const *known) {
    for (int i = 0; i < values->count; i++) {
        int at = 0;
        while (known[at] && strcmp(known[at], values->list[i].name) != 0)
            at++;
        if (!known[at])
            return dl_fail(DLTF_ARGUMENT, "unknown name '%s'", values->list[i].name);
    }
    return DLTF_OK;
}

dltf_status dl_values_get_integer(const dltf_values *values, const char *name, int64_t *number) {
    const value *found = NULL;
    if (!find(values, name))
        return DLTF_OK;
    dltf_status status = find_kind(values, name, NUMBER, &found);
    if (status != DLTF_OK)
        return status;
    if (!(fabs(found->number) <= 9007199254740992.0) || found->number != floor(found->number))
        return dl_fail(DLTF_ARGUMENT, "'%s' is %g: expected a whole number", name, found->number);
    *number = (int64_t)found->number;
    return DLTF_OK;
}

dltf_status dl_values_get_flag(const dltf_values *values, const char *name, bool *flag) {
    int64_t number = 0;
    dltf_status status = dl_values_get_integer(values, name, &number);
    if (status == DLTF_OK && number != 0 && number != 1)
        return dl_fail(DLTF_ARGUMENT, "'%s' is %lld: expected 0 or 1", name, (long long)number);
    *flag = number == 1;
    return status;
}

dltf_status dl_values_get_array(const dltf_values *values, const char *name, dl_tensor_type type,
                                int64_t *rows, int64_t *cols, const void **data) {
    const value *found = NULL;
    *data = NULL;
    if (!find(values, name))
        return DLTF_OK;
    dltf_status status = find_kind(values, name, ARRAY, &found);
    if (status != DLTF_OK)
        return status;
    if (found->type != type)
        return dl_fail(DLTF_ARGUMENT, "'%s' has type %s: expected %s", name, type_names[found->type],
                       type_names[type]);
    *rows = *rows < 0 ? found->rows : *rows;
    *cols = *cols < 0 ? found->cols : *cols;
    if (found->rows != *rows || found->cols != *cols)
        return dl_fail(DLTF_ARGUMENT, "'%s' is %lld x %lld: expected %lld x %lld (a vector has 0 columns)",
                       name, (long long)found->rows, (long long)found->cols, (long long)*rows,
                       (long long)*cols);
    *data = found->data;
    return DLTF_OK;
}
