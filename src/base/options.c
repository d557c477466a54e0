/* The option mechanism: setting, checking and printing the fields that a table describes. */
#include "base/options.h"

#include "base/number.h"
#include "dltf/options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dltf_status check_bounds(const dl_option *option, double value, const char *text) {
    if (value >= option->min && value <= option->max)
        return DLTF_OK;
    return dl_fail_option(DLTF_ARGUMENT, option->name, "%s is outside %.12g .. %.12g", text, option->min,
                          option->max);
}

static dltf_status set_integer(const dl_option *option, void *field, const char *text) {
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

/* 1024^2 for "M" and so on; 0 for anything else. */
static int64_t unit_of(const char *suffix) {
    static const char units[] = "KMGT";
    if (*suffix == '\0' || strcmp(suffix, "B") == 0)
        return 1;
    const char *unit = strchr(units, toupper((unsigned char)*suffix));
    bool ends = suffix[1] == '\0' || strcmp(suffix + 1, "B") == 0 || strcmp(suffix + 1, "iB") == 0;
    return unit && ends ? INT64_C(1) << 10 * (unit - units + 1) : 0;
}

static dltf_status set_bytes(const dl_option *option, void *field, const char *text) {
    char *end = NULL;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    int64_t unit = end == text ? 0 : unit_of(end), bytes = 0;
    if (unit == 0)
        return dl_fail_option(DLTF_ARGUMENT, option->name,
                              "'%s' is not a size in bytes; expected a number such as 500M or 2G", text);
    if (errno == ERANGE || __builtin_mul_overflow(value, unit, &bytes))
        return dl_fail_option(DLTF_ARGUMENT, option->name, "%s is too large", text);
    dltf_status status = check_bounds(option, (double)bytes, text);
    if (status == DLTF_OK)
        memcpy(field, &bytes, sizeof bytes);
    return status;
}

static dltf_status set_real(const dl_option *option, void *field, const char *text) {
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
    value += 0.0; /* no negative zero */
    memcpy(field, &value, sizeof value);
    return DLTF_OK;
}

static dltf_status set_flag(const dl_option *option, void *field, const char *text) {
    bool value = strcmp(text, "true") == 0;
    if (!value && strcmp(text, "false") != 0)
        return dl_fail_option(DLTF_ARGUMENT, option->name, "'%s' is neither true nor false", text);
    memcpy(field, &value, sizeof value);
    return DLTF_OK;
}

static const char *const switch_names[] = {[DLTF_AUTO] = "auto", [DLTF_YES] = "yes", [DLTF_NO] = "no"};

static dltf_status set_switch(const dl_option *option, void *field, const char *text) {
    const char *name = strcmp(text, "true") == 0 ? "yes" : strcmp(text, "false") == 0 ? "no" : text;
    for (dltf_switch value = DLTF_AUTO; value <= DLTF_NO; value++)
        if (strcmp(name, switch_names[value]) == 0) {
            memcpy(field, &value, sizeof value);
            return DLTF_OK;
        }
    return dl_fail_option(DLTF_ARGUMENT, option->name, "'%s' is not one of auto, yes and no", text);
}

bool dl_name_at(const char *names, int index, const char **name, size_t *length) {
    if (index < 0)
        return false;
    for (; index > 0; index--) {
        names = strchr(names, '|');
        if (!names)
            return false;
        names++;
    }
    *name = names;
    *length = strcspn(names, "|");
    return true;
}

int dl_name_index(const char *names, const char *name, size_t length) {
    const char *other = NULL;
    size_t other_length = 0;
    for (int i = 0; dl_name_at(names, i, &other, &other_length); i++)
        if (length == other_length && memcmp(name, other, length) == 0)
            return i;
    return -1;
}

static dltf_status set_choice(const dl_option *option, void *field, const char *text) {
    int value = dl_name_index(option->choices, text, strlen(text));
    if (value < 0)
        return dl_fail_option(DLTF_ARGUMENT, option->name, "'%s' is not one of %s", text, option->choices);
    memcpy(field, &value, sizeof value);
    return DLTF_OK;
}

static dltf_status set_field(const dl_option *option, void *target, const char *text) {
    void *field = (char *)target + option->offset;
    switch (option->kind) {
    case DL_OPTION_INTEGER:
        return set_integer(option, field, text);
    case DL_OPTION_BYTES:
        return set_bytes(option, field, text);
    case DL_OPTION_REAL:
        return set_real(option, field, text);
    case DL_OPTION_FLAG:
        return set_flag(option, field, text);
    case DL_OPTION_CHOICE:
        return set_choice(option, field, text);
    case DL_OPTION_SWITCH:
        return set_switch(option, field, text);
    case DL_OPTION_TEXT:
        memcpy(field, &text, sizeof text);
        return DLTF_OK;
    }
    return dl_fail_option(DLTF_ARGUMENT, option->name, "unsupported kind of option");
}

const dl_option *dl_option_find(dl_option_table table, const char *name) {
    for (int i = 0; name && i < table.count; i++)
        if (strcmp(table.options[i].name, name) == 0)
            return &table.options[i];
    return NULL;
}

dltf_status dl_option_set(dl_option_table table, void *target, const char *name, const char *text) {
    DL_REQUIRE(target, name, text);
    const dl_option *option = dl_option_find(table, name);
    return option ? set_field(option, target, text) : dl_fail(DLTF_ARGUMENT, "unknown option '%s'", name);
}

void dl_option_defaults(dl_option_table table, void *target) {
    if (target && table.sized)
        memcpy(target, &table.size, sizeof table.size);
    for (int i = 0; target && i < table.count; i++)
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

int dl_option_format(const dl_option *option, const void *target, char *text, size_t size) {
    if (!option || !target || (!text && size > 0))
        return -1;
    const void *field = (const char *)target + option->offset;
    int64_t integer = 0;
    double real = 0;
    bool flag = false;
    int choice = 0;
    const char *name = "";
    size_t length = 0;
    switch (option->kind) {
    case DL_OPTION_INTEGER:
    case DL_OPTION_BYTES:
        memcpy(&integer, field, sizeof integer);
        return snprintf(text, size, "%lld", (long long)integer);
    case DL_OPTION_REAL:
        memcpy(&real, field, sizeof real);
        return format_real(real, text, size);
    case DL_OPTION_FLAG:
        memcpy(&flag, field, sizeof flag);
        return snprintf(text, size, "%s", flag ? "true" : "false");
    case DL_OPTION_CHOICE:
        memcpy(&choice, field, sizeof choice);
        if (!dl_name_at(option->choices, choice, &name, &length))
            length = 0;
        return snprintf(text, size, "%.*s", (int)length, name);
    case DL_OPTION_SWITCH:
        memcpy(&choice, field, sizeof choice);
        return snprintf(text, size, "%s",
                        choice >= DLTF_AUTO && choice <= DLTF_NO ? switch_names[choice] : "");
    case DL_OPTION_TEXT:
        memcpy(&name, field, sizeof name);
        return snprintf(text, size, "%s", name ? name : "");
    }
    return -1;
}

/* The row for a field outside its struct: offset 0. */
static dl_option alone(const dl_option *option) {
    dl_option moved = *option;
    moved.offset = 0;
    return moved;
}

static bool is_left_open(const dl_option *option, const char *text) {
    return !option->default_text && strcmp(text, "0") == 0;
}

/* A number outside of a struct, for the rows of dl_threads_check and dl_seed_check. */
typedef struct argument {
    int64_t value;
} argument;

dltf_status dl_option_check_value(const dl_option *option, const void *target) {
    if (option->kind == DL_OPTION_TEXT || option->kind == DL_OPTION_FLAG)
        return DLTF_OK;
    /* Through text and back, so that fields set directly and by name pass the same checks. */
    char text[64];
    double scratch = 0;
    dl_option row = alone(option);
    dl_option_format(option, target, text, sizeof text);
    return is_left_open(option, text) ? DLTF_OK : set_field(&row, &scratch, text);
}

dltf_status dl_threads_check(int64_t threads) {
    static const dl_option row = DL_THREADS_OPTION(argument, value);
    return dl_option_check_value(&row, &threads);
}

dltf_status dl_seed_check(int64_t seed) {
    static const dl_option row = DL_SEED_OPTION(argument, value, NULL);
    return dl_option_check_value(&row, &seed);
}

bool dl_option_is_default(const dl_option *option, const void *target) {
    char text[64], default_text[64];
    double scratch = 0;
    dl_option row = alone(option);
    dl_option_format(option, target, text, sizeof text);
    if (!option->default_text)
        return is_left_open(option, text);
    set_field(&row, &scratch, option->default_text);
    dl_option_format(&row, &scratch, default_text, sizeof default_text);
    return strcmp(text, default_text) == 0;
}
