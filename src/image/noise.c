/* Noise of images: adding it, and telling how much there is. */
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "image/image.h"
#include "image/patches.h"
#include "kernels/packed.h"

#include <math.h>
#include <stdlib.h>

/* Patches of the estimate, and how many of them are needed at least to tell noise from content. */
enum { SIDE = 8, ENTRIES = SIDE * SIDE, LEAST_PATCHES = 4 * ENTRIES, MOST_PATCHES = 1 << 18 };
static const double PI = 3.141592653589793;
static const int64_t FLAT_SHARE = 5; /* one in so many patches */
/* Median of a mean of 28 squares of standard normal numbers. */
static const double CHI_MEDIAN = 0.9764;

dltf_status dltf_image_add_noise(dltf_image *image, double sigma, int64_t seed) {
    dl_random random = {(uint64_t)seed, DL_STREAM_IMAGE};
    if (!(sigma >= 0 && sigma <= 1000))
        return dl_fail_option(DLTF_ARGUMENT, "sigma", "%g is outside 0 .. 1000", sigma);
    for (int64_t i = 0; i < image->channels * image->width * image->height; i++)
        image->planes[i] += (float)(sigma * dl_random_normal(random, (uint64_t)i));
    image->bits = 32;
    return DLTF_OK;
}

/* What a patch tells: energy of its slow cosines, mean square of its fast ones. */
typedef struct evidence {
    float slow, fast;
} evidence;

/* The orthonormal cosine transform of patches, a basis vector in each row. */
static void cosine_transform(float *T) {
    for (int64_t f = 0; f < ENTRIES; f++)
        for (int64_t i = 0; i < ENTRIES; i++) {
            int64_t v = f / SIDE, u = f % SIDE, y = i / SIDE, x = i % SIDE;
            double scale = (v ? 2.0 : 1.0) * (u ? 2.0 : 1.0) / ENTRIES;
            T[f * ENTRIES + i] = (float)(sqrt(scale) * cos(PI * (double)(v * (2 * y + 1)) / (2 * SIDE)) *
                                         cos(PI * (double)(u * (2 * x + 1)) / (2 * SIDE)));
        }
}

/* Pixels at an end of the scale were clipped: their noise is not all there. */
static bool is_clipped(dl_plane plane, int64_t offset) {
    for (int64_t y = 0; y < SIDE; y++)
        for (int64_t x = 0; x < SIDE; x++) {
            float value = plane.pixels[offset + y * plane.width + x];
            if (value == 0 || value == 255)
                return true;
        }
    return false;
}

static evidence judge(const float *coefficients) {
    double slow = 0, fast = 0;
    int64_t count = 0;
    for (int64_t f = 1; f < ENTRIES; f++) {
        double square = (double)coefficients[f] * (double)coefficients[f];
        if (f / SIDE + f % SIDE < SIDE)
            slow += square;
        else {
            fast += square;
            count++;
        }
    }
    return (evidence){(float)slow, (float)(fast / (double)count)};
}

static int by_slow(const void *a, const void *b) {
    float p = ((const evidence *)a)->slow, q = ((const evidence *)b)->slow;
    return (p > q) - (p < q);
}

static int by_fast(const void *a, const void *b) {
    float p = ((const evidence *)a)->fast, q = ((const evidence *)b)->fast;
    return (p > q) - (p < q);
}

/* Fills `found` from at most MOST_PATCHES patches of the plane; returns how many. */
static int64_t collect(dl_plane plane, const dl_packed *T, bool clipped_too, evidence *found) {
    dl_grid grid = dl_grid_of(plane, SIDE, 1);
    int64_t all = grid.rows * grid.columns, step = dl_tiles(all, MOST_PATCHES), count = 0;
    float x[ENTRIES], coefficients[ENTRIES];
    for (int64_t i = 0; i < all; i += step) {
        int64_t offset = dl_grid_offset(&grid, i / grid.columns, i % grid.columns);
        if (!clipped_too && is_clipped(plane, offset))
            continue;
        dl_patch_cut(plane, SIDE, offset, x);
        dl_kernels_now()->scores(T, 0, T->panels, x, ENTRIES, 1, coefficients, ENTRIES);
        found[count++] = judge(coefficients);
    }
    return count;
}

/* The cosines of Gaussian noise are independent: choosing patches with little in the slow ones says nothing
 * of the noise in the fast ones, only that there is no texture. The median of what these hold is the
 * variance. */
static dltf_status plane_noise(dl_plane plane, double *sigma) {
    dltf_status status = DLTF_OK;
    evidence *found = NULL;
    dl_packed T = {0};
    float *rows = NULL;
    DL_TRY_NEW(rows, ENTRIES * ENTRIES);
    DL_TRY_NEW(found, MOST_PATCHES);
    DL_TRY(dl_packed_alloc(&T, ENTRIES, ENTRIES));
    cosine_transform(rows);
    dl_packed_fill(&T, rows, NULL);
    int64_t count = collect(plane, &T, false, found);
    if (count < LEAST_PATCHES)
        count = collect(plane, &T, true, found);
    qsort(found, (size_t)count, sizeof *found, by_slow);
    int64_t flat = count / FLAT_SHARE;
    qsort(found, (size_t)flat, sizeof *found, by_fast);
    *sigma = sqrt((double)found[flat / 2].fast / CHI_MEDIAN);
done:
    dl_free(rows);
    dl_free(found);
    dl_packed_free(&T);
    return status;
}

dltf_status dltf_image_noise(const dltf_image *image, double *sigma) {
    dltf_status status = dl_image_check_finite(image);
    if (status != DLTF_OK)
        return status;
    if (image->width < SIDE || image->height < SIDE ||
        (image->width - SIDE + 1) * (image->height - SIDE + 1) < LEAST_PATCHES)
        return dl_fail_about(DLTF_DATA, DLTF_SUBJECT_IMAGE,
                             "%lld x %lld pixels are too few to estimate the noise from; give sigma",
                             (long long)image->width, (long long)image->height);
    double sum = 0;
    for (int64_t c = 0; c < image->channels && status == DLTF_OK; c++) {
        double now = 0;
        status = plane_noise((dl_plane){dl_image_plane(image, c), image->width, image->height}, &now);
        sum += now * now / (double)image->channels;
    }
    *sigma = sqrt(sum);
    return status;
}
