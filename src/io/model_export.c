/* dltf_model_export: a model as the folder of another program. Everything is checked before the first file is
 * written. */
#include "base/memory.h"
#include "io/files/text_write.h"
#include "io/files/writer.h"
#include "io/formats/npy.h"
#include "io/formats/safetensors.h"
#include "io/sae_format.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static dltf_status cannot(const dl_sae_format *format, const char *what) {
    return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_MODEL, "%s, which %s cannot represent", what,
                         format->name);
}

/* Whether the format has what the autoencoder needs. */
static dltf_status check_format(const dl_sae_format *format, const dl_sae_settings *s) {
    if (s->k > 0 && !format->selects)
        return cannot(format, "keeps the k largest scores");
    if (s->k == 0 && !format->thresholds)
        return cannot(format, "keeps all scores above thresholds");
    if (s->norm != DL_SAE_NORM_NONE && !format->normalises)
        return cannot(format, "normalises samples");
    return DLTF_OK;
}

static dltf_status make_folder(const char *folder) {
    struct stat info;
    if (mkdir(folder, 0777) == 0 || (errno == EEXIST && stat(folder, &info) == 0 && S_ISDIR(info.st_mode)))
        return DLTF_OK;
    if (errno == EEXIST)
        return dl_fail(DLTF_FILE, "is a file: expected a folder");
    return dl_fail(DLTF_FILE, "cannot create folder: %s", strerror(errno));
}

/* ---- Files ---- */

static dltf_status write_array(dl_zip_writer *zip, const dl_tensor *tensor) {
    char name[sizeof tensor->name + 4];
    dl_text header = {0};
    int64_t shape[2] = {tensor->rows, tensor->cols};
    snprintf(name, sizeof name, "%s.npy", tensor->name);
    dltf_status status = dl_npy_header(&header, "f4", tensor->rank, shape);
    if (status == DLTF_OK)
        status = dl_zip_add(zip, name, header.data, header.length, tensor->data, dl_tensor_bytes(tensor));
    dl_text_free(&header);
    return status;
}

static dltf_status write_arrays(const dl_bundle *bundle, const char *path) {
    dltf_status status = DLTF_OK;
    dl_writer out = {0};
    dl_zip_writer zip = {0};
    DL_TRY(dl_writer_open(&out, path));
    zip = dl_zip_writer_new(&out);
    for (int i = 0; i < bundle->count; i++)
        DL_TRY(write_array(&zip, &bundle->tensors[i]));
    DL_TRY(dl_zip_finish(&zip));
    status = dl_writer_commit(&out);
done:
    dl_zip_writer_free(&zip);
    dl_writer_abort(&out);
    return dl_file_result(status, path);
}

static dltf_status write_weights(const dl_sae_format *format, const dl_sae *sae, const char *folder) {
    dltf_status status = DLTF_OK;
    dl_bundle bundle = {0};
    char *path = dl_sae_path(folder, format->weights);
    if (!path)
        return DLTF_MEMORY;
    DL_TRY(dl_sae_bundle(sae, format->by_atom, &bundle));
    status = (format->zipped ? write_arrays : dl_safetensors_save)(&bundle, path);
done:
    dl_bundle_free(&bundle);
    dl_free(path);
    return status;
}

static dltf_status write_text(const char *folder, const char *name, const dl_text *text) {
    char *path = dl_sae_path(folder, name);
    dltf_status status = path ? dl_text_save(text->data, path) : DLTF_MEMORY;
    dl_free(path);
    return status;
}

static dltf_status write_files(const dl_sae_format *format, const dl_sae *sae, const char *folder) {
    dltf_status status = DLTF_OK;
    dl_text cfg = {0}, factor = {0};
    if (format->format)
        DL_TRY(format->format(&sae->settings, &cfg));
    if (sae->settings.norm == DL_SAE_NORM_AVERAGE)
        DL_TRY(dl_saelens_format_factor(sae->settings.factor, &factor));
    status = make_folder(folder);
    if (status != DLTF_OK) {
        status = dl_file_result(status, folder);
        goto done;
    }
    DL_TRY(write_weights(format, sae, folder));
    if (factor.length > 0)
        DL_TRY(write_text(folder, DL_SAE_FACTOR, &factor));
    if (cfg.length > 0)
        status = write_text(folder, DL_SAE_CFG, &cfg);
done:
    dl_text_free(&cfg);
    dl_text_free(&factor);
    return status;
}

dltf_status dltf_model_export(const dltf_model *model, const char *format, const char *folder) {
    DL_REQUIRE(model, format, folder);
    const dl_sae_format *found = NULL;
    dl_sae sae = {0};
    dltf_status status = dl_sae_format_find(format, &found);
    if (status == DLTF_OK)
        status = dl_sae_from_model(model, found->parse != NULL, &sae);
    if (status != DLTF_OK)
        return status;
    status = check_format(found, &sae.settings);
    if (status == DLTF_OK)
        status = write_files(found, &sae, folder);
    dl_sae_free(&sae);
    return status;
}
