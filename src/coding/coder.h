/* A coder: how a tile of samples becomes codes. encoder.c runs any of them; coders.c lists those of the
 * library. */
#ifndef DL_CODING_CODER_H
#define DL_CODING_CODER_H

#include "coding/feature.h"

/* What to encode with. Borrows the model. */
typedef struct dl_recipe {
    const dltf_model *model;
    dltf_encode_options options; /* k and select filled in */
    dl_feature feature;          /* the model's thresholded feature, with that k and selection */
    int threads;
} dl_recipe;

typedef struct dl_coder {
    const char *name;
    bool takes_positive;
    bool starts_from_feature; /* computes the feature: the filter for large dictionaries pays */
    /* Allocates the state that coding needs, for recipe->threads workers; NULL if there is none. */
    dltf_status (*prepare)(const dl_recipe *recipe, void **state);
    /* Codes of up to DL_TILE preprocessed samples, `x_stride` apart. Allocates nothing. A sample whose scores
     * are not finite gets a code that is not finite. */
    void (*tile)(const dl_recipe *recipe, void *state, int worker, const float *X, int64_t x_stride,
                 int64_t rows, dl_workspace *space, dl_slots out);
    void (*free)(void *state);
} dl_coder;

/* NULL if the library does not have it. */
const dl_coder *dl_coder_find(dltf_coder coder);

#define DL_DECLARE_CODER(NAME, name, help) extern const dl_coder dl_coder_##name;
DLTF_CODERS(DL_DECLARE_CODER)
#undef DL_DECLARE_CODER

/* How many samples a coder that needs all m scores should score at once, so that they stay in the cache. At
 * most DL_TILE. */
int64_t dl_score_rows(int64_t m);

/* Fails if an m x m matrix with entries of `bits` bits does not fit in the memory of this machine. */
dltf_status dl_gram_check(int64_t m, int bits);

/* G = W^T W (m x m) of a dictionary in f32, by products in double, and the dictionary packed for scores. */
dltf_status dl_gram_new(int threads, const float *W, int64_t m, int64_t n, float **G);
dltf_status dl_dictionary_pack(const dltf_model *model, dl_packed *packed);

#endif
