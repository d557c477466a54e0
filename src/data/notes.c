/* Named lines of text, kept sorted. */
#include "data/notes.h"

#include "base/memory.h"

#include <string.h>

static char *copy_text(const char *text) {
    int64_t length = (int64_t)strlen(text);
    char *copy = dl_alloc(length + 1, 1);
    if (copy)
        memcpy(copy, text, (size_t)length);
    return copy;
}

/* The position of `name`, or where to insert it. */
static int place(const dl_notes *notes, const char *name) {
    int at = 0;
    while (at < notes->count && strcmp(notes->list[at].name, name) < 0)
        at++;
    return at;
}

static bool is_at(const dl_notes *notes, int at, const char *name) {
    return at < notes->count && strcmp(notes->list[at].name, name) == 0;
}

dltf_status dl_notes_set(dl_notes *notes, const char *name, const char *value) {
    int at = place(notes, name);
    char *new_value = copy_text(value);
    if (!new_value)
        return DLTF_MEMORY;
    if (is_at(notes, at, name)) {
        dl_free(notes->list[at].value);
        notes->list[at].value = new_value;
        return DLTF_OK;
    }
    char *new_name = copy_text(name);
    if (!new_name) {
        dl_free(new_value);
        return DLTF_MEMORY;
    }
    if (notes->count == notes->capacity) {
        dl_note *list = dl_grow(notes->list, notes->count, 2 * notes->capacity + 16, sizeof *list);
        if (!list) {
            dl_free(new_name);
            dl_free(new_value);
            return DLTF_MEMORY;
        }
        notes->list = list;
        notes->capacity = 2 * notes->capacity + 16;
    }
    memmove(notes->list + at + 1, notes->list + at, (size_t)(notes->count - at) * sizeof *notes->list);
    notes->list[at] = (dl_note){new_name, new_value};
    notes->count++;
    return DLTF_OK;
}

const char *dl_notes_get(const dl_notes *notes, const char *name) {
    int at = place(notes, name);
    return is_at(notes, at, name) ? notes->list[at].value : NULL;
}

void dl_notes_free(dl_notes *notes) {
    for (int i = 0; i < notes->count; i++) {
        dl_free(notes->list[i].name);
        dl_free(notes->list[i].value);
    }
    dl_free(notes->list);
    *notes = (dl_notes){0};
}
