/* The file formats of the library, in one table for each content. Loaders, writers, messages, help and the
 * checks of the command line all follow from the rows of formats.c. */
#ifndef DL_IO_FORMATS_H
#define DL_IO_FORMATS_H

#include "io/file.h"
#include "io/writer.h"

enum { DL_MOST_EXTENSIONS = 8 };

/* Writes rows; more of them may follow in another call. The header of .npy alone says how many there are. */
typedef dltf_status (*dl_matrix_writer)(dltf_matrix rows, dl_writer *out);

typedef struct dl_format {
    const char *name; /* in lists of formats */
    const char *extensions[DL_MOST_EXTENSIONS];
    /* By the first bytes. NULL: there is nothing to see, the extension alone tells. */
    bool (*recognise)(const uint8_t *bytes, int64_t size);

    /* Matrices. The array takes the bytes of the file over where it can. An archive has load_member instead
     * of load; without a name it gives the only array it holds. No writer: such files are only read. */
    dltf_status (*load)(dl_file *file, dltf_array **array);
    dltf_status (*load_member)(dl_file *file, const char *name, dltf_array **array);
    dl_matrix_writer write;

    /* Images. */
    int64_t channels; /* of the images it can hold; 0: any */
    dltf_status (*load_image)(dl_file *file, dltf_image **image);
    dltf_status (*write_image)(const dltf_image *image, dl_writer *out);
} dl_format;

/* Which formats of a table are meant; NULL: all. */
typedef bool (*dl_format_filter)(const dl_format *format);

bool dl_format_recognises(const dl_format *format); /* has a way to be recognised */
bool dl_format_writes(const dl_format *format);
bool dl_format_holds_gray(const dl_format *format);
bool dl_format_holds_colour(const dl_format *format);

/* The format that these bytes begin like; NULL: none. */
const dl_format *dl_format_of_content(dltf_content content, const uint8_t *bytes, int64_t size);

/* The format with the longest extension that the path ends in; NULL: none. */
const dl_format *dl_format_of_path(dltf_content content, dl_format_filter filter, const char *path);

/* "a, b and c" with the conjunction "and". Valid until the thread's next call. */
const char *dl_format_names(dltf_content content, dl_format_filter filter, const char *conjunction);

#endif
