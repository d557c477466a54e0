/* Readers: on open descriptors, for tests and the fuzzer, and of parts of a file. */
#ifndef DL_IO_STREAMS_READER_H
#define DL_IO_STREAMS_READER_H

#include "base/status.h"
#include "data/reading.h"
#include "dltf/encode.h"

/* dltf_reader_open, read as `reading` says; NULL: by default. */
dltf_status dl_reader_open(const char *path, int64_t raw_columns, const dl_reading *reading,
                           dltf_reader **reader);

/* A sentence for people on how the file is read; "" if there is nothing special. */
const char *dl_reader_remark(const dltf_reader *reader);

/* Like dltf_reader_open, for a stream that messages call `name`. dltf_reader_free closes the descriptor. */
dltf_status dl_reader_adopt(int descriptor, const char *name, int64_t raw_columns, const dl_reading *reading,
                            dltf_reader **reader);

/* Passes over the next `rows` rows, or those that are left, without reading them; not in a stream. */
dltf_status dl_reader_skip(dltf_reader *reader, int64_t rows);

#endif
