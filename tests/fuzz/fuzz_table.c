/* Text with chosen columns and missing values: the first byte chooses both. */
#include "fuzz.h"

#include "io/formats/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const char *const lists[] = {NULL, "1", "-1", "2-3", "a,-b", "1-2,c"};
    if (size < 2)
        return 0;
    dl_reading reading = {.columns = lists[bytes[0] % 6], .missing = (dl_missing)(bytes[0] / 6 % 3)};
    dl_file file = dl_file_borrow(bytes + 1, (int64_t)size - 1);
    dltf_array *array = NULL;
    file.reading = &reading;
    dltf_status status = dl_csv_load(&file, &array);
    fuzz_check_array(status, array);
    return 0;
}
