/* Filling dltf_values from structs, and reading what a caller put into them. */
#ifndef DL_API_VALUES_H
#define DL_API_VALUES_H

#include "data/bundle.h"
#include "dltf/bind.h"

/* ---- Filling ---- */

/* These do nothing after the first failure, which dl_values_finish returns. Names are copied. */

void dl_values_put_number(dltf_values *values, const char *name, double number);
/* Copies; NULL: no value. */
void dl_values_put_text(dltf_values *values, const char *name, const char *text);
/* A view; cols = 0: a vector. NULL data: no value. */
void dl_values_put_array(dltf_values *values, const char *name, dl_tensor_type type, int64_t rows,
                         int64_t cols, const void *data);
/* A vector that belongs to the values; NULL after a failure. */
void *dl_values_add_vector(dltf_values *values, const char *name, dl_tensor_type type, int64_t count);
/* A failure outside, unless the status is DLTF_OK. */
void dl_values_fail(dltf_values *values, dltf_status status);

/* Returns the values, or frees them and returns why filling them failed. */
dltf_status dl_values_finish(dltf_values *made, dltf_values **values);

/* The field of a struct, with the field's name. */
#define DL_PUT_NUMBER(values, from, field) dl_values_put_number((values), #field, (double)(from).field)
#define DL_PUT_ARRAY(values, from, field, type, rows, cols)                                                  \
    dl_values_put_array((values), #field, (type), (rows), (cols), (from).field)

/* ---- Reading ---- */

/* Fails for the first name that is not in the list, which ends with NULL. */
dltf_status dl_values_check_names(const dltf_values *values, const char *const *known);
bool dl_values_has(const dltf_values *values, const char *name);
/* A whole number; if there is none, `*number` stays as it is. */
dltf_status dl_values_get_integer(const dltf_values *values, const char *name, int64_t *number);
/* An array of this type and shape, cols = 0: a vector. NULL if there is none. A negative size is not checked,
 * but set: the first array that has it decides. */
dltf_status dl_values_get_array(const dltf_values *values, const char *name, dl_tensor_type type,
                                int64_t *rows, int64_t *cols, const void **data);
/* A flag, 0 or 1; if there is none, it is false. */
dltf_status dl_values_get_flag(const dltf_values *values, const char *name, bool *flag);

/* ---- Types ---- */

/* The type of this name; false if there is none. */
bool dl_type_named(const char *name, dl_tensor_type *type);
const char *dl_type_name(dl_tensor_type type);

#endif
