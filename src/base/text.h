/* Growing text, for headers and file content built piece by piece. */
#ifndef DL_BASE_TEXT_H
#define DL_BASE_TEXT_H

#include "base/status.h"

typedef struct dl_text {
    char *data; /* always terminated once anything was appended */
    int64_t length, capacity;
    bool failed; /* an allocation failed; further appends do nothing */
} dl_text;

void dl_text_append(dl_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void dl_text_append_bytes(dl_text *text, const void *bytes, int64_t count);
/* DLTF_MEMORY if any append failed. */
dltf_status dl_text_status(const dl_text *text);
void dl_text_free(dl_text *text);

#endif
