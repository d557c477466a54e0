/* A sparse autoencoder as a model, and back.
 *
 * With u the normalised sample, an autoencoder has the scores W_enc^T (u - b_dec) + b_enc, and decodes to
 * b_dec + sum z_j W_dec[j]. A model subtracts its mean (before normalisation) or offset (after it), has unit
 * atoms w_j = W_dec[j] / s_j with scales s_j, and subtracts its bias. Where an autoencoder does not subtract
 * b_dec, a model still does, since atoms describe what remains: bias = -(b_enc + W_enc^T b_dec). */
#include "base/memory.h"
#include "data/matrix.h"
#include "io/formats/sae.h"

#include <math.h>
#include <string.h>

#define FORMAT_NOTE "import.format"
#define UNCENTRED_NOTE "import.uncentred"

static double norm_of(const float *row, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (double)row[i] * (double)row[i];
    return sqrt(sum);
}

static double dot(const float *x, const float *y, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (double)x[i] * (double)y[i];
    return sum;
}

static bool all_zero(const float *values, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (values[i] != 0)
            return false;
    return true;
}

/* ---- To a model ---- */

/* Arrays of a model under construction. */
typedef struct arrays {
    float *encoder, *bias, *scale, *zeros;
    bool scaled; /* some scale is not 1 */
} arrays;

static void arrays_free(arrays *a) {
    dl_free(a->encoder);
    dl_free(a->bias);
    dl_free(a->scale);
    dl_free(a->zeros);
}

/* Rows of norm 1, up to rounding, keep their bits in a model and need no scale. */
static dltf_status find_scales(const dl_sae *sae, arrays *a) {
    int64_t n = sae->settings.n;
    for (int64_t j = 0; j < sae->settings.m; j++) {
        double norm = norm_of(sae->W_dec + j * n, n);
        if (!(norm > 1e-30 && norm < 1e30))
            return dl_fail(DLTF_FORMAT, "tensor 'W_dec': row %lld has norm %g: expected an atom",
                           (long long)j, norm);
        bool unit = fabs(norm - 1) <= 1e-6;
        a->scale[j] = unit ? 1 : (float)norm;
        a->scaled = a->scaled || !unit;
    }
    return DLTF_OK;
}

/* Encoder and bias, in the units of the scores that are selected. */
static void fill_scores(const dl_sae *sae, arrays *a) {
    const dl_sae_settings *s = &sae->settings;
    for (int64_t j = 0; j < s->m; j++) {
        const float *row = sae->W_enc + j * s->n;
        double gain = s->rescaled ? (double)a->scale[j] : 1, bias = -(double)sae->b_enc[j];
        if (s->uncentred)
            bias -= dot(row, sae->b_dec, s->n);
        a->bias[j] = (float)(gain * bias);
        for (int64_t i = 0; i < s->n; i++)
            a->encoder[j * s->n + i] = (float)(gain * (double)row[i]);
    }
}

static dltf_model_view view_of(const dl_sae *sae, const arrays *a) {
    const dl_sae_settings *s = &sae->settings;
    const float *center = all_zero(sae->b_dec, s->n) ? NULL : sae->b_dec;
    bool plain = s->norm == DL_SAE_NORM_NONE;
    return (dltf_model_view){.m = s->m,
                             .n = s->n,
                             .k = s->k > 0 ? s->k : s->m,
                             .dictionary = sae->W_dec,
                             .encoder = a->encoder,
                             .bias = a->bias,
                             .mean = plain ? center : NULL,
                             .offset = plain ? NULL : center,
                             .select = DLTF_SELECT_POSITIVE,
                             .scale = a->scaled && !s->rescaled ? a->scale : NULL,
                             .threshold = s->thresholds ? sae->threshold
                                          : s->k > 0    ? NULL
                                                        : a->zeros,
                             .unit_norm = s->norm == DL_SAE_NORM_LENGTH,
                             .layer_norm = s->norm == DL_SAE_NORM_LAYER,
                             .factor = s->norm == DL_SAE_NORM_AVERAGE  ? s->factor
                                       : s->norm == DL_SAE_NORM_LENGTH ? sqrt((double)s->n)
                                                                       : 1};
}

