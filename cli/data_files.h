/* Data for training: one file or several, in memory or read row by row. */
#ifndef CLI_DATA_FILES_H
#define CLI_DATA_FILES_H

#include "program/program.h"

/* Opens the files as one matrix. With a limit of `memory` bytes, rows are read when they are needed if the
 * format allows it. `raw_columns` > 0: files without header. Returns an exit code. */
int data_files_open(char **paths, int count, int64_t memory, int64_t raw_columns, dltf_array **data);

#endif
