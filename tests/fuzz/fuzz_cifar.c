/* CIFAR-10: images and labels. */
#include "fuzz.h"

#include "io/formats/cifar.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    dl_file file = dl_file_borrow(bytes, (int64_t)size);
    dltf_array *array = NULL;
    dltf_status status = dl_cifar_load(&file, &array);
    fuzz_check_array(status, array);
    array = NULL;
    fuzz_require(dl_cifar_load_labels(&file, &array) == status);
    fuzz_check_array(status, array);
    return 0;
}
