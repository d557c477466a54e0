/* Table 4 of the paper: denoising of House at four noise levels, and the same for other images. `dltf` is the
 * paper's protocol (5,000 patches, the k largest scores, plain averages), `ksvd` is K-SVD with matching
 * pursuit to an error target, `one-pass` and `best` are ours, `one-pass-256` has as many atoms as `ksvd` (to
 * compare coding times), `best-estimated` estimates sigma. The noise is not clipped, as in the paper. */
#include "experiments/experiment.h"
#include "experiments/table4_figure.h"
#include "experiments/test_image.h"

#include <math.h>
#include <string.h>

static const char *const methods[] = {"noisy",        "dltf", "ksvd",           "one-pass",
                                      "one-pass-256", "best", "best-estimated", NULL};
static const char *const metrics[] = {"psnr",       "ssim", "coding_seconds", "learning_seconds", "seconds",
                                      "sigma_used", NULL};
enum { PSNR, SSIM, CODING, LEARNING, SECONDS, SIGMA_USED };

/* The second image replaces the first if that is missing. */
static const char *const images[] = {"house", TEST_IMAGE_DRAWN, "barbara", "boat", "cameraman", "peppers"};
static const double sigmas[] = {20, 25, 30, 40};
static const int ks[] = {0, 1, 2, 4, 6, 8}; /* 0: for methods that choose k themselves */
enum { IMAGES = 6, SIGMAS = 4, KS = 6 };

/* The paper's values for House, the first image: by sigma, then k; methods without k use the first column. */
static const double paper_noisy[SIGMAS][KS] = {{22.09}, {20.07}, {18.56}, {16.09}},
                    paper_ksvd[SIGMAS][KS] = {{31.44}, {30.47}, {29.58}, {27.34}},
                    paper_dltf[SIGMAS][KS] = {{0, 30.04, 28.56, 27.97, 24.06, 21.63},
                                              {0, 29.25, 27.98, 27.05, 23.97, 21.61},
                                              {0, 28.42, 27.59, 26.85, 23.54, 21.31},
                                              {0, 26.78, 25.73, 25.54, 25.57, 22.75}};

static const experiment_paper paper[] = {
    {"noisy", SIGMAS *KS, &paper_noisy[0][0]},
    {"ksvd", SIGMAS *KS, &paper_ksvd[0][0]},
    {"dltf", SIGMAS *KS, &paper_dltf[0][0]},
    {NULL, 0, NULL},
};

/* A setting: an image, a sigma and a k. */
typedef struct choice {
    int image, sigma, k;
} choice;

static choice choice_of(int setting) {
    return (choice){setting / (SIGMAS * KS), setting / KS % SIGMAS, setting % KS};
}

/* Only House, the first sigma, the first three k. */
static bool in_quick(int setting) {
    choice c = choice_of(setting);
    return c.image < 2 && c.sigma == 0 && c.k < 3;
}

static void describe(bool quick, int setting, json_t *row) {
    (void)quick;
    choice c = choice_of(setting);
    json_object_set_new(row, "image", json_string(images[c.image]));
    json_object_set_new(row, "sigma", json_real(sigmas[c.sigma]));
    if (ks[c.k] > 0)
        json_object_set_new(row, "k", json_integer(ks[c.k]));
    else
        json_object_set_new(row, "k", json_null());
}

static bool applies(const experiment_request *request, const char *method, int setting) {
    choice c = choice_of(setting);
    bool protocol = strcmp(method, "dltf") == 0, house = c.image < 2;
    if (protocol != (ks[c.k] > 0) || (protocol && !house))
        return false;
    if (house)
        return test_image_exists(request->data, images[0]) == (c.image == 0);
    return test_image_exists(request->data, images[c.image]);
}

static const char *notice(const experiment_request *request) {
    if (test_image_exists(request->data, images[0]))
        return NULL;
    return "House not found: using a generated image instead, so the results cannot be compared with the "
           "paper. House is 02.png of Set12 (testsets/Set12 of github.com/cszn/DnCNN); save it as house.png "
           "and "
           "give its folder with --data or DLTF_DATA.";
}

