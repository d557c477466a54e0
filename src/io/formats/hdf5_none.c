/* HDF5 in a build that did not find libhdf5. */
#include "io/formats/hdf5.h"

static dltf_status refuse(void) {
    return dl_fail(DLTF_FORMAT, "is an HDF5 file, which this build cannot read: build dltf where libhdf5 is "
                                "installed (Debian: libhdf5-dev), or convert the file to .npy");
}

dltf_status dl_hdf5_load(dl_file *file, const char *name, dltf_array **array) {
    (void)file, (void)name, (void)array;
    return refuse();
}

dltf_status dl_hdf5_describe(const dl_file *start, int64_t size, dl_row_layout *layout) {
    (void)start, (void)size, (void)layout;
    return refuse();
}

const char *dl_hdf5_library(void) {
    return NULL;
}
