/* Datasets of HDF5 files, read by libhdf5 if the build found it. */
#ifndef DL_IO_FORMATS_HDF5_H
#define DL_IO_FORMATS_HDF5_H

#include "io/formats/row_file.h"

/* The first bytes of a file. */
bool dl_hdf5_recognise(const uint8_t *bytes, int64_t size);

/* The dataset `name`, in memory; NULL: the only one of floats or, if there is none of floats, the only one of
 * numbers. The file must have a path. */
dltf_status dl_hdf5_load(dl_file *file, const char *name, dltf_array **array);

/* Sets `open` of the layout. */
dltf_status dl_hdf5_describe(const dl_file *start, int64_t size, dl_row_layout *layout);

/* What reads HDF5: the name of a library, or NULL for a build without. */
const char *dl_hdf5_library(void);

#endif
