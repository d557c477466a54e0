/* Width and height of matrix rows as images. */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include <stdint.h>

typedef struct picture_shape {
    int64_t width, height;
} picture_shape;

/* `text` is WxH, or NULL if n must be a square. Prints errors; returns an exit code. */
int picture_find_shape(const char *text, int64_t n, picture_shape *shape);

#endif
