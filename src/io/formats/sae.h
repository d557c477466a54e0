/* Sparse autoencoders as other programs store them: settings, tensors, and the model they make. In the names
 * of these programs, x is normalised, b_dec is subtracted, W_enc and b_enc give scores, and
 * x' = b_dec + sum z_j W_dec[j]. */
#ifndef DL_IO_FORMATS_SAE_H
#define DL_IO_FORMATS_SAE_H

#include "base/text.h"
#include "data/bundle.h"
#include "data/model.h"
#include "io/formats/zip.h"

/* What happens to a sample first. */
typedef enum dl_sae_norm {
    DL_SAE_NORM_NONE,
    DL_SAE_NORM_AVERAGE, /* multiplied by a factor that gives the samples an average norm of sqrt(n) */
    DL_SAE_NORM_LENGTH,  /* scaled to norm sqrt(n) */
    DL_SAE_NORM_LAYER    /* own mean subtracted, divided by the standard deviation + 1e-5 */
} dl_sae_norm;

/* As cfg.json has them. */
typedef struct dl_sae_settings {
    int64_t n, m;    /* 0: as the tensors have them */
    int64_t k;       /* entries of a code; 0: no limit */
    bool thresholds; /* tensor `threshold`; otherwise, without a k, thresholds of 0: ReLU */
    bool uncentred;  /* b_dec is not subtracted before the encoder */
    bool rescaled;   /* scores are multiplied by the norms of the rows of W_dec before they are selected */
    dl_sae_norm norm;
    double factor; /* of DL_SAE_NORM_AVERAGE; 0: unknown */
} dl_sae_settings;

typedef struct dl_sae {
    dl_sae_settings settings;
    float *W_enc, *W_dec; /* m x n, both */
    float *b_enc, *b_dec; /* m, n */
    float *threshold;     /* m; NULL without thresholds */
} dl_sae;

void dl_sae_free(dl_sae *sae);

/* ---- Settings ---- */

/* From the text of a cfg.json, and back; messages name the key, its value and what was expected. */
dltf_status dl_saelens_parse(const uint8_t *bytes, int64_t size, dl_sae_settings *settings);
dltf_status dl_saelens_format(const dl_sae_settings *settings, dl_text *text);
dltf_status dl_sparsify_parse(const uint8_t *bytes, int64_t size, dl_sae_settings *settings);
dltf_status dl_sparsify_format(const dl_sae_settings *settings, dl_text *text);

/* The factor in SAELens' activation_scaler.json. */
dltf_status dl_saelens_parse_factor(const uint8_t *bytes, int64_t size, double *factor);
dltf_status dl_saelens_format_factor(double factor, dl_text *text);

/* ---- Tensors ---- */

/* Where they are: one of the two. */
typedef struct dl_sae_source {
    const dl_bundle *bundle;
    const dl_zip *zip;
} dl_sae_source;

/* W_enc may be stored as n x m (SAELens) or, as encoder.weight, m x n (sparsify). All tensors must be there,
 * of type F32, F64, F16 or BF16, with shapes that fit the settings and each other, and finite; tensors of
 * other names are an error. */
dltf_status dl_sae_read(dl_sae_source source, bool by_atom, dl_sae *sae);
/* As F32 in a bundle, which borrows b_enc, W_dec, b_dec and threshold and owns the rest. */
dltf_status dl_sae_bundle(const dl_sae *sae, bool by_atom, dl_bundle *bundle);

/* ---- Models ---- */

dltf_status dl_sae_to_model(const dl_sae *sae, const char *format, dltf_model **model);
/* Fails if no autoencoder of this kind computes the same. Without settings, b_dec is never subtracted from
 * samples, and thresholds are always stored. */
dltf_status dl_sae_from_model(const dltf_model *model, bool has_settings, dl_sae *sae);

#endif
