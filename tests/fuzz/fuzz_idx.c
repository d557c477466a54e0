/* IDX, plain or gzipped. */
#include "fuzz.h"

#include "io/formats/idx.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    dl_file file = dl_file_borrow(bytes, (int64_t)size);
    dltf_array *array = NULL;
    dltf_status status = dl_gzip_recognise(bytes, (int64_t)size) ? dl_idx_gzip_load(&file, &array)
                                                                 : dl_idx_load(&file, &array);
    fuzz_check_array(status, array);
    return 0;
}
