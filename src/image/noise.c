/* Adds noise to images, and estimates it. */
#include "base/memory.h"
#include "base/options.h"
#include "base/parallel.h"
#include "base/random.h"
#include "image/image.h"
#include "image/patches.h"
#include "kernels/packed.h"

#include <math.h>
#include <stdlib.h>

/* Patches of the estimate. Fewer than MIN_PATCHES cannot separate noise from content. */
enum { SIDE = 8, ENTRIES = SIDE * SIDE, MIN_PATCHES = 4 * ENTRIES, MAX_PATCHES = 1 << 18 };
static const double PI = 3.141592653589793;
static const int64_t FLAT_SHARE = 5; /* one patch in five counts as flat */
/* Median of the mean of 28 squared standard normal numbers. */
static const double CHI_MEDIAN = 0.9764;

dltf_status dltf_image_add_noise(dltf_image *image, double sigma, int64_t seed) {
    DL_REQUIRE(image);
    dl_random random = {(uint64_t)seed, DL_STREAM_IMAGE};
    if (!(sigma >= 0 && sigma <= 1000))
        return dl_fail_option(DLTF_ARGUMENT, "sigma", "%g is outside 0 .. 1000", sigma);
    if (dl_seed_check(seed) != DLTF_OK)
        return DLTF_ARGUMENT;
    for (int64_t i = 0; i < image->channels * image->width * image->height; i++)
        image->planes[i] += (float)(sigma * dl_random_normal(random, (uint64_t)i));
    image->bits = 32;
    return DLTF_OK;
}

/* Energy of the low frequencies of a patch, mean square of its high frequencies. */
typedef struct spectrum {
    float low, high;
} spectrum;

/* The orthonormal cosine transform of patches, one basis vector per row. */
static void cosine_transform(float *T) {
    for (int64_t f = 0; f < ENTRIES; f++)
        for (int64_t i = 0; i < ENTRIES; i++) {
            int64_t v = f / SIDE, u = f % SIDE, y = i / SIDE, x = i % SIDE;
            double scale = (v ? 2.0 : 1.0) * (u ? 2.0 : 1.0) / ENTRIES;
            T[f * ENTRIES + i] = (float)(sqrt(scale) * cos(PI * (double)(v * (2 * y + 1)) / (2 * SIDE)) *
                                         cos(PI * (double)(u * (2 * x + 1)) / (2 * SIDE)));
        }
}

/* Clipped pixels, at either end of the scale, have lost part of their noise. */
static bool is_clipped(dl_plane plane, int64_t offset) {
    for (int64_t y = 0; y < SIDE; y++)
        for (int64_t x = 0; x < SIDE; x++) {
            float value = plane.pixels[offset + y * plane.width + x];
            if (value == 0 || value == 255)
                return true;
        }
    return false;
}

static spectrum measure(const float *coefficients) {
    double low = 0, high = 0;
    int64_t count = 0;
    for (int64_t f = 1; f < ENTRIES; f++) {
        double square = (double)coefficients[f] * (double)coefficients[f];
        if (f / SIDE + f % SIDE < SIDE)
            low += square;
        else {
            high += square;
            count++;
        }
    }
    return (spectrum){(float)low, (float)(high / (double)count)};
}

static int by_low(const void *a, const void *b) {
    float p = ((const spectrum *)a)->low, q = ((const spectrum *)b)->low;
    return (p > q) - (p < q);
}

static int by_high(const void *a, const void *b) {
    float p = ((const spectrum *)a)->high, q = ((const spectrum *)b)->high;
    return (p > q) - (p < q);
}

/* Fills `found` from at most MAX_PATCHES patches of the plane and returns their number. */
static int64_t collect(dl_plane plane, const dl_packed *T, bool with_clipped, spectrum *found) {
    dl_grid grid = dl_grid_of(plane, SIDE, 1);
    int64_t all = grid.rows * grid.columns, step = dl_tiles(all, MAX_PATCHES), count = 0;
    float x[ENTRIES], coefficients[ENTRIES];
    for (int64_t i = 0; i < all; i += step) {
        int64_t offset = dl_grid_offset(&grid, i / grid.columns, i % grid.columns);
        if (!with_clipped && is_clipped(plane, offset))
            continue;
        dl_patch_cut(plane, SIDE, offset, x);
        dl_kernels_now()->scores(T, 0, T->panels, x, ENTRIES, 1, coefficients, ENTRIES);
        found[count++] = measure(coefficients);
    }
    return count;
}

/* The cosine coefficients of Gaussian noise are independent: choosing patches with little energy in the low
 * frequencies excludes texture, but does not bias the noise in the high frequencies. The median of their mean
 * squares gives the variance. */
static dltf_status plane_noise(dl_plane plane, double *sigma) {
    dltf_status status = DLTF_OK;
    spectrum *found = NULL;
    dl_packed T = {0};
    float *rows = NULL;
    DL_TRY_NEW(rows, ENTRIES * ENTRIES);
    DL_TRY_NEW(found, MAX_PATCHES);
    DL_TRY(dl_packed_alloc(&T, ENTRIES, ENTRIES));
    cosine_transform(rows);
    dl_packed_fill(&T, rows, NULL);
    int64_t count = collect(plane, &T, false, found);
    if (count < MIN_PATCHES)
        count = collect(plane, &T, true, found);
    qsort(found, (size_t)count, sizeof *found, by_low);
    int64_t flat = count / FLAT_SHARE;
    qsort(found, (size_t)flat, sizeof *found, by_high);
    *sigma = sqrt((double)found[flat / 2].high / CHI_MEDIAN);
done:
    dl_free(rows);
    dl_free(found);
    dl_packed_free(&T);
    return status;
}

dltf_status dltf_image_noise(const dltf_image *image, double *sigma) {
    DL_REQUIRE(image, sigma);
    dltf_status status = dl_image_check_finite(image);
    if (status != DLTF_OK)
        return status;
    if (image->width < SIDE || image->height < SIDE ||
        (image->width - SIDE + 1) * (image->height - SIDE + 1) < MIN_PATCHES)
        return dl_fail_about(DLTF_DATA, DLTF_SUBJECT_IMAGE,
                             "%lld x %lld pixels are too few to estimate the noise: set sigma",
                             (long long)image->width, (long long)image->height);
    double sum = 0;
    for (int64_t c = 0; c < image->channels && status == DLTF_OK; c++) {
        double now = 0;
        status = plane_noise((dl_plane){dl_image_plane(image, c), image->width, image->height}, &now);
        sum += now * now / (double)image->channels;
    }
    *sigma = sqrt(sum);
    if (status == DLTF_OK && !isfinite(*sigma))
        status =
            dl_fail_about(DLTF_NUMERIC, DLTF_SUBJECT_IMAGE,
                          "the squares of its pixels overflow single precision: rescale them to 0 .. 255");
    return status;
}
