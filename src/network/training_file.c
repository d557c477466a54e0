/* Checkpoints of networks in training: connects network, which does no I/O, to io, which knows no networks.
 */
#include "io/formats/safetensors.h"
#include "network/training.h"

dltf_status dl_training_save(const dl_training *training, const char *path) {
    DL_REQUIRE(training, path);
    dl_bundle bundle = {0};
    dltf_status status = dl_training_to_bundle(training, &bundle);
    if (status == DLTF_OK)
        status = dl_safetensors_save(&bundle, path);
    dl_bundle_free(&bundle);
    return status;
}

dltf_status dl_training_resume(const char *path, dltf_matrix X, dl_targets targets, int64_t threads,
                               dl_training **training) {
    DL_CLEAR(training);
    DL_REQUIRE(path, training);
    dl_bundle bundle = {0};
    dltf_status status = dl_safetensors_load(path, &bundle);
    if (status == DLTF_OK) {
        status = dl_training_from_bundle(&bundle, X, targets, threads, training);
        if (status != DLTF_OK && dltf_last_error().subject != DLTF_SUBJECT_DATA)
            dl_fail_prefix(status, path);
    }
    dl_bundle_free(&bundle);
    return status;
}
