/* Images in memory. */
#include "image/image.h"

#include "base/memory.h"
#include "base/sized.h"

#include <math.h>

dltf_status dltf_image_new(int64_t width, int64_t height, int64_t channels, int bits, dltf_image **image) {
    DL_CLEAR(image);
    DL_REQUIRE(image);
    dltf_status status = DLTF_OK;
    dltf_image *made = NULL;
    int64_t pixels = 0, values = 0;
    if (width < 1 || height < 1)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_IMAGE,
                             "%lld x %lld pixels: width and height must be at least 1", (long long)width,
                             (long long)height);
    if (channels != 1 && channels != 3)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_IMAGE,
                             "%lld channels: must be 1 (gray) or 3 (colour)", (long long)channels);
    if (bits != 8 && bits != 16 && bits != 32)
        return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_IMAGE, "%d bits: must be 8, 16, or 32 (floats)",
                             bits);
    if (!dl_multiply(width, height, &pixels) || !dl_multiply(pixels, channels, &values))
        return dl_fail(DLTF_MEMORY, "not enough memory for an image of %lld x %lld pixels", (long long)width,
                       (long long)height);
    DL_TRY_NEW(made, 1);
    *made =
        (dltf_image){DL_HANDLE_IMAGE, .width = width, .height = height, .channels = channels, .bits = bits};
    DL_TRY_NEW(made->planes, values);
    *image = made;
    made = NULL;
done:
    dltf_image_free(made);
    return status;
}

void dltf_image_get_sized(const dltf_image *image, dltf_image_view *found, size_t size) {
    dltf_image_view view = {0};
    if (image)
        view = (dltf_image_view){image->width, image->height, image->channels, image->bits, image->planes};
    DL_WRITE_STRUCT(dltf_image_view, found, size, &view);
}

float *dltf_image_pixels(dltf_image *image) {
    return image ? image->planes : NULL;
}

void dltf_image_free(dltf_image *image) {
    if (image)
        dl_free(image->planes);
    dl_free(image);
}

dltf_status dl_image_check_pair(const dltf_image *a, const dltf_image *b) {
    if (a->width == b->width && a->height == b->height && a->channels == b->channels)
        return DLTF_OK;
    return dl_fail(DLTF_DATA,
                   "the images differ: %lld x %lld x %lld and %lld x %lld x %lld (width x height x channels)",
                   (long long)a->width, (long long)a->height, (long long)a->channels, (long long)b->width,
                   (long long)b->height, (long long)b->channels);
}

dltf_status dl_image_check_finite(const dltf_image *image) {
    int64_t pixels = image->width * image->height;
    for (int64_t i = 0; i < image->channels * pixels; i++)
        if (!isfinite(image->planes[i]))
            return dl_fail_about(DLTF_DATA, DLTF_SUBJECT_IMAGE, "row %lld, column %lld is %s",
                                 (long long)(i % pixels / image->width), (long long)(i % image->width),
                                 isnan(image->planes[i]) ? "NaN" : "infinite");
    return DLTF_OK;
}
