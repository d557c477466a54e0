/* dltf/image.h: images: files, noise, quality, denoising, GIST descriptors, pictures of atoms. */
#ifndef DLTF_IMAGE_H
#define DLTF_IMAGE_H

#include "dltf/data.h"
#include "dltf/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Images ------------------------------------------------------------------------------------ */

/* Planes of floats on the scale 0 (black) .. 255 (white), whatever the depth of the file: 16-bit values are
 * divided by 257, which round-trips exactly. */
typedef struct dltf_image dltf_image;

typedef struct dltf_image_view {
    int64_t width, height, channels; /* 1: gray, 3: red, green, blue */
    int bits;                        /* depth in a file: 8, 16, or 32 for floats */
    const float *planes;             /* channels x height x width */
} dltf_image_view;

/* A black image. */
DLTF_API dltf_status dltf_image_new(int64_t width, int64_t height, int64_t channels, int bits,
                                    dltf_image **image);
/* PNG, PGM, PPM, JPEG, and .npy arrays of height x width (x 3), whose values are not rescaled. Transparent
 * pixels are rejected. */
DLTF_API dltf_status dltf_image_load(const char *path, dltf_image **image);
/* .png, .pgm, .ppm: rounded and clipped, 16 bits if the image has 16, otherwise 8. .npy: the floats. */
DLTF_API dltf_status dltf_image_save(const dltf_image *image, const char *path);
DLTF_API void dltf_image_get_sized(const dltf_image *image, dltf_image_view *found, size_t size);
static inline dltf_image_view dltf_image_get(const dltf_image *image) {
    dltf_image_view found;
    dltf_image_get_sized(image, &found, sizeof found);
    return found;
}

/* The planes, writable. */
DLTF_API float *dltf_image_pixels(dltf_image *image);
DLTF_API void dltf_image_free(dltf_image *image);

/* Adds Gaussian noise of standard deviation sigma. Values are not clipped; the image then has 32 bits. */
DLTF_API dltf_status dltf_image_add_noise(dltf_image *image, double sigma, int64_t seed);

/* Estimates the standard deviation of the noise from the image alone. */
DLTF_API dltf_status dltf_image_noise(const dltf_image *image, double *sigma);

/* Peak signal-to-noise ratio in dB, peak 255; infinite for equal images. */
DLTF_API dltf_status dltf_image_psnr(const dltf_image *a, const dltf_image *b, double *psnr);
/* Structural similarity (Wang et al. 2004: 11 x 11 Gaussian window, at the positions where it fits), the mean
 * over channels. */
DLTF_API dltf_status dltf_image_ssim(const dltf_image *a, const dltf_image *b, double *ssim);

/* ---- Denoising --------------------------------------------------------------------------------- */

typedef enum dltf_denoise_method {
    DLTF_DENOISE_DLTF,  /* incoherent thresholded features, in one product; a dictionary learned for them */
    DLTF_DENOISE_KSVD,  /* K-SVD and orthogonal matching pursuit to an error target */
    DLTF_DENOISE_PAPER, /* the paper's: max_k(W^T x) with a dictionary from dltf_train, plain averages */
} dltf_denoise_method;

/* How to denoise. `dltf denoise --help` describes every field. */
typedef struct dltf_denoise_options {
    size_t size; /* of this struct: dltf_denoise_options_default sets it */
    dltf_denoise_method method;
    double sigma; /* DLTF_SIGMA_UNKNOWN: estimated */
    int64_t m, k; /* 0: chosen by the method */
    int64_t patch, stride, stages;
    int64_t seed, threads;
} dltf_denoise_options;

#define DLTF_SIGMA_UNKNOWN (-1.0)

DLTF_API void dltf_denoise_options_init(dltf_denoise_options *options, size_t size);
static inline dltf_denoise_options dltf_denoise_options_default(void) {
    dltf_denoise_options options;
    dltf_denoise_options_init(&options, sizeof options);
    return options;
}

/* Statistics of a denoising run. For colour images, sums and means over the three planes. */
typedef struct dltf_denoise_info {
    double sigma; /* given or estimated */
    bool estimated;
    int64_t patches, m;       /* coded patches, atoms */
    double entries_per_patch; /* mean number of atoms */
    double learning_seconds;
    double coding_seconds; /* coding of all patches, summed over threads; without extraction and averaging */
    double second_seconds; /* the second stage */
    double seconds;
} dltf_denoise_info;

