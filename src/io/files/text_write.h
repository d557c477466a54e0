/* Text files. */
#ifndef DL_IO_FILES_TEXT_WRITE_H
#define DL_IO_FILES_TEXT_WRITE_H

#include "base/status.h"

/* Writes text like dltf_matrix_save: reports, tables, histories. */
dltf_status dl_text_save(const char *text, const char *path);

#endif