dltf_status dl_sae_to_model(const dl_sae *sae, const char *format, dltf_model **model) {
    dltf_status status = DLTF_OK;
    int64_t m = sae->settings.m, n = sae->settings.n;
    arrays a = {0};
    dltf_model *made = NULL;
    DL_TRY_NEW(a.encoder, m * n);
    DL_TRY_NEW(a.bias, m);
    DL_TRY_NEW(a.scale, m);
    DL_TRY_NEW(a.zeros, m);
    DL_TRY(find_scales(sae, &a));
    fill_scores(sae, &a);
    dltf_model_view parts = view_of(sae, &a);
    DL_TRY(dltf_model_new(&parts, &made));
    DL_TRY(dl_notes_set(&made->notes, FORMAT_NOTE, format));
    if (sae->settings.uncentred)
        DL_TRY(dl_notes_set(&made->notes, UNCENTRED_NOTE, "true"));
    *model = made;
    made = NULL;
done:
    dltf_model_free(made);
    arrays_free(&a);
    return status;
}

/* ---- From a model ---- */

static dltf_status cannot(const char *what) {
    return dl_fail_about(DLTF_ARGUMENT, DLTF_SUBJECT_MODEL,
                         "%s, which no sparse autoencoder of this format does", what);
}

static dltf_status check_model(const dltf_model *model) {
    const dltf_model_view *parts = &model->parts;
    if (parts->select != DLTF_SELECT_POSITIVE)
        return cannot("selects scores by magnitude");
    if (parts->remove_mean)
        return cannot("subtracts the mean of its own entries from every sample");
    if (model->deviation)
        return cannot("divides columns by their deviations");
    if ((parts->unit_norm || parts->layer_norm) && model->mean)
        return cannot("subtracts a mean before it normalises samples");
    return DLTF_OK;
}

/* The model multiplies normalised samples by `gain` beyond what the normalisation of the format does: the
 * encoder takes it in, and the decoder its inverse. */
static double find_norm(const dltf_model *model, dl_sae_settings *s) {
    double factor = model->parts.factor;
    s->norm = model->parts.layer_norm  ? DL_SAE_NORM_LAYER
              : model->parts.unit_norm ? DL_SAE_NORM_LENGTH
              : factor != 1            ? DL_SAE_NORM_AVERAGE
                                       : DL_SAE_NORM_NONE;
    if (s->norm == DL_SAE_NORM_LAYER)
        return factor;
    if (s->norm == DL_SAE_NORM_LENGTH)
        return factor / sqrt((double)s->n);
    s->factor = factor;
    return 1;
}

static void fill_center(const dltf_model *model, double gain, dl_sae *sae) {
    for (int64_t i = 0; i < sae->settings.n; i++) {
        double center = model->offset ? (double)model->offset[i] : 0;
        center += model->mean ? model->parts.factor * (double)model->mean[i] : 0;
        sae->b_dec[i] = (float)(center / gain);
    }
}

static void fill_rows(const dltf_model *model, double gain, dl_sae *sae) {
    int64_t n = sae->settings.n;
    const float *E = model->encoder ? model->encoder : model->dictionary;
    for (int64_t j = 0; j < sae->settings.m; j++) {
        double scale = model->scale ? (double)model->scale[j] : 1;
        for (int64_t i = j * n; i < (j + 1) * n; i++) {
            sae->W_enc[i] = (float)(gain * (double)E[i]);
            sae->W_dec[i] = (float)(scale / gain * (double)model->dictionary[i]);
        }
        double bias = model->bias ? (double)model->bias[j] : 0;
        if (sae->settings.uncentred)
            bias += dot(sae->W_enc + j * n, sae->b_dec, n);
        sae->b_enc[j] = (float)(0 - bias); /* not -0 */
        if (model->threshold)
            sae->threshold[j] = model->threshold[j];
    }
}

dltf_status dl_sae_from_model(const dltf_model *model, bool has_settings, dl_sae *sae) {
    dltf_status status = check_model(model);
    int64_t m = model->parts.m, n = model->parts.n;
    if (status != DLTF_OK)
        return status;
    *sae = (dl_sae){.settings = {.n = n,
                                 .m = m,
                                 .k = model->threshold ? 0 : model->parts.k,
                                 .uncentred = !has_settings || dl_notes_get(&model->notes, UNCENTRED_NOTE)}};
    sae->settings.thresholds = model->threshold && !(has_settings && all_zero(model->threshold, m));
    double gain = find_norm(model, &sae->settings);
    DL_TRY_NEW(sae->W_enc, m * n);
    DL_TRY_NEW(sae->W_dec, m * n);
    DL_TRY_NEW(sae->b_enc, m);
    DL_TRY_NEW(sae->b_dec, n);
    DL_TRY_NEW(sae->threshold, m);
    fill_center(model, gain, sae);
    fill_rows(model, gain, sae);
done:
    if (status != DLTF_OK)
        dl_sae_free(sae);
    return status;
}
