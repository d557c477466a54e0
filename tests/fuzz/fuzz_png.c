/* PNG. Chunk checksums are corrected first: otherwise hardly any mutation would pass them. */
#include "fuzz.h"

#include "io/formats/png.h"

enum { MAX_PIXELS = 1 << 22 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (!dl_png_recognise(bytes, (int64_t)size) || size < 24)
        return 0;
    if ((uint64_t)dl_big32(bytes + 16) * dl_big32(bytes + 20) > MAX_PIXELS)
        return 0; /* valid, but slow */
    uint8_t *copy = malloc(size);
    fuzz_require(copy != NULL);
    memcpy(copy, bytes, size);
    fuzz_repair_png(copy, size);
    dl_file file = dl_file_borrow(copy, (int64_t)size);
    dltf_image *image = NULL;
    dltf_status status = dl_png_load(&file, &image);
    fuzz_check_image(status, image);
    free(copy);
    return 0;
}
