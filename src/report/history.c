/* Turns what a learner remembers into rows. */
#include "report/history.h"

#include "report/json.h"

#include <stdlib.h>
#include <string.h>

typedef enum field_kind { STAGE, INTEGER, REAL } field_kind;

#define FIELD(kind, name)                                                                                    \
    { #name, kind, offsetof(dltf_iteration, name) }

/* The columns of a history, in the order of the struct. */
static const struct {
    const char *name;
    field_kind kind;
    size_t offset;
} fields[] = {
    FIELD(STAGE, stage),
    FIELD(INTEGER, index),
    FIELD(REAL, theta),
    FIELD(REAL, objective),
    FIELD(REAL, noise_term),
    FIELD(REAL, incoherence_term),
    FIELD(REAL, data_term),
    FIELD(REAL, relative_error),
    FIELD(REAL, primal_residual),
    FIELD(REAL, dual_residual),
    FIELD(REAL, coherence),
    FIELD(REAL, frame_potential),
    FIELD(INTEGER, atoms_replaced),
    FIELD(REAL, seconds),
};

const char *history_stage_name(dltf_stage stage) {
    switch (stage) {
    case DLTF_STAGE_MINIBATCH:
        return "minibatch";
    case DLTF_STAGE_MODEL:
        return "model";
    case DLTF_STAGE_ADMM:
        return "admm";
    case DLTF_STAGE_ENCODER:
        return "encoder";
    case DLTF_STAGE_KSVD:
        return "ksvd";
    }
    return "unknown";
}

static json_t *field_value(field_kind kind, const void *field) {
    int64_t integer = 0;
    double real = 0;
    switch (kind) {
    case STAGE:
        return json_string(history_stage_name(*(const dltf_stage *)field));
    case INTEGER:
        memcpy(&integer, field, sizeof integer);
        return json_integer(integer);
    case REAL:
        memcpy(&real, field, sizeof real);
        return json_number(real);
    }
    return NULL;
}

json_t *history_rows(const dltf_iteration *history, int64_t count) {
    json_t *rows = json_array();
    for (int64_t i = 0; i < count; i++) {
        json_t *row = json_object();
        for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
            json_object_set_new(row, fields[f].name,
                                field_value(fields[f].kind, (const char *)&history[i] + fields[f].offset));
        json_array_append_new(rows, row);
    }
    return rows;
}

json_t *history_options(dltf_option_table table, const void *values) {
    json_t *object = json_object();
    for (int i = 0; i < table.count; i++) {
        const dltf_option *option = &table.options[i];
        char text[64];
        dltf_option_format(option, values, text, sizeof text);
        json_t *value = NULL;
        if (option->kind == DLTF_OPTION_INTEGER)
            value = json_integer(strtoll(text, NULL, 10));
        else if (option->kind == DLTF_OPTION_REAL)
            value = json_number(strtod(text, NULL));
        else if (option->kind == DLTF_OPTION_FLAG)
            value = json_boolean(strcmp(text, "true") == 0);
        else
            value = json_string(text);
        json_object_set_new(object, option->name, value);
    }
    return object;
}
