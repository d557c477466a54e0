/* Hasher files: connects hash, which does no I/O, to io, which knows no hashers. */
#include "base/memory.h"
#include "base/options.h"
#include "data/matrix.h"
#include "hash/hasher.h"
#include "io/formats/safetensors.h"

dltf_status dltf_hasher_save(const dltf_hasher *hasher, const char *path) {
    DL_REQUIRE(hasher, path);
    dl_bundle bundle = {0};
    dltf_status status = dl_hasher_to_bundle(hasher, &bundle);
    if (status == DLTF_OK)
        status = dl_safetensors_save(&bundle, path);
    dl_bundle_free(&bundle);
    return status;
}

dltf_status dltf_hasher_load(const char *path, dltf_hasher **hasher) {
    DL_CLEAR(hasher);
    DL_REQUIRE(path, hasher);
    dl_bundle bundle = {0};
    dltf_status status = dl_safetensors_load(path, &bundle);
    if (status == DLTF_OK) {
        status = dl_hasher_from_bundle(&bundle, hasher);
        if (status != DLTF_OK)
            dl_fail_prefix(status, path);
    }
    dl_bundle_free(&bundle);
    return status;
}

dltf_status dltf_hasher_write(const dltf_hasher *hasher, uint8_t **bytes, int64_t *size) {
    DL_CLEAR(bytes);
    DL_REQUIRE(hasher, bytes, size);
    dl_bundle bundle = {0};
    dltf_status status = dl_hasher_to_bundle(hasher, &bundle);
    if (status == DLTF_OK)
        status = dl_safetensors_write(&bundle, bytes, size);
    dl_bundle_free(&bundle);
    return status;
}

dltf_status dltf_hasher_read(const void *bytes, int64_t size, dltf_hasher **hasher) {
    DL_CLEAR(hasher);
    DL_REQUIRE(bytes, hasher);
    DL_REQUIRE_BYTES(size);
    dl_bundle bundle = {0};
    dltf_status status = dl_safetensors_parse(bytes, size, &bundle);
    if (status == DLTF_OK)
        status = dl_hasher_from_bundle(&bundle, hasher);
    dl_bundle_free(&bundle);
    return status;
}

dltf_status dltf_hasher_resume(const char *path, dltf_matrix X, int64_t threads, dltf_progress_fn progress,
                               void *context, dltf_hasher **hasher) {
    DL_CLEAR(hasher);
    DL_REQUIRE(path, hasher);
    DL_REQUIRE_THREADS(threads);
    dl_bundle bundle = {0};
    dltf_status status = dl_matrix_check(X, DLTF_SUBJECT_DATA);
    if (status == DLTF_OK)
        status = dl_safetensors_load(path, &bundle);
    if (status == DLTF_OK) {
        status = dl_hasher_resume(&bundle, X, threads, progress, context, hasher);
        if (status == DLTF_FORMAT || (status == DLTF_DATA && dltf_last_error().subject == DLTF_SUBJECT_NONE))
            dl_fail_prefix(status, path);
    }
    dl_bundle_free(&bundle);
    return status;
}
