/* dltf_model_read: a model from the bytes of a model file (docs/formats.md). Corrupt or foreign files must
 * fail here instead of giving wrong codes later. */
#include "io/formats/model.h"

#include "base/memory.h"
#include "data/kind.h"
#include "data/model.h"
#include "io/files/bytes.h"
#include "io/formats/safetensors.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const reserved[] = {"format",      "version",   "k",         "select",
                                       "remove_mean", "unit_norm", "layer_norm"};
enum { RESERVED = sizeof reserved / sizeof reserved[0] };

static bool is_reserved(const char *name) {
    for (int i = 0; i < RESERVED; i++)
        if (strcmp(name, reserved[i]) == 0)
            return true;
    return false;
}

static dltf_status bad_note(const char *name, const char *value, const char *expected) {
    if (!value)
        return dl_fail(DLTF_FORMAT, "is not a complete model: metadata '%s' is missing", name);
    return dl_fail(DLTF_FORMAT, "metadata '%s' is '%s': expected %s", name,
                   DL_PRINTABLE(value, (int64_t)strlen(value)), expected);
}

/* `missing`: the value of a flag that is not there. */
static dltf_status read_flag(const dl_notes *notes, const char *name, const char *missing, bool *flag) {
    const char *text = dl_notes_get(notes, name);
    text = text ? text : missing;
    if (!text || (strcmp(text, "true") != 0 && strcmp(text, "false") != 0))
        return bad_note(name, text, "true or false");
    *flag = strcmp(text, "true") == 0;
    return DLTF_OK;
}

/* k, select and preprocessing. */
static dltf_status read_settings(const dl_notes *notes, int64_t m, dltf_model_view *parts) {
    const char *k = dl_notes_get(notes, "k"), *select = dl_notes_get(notes, "select");
    parts->k = 0;
    for (const char *c = k; c && *c >= '0' && *c <= '9' && parts->k <= INT32_MAX; c++)
        parts->k = 10 * parts->k + (*c - '0');
    char again[24];
    snprintf(again, sizeof again, "%" PRId64, parts->k);
    if (!k || strcmp(k, again) != 0 || parts->k < 1 || parts->k > m)
        return bad_note("k", k, "a number from 1 to the number of atoms");
    if (select && strcmp(select, "abs") == 0)
        parts->select = DLTF_SELECT_ABS;
    else if (select && strcmp(select, "positive") == 0)
        parts->select = DLTF_SELECT_POSITIVE;
    else
        return bad_note("select", select, "abs or positive");
    dltf_status status = read_flag(notes, "remove_mean", "false", &parts->remove_mean);
    if (status == DLTF_OK)
        status = read_flag(notes, "layer_norm", "false", &parts->layer_norm);
    return status == DLTF_OK ? read_flag(notes, "unit_norm", NULL, &parts->unit_norm) : status;
}

/* Rows of a tensor. */
typedef struct range {
    int64_t first, count, all;
} range;

/* An optional tensor of this shape, of which these rows have finite values; `used` counts those present. */
static dltf_status get_tensor(const dl_bundle *bundle, const char *name, range rows, int64_t cols,
                              const float **values, int *used) {
    const void *content = NULL;
    *values = NULL;
    if (!dl_bundle_find(bundle, name))
        return DLTF_OK;
    dltf_status status = dl_bundle_get(bundle, name, DL_TENSOR_F32, rows.all, cols, &content);
    if (status != DLTF_OK)
        return status;
    int64_t width = cols > 0 ? cols : 1;
    *values = (const float *)content + rows.first * width;
    (*used)++;
    for (int64_t i = 0; i < rows.count * width; i++)
        if (!isfinite((*values)[i]))
            return dl_fail(DLTF_FORMAT, "tensor '%s': row %" PRId64 ", column %" PRId64 " is %s", name,
                           rows.first + i / width, i % width, isnan((*values)[i]) ? "NaN" : "infinite");
    return DLTF_OK;
}

/* The optional number that samples are multiplied by. */
static dltf_status get_factor(const dl_bundle *bundle, double *factor, int *used) {
    const void *content = NULL;
    *factor = 1;
    if (!dl_bundle_find(bundle, "factor"))
        return DLTF_OK;
    dltf_status status = dl_bundle_get(bundle, "factor", DL_TENSOR_F64, 1, 0, &content);
    if (status != DLTF_OK)
        return status;
    memcpy(factor, content, sizeof *factor);
    (*used)++;
    return *factor > 0 && *factor <= (double)FLT_MAX
               ? DLTF_OK
               : dl_fail(DLTF_FORMAT, "tensor 'factor' is %g: expected a number above 0", *factor);
}

