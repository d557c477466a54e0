/* The last error of each thread. */
#include "base/status.h"
#include "base/shown.h"
#include "base/sized.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The name has its own buffer, so that an overlong path does not truncate the reason. */
enum { NAME_SIZE = 512, TEXT_SIZE = 1024 };

static _Thread_local struct {
    dltf_status status;
    dltf_subject subject;
    char name[NAME_SIZE], text[TEXT_SIZE], message[NAME_SIZE + 2 + TEXT_SIZE];
} last;

void dltf_last_error_sized(dltf_error *found, size_t size) {
    dltf_error error = {last.status, last.subject, last.name, last.text};
    DL_WRITE_STRUCT(dltf_error, found, size, &error);
}

const char *dltf_message(void) {
    return last.message;
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

static void store(dltf_status status, dltf_subject subject, const char *name, const char *format,
                  va_list arguments) {
    char text[TEXT_SIZE], shown[NAME_SIZE];
    last.status = status;
    last.subject = subject;
    snprintf(last.name, sizeof last.name, "%s", name);
    vsnprintf(text, sizeof text, format, arguments);
    dl_printable(text, last.text, sizeof last.text);
    dl_printable(last.name, shown, sizeof shown);
    snprintf(last.message, sizeof last.message, "%s%s%s", shown, *shown ? ": " : "", last.text);
}

dltf_status dl_fail(dltf_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    store(status, DLTF_SUBJECT_NONE, "", format, arguments);
    va_end(arguments);
    return status;
}

dltf_status dl_fail_null(const char *names, size_t index) {
    for (; index > 0; index--)
        names += strcspn(names, ",") + 2;
    return dl_fail(DLTF_ARGUMENT, "argument '%.*s' must not be NULL", (int)strcspn(names, ","), names);
}

dltf_status dl_fail_about(dltf_status status, dltf_subject subject, const char *format, ...) {
    static const char *const names[DLTF_SUBJECT_COUNT] = {
        [DLTF_SUBJECT_NONE] = "",
        [DLTF_SUBJECT_OPTION] = "option",
        [DLTF_SUBJECT_FILE] = "file",
        [DLTF_SUBJECT_DATA] = "data",
        [DLTF_SUBJECT_MODEL] = "model",
        [DLTF_SUBJECT_CODES] = "codes",
        [DLTF_SUBJECT_CANDIDATES] = "candidates",
        [DLTF_SUBJECT_TRUE_CODES] = "true codes",
        [DLTF_SUBJECT_DICTIONARY] = "dictionary",
        [DLTF_SUBJECT_TRUE_DICTIONARY] = "true dictionary",
        [DLTF_SUBJECT_IMAGE] = "image",
        [DLTF_SUBJECT_TILES] = "tiles",
        [DLTF_SUBJECT_LABELS] = "labels",
        [DLTF_SUBJECT_DATABASE] = "database",
        [DLTF_SUBJECT_QUERIES] = "queries",
        [DLTF_SUBJECT_CENTERS] = "centers",
    };
    va_list arguments;
    va_start(arguments, format);
    store(status, subject, names[subject], format, arguments);
    va_end(arguments);
    return status;
}

dltf_status dl_fail_option(dltf_status status, const char *name, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    store(status, DLTF_SUBJECT_OPTION, name, format, arguments);
    va_end(arguments);
    return status;
}

static void store_file(dltf_status status, const char *file, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    store(status, DLTF_SUBJECT_FILE, file, format, arguments);
    va_end(arguments);
}

dltf_status dl_fail_prefix(dltf_status status, const char *file) {
    bool inner = last.subject == DLTF_SUBJECT_OPTION || last.subject == DLTF_SUBJECT_FILE;
    char text[sizeof last.message];
    memcpy(text, inner ? last.message : last.text, inner ? sizeof last.message : sizeof last.text);
    store_file(status, file, "%s", text);
    return status;
}
