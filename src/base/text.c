/* A growing buffer that remembers failure, so that callers check once at the end. */
#include "base/text.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool reserve(dl_text *text, int64_t more) {
    if (text->failed)
        return false;
    if (text->length + more + 1 <= text->capacity)
        return true;
    int64_t capacity = 2 * (text->length + more + 1) + 64;
    char *data = dl_grow(text->data, text->length, capacity, 1);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void dl_text_append_bytes(dl_text *text, const void *bytes, int64_t count) {
    if (!reserve(text, count))
        return;
    if (count > 0)
        memcpy(text->data + text->length, bytes, (size_t)count);
    text->length += count;
    text->data[text->length] = '\0';
}

void dl_text_append(dl_text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !reserve(text, length))
        return;
    va_start(arguments, format);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += length;
}

dltf_status dl_text_status(const dl_text *text) {
    return text->failed ? DLTF_MEMORY : DLTF_OK;
}

void dl_text_free(dl_text *text) {
    dl_free(text->data);
    *text = (dl_text){0};
}
