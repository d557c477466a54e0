/* SciPy's CSR archives. */
#include "fuzz.h"

#include "data/codes.h"
#include "io/formats/codes.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    uint8_t *copy = fuzz_repair_zip(bytes, size);
    dl_file file = dl_file_borrow(copy, (int64_t)size);
    dltf_codes *codes = NULL;
    dltf_status status = dl_codes_parse(&file, &codes);
    fuzz_check_message(status);
    fuzz_require((status == DLTF_OK) == (codes != NULL));
    if (codes)
        fuzz_require(dl_codes_check(dltf_codes_csr(codes)) == DLTF_OK);
    dltf_codes_free(codes);
    free(copy);
    return 0;
}