static dltf_status check_unit_rows(const dltf_model_view *parts, int64_t first) {
    for (int64_t row = 0; row < parts->m; row++) {
        double sum = 0.0;
        for (int64_t col = 0; col < parts->n; col++) {
            double value = (double)parts->dictionary[row * parts->n + col];
            sum += value * value;
        }
        if (!(fabs(sqrt(sum) - 1.0) <= 1e-4))
            return dl_fail(DLTF_FORMAT, "row %" PRId64 " of the dictionary has norm %g: expected 1",
                           first + row, sqrt(sum));
    }
    return DLTF_OK;
}

/* The atoms of part `number` of `count`: whole panels. */
static range atoms_of_part(int64_t m, int number, int count) {
    int64_t panels = (m + DL_PANEL - 1) / DL_PANEL, first = panels * number / count * DL_PANEL,
            end = panels * (number + 1) / count * DL_PANEL;
    return (range){first, (end < m ? end : m) - first, m};
}

static dltf_status get_tensors(const dl_bundle *bundle, int number, int count, dltf_model_view *parts,
                               range *atoms) {
    dltf_status status = DLTF_OK;
    int used = 0;
    const dl_tensor *dictionary = dl_bundle_find(bundle, "dictionary");
    if (!dictionary)
        return dl_fail(DLTF_FORMAT, "is not a complete model: tensor 'dictionary' is missing");
    *atoms = atoms_of_part(dictionary->rows, number, count);
    parts->m = atoms->count;
    parts->n = dictionary->cols;
    const range entries = {0, parts->n, parts->n};
    DL_TRY(get_tensor(bundle, "dictionary", *atoms, parts->n, &parts->dictionary, &used));
    DL_TRY(get_tensor(bundle, "encoder", *atoms, parts->n, &parts->encoder, &used));
    DL_TRY(get_tensor(bundle, "bias", *atoms, 0, &parts->bias, &used));
    DL_TRY(get_tensor(bundle, "mean", entries, 0, &parts->mean, &used));
    DL_TRY(get_tensor(bundle, "deviation", entries, 0, &parts->deviation, &used));
    DL_TRY(get_tensor(bundle, "offset", entries, 0, &parts->offset, &used));
    DL_TRY(get_tensor(bundle, "scale", *atoms, 0, &parts->scale, &used));
    DL_TRY(get_tensor(bundle, "threshold", *atoms, 0, &parts->threshold, &used));
    DL_TRY(get_factor(bundle, &parts->factor, &used));
    if (used != bundle->count)
        return dl_fail(DLTF_FORMAT, "contains tensors other than dictionary, encoder, bias, mean, deviation, "
                                    "offset, scale, threshold and factor: written by another version?");
    status = check_unit_rows(parts, atoms->first);
done:
    return status;
}

dltf_status dl_model_part_from_bundle(const dl_bundle *bundle, int number, int count, dl_model_part *part) {
    dltf_status status = DLTF_OK;
    dltf_model_view parts = {0};
    range atoms = {0};
    dltf_model *made = NULL;
    DL_TRY(dl_kind_check(bundle, DL_KIND_MODEL));
    DL_TRY(get_tensors(bundle, number, count, &parts, &atoms));
    DL_TRY(read_settings(&bundle->notes, atoms.all, &parts));
    *part = (dl_model_part){NULL, atoms.first, atoms.all, parts.k, parts.encoder, parts.bias};
    parts.k = parts.k < parts.m ? parts.k : parts.m;
    DL_TRY(parts.m > 0 ? dltf_model_new(&parts, &made) : dl_model_new_empty(&parts, &made));
    for (int i = 0; i < bundle->notes.count; i++) {
        const dl_note *note = &bundle->notes.list[i];
        if (!is_reserved(note->name))
            DL_TRY(dl_notes_set(&made->notes, note->name, note->value));
    }
    part->model = made;
    made = NULL;
done:
    dltf_model_free(made);
    return status;
}

dltf_status dl_model_from_bundle(const dl_bundle *bundle, dltf_model **model) {
    dl_model_part whole;
    dltf_status status = dl_model_part_from_bundle(bundle, 0, 1, &whole);
    if (status == DLTF_OK)
        *model = whole.model;
    return status;
}

dltf_status dltf_model_read(const void *bytes, int64_t size, dltf_model **model) {
    DL_CLEAR(model);
    DL_REQUIRE(bytes, model);
    DL_REQUIRE_BYTES(size);
    dl_bundle bundle;
    dltf_status status = dl_safetensors_parse(bytes, size, &bundle);
    if (status == DLTF_OK)
        status = dl_model_from_bundle(&bundle, model);
    dl_bundle_free(&bundle);
    return status;
}
