/* dltf_model_save and dltf_model_write: a model as tensors and notes (docs/formats.md). */
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
    if (model->parts.layer_norm)
        DL_TRY(dl_notes_set(notes, "layer_norm", "true"));
done:
    return status;
}

/* Fills an empty bundle, which must be freed after a failure, too. */
static dltf_status to_bundle(const dltf_model *model, dl_bundle *bundle) {
    dltf_status status = DLTF_OK;
    int64_t m = model->parts.m, n = model->parts.n;
    DL_TRY(set_notes(model, &bundle->notes));
    DL_TRY(dl_kind_mark(bundle, DL_KIND_MODEL));
    DL_TRY(dl_bundle_add_view(bundle, "dictionary", DL_TENSOR_F32, m, n, model->dictionary));
    if (model->encoder)
        DL_TRY(dl_bundle_add_view(bundle, "encoder", DL_TENSOR_F32, m, n, model->encoder));
    if (model->bias)
        DL_TRY(dl_bundle_add_view(bundle, "bias", DL_TENSOR_F32, m, 0, model->bias));
    if (model->mean)
        DL_TRY(dl_bundle_add_view(bundle, "mean", DL_TENSOR_F32, n, 0, model->mean));
    if (model->deviation)
        DL_TRY(dl_bundle_add_view(bundle, "deviation", DL_TENSOR_F32, n, 0, model->deviation));
    if (model->offset)
        DL_TRY(dl_bundle_add_view(bundle, "offset", DL_TENSOR_F32, n, 0, model->offset));
    if (model->scale)
        DL_TRY(dl_bundle_add_view(bundle, "scale", DL_TENSOR_F32, m, 0, model->scale));
    if (model->threshold)
        DL_TRY(dl_bundle_add_view(bundle, "threshold", DL_TENSOR_F32, m, 0, model->threshold));
    if (model->parts.factor != 1)
        DL_TRY(dl_bundle_add_view(bundle, "factor", DL_TENSOR_F64, 1, 0, &model->parts.factor));
done:
    return status;
}

dltf_status dltf_model_save(const dltf_model *model, const char *path) {
    DL_REQUIRE(model, path);
    dl_bundle bundle = {0};
    dltf_status status = to_bundle(model, &bundle);
    if (status == DLTF_OK)
        status = dl_safetensors_save(&bundle, path); /* prefixes its failures with the path */
    else
        dl_file_result(status, path);
    dl_bundle_free(&bundle);
    return status;
}

dltf_status dltf_model_write(const dltf_model *model, uint8_t **bytes, int64_t *size) {
    DL_CLEAR(bytes);
    DL_REQUIRE(model, bytes, size);
    dl_bundle bundle = {0};
    dltf_status status = to_bundle(model, &bundle);
    if (status == DLTF_OK)
        status = dl_safetensors_write(&bundle, bytes, size);
    dl_bundle_free(&bundle);
    return status;
}
