/* Which formats a kind of content can have, for messages and checks of file names. */
#ifndef DL_IO_CONTENT_H
#define DL_IO_CONTENT_H

#include "base/status.h"

/* Kinds of file content. */
typedef enum dl_content {
    DL_CONTENT_MATRIX,
    DL_CONTENT_IMAGE,
    DL_CONTENT_CODES,
    DL_CONTENT_MODEL,
    DL_CONTENT_INTEGERS,   /* labels, lists of neighbours; they are read as matrices */
    DL_CONTENT_NEIGHBOURS, /* written by dltf_neighbours_save */
} dl_content;

typedef enum dl_access {
    DL_READ,
    DL_WRITE,
    DL_WRITE_BYTES, /* a matrix of DLTF_U8: also formats that only hold bytes */
} dl_access;

/* The supported formats as a list for messages: ".png, .pgm, .ppm and .npy" for images, with the conjunction
 * "and". Valid until the thread's next call. */
const char *dl_format_list(dl_content content, dl_access access, const char *conjunction);

/* The extension of `path`, as a pointer into it, if it names a supported format; otherwise NULL. Case is
 * ignored. */
const char *dl_format_extension(dl_content content, dl_access access, const char *path);

#endif
