/* dltf_model_save: a model as tensors and notes (docs/formats.md). */
#include "data/kind.h"
#include "data/model.h"
#include "io/files/file.h"
#include "io/formats/safetensors.h"

#include <inttypes.h>
#include <stdio.h>

/* The model's own notes come first, so that reserved names always get the values defined by the format. */
static dltf_status set_notes(const dltf_model *model, dl_notes *notes) {
    dltf_status status = DLTF_OK;
    char k[24];
    snprintf(k, sizeof k, "%" PRId64, model->parts.k);
    for (int i = 0; i < model->notes.count; i++)
        DL_TRY(dl_notes_set(notes, model->notes.list[i].name, model->notes.list[i].value));
    DL_TRY(dl_notes_set(notes, "k", k));
    DL_TRY(dl_notes_set(notes, "select", model->parts.select == DLTF_SELECT_POSITIVE ? "positive" : "abs"));
    if (model->parts.remove_mean)
        DL_TRY(dl_notes_set(notes, "remove_mean", "true"));
    DL_TRY(dl_notes_set(notes, "unit_norm", model->parts.unit_norm ? "true" : "false"));
done:
    return status;
}

dltf_status dltf_model_save(const dltf_model *model, const char *path) {
    DL_REQUIRE(model, path);
    dltf_status status = DLTF_OK;
    dl_bundle bundle = {0};
    int64_t m = model->parts.m, n = model->parts.n;
    DL_TRY(set_notes(model, &bundle.notes));
    DL_TRY(dl_kind_mark(&bundle, DL_KIND_MODEL));
    DL_TRY(dl_bundle_add_copy(&bundle, "dictionary", DL_TENSOR_F32, m, n, model->dictionary));
    if (model->encoder)
        DL_TRY(dl_bundle_add_copy(&bundle, "encoder", DL_TENSOR_F32, m, n, model->encoder));
    if (model->bias)
        DL_TRY(dl_bundle_add_copy(&bundle, "bias", DL_TENSOR_F32, m, 0, model->bias));
    if (model->mean)
        DL_TRY(dl_bundle_add_copy(&bundle, "mean", DL_TENSOR_F32, n, 0, model->mean));
    if (model->offset)
        DL_TRY(dl_bundle_add_copy(&bundle, "offset", DL_TENSOR_F32, n, 0, model->offset));
    status = dl_safetensors_save(&bundle, path);
    dl_bundle_free(&bundle);
    return status; /* already prefixed with the path */
done:
    dl_bundle_free(&bundle);
    return dl_file_result(status, path);
}
