/* libhdf5, loaded when the first HDF5 file is opened: linking it would load thirty libraries at every start.
 */
#ifndef DL_IO_FORMATS_HDF5_LIBRARY_H
#define DL_IO_FORMATS_HDF5_LIBRARY_H

#include "base/status.h"

#define H5_USE_18_API /* functions that all later versions have */
#include <hdf5.h>

#define DL_HDF5_FUNCTIONS(F)                                                                                 \
    F(H5open)                                                                                                \
    F(H5Eget_auto2)                                                                                          \
    F(H5Eset_auto2)                                                                                          \
    F(H5Fopen)                                                                                               \
    F(H5Fclose)                                                                                              \
    F(H5Ovisit)                                                                                              \
    F(H5Pcreate)                                                                                             \
    F(H5Pset_chunk_cache)                                                                                    \
    F(H5Pget_external_count)                                                                                 \
    F(H5Pclose)                                                                                              \
    F(H5Dopen2)                                                                                              \
    F(H5Dclose)                                                                                              \
    F(H5Dget_space)                                                                                          \
    F(H5Dget_type)                                                                                           \
    F(H5Dget_create_plist)                                                                                   \
    F(H5Dget_storage_size)                                                                                   \
    F(H5Dread)                                                                                               \
    F(H5Screate_simple)                                                                                      \
    F(H5Sget_simple_extent_ndims)                                                                            \
    F(H5Sget_simple_extent_dims)                                                                             \
    F(H5Sselect_hyperslab)                                                                                   \
    F(H5Sclose)                                                                                              \
    F(H5Tget_class)                                                                                          \
    F(H5Tget_size)                                                                                           \
    F(H5Tget_sign)                                                                                           \
    F(H5Tclose)

/* Members have the names of the functions. */
typedef struct dl_hdf5 {
#define DL_HDF5_MEMBER(name) __typeof__(name) *name;
    DL_HDF5_FUNCTIONS(DL_HDF5_MEMBER)
#undef DL_HDF5_MEMBER
    hid_t *floats, *doubles, *bytes; /* types in memory */
    hid_t *dataset_access;           /* a class of properties */
} dl_hdf5;

/* libhdf5 serves one thread at a time: all calls are between these two. Within, it prints no errors. Enter
 * fails if the library is not there; then do not leave. */
dltf_status dl_hdf5_enter(const dl_hdf5 **library);
void dl_hdf5_leave(void);

#endif
