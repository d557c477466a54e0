/* JPEG. */
#include "fuzz.h"

#include "io/formats/jpeg.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (!dl_jpeg_recognise(bytes, (int64_t)size))
        return 0;
    dl_file file = dl_file_borrow(bytes, (int64_t)size);
    dltf_image *image = NULL;
    dltf_status status = dl_jpeg_load(&file, &image);
    fuzz_check_image(status, image);
    return 0;
}
