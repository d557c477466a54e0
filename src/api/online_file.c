/* Checkpoints of online learners: connects learning, which does no I/O, to io, which knows no learners. */
#include "base/memory.h"
#include "base/options.h"
#include "io/formats/safetensors.h"
#include "learning/online/online.h"

dltf_status dltf_online_save(const dltf_online *online, const char *path) {
    DL_REQUIRE(online, path);
    dl_bundle bundle = {0};
    dltf_status status = dl_online_to_bundle(online, &bundle);
    if (status == DLTF_OK)
        status = dl_safetensors_save(&bundle, path);
    dl_bundle_free(&bundle);
    return status;
}

dltf_status dltf_online_resume(const char *path, int64_t threads, dltf_online **online) {
    DL_CLEAR(online);
    DL_REQUIRE(path, online);
    DL_REQUIRE_THREADS(threads);
    dl_bundle bundle = {0};
    dltf_status status = dl_safetensors_load(path, &bundle);
    if (status == DLTF_OK) {
        status = dl_online_from_bundle(&bundle, threads, online);
        if (status != DLTF_OK)
            dl_fail_prefix(status, path);
    }
    dl_bundle_free(&bundle);
    return status;
}

dltf_status dltf_online_write(const dltf_online *online, uint8_t **bytes, int64_t *size) {
    DL_CLEAR(bytes);
    DL_REQUIRE(online, bytes, size);
    dl_bundle bundle = {0};
    dltf_status status = dl_online_to_bundle(online, &bundle);
    if (status == DLTF_OK)
        status = dl_safetensors_write(&bundle, bytes, size);
    dl_bundle_free(&bundle);
    return status;
}

dltf_status dltf_online_read(const void *bytes, int64_t size, int64_t threads, dltf_online **online) {
    DL_CLEAR(online);
    DL_REQUIRE(bytes, online);
    DL_REQUIRE_BYTES(size);
    DL_REQUIRE_THREADS(threads);
    dl_bundle bundle = {0};
    dltf_status status = dl_safetensors_parse(bytes, size, &bundle);
    if (status == DLTF_OK)
        status = dl_online_from_bundle(&bundle, threads, online);
    dl_bundle_free(&bundle);
    return status;
}
