/* Readers of open descriptors: what tests and the fuzzer need beyond dltf_reader_open. */
#ifndef DL_IO_READER_H
#define DL_IO_READER_H

#include "base/status.h"

/* As dltf_reader_open for a stream, which is called `name` in messages and closed by dltf_reader_free. */
dltf_status dl_reader_adopt(int descriptor, const char *name, int64_t raw_columns, dltf_reader **reader);

#endif
