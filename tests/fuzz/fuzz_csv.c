/* Matrices as text. */
#include "fuzz.h"

#include "io/formats/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (size == 0)
        return 0; /* dl_file_open rejects empty files */
    dl_file file = dl_file_borrow(bytes, (int64_t)size);
    dltf_array *array = NULL;
    dltf_status status = dl_csv_load(&file, &array);
    fuzz_check_array(status, array);
    return 0;
}
