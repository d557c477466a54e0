/* Named lines of text: the provenance of models and checkpoints. */
#ifndef DL_DATA_NOTES_H
#define DL_DATA_NOTES_H

#include "base/status.h"

typedef struct dl_note {
    char *name, *value;
} dl_note;

typedef struct dl_notes {
    dl_note *list; /* sorted by name, so that files do not depend on the order of writing */
    int count, capacity;
} dl_notes;

/* Adds a line (copied) or replaces the one of that name. */
dltf_status dl_notes_set(dl_notes *notes, const char *name, const char *value);
/* NULL if not found. */
const char *dl_notes_get(const dl_notes *notes, const char *name);
void dl_notes_free(dl_notes *notes);

#endif
