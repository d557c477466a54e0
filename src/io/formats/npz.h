/* .npz: a zip archive of .npy files. */
#ifndef DL_IO_FORMATS_NPZ_H
#define DL_IO_FORMATS_NPZ_H

#include "io/formats/elements.h"
#include "io/formats/zip.h"

/* Whether an archive holds the arrays of a sparse matrix, as dltf encode and SciPy write it. */
bool dl_npz_holds_codes(const dl_zip *zip);

/* An array of the archive, by its name without ".npy". `content` owns the elements; close it after use. The
 * unpacked size of the member is checked against its .npy header before allocating. */
dltf_status dl_npz_get(const dl_zip *zip, const char *name, dl_elements *elements, dl_file *content);

/* The array `name` as a matrix; NULL: the only array of the archive, or the sparse matrix that its arrays
 * make up. */
dltf_status dl_npz_load(dl_file *file, const char *name, dltf_array **array);

#endif
