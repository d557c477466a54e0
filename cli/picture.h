/* Rows of a matrix as pictures: which width and height they have. */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include <stdint.h>

typedef struct picture_shape {
    int64_t width, height;
} picture_shape;

/* `text` is WxH, or NULL: then n must be a square. Returns an exit code; what is wrong was printed. */
int picture_find_shape(const char *text, int64_t n, picture_shape *shape);

#endif
