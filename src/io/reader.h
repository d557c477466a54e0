/* Readers on open descriptors, for tests and the fuzzer. */
#ifndef DL_IO_READER_H
#define DL_IO_READER_H

#include "base/status.h"

/* Like dltf_reader_open, for a stream that messages call `name`. dltf_reader_free closes the descriptor. */
dltf_status dl_reader_adopt(int descriptor, const char *name, int64_t raw_columns, dltf_reader **reader);

#endif
