/* Options of a task from a struct, and their description. */
#include "gateway.h"

#include <stdio.h>
#include <string.h>

/* A scalar or a text as the text that dltf_options_set parses. */
static const char *option_text(const mxArray *value, const char *name, char number[64]) {
    if (mxIsChar(value))
        return gw_text(value, name);
    if ((!mxIsNumeric(value) && !mxIsLogical(value)) || mxGetNumberOfElements(value) != 1 ||
        mxIsComplex(value))
        gw_fail("argument", "%s: expected a number, true, false or text", name);
    if (mxIsLogical(value))
        return mxGetScalar(value) != 0 ? "true" : "false";
    snprintf(number, 64, "%.17g", mxGetScalar(value));
    return number;
}

static void set_option(dltf_options *options, const char *field, const mxArray *value) {
    char name[64], number[64];
    snprintf(name, sizeof name, "%s", field);
    for (char *c = name; *c; c++)
        if (*c == '_')
            *c = '-';
    gw_check(dltf_options_set(options, name, option_text(value, field, number)));
}

dltf_options *gw_options(const char *task, const mxArray *fields) {
    dltf_options *options = NULL;
    if (!mxIsStruct(fields) || mxGetNumberOfElements(fields) != 1)
        gw_fail("argument", "options: expected a struct");
    gw_check(dltf_options_new(task, &options));
    gw_own(options, gw_free_options);
    for (int i = 0; i < mxGetNumberOfFields(fields); i++) {
        const char *name = mxGetFieldNameByNumber(fields, i);
        const mxArray *value = mxGetFieldByNumber(fields, 0, i);
        if (!value || mxIsEmpty(value))
            continue;
        if (strcmp(name, "progress") == 0)
            gw_show_progress(mxGetScalar(value) != 0);
        else
            set_option(options, name, value);
    }
    return options;
}

/* options (TASK): a struct with a field for each option, itself a struct. */
void gw_describe_options(int outputs, mxArray *out[], const mxArray *in[]) {
    (void)outputs;
    dltf_options *options = NULL;
    const char *name = NULL;
    gw_check(dltf_options_new(gw_text(in[0], "task"), &options));
    gw_own(options, gw_free_options);
    out[0] = mxCreateStructMatrix(1, 1, 0, NULL);
    for (int i = 0; (name = dltf_options_name(options, i)) != NULL; i++) {
        dltf_values *values = NULL;
        char field[64];
        snprintf(field, sizeof field, "%s", name);
        for (char *c = field; *c; c++)
            if (*c == '-')
                *c = '_';
        gw_check(dltf_options_describe(options, name, &values));
        mxArray *description = gw_values_struct(values);
        dltf_values_free(values);
        mxSetFieldByNumber(out[0], 0, mxAddField(out[0], field), description);
    }
}
