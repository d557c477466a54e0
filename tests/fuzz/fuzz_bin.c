/* .fbin, .u8bin, .i8bin and .f16bin: the first byte chooses. */
#include "fuzz.h"

#include "io/formats/bin.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static dltf_status (*const loaders[])(dl_file *, dltf_array **) = {dl_fbin_load, dl_u8bin_load,
                                                                       dl_i8bin_load, dl_f16bin_load};
    if (size == 0)
        return 0;
    dl_file file = dl_file_borrow(bytes + 1, (int64_t)size - 1);
    dltf_array *array = NULL;
    dltf_status status = loaders[bytes[0] % 4](&file, &array);
    fuzz_check_array(status, array);
    return 0;
}
