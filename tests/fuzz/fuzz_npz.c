/* .npz: the only array, and one by name. */
#include "fuzz.h"

#include "io/formats/npz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    uint8_t *copy = fuzz_repair_zip(bytes, size);
    static const char *const names[] = {NULL, "a"};
    for (int i = 0; i < 2; i++) {
        dl_file file = dl_file_borrow(copy, (int64_t)size);
        dltf_array *array = NULL;
        dltf_status status = dl_npz_load(&file, names[i], &array);
        fuzz_check_array(status, array);
    }
    free(copy);
    return 0;
}
