/* libpng's callbacks, shared by reading and writing. libpng reports failure by longjmp, which never leaves
 * png_read.c and png_write.c. */
#ifndef DL_IO_FORMATS_PNG_CALLBACKS_H
#define DL_IO_FORMATS_PNG_CALLBACKS_H

#include "base/status.h"

#include <png.h>

/* The context of the callbacks; errors are stored in `status`. */
typedef struct dl_png_state {
    dltf_status status;
    dltf_status kind;   /* status of errors found by libpng itself */
    const char *prefix; /* of their messages */
} dl_png_state;

void dl_png_on_error(png_structp png, png_const_charp text);
void dl_png_on_warning(png_structp png, png_const_charp text);
png_voidp dl_png_on_allocate(png_structp png, png_alloc_size_t size);
void dl_png_on_free(png_structp png, png_voidp memory);

#endif
