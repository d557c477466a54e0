/* The file formats of the library, one table per kind of content. Loaders, writers, messages, help and the
 * checks of the command line are all driven by the rows in formats.c. */
#ifndef DL_IO_FORMATS_H
#define DL_IO_FORMATS_H

#include "dltf/image.h"
#include "dltf/search.h"
#include "io/content.h"
#include "io/files/file.h"
#include "io/formats/integers.h"
#include "io/formats/row_file.h"

enum { DL_MAX_EXTENSIONS = 8 };

/* Writes rows; further calls may append more. Only .npy has a header that holds the number of rows. */
typedef dltf_status (*dl_matrix_writer)(dltf_matrix rows, dl_writer *out);

typedef struct dl_format {
    const char *name; /* shown in lists of formats */
    const char *extensions[DL_MAX_EXTENSIONS];
    /* By the first bytes. NULL if the content has no signature: only the extension identifies it. */
    bool (*recognise)(const uint8_t *bytes, int64_t size);

    /* Matrices. The array takes ownership of the file's bytes where it can. An archive has load_member
     * instead of load; a NULL name loads its only array. Formats without `write` are read-only. */
    dltf_status (*load)(dl_file *file, dltf_array **array);
    dltf_status (*load_member)(dl_file *file, const char *name, dltf_array **array);
    bool text;                 /* has columns with names, and may have gaps */
    dl_row_describer describe; /* NULL: rows cannot be read one by one */
    dl_matrix_writer write;
    bool bytes_only; /* `write` takes only DLTF_U8 */
    /* Labels that the file has besides the matrix; NULL if none. */
    dltf_status (*load_labels)(dl_file *file, dltf_array **array);

    /* Integers. */
    dltf_status (*write_integers)(const dl_integers *integers, dl_writer *out);

    /* Images. */
    int64_t channels; /* supported by the format; 0: any */
    dltf_status (*load_image)(dl_file *file, dltf_image **image);
    dltf_status (*write_image)(const dltf_image *image, dl_writer *out);

    /* Neighbours, which are only written. */
    dltf_status (*write_neighbours)(dltf_neighbours_view neighbours, dl_writer *out);
} dl_format;

/* Selects formats of a table; NULL: all. */
typedef bool (*dl_format_filter)(const dl_format *format);

bool dl_format_recognises(const dl_format *format);   /* has a signature */
bool dl_format_writes(const dl_format *format);       /* any matrix */
bool dl_format_writes_bytes(const dl_format *format); /* matrices of DLTF_U8 */
bool dl_format_writes_gray(const dl_format *format);
bool dl_format_writes_colour(const dl_format *format);
/* No matrix has this extension: a file of this name is meant to be an image. */
bool dl_format_is_only_image(const dl_format *format);

/* The format whose signature the bytes begin with; NULL if none. */
const dl_format *dl_format_of_content(dl_content content, const uint8_t *bytes, int64_t size);

/* The format with the longest extension that the path ends in; NULL if none. */
const dl_format *dl_format_of_path(dl_content content, dl_format_filter filter, const char *path);

/* What follows the last ".npz:" or the like in a path; NULL if there is none. */
const char *dl_format_member(const char *path);

/* "a, b and c" with the conjunction "and". Valid until the thread's next call. */
const char *dl_format_names(dl_content content, dl_format_filter filter, const char *conjunction);

#endif
