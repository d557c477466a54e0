/* The cfg.json of SAELens, from 6.0 on and before, and its activation_scaler.json. */
#include "io/formats/cfg.h"
#include "io/formats/sae.h"

#include <math.h>
#include <string.h>

static const char *const norms[] = {[DL_SAE_NORM_NONE] = "none",
                                    [DL_SAE_NORM_AVERAGE] = "expected_average_only_in",
                                    [DL_SAE_NORM_LENGTH] = "constant_norm_rescale",
                                    [DL_SAE_NORM_LAYER] = "layer_norm"};
enum { NORMS = sizeof norms / sizeof *norms };

/* Before 6.0 a flag was possible: true meant the average. */
static dltf_status read_norm(const json_t *cfg, dl_sae_norm *norm) {
    const json_t *value = json_object_get(cfg, "normalize_activations");
    if (!value || json_is_null(value) || json_is_false(value) || json_is_true(value)) {
        *norm = json_is_true(value) ? DL_SAE_NORM_AVERAGE : DL_SAE_NORM_NONE;
        return DLTF_OK;
    }
    for (int i = 0; json_is_string(value) && i < NORMS; i++)
        if (strcmp(json_string_value(value), norms[i]) == 0) {
            *norm = (dl_sae_norm)i;
            return DLTF_OK;
        }
    return dl_cfg_unexpected(cfg, "normalize_activations",
                             "none, expected_average_only_in, constant_norm_rescale or layer_norm");
}

/* k is at the top or, before 6.0, among the arguments of the activation function. */
static dltf_status read_k(const json_t *cfg, dl_sae_settings *s) {
    const json_t *inner = json_object_get(cfg, "activation_fn_kwargs");
    const json_t *holder = !json_object_get(cfg, "k") && json_object_get(inner, "k") ? inner : cfg;
    dltf_status status = dl_cfg_need_count(holder, "k", &s->k);
    if (status == DLTF_OK && s->k > s->m)
        status = dl_cfg_unexpected(holder, "k", "at most d_sae");
    return status;
}

static dltf_status read_activation(const json_t *cfg, bool *topk) {
    static const char *const keys[] = {"activation_fn_str", "activation_fn"};
    for (int i = 0; i < 2; i++) {
        const char *name = "relu";
        dltf_status status = dl_cfg_text(cfg, keys[i], &name);
        if (status != DLTF_OK)
            return status;
        if (strcmp(name, "relu") != 0 && strcmp(name, "topk") != 0)
            return dl_cfg_unexpected(cfg, keys[i], "relu or topk");
        *topk = *topk || strcmp(name, "topk") == 0;
    }
    return DLTF_OK;
}

static dltf_status read_architecture(const json_t *cfg, dl_sae_settings *s) {
    const char *name = "standard";
    bool topk = false;
    dltf_status status = dl_cfg_text(cfg, "architecture", &name);
    if (status == DLTF_OK)
        status = read_activation(cfg, &topk);
    if (status != DLTF_OK)
        return status;
    bool standard = strcmp(name, "standard") == 0;
    if (strcmp(name, "topk") == 0 || (standard && topk)) {
        status = dl_cfg_flag(cfg, "rescale_acts_by_decoder_norm", &s->rescaled);
        return status == DLTF_OK ? read_k(cfg, s) : status;
    }
    s->thresholds = strcmp(name, "jumprelu") == 0;
    if (!standard && !s->thresholds)
        return dl_cfg_unexpected(cfg, "architecture", "standard, topk or jumprelu");
    return DLTF_OK;
}

static dltf_status read_settings(const json_t *cfg, dl_sae_settings *s) {
    dltf_status status = DLTF_OK;
    bool centred = true, finetuned = false;
    *s = (dl_sae_settings){0};
    DL_TRY(dl_cfg_need_count(cfg, "d_in", &s->n));
    DL_TRY(dl_cfg_need_count(cfg, "d_sae", &s->m));
    DL_TRY(read_architecture(cfg, s));
    DL_TRY(read_norm(cfg, &s->norm));
    DL_TRY(dl_cfg_flag(cfg, "apply_b_dec_to_input", &centred));
    DL_TRY(dl_cfg_flag(cfg, "finetuning_scaling_factor", &finetuned));
    s->uncentred = !centred;
    if (finetuned)
        status = dl_cfg_unexpected(cfg, "finetuning_scaling_factor", "false");
done:
    return status;
}

dltf_status dl_saelens_parse(const uint8_t *bytes, int64_t size, dl_sae_settings *settings) {
    json_t *cfg = NULL;
    dltf_status status = dl_cfg_parse(bytes, size, &cfg);
    if (status == DLTF_OK)
        status = read_settings(cfg, settings);
    json_decref(cfg);
    return status;
}

dltf_status dl_saelens_format(const dl_sae_settings *s, dl_text *text) {
    const char *name = s->k > 0 ? "topk" : s->thresholds ? "jumprelu" : "standard";
    json_t *cfg = json_pack("{s:s, s:I, s:I, s:s, s:s, s:b, s:s, s:s, s:{s:s}}", "architecture", name, "d_in",
                            (json_int_t)s->n, "d_sae", (json_int_t)s->m, "dtype", "float32", "device", "cpu",
                            "apply_b_dec_to_input", !s->uncentred, "normalize_activations", norms[s->norm],
                            "reshape_activations", "none", "metadata", "sae_lens_version", "6.0.0");
    bool whole = cfg != NULL;
    if (s->k > 0)
        whole = whole && json_object_set_new(cfg, "k", json_integer(s->k)) == 0 &&
                json_object_set_new(cfg, "rescale_acts_by_decoder_norm", json_false()) == 0;
    if (!whole) {
        json_decref(cfg);
        cfg = NULL;
    }
    return dl_cfg_format(cfg, text);
}

dltf_status dl_saelens_parse_factor(const uint8_t *bytes, int64_t size, double *factor) {
    json_t *cfg = NULL;
    dltf_status status = dl_cfg_parse(bytes, size, &cfg);
    const json_t *value = json_object_get(cfg, "scaling_factor");
    *factor = json_number_value(value);
    if (status == DLTF_OK && (!json_is_number(value) || !(*factor > 0 && *factor <= 1e30)))
        status = dl_cfg_unexpected(cfg, "scaling_factor", "a number above 0");
    json_decref(cfg);
    return status;
}

dltf_status dl_saelens_format_factor(double factor, dl_text *text) {
    return dl_cfg_format(json_pack("{s:f}", "scaling_factor", factor), text);
}
