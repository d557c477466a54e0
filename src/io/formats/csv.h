/* Matrices as text: one line per row, numbers separated by comma, semicolon, tab or blanks. */
#ifndef DL_IO_FORMATS_CSV_H
#define DL_IO_FORMATS_CSV_H

#include "io/files/file.h"
#include "io/formats/integers.h"

dltf_status dl_csv_load(dl_file *file, dltf_array **array);
dltf_status dl_csv_write(dltf_matrix matrix, dl_writer *out);
dltf_status dl_csv_write_integers(const dl_integers *integers, dl_writer *out);

#endif
