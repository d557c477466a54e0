/* .fvecs, .bvecs and .ivecs; the first byte selects one. */
#include "fuzz.h"

#include "io/formats/vecs.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static dltf_status (*const loaders[])(dl_file *, dltf_array **) = {dl_fvecs_load, dl_bvecs_load,
                                                                       dl_ivecs_load};
    if (size < 1)
        return 0;
    dl_file file = dl_file_borrow(bytes + 1, (int64_t)size - 1);
    dltf_array *array = NULL;
    dltf_status status = loaders[bytes[0] % 3](&file, &array);
    fuzz_check_array(status, array);
    return 0;
}
