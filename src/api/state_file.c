/* Checkpoints of tasks that are one call: their progress callback saves them. */
#include "data/state.h"
#include "io/formats/safetensors.h"

dltf_status dltf_state_save(const struct dltf_state *state, const char *path) {
    DL_REQUIRE(state, path);
    dl_bundle bundle = {0};
    dltf_status status = state->to_bundle(state->task, &bundle);
    if (status == DLTF_OK)
        status = dl_safetensors_save(&bundle, path);
    dl_bundle_free(&bundle);
    return status;
}
