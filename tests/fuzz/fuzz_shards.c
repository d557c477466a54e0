/* Indexes of safetensors shards. */
#include "fuzz.h"

#include "base/memory.h"
#include "io/formats/safetensors_index.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const char *const names[] = {NULL, "x"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *shard = NULL, *tensor = NULL;
        dltf_status status = dl_safetensors_index_parse(bytes, (int64_t)size, names[i], &shard, &tensor);
        fuzz_check_message(status);
        fuzz_require((status == DLTF_OK) == (shard != NULL) && (shard != NULL) == (tensor != NULL));
        fuzz_require(!shard || !strchr(shard, '/'));
        dl_free(shard);
        dl_free(tensor);
    }
    return 0;
}
