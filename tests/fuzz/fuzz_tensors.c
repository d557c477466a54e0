/* safetensors as data: whole, and described by rows. */
#include "fuzz.h"

#include "io/formats/safetensors_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const char *const names[] = {NULL, "x"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        dl_reading reading = {.member = names[i]};
        dl_file file = dl_file_borrow(bytes, (int64_t)size);
        dl_row_layout layout = {0};
        dltf_array *array = NULL;
        file.reading = &reading;
        dltf_status described = dl_safetensors_describe(&file, (int64_t)size, &layout);
        fuzz_check_message(described);
        dltf_status status = dl_safetensors_load_data(&file, names[i], &array);
        if (status == DLTF_OK) {
            fuzz_require(described == DLTF_OK && layout.rows == array->matrix.rows);
            fuzz_require(layout.offset + layout.rows * layout.cols * layout.elements.item <= (int64_t)size);
        }
        fuzz_check_array(status, array);
    }
    return 0;
}
