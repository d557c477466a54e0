/* The cfg.json of EleutherAI's sparsify. */
#include "base/memory.h"
#include "io/formats/cfg.h"
#include "io/formats/sae.h"

#include <string.h>

/* num_latents, or a multiple of the inputs. */
static dltf_status read_sizes(const json_t *cfg, dl_sae_settings *s) {
    dltf_status status = DLTF_OK;
    int64_t expansion = 32;
    DL_TRY(dl_cfg_need_count(cfg, "d_in", &s->n));
    DL_TRY(dl_cfg_count(cfg, "num_latents", 0, &s->m));
    DL_TRY(dl_cfg_count(cfg, "expansion_factor", 1, &expansion));
    if (s->m == 0 && (!dl_multiply(s->n, expansion, &s->m) || s->m > INT32_MAX))
        DL_TRY(dl_cfg_unexpected(cfg, "expansion_factor", "at most 2147483647 latents"));
    DL_TRY(dl_cfg_need_count(cfg, "k", &s->k));
    if (s->k > s->m)
        status = dl_cfg_unexpected(cfg, "k", "at most the number of latents");
done:
    return status;
}

static dltf_status refuse_flag(const json_t *cfg, const char *key) {
    bool flag = false;
    dltf_status status = dl_cfg_flag(cfg, key, &flag);
    return status == DLTF_OK && flag ? dl_cfg_unexpected(cfg, key, "false") : status;
}

static dltf_status read_settings(const json_t *cfg, dl_sae_settings *s) {
    dltf_status status = DLTF_OK;
    const char *activation = "topk";
    *s = (dl_sae_settings){0};
    DL_TRY(read_sizes(cfg, s));
    DL_TRY(dl_cfg_text(cfg, "activation", &activation));
    if (strcmp(activation, "topk") != 0)
        DL_TRY(dl_cfg_unexpected(cfg, "activation", "topk"));
    DL_TRY(refuse_flag(cfg, "skip_connection"));
    DL_TRY(refuse_flag(cfg, "signed")); /* of old versions: selected by magnitude */
    status = dl_cfg_flag(cfg, "transcode", &s->uncentred);
done:
    return status;
}

dltf_status dl_sparsify_parse(const uint8_t *bytes, int64_t size, dl_sae_settings *settings) {
    json_t *cfg = NULL;
    dltf_status status = dl_cfg_parse(bytes, size, &cfg);
    if (status == DLTF_OK)
        status = read_settings(cfg, settings);
    json_decref(cfg);
    return status;
}

dltf_status dl_sparsify_format(const dl_sae_settings *s, dl_text *text) {
    return dl_cfg_format(json_pack("{s:s, s:i, s:b, s:I, s:I, s:b, s:b, s:b, s:I}", "activation", "topk",
                                   "expansion_factor", 32, "normalize_decoder", 1, "num_latents",
                                   (json_int_t)s->m, "k", (json_int_t)s->k, "multi_topk", 0,
                                   "skip_connection", 0, "transcode", s->uncentred, "d_in", (json_int_t)s->n),
                         text);
}
