/* A coder: how a tile of samples becomes codes. encoder.c runs any of them; coders.c lists those of the
 * library. */
#ifndef DL_CODING_CODER_H
#define DL_CODING_CODER_H

#include "coding/feature.h"
#include "data/model.h"
#include "dltf/encode.h"

/* What to encode with. Borrows the model. */
typedef struct dl_recipe {
    const dltf_model *model;
    dltf_encode_options options; /* k and select filled in */
    dl_feature feature;          /* the model's thresholded feature, with that k and selection */
    int64_t listed;              /* scores that the coder takes of a feature: k or more */
    int threads;                 /* to prepare with */
    int workers;                 /* threads that code: no more than there are tiles */
    int64_t rows;                /* of a tile: DL_TILE, or fewer if that is all there are */
} dl_recipe;

typedef struct dl_coder {
    const char *name;
    bool takes_positive;
    bool starts_from_feature; /* computes the feature: the filter for large dictionaries pays */
    bool feature_only;        /* and no other */
    /* recipe->listed, with a check of the options that it depends on; NULL: k. */
    dltf_status (*list)(const dl_recipe *recipe, int64_t *listed);
    /* Allocates the state that coding needs, for recipe->workers; NULL if there is none. */
    dltf_status (*prepare)(const dl_recipe *recipe, void **state);
    /* Codes of up to recipe->rows preprocessed samples, `x_stride` apart. Allocates nothing. A sample whose
     * scores are not finite gets a code that is not finite. */
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
/* The same, but no more than there are. */
int64_t dl_recipe_score_rows(const dl_recipe *recipe);

/* Fails if an m x m matrix with entries of `bits` bits does not fit in the memory of this machine. */
dltf_status dl_gram_check(int64_t m, int bits);

/* Whether omp and htp store a matrix of m x m floats; with more atoms they make products instead. */
bool dl_gram_fits(int64_t m);
/* For tests: stores none above so many atoms; 0: back to the default. */
void dl_gram_limit(int64_t atoms);

/* Derived from the dictionary once per model; the model keeps them. G = W^T W (m x m) in f32, by products in
 * double; the dictionary packed for scores; its dual encoder packed for scores, which is not in the small
 * library, where this fails. */
dltf_status dl_derive_gram(const dl_recipe *recipe, const float **G);
dltf_status dl_derive_atoms(const dl_recipe *recipe, const dl_packed **W);
dltf_status dl_derive_dual(const dl_recipe *recipe, const dl_packed **E);

/* A packed matrix that a model keeps. */
typedef struct dl_derived_packed {
    dl_derived base;
    dl_packed packed;
} dl_derived_packed;

dltf_status dl_derived_packed_new(const float *E, int64_t m, int64_t n, dl_derived **made);

/* A matrix of floats that a model keeps. Takes ownership of it, also on failure. */
typedef struct dl_derived_matrix {
    dl_derived base;
    float *values;
} dl_derived_matrix;

dltf_status dl_derived_matrix_new(float *values, dl_derived **made);

#endif