/* Removes Gaussian noise. `model`: a dictionary for patch x patch pixels to use instead of learning one, or
 * NULL. The result has the depth of the input and values within 0 .. 255. `info` may be NULL. */
DLTF_API dltf_status dltf_denoise_sized(const dltf_image *noisy, const dltf_model *model,
                                        const dltf_denoise_options *options, dltf_progress_fn progress,
                                        void *context, dltf_image **clean, dltf_denoise_info *info,
                                        size_t size);
static inline dltf_status dltf_denoise(const dltf_image *noisy, const dltf_model *model,
                                       const dltf_denoise_options *options, dltf_progress_fn progress,
                                       void *context, dltf_image **clean, dltf_denoise_info *info) {
    return dltf_denoise_sized(noisy, model, options, progress, context, clean, info, sizeof *info);
}

/* ---- Sets of images ---------------------------------------------------------------------------- */

/* The images of files and folders, one after the other. A path is that of an image; of a folder of .png,
 * .pgm, .ppm and .jpg files, taken in bytewise order of their names (other files and subfolders are ignored);
 * of a CIFAR-10 file (.bin); or of an IDX file with three axes. */
typedef struct dltf_image_set dltf_image_set;

DLTF_API dltf_status dltf_image_set_open(const char *const *paths, int64_t count, dltf_image_set **set);
DLTF_API int64_t dltf_image_set_count(const dltf_image_set *set);
/* The label of every image. Fails if a file has none: only CIFAR-10 files have labels. */
DLTF_API dltf_status dltf_image_set_labels(const dltf_image_set *set, int64_t *labels);
/* Several threads may load images of the same set. */
DLTF_API dltf_status dltf_image_set_load(const dltf_image_set *set, int64_t index, dltf_image **image);
DLTF_API void dltf_image_set_free(dltf_image_set *set);

/* ---- GIST -------------------------------------------------------------------------------------- */

/* GIST (Oliva and Torralba 2001): how strongly an image responds to Gabor filters of 4 scales and 8
 * orientations, averaged over 4 x 4 blocks. Value ((8 scale + orientation) 4 + block row) 4 + block column.
 */
enum { DLTF_GIST_SIZE = 512 };

/* `dltf gist --help` describes every field. */
typedef struct dltf_gist_options {
    size_t size; /* of this struct: dltf_gist_options_default sets it */
    int64_t side;
    int64_t threads;
} dltf_gist_options;

DLTF_API void dltf_gist_options_init(dltf_gist_options *options, size_t size);
static inline dltf_gist_options dltf_gist_options_default(void) {
    dltf_gist_options options;
    dltf_gist_options_init(&options, sizeof options);
    return options;
}

/* Descriptors of images in memory. A row is an image of width x height pixels: gray, or red, green and blue
 * planes, on the scale 0 .. 255. Colours become gray, the middle square of an image that is not square is
 * used, and areas are averaged to side x side pixels. `out` has a row of DLTF_GIST_SIZE values per image. */
DLTF_API dltf_status dltf_gist(dltf_matrix images, int64_t width, int64_t height,
                               const dltf_gist_options *options, dltf_progress_fn progress, void *context,
                               float *out);

/* The same for images of any sizes, which are loaded on demand. */
DLTF_API dltf_status dltf_image_set_gist(const dltf_image_set *set, const dltf_gist_options *options,
                                         dltf_progress_fn progress, void *context, float *out);

/* ---- Pictures ---------------------------------------------------------------------------------- */

/* The gray scale of a tile. */
typedef enum dltf_gray {
    DLTF_GRAY_OWN,       /* from its smallest value (black) to its largest (white) */
    DLTF_GRAY_SYMMETRIC, /* the same with zero in mid-gray, as for atoms */
    DLTF_GRAY_UNIT,      /* from 0 to 1 for all tiles, to compare them; values beyond are clipped */
} dltf_gray;

/* Draws the rows of `tiles` into a PNG, as gray images of width x height in a grid of `columns`. */
DLTF_API dltf_status dltf_picture_save(dltf_matrix tiles, int64_t width, int64_t height, int64_t columns,
                                       dltf_gray gray, const char *path);

#ifdef __cplusplus
}
#endif

#endif
