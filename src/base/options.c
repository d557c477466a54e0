/* The option mechanism: setting, checking and printing the fields that a table describes. */
#include "base/options.h"

#include "base/number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dltf_status check_bounds(const dltf_option *option, double value, const char *text) {
    if (value >= option->min && value <= option->max)
        return DLTF_OK;
    return dl_fail_option(DLTF_ARGUMENT, option->name, "%s is outside %.12g .. %.12g", text, option->min,
                          option->max);
}

static dltf_status set_integer(const dltf_option *option, void *field, const char *text) {
    char *end = NULL;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end != '\0')
        return dl_fail_option(DLTF_ARGUMENT, option->name, "'%s' is not a whole number", text);
    if (errno == ERANGE)
        return dl_fail_option(DLTF_ARGUMENT, option->name, "%s is outside %.12g .. %.12g", text, option->min,
                              option->max);
    dltf_status status = check_bounds(option, (double)value, text);
    if (status != DLTF_OK)
        return status;
    int64_t stored = value;
    memcpy(field, &stored, sizeof stored);
    return DLTF_OK;
}

static dltf_status set_real(const dltf_option *option, void *field, const char *text) {
    double value = 0;
    dl_decimal_point point;
    if (dl_decimal_point_open(&point) != DLTF_OK)
        return DLTF_MEMORY;
    bool is_number = dl_number_parse(text, (int64_t)strlen(text), &value);
    dl_decimal_point_close(&point);
    if (!is_number || !isfinite(value))
        return dl_fail_option(DLTF_ARGUMENT, option->name, "'%s' is not a number", text);
    dltf_status status = check_bounds(option, value, text);
    if (status != DLTF_OK)
        return status;
    memcpy(field, &value, sizeof value);
    return DLTF_OK;
}

static dltf_status set_flag(const dltf_option *option, void *field, const char *text) {
    bool value = strcmp(text, "true") == 0;
    if (!value && strcmp(text, "false") != 0)
        return dl_fail_option(DLTF_ARGUMENT, option->name, "'%s' is neither true nor false", text);
    memcpy(field, &value, sizeof value);
    return DLTF_OK;
}

/* The index-th of the names that '|' separates; false past either end. */
static bool choice_name(const char *choices, int index, const char **name, size_t *length) {
    if (index < 0)
        return false;
    for (; index > 0; index--) {
        choices = strchr(choices, '|');
        if (!choices)
            return false;
        choices++;
    }
    *name = choices;
    *length = strcspn(choices, "|");
    return true;
}

static dltf_status set_choice(const dltf_option *option, void *field, const char *text) {
    const char *name = NULL;
    size_t length = 0;
    for (int value = 0; choice_name(option->choices, value, &name, &length); value++)
        if (strlen(text) == length && memcmp(text, name, length) == 0) {
            memcpy(field, &value, sizeof value);
            return DLTF_OK;
        }
    return dl_fail_option(DLTF_ARGUMENT, option->name, "'%s' is none of %s", text, option->choices);
}

static dltf_status set_field(const dltf_option *option, void *target, const char *text) {
    void *field = (char *)target + option->offset;
    switch (option->kind) {
    case DLTF_OPTION_INTEGER:
        return set_integer(option, field, text);
    case DLTF_OPTION_REAL:
        return set_real(option, field, text);
    case DLTF_OPTION_FLAG:
        return set_flag(option, field, text);
    case DLTF_OPTION_CHOICE:
        return set_choice(option, field, text);
    case DLTF_OPTION_TEXT:
        memcpy(field, &text, sizeof text);
        return DLTF_OK;
    }
    return dl_fail_option(DLTF_ARGUMENT, option->name, "unknown kind of option");
}

dltf_status dltf_option_set(dltf_option_table table, void *target, const char *name, const char *text) {
    for (int i = 0; i < table.count; i++)
        if (strcmp(table.options[i].name, name) == 0)
            return set_field(&table.options[i], target, text);
    return dl_fail(DLTF_ARGUMENT, "there is no option '%s'", name);
}

void dltf_option_defaults(dltf_option_table table, void *target) {
    for (int i = 0; i < table.count; i++)
        if (table.options[i].default_text)
            set_field(&table.options[i], target, table.options[i].default_text);
}

/* The shortest decimal that reads back to the same value. */
static int format_real(double value, char *text, size_t size) {
    int length = 0;
    dl_decimal_point point;
    if (dl_decimal_point_open(&point) != DLTF_OK)
        return -1;
    for (int digits = 6; digits <= 17; digits++) {
        char trial[64];
        snprintf(trial, sizeof trial, "%.*g", digits, value);
        length = snprintf(text, size, "%s", trial);
        if (strtod(trial, NULL) == value)
            break;
    }
    dl_decimal_point_close(&point);
    return length;
}

int dltf_option_format(const dltf_option *option, const void *target, char *text, size_t size) {
    const void *field = (const char *)target + option->offset;
    int64_t integer = 0;
    double real = 0;
    bool flag = false;
    int choice = 0;
    const char *name = "";
    size_t length = 0;
    switch (option->kind) {
    case DLTF_OPTION_INTEGER:
        memcpy(&integer, field, sizeof integer);
        return snprintf(text, size, "%lld", (long long)integer);
    case DLTF_OPTION_REAL:
        memcpy(&real, field, sizeof real);
        return format_real(real, text, size);
    case DLTF_OPTION_FLAG:
        memcpy(&flag, field, sizeof flag);
        return snprintf(text, size, "%s", flag ? "true" : "false");
    case DLTF_OPTION_CHOICE:
        memcpy(&choice, field, sizeof choice);
        if (!choice_name(option->choices, choice, &name, &length))
            length = 0;
        return snprintf(text, size, "%.*s", (int)length, name);
    case DLTF_OPTION_TEXT:
        memcpy(&name, field, sizeof name);
        return snprintf(text, size, "%s", name ? name : "");
    }
    return -1;
}

dltf_status dl_options_check(dltf_option_table table, const void *target) {
    for (int i = 0; i < table.count; i++) {
        const dltf_option *option = &table.options[i];
        if (option->kind == DLTF_OPTION_TEXT || option->kind == DLTF_OPTION_FLAG)
            continue;
        /* Through text and back: one set of checks for fields set by hand and by name. */
        char text[64];
        double scratch = 0;
        dltf_option alone = *option;
        alone.offset = 0;
        dltf_option_format(option, target, text, sizeof text);
        if (!option->default_text && strcmp(text, "0") == 0)
            continue; /* left to the library */
        dltf_status status = set_field(&alone, &scratch, text);
        if (status != DLTF_OK)
            return status;
    }
    return DLTF_OK;
}
