/* dltf_model_save and dltf_model_write: a model as tensors and notes (docs/formats.md). */
#include "data/kind.h"
#include "data/model.h"
#include "io/files/file.h"
#include "io/formats/model.h"
#include "io/formats/safetensors.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The model's own notes come first, so that reserved names always get the values defined by the format. */
static dltf_status set_notes(const dltf_model *model, int64_t entries, dl_notes *notes) {
    dltf_status status = DLTF_OK;
    char k[24];
    snprintf(k, sizeof k, "%" PRId64, entries);
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

/* Fills an empty bundle, which must be freed after a failure, too. A part of a model: the bundle has the
 * shape of the whole and the data of the part. */
static dltf_status to_bundle(const dl_model_part *part, dl_bundle *bundle) {
    dltf_status status = DLTF_OK;
    const dltf_model *model = part->model;
    int64_t m = part->m, n = model->parts.n;
    DL_TRY(set_notes(model, part->k, &bundle->notes));
    DL_TRY(dl_kind_mark(bundle, DL_KIND_MODEL));
    DL_TRY(dl_bundle_add_view(bundle, "dictionary", DL_TENSOR_F32, m, n, model->dictionary));
    if (part->encoder)
        DL_TRY(dl_bundle_add_view(bundle, "encoder", DL_TENSOR_F32, m, n, model->encoder));
    if (part->bias)
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

static dl_model_part whole(const dltf_model *model) {
    return (dl_model_part){
        (dltf_model *)(uintptr_t)model, 0, model->parts.m, model->parts.k, model->encoder, model->bias};
}

dltf_status dltf_model_save(const dltf_model *model, const char *path) {
    DL_REQUIRE(model, path);
    dl_bundle bundle = {0};
    dl_model_part part = whole(model);
    dltf_status status = to_bundle(&part, &bundle);
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
    dl_model_part part = whole(model);
    dltf_status status = to_bundle(&part, &bundle);
    if (status == DLTF_OK)
        status = dl_safetensors_write(&bundle, bytes, size);
    dl_bundle_free(&bundle);
    return status;
}

/* ---- By several processes ---- */

static bool has_atoms(const dl_tensor *tensor) {
    return strcmp(tensor->name, "mean") != 0 && strcmp(tensor->name, "deviation") != 0 &&
           strcmp(tensor->name, "offset") != 0;
}

/* Means are written here, rows of atoms by those who have them. */
static dltf_status write_frame(const dl_bundle *bundle, dl_writer *out, int64_t *data) {
    dltf_status status = dl_safetensors_start(out, bundle, data);
    for (int i = 0; i < bundle->count && status == DLTF_OK; i++) {
        const dl_tensor *tensor = &bundle->tensors[i];
        if (has_atoms(tensor))
            status = dl_writer_skip(out, dl_tensor_bytes(tensor));
        else
            status = dl_writer_write(out, tensor->data, dl_tensor_bytes(tensor));
    }
    return status;
}

dltf_status dl_model_parts_begin(const dl_model_part *part, const char *path, dl_writer *out, char **name,
                                 int64_t *data) {
    dl_bundle bundle = {0};
    dltf_status status = to_bundle(part, &bundle);
    if (status == DLTF_OK)
        status = dl_writer_open_shared(out, path, name);
    if (status == DLTF_OK)
        status = write_frame(&bundle, out, data);
    dl_bundle_free(&bundle);
    return dl_file_result(status, path);
}

dltf_status dl_model_part_write(const dl_model_part *part, const char *path, const char *name, int64_t data) {
    dl_bundle bundle = {0};
    dltf_status status = to_bundle(part, &bundle);
    for (int i = 0; i < bundle.count && status == DLTF_OK; i++) {
        const dl_tensor *tensor = &bundle.tensors[i];
        int64_t row = tensor->cols * dl_tensor_type_size(tensor->type);
        if (has_atoms(tensor))
            status = dl_part_write(name, data + part->first * row, tensor->data, part->model->parts.m * row);
        data += dl_tensor_bytes(tensor);
    }
    dl_bundle_free(&bundle);
    return dl_file_result(status, path);
}