static void protocol(bool quick, json_t *object) {
    (void)quick;
    dltf_denoise_options standard = dltf_denoise_options_default();
    json_object_set_new(object, "patch", json_integer(standard.patch));
    json_object_set_new(object, "noise",
                        json_string("Gaussian, not clipped; the result is clipped to 0 .. 255"));
    json_object_set_new(object, "dltf",
                        json_string("m = 256, 5,000 patches, k largest scores, tied, plain averages; "
                                    "only stage 2, theta = 1000, no lambda"));
    json_object_set_new(object, "ksvd",
                        json_string("m = 256, 40,000 patches, OMP to n (1.15 sigma)^2, plain averages"));
    json_object_set_new(object, "coding_seconds", json_string("codes of all patches, summed over threads"));
}

dltf_status table4_denoise(const experiment_cell *cell, const char *method, double sigma, int64_t k,
                           const dltf_image *noisy, dltf_image **clean, dltf_denoise_info *info) {
    dltf_denoise_options options = dltf_denoise_options_default();
    options.sigma = strcmp(method, "best-estimated") == 0 ? DLTF_SIGMA_UNKNOWN : sigma;
    options.threads = cell->request->threads;
    options.seed = cell->seed;
    options.stages = strncmp(method, "best", 4) == 0 ? 2 : 1;
    options.k = k;
    options.m = strcmp(method, "one-pass-256") == 0 ? 256 : 0;
    if (strcmp(method, "dltf") == 0)
        options.method = DLTF_DENOISE_PAPER;
    else if (strcmp(method, "ksvd") == 0)
        options.method = DLTF_DENOISE_KSVD;
    return dltf_denoise(noisy, NULL, &options, cell->progress, cell->context, clean, info);
}

static dltf_status compare(const dltf_image *image, const dltf_image *reference, double *values) {
    dltf_status status = dltf_image_psnr(image, reference, &values[PSNR]);
    return status == DLTF_OK ? dltf_image_ssim(image, reference, &values[SSIM]) : status;
}

static dltf_status measure(const experiment_cell *cell, double *values) {
    choice c = choice_of(cell->setting);
    const char *name = images[c.image];
    dltf_image *reference = NULL, *noisy = NULL, *clean = NULL;
    dltf_denoise_info info = {.sigma = NAN};
    bool unchanged = strcmp(cell->method, "noisy") == 0;
    for (int i = 0; metrics[i]; i++)
        values[i] = NAN;
    dltf_status status = test_image_load(cell->request->data, name, &reference);
    if (status == DLTF_OK)
        status = test_image_load(cell->request->data, name, &noisy);
    if (status == DLTF_OK)
        status = dltf_image_add_noise(noisy, sigmas[c.sigma], cell->seed);
    if (status == DLTF_OK && !unchanged)
        status = table4_denoise(cell, cell->method, sigmas[c.sigma], ks[c.k], noisy, &clean, &info);
    if (status == DLTF_OK)
        status = compare(unchanged ? noisy : clean, reference, values);
    if (status == DLTF_OK && !unchanged) {
        values[CODING] = info.coding_seconds;
        values[LEARNING] = info.learning_seconds;
        values[SECONDS] = info.seconds;
        values[SIGMA_USED] = info.sigma;
    }
    dltf_image_free(reference);
    dltf_image_free(noisy);
    dltf_image_free(clean);
    return status;
}

static dltf_status figure(const experiment_request *request, const json_t *rows, const char *folder) {
    return table4_figure(request, test_image_exists(request->data, images[0]) ? images[0] : images[1],
                         sigmas[0], rows, notice(request), folder);
}

const experiment experiment_table4 = {
    .name = "table4",
    .summary = "denoising of House and other images (PSNR)",
    .details =
        "dltf is the paper's protocol, best has two stages, best-estimated estimates sigma; one-pass-256 "
        "has as many atoms as ksvd.",
    .methods = methods,
    .metrics = metrics,
    .larger_is_better = true,
    .settings = IMAGES * SIGMAS * KS,
    .in_quick = in_quick,
    .describe = describe,
    .protocol = protocol,
    .paper = paper,
    .paper_if_quick = true,
    .measure = measure,
    .applies = applies,
    .notice = notice,
    .figure = figure,
};
