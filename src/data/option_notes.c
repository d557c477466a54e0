/* Options as notes. */
#include "data/option_notes.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 64, VALUE_SIZE = 64 };

/* False for an option that is not stored, since it cannot change the result. */
static bool name_note(const dl_option *option, char name[NAME_SIZE]) {
    snprintf(name, NAME_SIZE, "option.%s", option->name);
    return strcmp(option->name, "threads") != 0 && strcmp(option->name, "memory") != 0;
}

dltf_status dl_option_notes_set(dl_notes *notes, dl_option_table table, const void *options) {
    char name[NAME_SIZE], value[VALUE_SIZE];
    dltf_status status = DLTF_OK;
    for (int i = 0; i < table.count && status == DLTF_OK; i++) {
        if (!name_note(&table.options[i], name))
            continue;
        dl_option_format(&table.options[i], options, value, sizeof value);
        status = dl_notes_set(notes, name, value);
    }
    return status;
}

dltf_status dl_notes_need(const dl_notes *notes, const char *name, const char **value) {
    *value = dl_notes_get(notes, name);
    return *value ? DLTF_OK : dl_fail(DLTF_FORMAT, "the checkpoint has no entry '%s'", name);
}

/* A value that cannot be set is the fault of the file. */
static dltf_status blame_note(dltf_status status, const char *name) {
    char text[256];
    if (status != DLTF_ARGUMENT)
        return status;
    snprintf(text, sizeof text, "%s", dltf_last_error().text);
    return dl_fail(DLTF_FORMAT, "metadata '%s': %s", name, text);
}

dltf_status dl_option_notes_get(const dl_notes *notes, dl_option_table table, void *options) {
    char name[NAME_SIZE];
    dltf_status status = DLTF_OK;
    for (int i = 0; i < table.count && status == DLTF_OK; i++) {
        const char *value = NULL;
        if (!name_note(&table.options[i], name))
            continue;
        status = dl_notes_need(notes, name, &value);
        if (status == DLTF_OK)
            status = blame_note(dl_option_set(table, options, table.options[i].name, value), name);
    }
    return status;
}
