/* Noise of images and its estimate, PSNR and SSIM against plain loops. */
#include "test_image.h"

/* ---- noise and quality ---- */

static void noise_has_its_deviation_and_its_seed(void **state) {
    (void)state;
    dltf_image *image = NULL, *again = NULL;
    assert_int_equal(dltf_image_new(200, 150, 1, 8, &image), DLTF_OK);
    assert_int_equal(dltf_image_new(200, 150, 1, 8, &again), DLTF_OK);
    assert_int_equal(dltf_image_add_noise(image, 12, 5), DLTF_OK);
    assert_int_equal(dltf_image_add_noise(again, 12, 5), DLTF_OK);
    assert_memory_equal(image->planes, again->planes, 200 * 150 * sizeof(float));
    double sum = 0, square = 0, sigma = 0;
    for (int i = 0; i < 200 * 150; i++) {
        sum += (double)image->planes[i] / (200 * 150);
        square += (double)image->planes[i] * (double)image->planes[i] / (200 * 150);
    }
    assert_near(sum, 0, 0.3);
    assert_near(sqrt(square), 12, 0.3);
    assert_int_equal(image->bits, 32);
    /* The estimator finds it, in pure noise and in an image. */
    assert_int_equal(dltf_image_noise(image, &sigma), DLTF_OK);
    assert_near(sigma, 12, 0.4);
    dltf_image *content = make_image(200, 150, 3);
    assert_int_equal(dltf_image_add_noise(content, 12, 1), DLTF_OK);
    assert_int_equal(dltf_image_noise(content, &sigma), DLTF_OK);
    assert_near(sigma, 12, 0.6);
    assert_fails(dltf_image_add_noise(image, -1, 0), DLTF_ARGUMENT, "sigma: -1 is outside");
    assert_fails(dltf_image_add_noise(image, NAN, 0), DLTF_ARGUMENT, "outside");
    dltf_image_free(content);
    dltf_image_free(image);
    dltf_image_free(again);
}

/* The definition, window by window. */
static double plain_ssim(const dltf_image *a, const dltf_image *b, int64_t radius) {
    double total = 0, weight_sum = 0, count = 0;
    for (int64_t i = -radius; i <= radius; i++)
        for (int64_t j = -radius; j <= radius; j++)
            weight_sum += exp(-(double)(i * i + j * j) / 4.5);
    for (int64_t c = 0; c < a->channels; c++)
        for (int64_t y = radius; y + radius < a->height; y++)
            for (int64_t x = radius; x + radius < a->width; x++) {
                double p = 0, q = 0, pp = 0, qq = 0, pq = 0;
                for (int64_t i = -radius; i <= radius; i++)
                    for (int64_t j = -radius; j <= radius; j++) {
                        double w = exp(-(double)(i * i + j * j) / 4.5) / weight_sum;
                        double u = (double)dl_image_plane(a, c)[(y + i) * a->width + x + j];
                        double v = (double)dl_image_plane(b, c)[(y + i) * a->width + x + j];
                        p += w * u;
                        q += w * v;
                        pp += w * u * u;
                        qq += w * v * v;
                        pq += w * u * v;
                    }
                total += (2 * p * q + 6.5025) * (2 * (pq - p * q) + 58.5225) /
                         ((p * p + q * q + 6.5025) * (pp - p * p + qq - q * q + 58.5225));
                count++;
            }
    return total / count;
}

static void psnr_and_ssim_are_what_they_say(void **state) {
    (void)state;
    static const int64_t sizes[][3] = {{25, 18, 5}, {11, 30, 5}, {6, 9, 2}, {1, 4, 0}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        dltf_image *a = make_image(sizes[s][0], sizes[s][1], 3), *b = make_noisy(a, 25);
        double ssim = 0, sum = 0;
        int64_t count = 3 * sizes[s][0] * sizes[s][1];
        for (int64_t i = 0; i < count; i++)
            sum += pow((double)a->planes[i] - (double)b->planes[i], 2) / (double)count;
        assert_near(psnr(a, b), 10 * log10(255 * 255 / sum), 1e-9);
        assert_int_equal(dltf_image_ssim(a, b, &ssim), DLTF_OK);
        assert_near(ssim, plain_ssim(a, b, sizes[s][2]), 1e-9);
        assert_int_equal(dltf_image_ssim(a, a, &ssim), DLTF_OK);
        assert_near(ssim, 1, 1e-9);
        assert_true(psnr(a, a) == (double)INFINITY);
        dltf_image_free(a);
        dltf_image_free(b);
    }
    dltf_image *a = make_image(5, 4, 1), *b = make_image(4, 5, 1);
    double value = 0;
    assert_fails(dltf_image_psnr(a, b, &value), DLTF_DATA, "the images differ: 5 x 4 x");
    assert_fails(dltf_image_ssim(a, b, &value), DLTF_DATA, "the images differ");
    dltf_image_free(a);
    dltf_image_free(b);
}

TESTS_MAIN(cmocka_unit_test(noise_has_its_deviation_and_its_seed),
           cmocka_unit_test(psnr_and_ssim_are_what_they_say))
