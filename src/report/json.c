/* JSON values and the common layout of JSON output. */
#include "report/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t layout(int digits) {
    return JSON_INDENT(2) | JSON_REAL_PRECISION((size_t)digits);
}

json_t *json_number(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_text(const char *text) {
    json_t *value = json_string(text);
    if (value)
        return value;
    char *copy = strdup(text);
    for (char *c = copy; c && *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    value = copy ? json_string(copy) : NULL;
    free(copy);
    return value;
}

char *json_format(const json_t *value, int digits) {
    char *text = json_dumps(value, layout(digits));
    size_t length = text ? strlen(text) : 0;
    char *line = text ? realloc(text, length + 2) : NULL;
    if (!line) {
        free(text);
        return NULL;
    }
    memcpy(line + length, "\n", 2);
    return line;
}

void json_print(const json_t *value, FILE *out) {
    json_dumpf(value, out, layout(JSON_DIGITS) | JSON_ENSURE_ASCII);
    fputc('\n', out);
}
