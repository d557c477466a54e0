/* Images: planes of floats on the scale 0 .. 255. */
#ifndef DL_IMAGE_IMAGE_H
#define DL_IMAGE_IMAGE_H

#include "base/handle.h"
#include "dltf/image.h"

struct dltf_image {
    dl_handle handle;
    int64_t width, height, channels;
    int bits;
    float *planes; /* channels x height x width */
    bool alpha;    /* the file had an alpha channel, all opaque */
    bool jpeg;     /* the file was a JPEG */
};

/* Plane `channel`. */
static inline float *dl_image_plane(const dltf_image *image, int64_t channel) {
    return image->planes + channel * image->height * image->width;
}

/* Fails if the images differ in size or number of channels. */
dltf_status dl_image_check_pair(const dltf_image *a, const dltf_image *b);

/* Fails if a value is NaN or infinite; the message gives the position of the first. */
dltf_status dl_image_check_finite(const dltf_image *image);

#endif
