/* Checkpoint files: connects learning, which does no I/O, to io, which knows no learners. */
#include "comm/comm.h"
#include "io/safetensors.h"
#include "learning/learner.h"

dltf_status dltf_learner_save(const dltf_learner *learner, const char *path) {
    dl_bundle bundle = {0};
    dltf_status status = dl_checkpoint_make(learner, &bundle);
    if (status == DLTF_OK && dl_comm_rank() == 0)
        status = dl_safetensors_save(&bundle, path);
    dl_bundle_free(&bundle);
    return status;
}

dltf_status dltf_learner_resume(const char *path, dltf_matrix X, int64_t threads, dltf_learner **learner) {
    dl_bundle bundle = {0};
    dl_file file = {0};
    dltf_status status = dl_safetensors_open(path, &file, &bundle);
    if (status == DLTF_OK) {
        status = dl_checkpoint_restore(&bundle, X, threads, learner);
        if (status != DLTF_OK && dltf_last_error().subject != DLTF_SUBJECT_DATA)
            dl_fail_prefix(status, path);
    }
    dl_bundle_free(&bundle);
    dl_file_close(&file);
    return status;
}
