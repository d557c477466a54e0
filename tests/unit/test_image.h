/* Shared by the tests of images: an image with edges, a noisy copy, and the PSNR. */
#ifndef TEST_IMAGE_H
#define TEST_IMAGE_H

#include "test_size.h"
#include "test_util.h"

#include "image/image.h"

/* Edges, a gradient and a texture. */
static inline dltf_image *make_image(int64_t width, int64_t height, int64_t channels) {
    dltf_image *image = NULL;
    assert_int_equal(dltf_image_new(width, height, channels, 8, &image), DLTF_OK);
    for (int64_t c = 0; c < channels; c++)
        for (int64_t i = 0; i < width * height; i++) {
            int64_t x = i % width, y = i / width;
            double value = 60 + (double)(40 * c) + 0.5 * (double)x;
            value += x + y > width ? 60 : 0;
            value += y > height / 2 ? 20 * sin(0.8 * (double)x) : 0;
            dl_image_plane(image, c)[i] = (float)value;
        }
    return image;
}

static inline dltf_image *make_noisy(const dltf_image *clean, double sigma) {
    dltf_image *noisy = NULL;
    assert_int_equal(dltf_image_new(clean->width, clean->height, clean->channels, 8, &noisy), DLTF_OK);
    memcpy(noisy->planes, clean->planes,
           (size_t)(clean->channels * clean->width * clean->height) * sizeof(float));
    assert_int_equal(dltf_image_add_noise(noisy, sigma, 7), DLTF_OK);
    return noisy;
}

static inline double psnr(const dltf_image *a, const dltf_image *b) {
    double value = 0;
    assert_int_equal(dltf_image_psnr(a, b, &value), DLTF_OK);
    return value;
}

#endif
