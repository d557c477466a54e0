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
    int64_t listed;              /* scores that the coder takes of a feature: k or more */
    int threads;
} dl_recipe;

typedef struct dl_coder {
    const char *name;
    bool takes_positive;
    bool starts_from_feature; /* computes the feature: the filter for large dictionaries pays */
    /* recipe->listed, with a check of the options that it depends on; NULL: k. */
    dltf_status (*list)(const dl_recipe *recipe, int64_t *listed);
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

/* Whether omp and htp store a matrix of m x m floats; with more atoms they make products instead. */
bool dl_gram_fits(int64_t m);
/* For tests: stores none above so many atoms; 0: back to the default. */
void dl_gram_limit(int64_t atoms);

/* G = W^T W (m x m) of a dictionary in f32, by products in double, and the dictionary packed for scores. */
dltf_status dl_gram_new(int threads, const float *W, int64_t m, int64_t n, float **G);
dltf_status dl_dictionary_pack(const dltf_model *model, dl_packed *packed);

/* The dual encoder of the dictionary, packed for scores. Not in the small library, where it fails. */
dltf_status dl_dual_pack(const dl_recipe *recipe, dl_packed *packed);

#endif
