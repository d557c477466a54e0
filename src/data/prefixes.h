/* The prefixes of a nested dictionary, as a note of its model: their sizes, ascending, with spaces between.
 */
#ifndef DL_DATA_PREFIXES_H
#define DL_DATA_PREFIXES_H

#include "data/notes.h"

#define DL_NOTE_PREFIXES "nested.prefixes"

/* `sizes` ascend. */
dltf_status dl_prefixes_note(const int64_t *sizes, int64_t count, dl_notes *notes);

#endif
