/* Options and history of a learner as JSON. */
#include "report/history.h"

#include "learning/history_columns.h"
#include "report/json.h"

#include <stdlib.h>
#include <string.h>

static json_t *column_value(const dl_history_column *column, const dltf_iteration *record) {
    const void *field = (const char *)record + column->offset;
    const char *text = NULL;
    int64_t integer = 0;
    double real = 0;
    switch (column->kind) {
    case DL_HISTORY_TEXT:
        memcpy(&text, field, sizeof text);
        return json_string(text);
    case DL_HISTORY_INTEGER:
        memcpy(&integer, field, sizeof integer);
        return json_integer(integer);
    case DL_HISTORY_REAL:
        memcpy(&real, field, sizeof real);
        return json_number(real);
    }
    return NULL;
}

json_t *history_rows(const dltf_iteration *history, int64_t count) {
    json_t *rows = json_array();
    int width = 0;
    const dl_history_column *columns = dl_history_columns(&width);
    for (int64_t i = 0; i < count; i++) {
        json_t *row = json_object();
        for (int c = 0; c < width; c++)
            json_object_set_new(row, columns[c].name, column_value(&columns[c], &history[i]));
        json_array_append_new(rows, row);
    }
    return rows;
}

json_t *history_options(dl_option_table table, const void *values) {
    json_t *object = json_object();
    for (int i = 0; i < table.count; i++) {
        const dl_option *option = &table.options[i];
        char text[64];
        dl_option_format(option, values, text, sizeof text);
        json_t *value = NULL;
        if (option->kind == DL_OPTION_INTEGER || option->kind == DL_OPTION_BYTES)
            value = json_integer(strtoll(text, NULL, 10));
        else if (option->kind == DL_OPTION_REAL)
            value = json_number(strtod(text, NULL));
        else if (option->kind == DL_OPTION_FLAG)
            value = json_boolean(strcmp(text, "true") == 0);
        else
            value = json_string(text);
        json_object_set_new(object, option->name, value);
    }
    return object;
}
