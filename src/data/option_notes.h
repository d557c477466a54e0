/* Options as notes "option.NAME" of a bundle. The number of threads, which cannot change a result, is left
 * out. */
#ifndef DL_DATA_OPTION_NOTES_H
#define DL_DATA_OPTION_NOTES_H

#include "base/options.h"
#include "data/notes.h"

dltf_status dl_option_notes_set(dl_notes *notes, dl_option_table table, const void *options);

/* Fails if one is missing or out of range. */
dltf_status dl_option_notes_get(const dl_notes *notes, dl_option_table table, void *options);

/* The note of that name; fails if there is none. */
dltf_status dl_notes_need(const dl_notes *notes, const char *name, const char **value);

#endif
