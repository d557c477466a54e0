/* What reading and writing PNG share: libpng's callbacks. libpng reports failure by longjmp; none of it
 * leaves png_read.c and png_write.c. */
#ifndef DL_IO_PNG_CALLBACKS_H
#define DL_IO_PNG_CALLBACKS_H

#include "base/status.h"

#include <png.h>

/* What libpng's callbacks point to; errors end up in `status`. */
typedef struct dl_png_state {
    dltf_status status;
    dltf_status kind;     /* of errors that libpng itself finds */
    const char *sentence; /* what they begin with */
} dl_png_state;

void dl_png_on_error(png_structp png, png_const_charp text);
void dl_png_on_warning(png_structp png, png_const_charp text);
png_voidp dl_png_on_allocate(png_structp png, png_alloc_size_t size);
void dl_png_on_free(png_structp png, png_voidp memory);

#endif
