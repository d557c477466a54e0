/* Readers: on open descriptors, for tests and the fuzzer, and of parts of a file. */
#ifndef DL_IO_STREAMS_READER_H
#define DL_IO_STREAMS_READER_H

#include "base/status.h"
#include "dltf/encode.h"

/* Like dltf_reader_open, for a stream that messages call `name`. dltf_reader_free closes the descriptor. */
dltf_status dl_reader_adopt(int descriptor, const char *name, int64_t raw_columns, dltf_reader **reader);

/* Passes over the next `rows` rows, or those that are left, without reading them; not in a stream. */
dltf_status dl_reader_skip(dltf_reader *reader, int64_t rows);

#endif
