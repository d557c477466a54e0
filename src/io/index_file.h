/* Index files: a database of binary codes with its tables, laid out to be mapped (docs/formats.md). */
#ifndef DL_IO_INDEX_FILE_H
#define DL_IO_INDEX_FILE_H

#include "dltf/search.h"
#include "io/files/file.h"

bool dl_index_recognise(const uint8_t *bytes, int64_t size);

/* The index points into the bytes, which must be aligned to 4, and takes ownership of them unless they are
 * borrowed. Checks the header and the size. Entries of tables are not read before a search uses them. */
dltf_status dl_index_parse(dl_file *file, dltf_index **index);

/* A matrix of bytes, of any format, as an index without tables. */
dltf_status dl_index_load_matrix(dl_file *file, const char *path, dltf_index **index);

#endif
