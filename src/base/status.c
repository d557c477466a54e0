/* The last failure's sentence, one per thread. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_SIZE = 1024 };

static _Thread_local char message[MESSAGE_SIZE];

const char *dltf_message(void) {
    return message;
}

const char *dltf_status_name(dltf_status status) {
    switch (status) {
    case DLTF_OK:
        return "ok";
    case DLTF_ARGUMENT:
        return "argument";
    case DLTF_DATA:
        return "data";
    case DLTF_FORMAT:
        return "format";
    case DLTF_FILE:
        return "file";
    case DLTF_MEMORY:
        return "memory";
    case DLTF_NUMERIC:
        return "numeric";
    case DLTF_CANCELLED:
        return "cancelled";
    }
    return "unknown";
}

dltf_status dl_fail(dltf_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return status;
}

dltf_status dl_fail_prefix(dltf_status status, const char *prefix) {
    char sentence[MESSAGE_SIZE];
    memcpy(sentence, message, sizeof sentence);
    /* An over-long path must not push the reason out: cap the prefix, keep the sentence. */
    snprintf(message, sizeof message, "%.500s: %.500s", prefix, sentence);
    return status;
}
