/* Images through the denoiser, with small patches and few atoms. The length of the file selects the method.
 */
#include "fuzz.h"

#include "io/formats/jpeg.h"
#include "io/formats/png.h"
#include "io/formats/pnm.h"

enum { MAX_PIXELS = 256 };

static dltf_status load(uint8_t *bytes, size_t size, dltf_image **image) {
    dl_file file = dl_file_borrow(bytes, (int64_t)size);
    if (dl_pnm_recognise(bytes, (int64_t)size))
        return dl_pnm_load(&file, image);
    if (dl_jpeg_recognise(bytes, (int64_t)size))
        return dl_jpeg_load(&file, image);
    if (!dl_png_recognise(bytes, (int64_t)size) || size < 24 ||
        (uint64_t)dl_big32(bytes + 16) * dl_big32(bytes + 20) > MAX_PIXELS)
        return dl_fail(DLTF_FORMAT, "not a small image");
    fuzz_repair_png(bytes, size);
    return dl_png_load(&file, image);
}

static void denoise(const dltf_image *noisy, size_t size) {
    dltf_denoise_options options = dltf_denoise_options_default();
    dltf_image *clean = NULL;
    options.method = (dltf_denoise_method)(size % 3);
    options.sigma = size % 2 == 0 ? 20 : DLTF_SIGMA_UNKNOWN;
    options.patch = 4;
    options.stride = 1 + (int64_t)(size / 3 % 4);
    options.m = 16;
    options.k = 2;
    options.threads = 1;
    dltf_status status = dltf_denoise(noisy, NULL, &options, NULL, NULL, &clean, NULL);
    fuzz_check_image(status, clean);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    uint8_t *copy = malloc(size ? size : 1);
    fuzz_require(copy != NULL);
    memcpy(copy, bytes, size);
    dltf_image *image = NULL;
    dltf_status status = load(copy, size, &image);
    fuzz_check_message(status);
    if (image) {
        dltf_image_view view = dltf_image_get(image);
        if (view.width * view.height <= MAX_PIXELS)
            denoise(image, size);
    }
    dltf_image_free(image);
    free(copy);
    return 0;
}
