/* From objects of the library to MEX arrays. */
#include "gateway.h"

#include <stdio.h>
#include <string.h>

mxArray *gw_single_matrix(int64_t rows, int64_t cols) {
    return mxCreateNumericMatrix((mwSize)rows, (mwSize)cols, mxSINGLE_CLASS, mxREAL);
}

mxArray *gw_codes_matrix(const dltf_codes *codes) {
    dltf_csr csr = dltf_codes_csr(codes);
    int64_t entries = csr.indptr[csr.rows];
    mxArray *matrix = mxCreateSparse((mwSize)csr.cols, (mwSize)csr.rows, (mwSize)entries, mxREAL);
    mwIndex *first = mxGetJc(matrix), *index = mxGetIr(matrix);
    double *value = mxGetPr(matrix);
    for (int64_t i = 0; i <= csr.rows; i++)
        first[i] = (mwIndex)csr.indptr[i];
    for (int64_t e = 0; e < entries; e++) {
        index[e] = (mwIndex)csr.indices[e];
        value[e] = (double)csr.values[e];
    }
    return matrix;
}

/* ---- Structs ---- */

static mxArray *integers(const char *type, const void *data, int64_t count, mwSize rows, mwSize cols) {
    mxArray *matrix = mxCreateDoubleMatrix(rows, cols, mxREAL);
    bool wide = strcmp(type, "int64") == 0;
    for (int64_t i = 0; i < count; i++)
        mxGetPr(matrix)[i] = (double)(wide ? ((const int64_t *)data)[i] : ((const int32_t *)data)[i]);
    return matrix;
}

/* Rows in C order are columns here; a vector is a column. */
static mxArray *array_value(const dltf_values *values, const char *name) {
    const char *type = NULL;
    const void *data = NULL;
    int64_t rows = 0, cols = 0;
    gw_check(dltf_values_array(values, name, &type, &rows, &cols, &data));
    mwSize height = (mwSize)(cols > 0 ? cols : rows), width = (mwSize)(cols > 0 ? rows : 1);
    int64_t count = (int64_t)(height * width);
    if (strncmp(type, "int", 3) == 0)
        return integers(type, data, count, height, width);
    mxClassID class = strcmp(type, "float64") == 0   ? mxDOUBLE_CLASS
                      : strcmp(type, "float32") == 0 ? mxSINGLE_CLASS
                                                     : mxUINT8_CLASS;
    mxArray *matrix = mxCreateNumericMatrix(height, width, class, mxREAL);
    if (count > 0)
        memcpy(mxGetData(matrix), data, (size_t)count * mxGetElementSize(matrix));
    return matrix;
}

static mxArray *value_of(const dltf_values *values, const char *name, const char *kind) {
    const char *text = NULL;
    double number = 0;
    if (strcmp(kind, "array") == 0)
        return array_value(values, name);
    if (strcmp(kind, "text") == 0) {
        gw_check(dltf_values_text(values, name, &text));
        return mxCreateString(text);
    }
    gw_check(dltf_values_number(values, name, &number));
    return mxCreateDoubleScalar(number);
}

mxArray *gw_values_struct(const dltf_values *values) {
    mxArray *found = mxCreateStructMatrix(1, 1, 0, NULL);
    const char *name = NULL, *kind = NULL;
    for (int i = 0; (name = dltf_values_name(values, i, &kind)) != NULL; i++) {
        char field[64];
        snprintf(field, sizeof field, "%s", name);
        for (char *c = field; *c; c++)
            if (*c == '.')
                *c = '_';
        mxArray *value = value_of(values, name, kind);
        mxSetFieldByNumber(found, 0, mxAddField(found, field), value);
    }
    return found;
}

mxArray *gw_object_struct(const char *kind, const void *object) {
    dltf_values *values = NULL;
    gw_check(dltf_bind_get(kind, object, &values));
    gw_own(values, gw_free_values);
    return gw_values_struct(values);
}

static mxArray *notes_struct(const dltf_model *model) {
    mxArray *notes = mxCreateStructMatrix(1, 1, 0, NULL);
    const char *name = NULL;
    for (int i = 0; (name = dltf_model_note_name(model, i)) != NULL; i++) {
        char field[64];
        snprintf(field, sizeof field, "%s", name);
        for (char *c = field; *c; c++)
            if ((*c < 'a' || *c > 'z') && (*c < 'A' || *c > 'Z') && (c == field || *c < '0' || *c > '9'))
                *c = '_';
        mxSetFieldByNumber(notes, 0, mxAddField(notes, field), mxCreateString(dltf_model_note(model, name)));
    }
    return notes;
}

mxArray *gw_model_struct(const dltf_model *model) {
    mxArray *fields = gw_object_struct("model", model);
    mxSetFieldByNumber(fields, 0, mxAddField(fields, "notes"), notes_struct(model));
    return fields;
}
