/* A dataset of an open HDF5 file. All functions are called between dl_hdf5_enter and dl_hdf5_leave. */
#ifndef DL_IO_FORMATS_HDF5_DATASET_H
#define DL_IO_FORMATS_HDF5_DATASET_H

#include "io/formats/elements.h"
#include "io/formats/hdf5_library.h"

typedef struct dl_hdf5_dataset {
    hid_t file, set;
    dl_elements elements; /* type and shape; no data */
} dl_hdf5_dataset;

/* Opens the dataset that `name` asks for; see dl_hdf5_load. Close it, also after a failure. */
dltf_status dl_hdf5_dataset_open(const dl_hdf5 *h, const char *path, const char *name, dl_hdf5_dataset *d);
void dl_hdf5_dataset_close(const dl_hdf5 *h, dl_hdf5_dataset *d);

#endif
