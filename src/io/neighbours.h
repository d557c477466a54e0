/* Neighbours in files (docs/formats.md). */
#ifndef DL_IO_NEIGHBOURS_H
#define DL_IO_NEIGHBOURS_H

#include "dltf/search.h"
#include "io/files/writer.h"

/* Rows of k neighbours: queries x k, int32 or, for databases of 2^31 rows and more, int64. */
dltf_status dl_neighbours_write_npy(dltf_neighbours_view neighbours, dl_writer *out);

/* The same as .ivecs; fails for rows of 2^31 and above. */
dltf_status dl_neighbours_write_ivecs(dltf_neighbours_view neighbours, dl_writer *out);

/* SciPy's sparse .npz: queries x rows of the database, the entries are distances. */
dltf_status dl_neighbours_write_npz(dltf_neighbours_view neighbours, dl_writer *out);

/* Distances of k neighbours as .npy. */
dltf_status dl_neighbours_save_distances(const dltf_neighbours *neighbours, const char *path);

#endif
