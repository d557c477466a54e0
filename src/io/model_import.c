/* dltf_model_import: finds the format of a folder by its files, and reads settings, then weights. */
#include "base/memory.h"
#include "io/formats/npz.h"
#include "io/formats/safetensors.h"
#include "io/sae_format.h"

#include <stdio.h>
#include <sys/stat.h>

static bool exists(const char *folder, const char *name) {
    struct stat info;
    char *path = dl_sae_path(folder, name);
    bool found = path && stat(path, &info) == 0;
    dl_free(path);
    return found;
}

/* By the file that only one format has. */
static dltf_status find_format(const char *folder, const dl_sae_format **format) {
    struct stat info;
    const dl_sae_format *found = NULL;
    if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode))
        return dl_fail(DLTF_FILE, "is not a folder: expected one with the files of a sparse autoencoder");
    for (int i = 0; dl_sae_format_at(i); i++) {
        const dl_sae_format *other = dl_sae_format_at(i);
        if (!exists(folder, other->weights))
            continue;
        if (found)
            return dl_fail(DLTF_FORMAT, "contains both %s and %s: move one of them elsewhere", found->weights,
                           other->weights);
        found = other;
    }
    if (!found)
        return dl_fail(DLTF_FORMAT,
                       "contains no sparse autoencoder: expected sae_weights.safetensors (SAELens), "
                       "sae.safetensors (sparsify; in the folder of a hookpoint) or params.npz "
                       "(Gemma Scope)");
    *format = found;
    return DLTF_OK;
}

/* Calls `parse` with the content of a file of the folder. Failures name the file. */
typedef dltf_status (*parser)(const dl_file *file, void *context);

static dltf_status with_file(const char *folder, const char *name, parser parse, void *context) {
    dl_file file;
    char *path = dl_sae_path(folder, name);
    if (!path)
        return DLTF_MEMORY;
    dltf_status status = dl_file_open(path, &file);
    if (status == DLTF_OK) {
        status = parse(&file, context);
        dl_file_close(&file);
    }
    status = dl_file_result(status, path);
    dl_free(path);
    return status;
}

typedef struct import {
    const dl_sae_format *format;
    dl_sae sae;
    dltf_model *model;
} import;

static dltf_status parse_settings(const dl_file *file, void *context) {
    import *job = context;
    return job->format->parse(file->bytes, file->size, &job->sae.settings);
}

static dltf_status parse_factor(const dl_file *file, void *context) {
    import *job = context;
    return dl_saelens_parse_factor(file->bytes, file->size, &job->sae.settings.factor);
}

static dltf_status parse_tensors(const dl_file *file, void *context) {
    import *job = context;
    dl_bundle bundle = {0};
    dltf_status status = dl_safetensors_view(file->bytes, file->size, &bundle);
    if (status == DLTF_OK)
        status = dl_sae_read((dl_sae_source){.bundle = &bundle}, job->format->by_atom, &job->sae);
    dl_bundle_free(&bundle);
    return status == DLTF_OK ? dl_sae_to_model(&job->sae, job->format->name, &job->model) : status;
}

static dltf_status parse_arrays(const dl_file *file, void *context) {
    import *job = context;
    dl_zip zip = {0};
    dltf_status status = dl_zip_open(file->bytes, file->size, &zip);
    if (status == DLTF_OK)
        status = dl_sae_read((dl_sae_source){.zip = &zip}, job->format->by_atom, &job->sae);
    dl_zip_close(&zip);
    return status == DLTF_OK ? dl_sae_to_model(&job->sae, job->format->name, &job->model) : status;
}

/* From the caller or, beside cfg.json, from SAELens' own file. */
static dltf_status find_factor(const char *folder, double factor, import *job) {
    dl_sae_settings *s = &job->sae.settings;
    if (s->norm != DL_SAE_NORM_AVERAGE)
        return factor == 0 ? DLTF_OK
                           : dl_fail_option(DLTF_ARGUMENT, "factor",
                                            "does not apply: only samples of expected_average_only_in are "
                                            "multiplied by a factor");
    s->factor = factor;
    if (factor == 0 && exists(folder, DL_SAE_FACTOR))
        return with_file(folder, DL_SAE_FACTOR, parse_factor, job);
    if (factor == 0)
        return dl_fail_option(DLTF_ARGUMENT, "factor",
                              "is needed: normalize_activations is expected_average_only_in, and no file "
                              "has the number that samples are multiplied by");
    return DLTF_OK;
}

static dltf_status read_settings(const char *folder, import *job) {
    job->sae.settings = (dl_sae_settings){.thresholds = true, .uncentred = true}; /* without a cfg.json */
    return job->format->parse ? with_file(folder, DL_SAE_CFG, parse_settings, job) : DLTF_OK;
}

dltf_status dltf_model_import(const char *folder, double factor, dltf_model **model) {
    DL_CLEAR(model);
    DL_REQUIRE(folder, model);
    dltf_status status = DLTF_OK;
import job = {0 };
    if (!(factor >= 0 && factor <= 1e30))
        return dl_fail_option(DLTF_ARGUMENT, "factor", "%g: expected a number above 0", factor);
    status = find_format(folder, &job.format);
    if (status != DLTF_OK)
        return dl_file_result(status, folder);
    DL_TRY(read_settings(folder, &job));
    DL_TRY(find_factor(folder, factor, &job));
    status = with_file(folder, job.format->weights, job.format->zipped ? parse_arrays : parse_tensors, &job);
    *model = job.model;
done:
    dl_sae_free(&job.sae);
    return status;
}
