/* From MEX arrays to objects of the library. */
#include "gateway.h"

#include <string.h>

char *gw_text(const mxArray *value, const char *what) {
    char *text = mxIsChar(value) && mxGetM(value) <= 1 ? mxArrayToString(value) : NULL;
    if (!text)
        gw_fail("argument", "%s: expected text", what);
    return text;
}

/* ---- Matrices ---- */

static void require_real_matrix(const mxArray *matrix, const char *what) {
    if (!mxIsNumeric(matrix) && !mxIsLogical(matrix))
        gw_fail("argument", "%s: expected a numeric matrix but found %s", what, mxGetClassName(matrix));
    if (mxIsComplex(matrix))
        gw_fail("argument", "%s: expected real values but found complex ones", what);
    if (mxGetNumberOfDimensions(matrix) != 2)
        gw_fail("argument", "%s: expected a matrix but found %d dimensions", what,
                (int)mxGetNumberOfDimensions(matrix));
}

/* The matrix itself if it has one of the types that the library reads, or a converted copy. */
static const mxArray *convert(const mxArray *matrix, const char *what) {
    bool readable = mxIsDouble(matrix) || (!mxIsSparse(matrix) && (mxIsSingle(matrix) || mxIsUint8(matrix)));
    mxArray *converted = NULL, *given = (mxArray *)matrix;
    if (readable)
        return matrix;
    if (mexCallMATLAB(1, &converted, 1, &given, mxIsSparse(matrix) ? "double" : "single") != 0)
        gw_fail("argument", "%s: cannot be converted from %s", what, mxGetClassName(matrix));
    return converted;
}

static const char *type_name(const mxArray *matrix) {
    return mxIsDouble(matrix) ? "float64" : mxIsSingle(matrix) ? "float32" : "uint8";
}

static dltf_array *borrow_sparse(const mxArray *matrix) {
    dltf_array *array = NULL;
    const mwIndex *first = mxGetJc(matrix);
    int64_t cols = (int64_t)mxGetN(matrix);
    gw_check(dltf_array_borrow_csr(cols, (int64_t)mxGetM(matrix), (int64_t)first[cols], first,
                                   mxGetIr(matrix), sizeof(mwIndex) == 8 ? "int64" : "int32", mxGetPr(matrix),
                                   "float64", &array));
    gw_own(array, gw_free_array);
    return array;
}

dltf_array *gw_array(const mxArray *matrix, const char *what) {
    dltf_array *array = NULL;
    require_real_matrix(matrix, what);
    if (mxGetNumberOfElements(matrix) == 0)
        gw_fail("data", "%s: empty matrix, %d x %d", what, (int)mxGetM(matrix), (int)mxGetN(matrix));
    matrix = convert(matrix, what);
    if (mxIsSparse(matrix))
        return borrow_sparse(matrix);
    int64_t rows = (int64_t)mxGetN(matrix), cols = (int64_t)mxGetM(matrix);
    gw_check(dltf_array_borrow(mxGetData(matrix), type_name(matrix), rows, cols, cols, 1, &array));
    gw_own(array, gw_free_array);
    return array;
}

dltf_array *gw_bytes_array(const mxArray *matrix, const char *what) {
    if (!mxIsUint8(matrix))
        gw_fail("argument", "%s: expected a matrix of uint8 but found %s", what, mxGetClassName(matrix));
    return gw_array(matrix, what);
}

dltf_codes *gw_codes(const mxArray *matrix, const char *what) {
    dltf_codes *codes = NULL;
    require_real_matrix(matrix, what);
    if (mxGetNumberOfElements(matrix) == 0)
        return NULL;
    if (!mxIsSparse(matrix)) {
        mxArray *sparse = NULL, *given = (mxArray *)matrix, *wide = NULL;
        if (mexCallMATLAB(1, &wide, 1, &given, "double") != 0 ||
            mexCallMATLAB(1, &sparse, 1, &wide, "sparse") != 0)
            gw_fail("argument", "%s: cannot be made sparse", what);
        matrix = sparse;
    }
    gw_check(dltf_bind_codes_new(gw_array(matrix, what), &codes));
    gw_own(codes, gw_free_codes);
    return codes;
}

dltf_codes *gw_codes_required(const mxArray *matrix, const char *what) {
    dltf_codes *codes = gw_codes(matrix, what);
    if (!codes)
        gw_fail("data", "%s: empty matrix", what);
    return codes;
}

/* ---- Models ---- */

static bool is_matrix_field(const char *name) {
    return strcmp(name, "dictionary") == 0 || strcmp(name, "encoder") == 0;
}

static void set_array(dltf_values *values, const char *name, const mxArray *value) {
    mxArray *single = NULL, *given = (mxArray *)value;
    require_real_matrix(value, name);
    if (!mxIsSingle(value) || mxIsSparse(value)) {
        mxArray *full = NULL;
        if (mexCallMATLAB(1, &full, 1, &given, "full") != 0 ||
            mexCallMATLAB(1, &single, 1, &full, "single") != 0)
            gw_fail("argument", "%s: cannot be converted to single", name);
        value = single;
    }
    if (is_matrix_field(name))
        gw_check(dltf_values_set_array(values, name, "float32", (int64_t)mxGetN(value),
                                       (int64_t)mxGetM(value), mxGetData(value)));
    else
        gw_check(dltf_values_set_array(values, name, "float32", (int64_t)mxGetNumberOfElements(value), 0,
                                       mxGetData(value)));
}

/* Arrays of the library are singles here, and its numbers doubles; a matrix of atoms may be given as doubles.
 */
static void set_field(dltf_values *values, const char *name, const mxArray *value) {
    bool scalar = mxGetNumberOfElements(value) == 1 && !mxIsSingle(value) && !is_matrix_field(name);
    if (mxIsChar(value))
        gw_check(dltf_values_set_text(values, name, gw_text(value, name)));
    else if (scalar && (mxIsNumeric(value) || mxIsLogical(value)))
        gw_check(dltf_values_set_number(values, name, mxGetScalar(value)));
    else
        set_array(values, name, value);
}

dltf_model *gw_model(const mxArray *fields) {
    dltf_values *values = NULL;
    void *model = NULL;
    if (mxIsEmpty(fields))
        return NULL;
    if (!mxIsStruct(fields) || mxGetNumberOfElements(fields) != 1)
        gw_fail("argument", "model: expected a struct, as dltf_train returns it, but found %s",
                mxGetClassName(fields));
    gw_check(dltf_values_new(&values));
    gw_own(values, gw_free_values);
    for (int i = 0; i < mxGetNumberOfFields(fields); i++) {
        const char *name = mxGetFieldNameByNumber(fields, i);
        const mxArray *value = mxGetFieldByNumber(fields, 0, i);
        if (value && !mxIsEmpty(value) && strcmp(name, "notes") != 0)
            set_field(values, name, value);
    }
    gw_check(dltf_bind_new("model", values, &model));
    gw_own(model, gw_free_model);
    return model;
}

dltf_model *gw_model_required(const mxArray *fields) {
    dltf_model *model = gw_model(fields);
    if (!model)
        gw_fail("argument", "model: empty");
    return model;
}
