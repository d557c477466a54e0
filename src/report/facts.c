/* Facts as JSON and as text. */
#include "report/facts.h"

#include "base/shown.h"
#include "report/json.h"

#include <math.h>
#include <stdarg.h>

enum { TEXT_SIZE = 512, SHOWN_SIZE = 1 << 14 };

facts facts_new(void) {
    return (facts){json_object(), json_array()};
}

void facts_free(facts *f) {
    json_decref(f->object);
    json_decref(f->lines);
    *f = (facts){NULL, NULL};
}

static void add(facts *f, const char *key, json_t *value, const char *label, const char *text) {
    if (key)
        json_object_set_new(f->object, key, value);
    else
        json_decref(value);
    if (label) {
        json_array_append_new(f->lines, json_string(label));
        json_array_append_new(f->lines, json_string(text));
    }
}

void facts_text(facts *f, const char *key, const char *label, const char *text) {
    json_t *value = json_text(text);
    json_t *shown = json_incref(value);
    add(f, key, value, label, json_string_value(shown));
    json_decref(shown);
}

void facts_integer(facts *f, const char *key, const char *label, int64_t value) {
    char text[TEXT_SIZE];
    snprintf(text, sizeof text, "%lld", (long long)value);
    add(f, key, json_integer(value), label, text);
}

void facts_real(facts *f, const char *key, const char *label, double value) {
    char text[TEXT_SIZE];
    snprintf(text, sizeof text, "%.4g", value);
    if (!isfinite(value))
        snprintf(text, sizeof text, "undefined");
    add(f, key, json_number(value), label, text);
}

void facts_line(facts *f, const char *label, const char *format, ...) {
    char text[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    facts_text(f, NULL, label, text);
}

void facts_json(facts *f, const char *key, json_t *value) {
    add(f, key, value, NULL, NULL);
}

void facts_print(const facts *f, FILE *out) {
    int width = 0;
    for (size_t i = 0; i + 1 < json_array_size(f->lines); i += 2) {
        int length = (int)json_string_length(json_array_get(f->lines, i));
        width = length > width ? length : width;
    }
    for (size_t i = 0; i + 1 < json_array_size(f->lines); i += 2) {
        char shown[SHOWN_SIZE];
        dl_printable(json_string_value(json_array_get(f->lines, i + 1)), shown, sizeof shown);
        fprintf(out, "%-*s  %s\n", width, json_string_value(json_array_get(f->lines, i)), shown);
    }
}
