/* PNG. Chunk checksums are corrected first: otherwise hardly any mutation would pass them. */
#include "fuzz.h"

#include "io/png.h"

enum { SIGNATURE = 8, MAX_PIXELS = 1 << 22 };

static void put_big32(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* Chunks: length, type, content, checksum of type and content. */
static void repair(uint8_t *bytes, size_t size) {
    for (size_t at = SIGNATURE; at + 12 <= size;) {
        size_t length = dl_big32(bytes + at);
        if (length > size - at - 12)
            return;
        put_big32(bytes + at + 8 + length, (uint32_t)crc32(0, bytes + at + 4, (uInt)(length + 4)));
        at += length + 12;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (!dl_png_recognise(bytes, (int64_t)size) || size < 24)
        return 0;
    if ((uint64_t)dl_big32(bytes + 16) * dl_big32(bytes + 20) > MAX_PIXELS)
        return 0; /* valid, but slow */
    uint8_t *copy = malloc(size);
    fuzz_require(copy != NULL);
    memcpy(copy, bytes, size);
    repair(copy, size);
    dl_file file = dl_file_borrow(copy, (int64_t)size);
    dltf_image *image = NULL;
    dltf_status status = dl_png_load(&file, &image);
    fuzz_check_image(status, image);
    free(copy);
    return 0;
}
