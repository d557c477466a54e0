/* Similarity of two images: PSNR and SSIM. */
#include "base/memory.h"
#include "image/image.h"

#include <math.h>

enum { RADIUS = 5, MOMENTS = 5 };
static const double DEVIATION = 1.5, PEAK = 255;

dltf_status dltf_image_psnr(const dltf_image *a, const dltf_image *b, double *psnr) {
    DL_REQUIRE(a, b, psnr);
    dltf_status status = dl_image_check_pair(a, b);
    int64_t count = a->channels * a->width * a->height;
    double sum = 0;
    if (status != DLTF_OK)
        return status;
    for (int64_t i = 0; i < count; i++) {
        double gap = (double)a->planes[i] - (double)b->planes[i];
        sum += gap * gap;
    }
    *psnr = 10 * log10(PEAK * PEAK * (double)count / sum);
    return DLTF_OK;
}

/* Fills in the weights of the window, which shrinks to fit small images, and returns its radius. */
static int64_t make_window(const dltf_image *image, double *weight) {
    int64_t side = image->width < image->height ? image->width : image->height, radius = (side - 1) / 2;
    double sum = 0;
    if (radius > RADIUS)
        radius = RADIUS;
    for (int64_t i = -radius; i <= radius; i++)
        sum += weight[i + radius] = exp(-(double)(i * i) / (2 * DEVIATION * DEVIATION));
    for (int64_t i = 0; i <= 2 * radius; i++)
        weight[i] /= sum;
    return radius;
}

/* Weighted sums of a, b, a^2, b^2 and ab over columns of 2 radius + 1 pixels that begin at line y. */
static void sum_columns(const float *a, const float *b, int64_t width, int64_t y, const double *weight,
                        int64_t radius, double *lines) {
    for (int64_t x = 0; x < width; x++) {
        double moment[MOMENTS] = {0};
        for (int64_t i = 0; i <= 2 * radius; i++) {
            double p = (double)a[(y + i) * width + x], q = (double)b[(y + i) * width + x];
            moment[0] += weight[i] * p;
            moment[1] += weight[i] * q;
            moment[2] += weight[i] * p * p;
            moment[3] += weight[i] * q * q;
            moment[4] += weight[i] * p * q;
        }
        for (int e = 0; e < MOMENTS; e++)
            lines[x * MOMENTS + e] = moment[e];
    }
}

static double similarity(const double *moment) {
    const double C1 = (0.01 * PEAK) * (0.01 * PEAK), C2 = (0.03 * PEAK) * (0.03 * PEAK);
    double p = moment[0], q = moment[1];
    double pp = moment[2] - p * p, qq = moment[3] - q * q, pq = moment[4] - p * q;
    return (2 * p * q + C1) * (2 * pq + C2) / ((p * p + q * q + C1) * (pp + qq + C2));
}

static double sum_line(const double *lines, int64_t count, const double *weight, int64_t radius) {
    double sum = 0;
    for (int64_t x = 0; x < count; x++) {
        double moment[MOMENTS] = {0};
        for (int64_t i = 0; i <= 2 * radius; i++)
            for (int e = 0; e < MOMENTS; e++)
                moment[e] += weight[i] * lines[(x + i) * MOMENTS + e];
        sum += similarity(moment);
    }
    return sum;
}

dltf_status dltf_image_ssim(const dltf_image *a, const dltf_image *b, double *ssim) {
    DL_REQUIRE(a, b, ssim);
    dltf_status status = dl_image_check_pair(a, b);
    double weight[2 * RADIUS + 1], sum = 0;
    if (status != DLTF_OK)
        return status;
    int64_t radius = make_window(a, weight), across = a->width - 2 * radius, down = a->height - 2 * radius;
    double *lines = DL_NEW(double, a->width *MOMENTS);
    if (!lines)
        return DLTF_MEMORY;
    for (int64_t c = 0; c < a->channels; c++)
        for (int64_t y = 0; y < down; y++) {
            sum_columns(dl_image_plane(a, c), dl_image_plane(b, c), a->width, y, weight, radius, lines);
            sum += sum_line(lines, across, weight, radius);
        }
    *ssim = sum / (double)(a->channels * across * down);
    dl_free(lines);
    return DLTF_OK;
}
