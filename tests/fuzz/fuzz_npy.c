/* .npy */
#include "fuzz.h"

#include "io/formats/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    dl_file file = dl_file_borrow(bytes, (int64_t)size);
    dltf_array *array = NULL;
    dltf_status status = dl_npy_load(&file, &array);
    fuzz_check_array(status, array);
    return 0;
}
