/* GIST of images from any source. */
#ifndef DL_IMAGE_GIST_H
#define DL_IMAGE_GIST_H

#include "base/status.h"
#include "dltf/image.h"

/* Makes image `index`, with finite values. Several threads may call it at once. */
typedef dltf_status (*dl_image_source)(const void *source, int64_t index, dltf_image **image);

/* Fills out[i], DLTF_GIST_SIZE values, for images 0 .. count-1. Fails with the error of the first image that
 * could not be made. */
dltf_status dl_gist_run(dl_image_source make, const void *source, int64_t count,
                        const dltf_gist_options *options, dltf_progress_fn progress, void *context,
                        float *out);

#endif
