/* The internals of a model. */
#ifndef DL_DATA_MODEL_H
#define DL_DATA_MODEL_H

#include "base/handle.h"
#include "data/notes.h"
#include "data/samples.h"
#include "kernels/packed.h"

/* What encoders compute from a model. Made when first needed, then kept by the model and shared by all of its
 * encoders, in any thread. Read-only once it is kept. */
typedef enum dl_derived_kind {
    DL_DERIVED_FILTER,     /* encoder in 16 bits (coding/prefilter.h) */
    DL_DERIVED_ATOMS,      /* packed dictionary of a model whose `packed` is something else */
    DL_DERIVED_GRAM,       /* W^T W */
    DL_DERIVED_EIGENVALUE, /* the largest of W^T W */
    DL_DERIVED_DUAL,       /* packed dual encoder of the dictionary */
    DL_DERIVED_PRODUCTS,   /* of dual encoder and dictionary */
    DL_DERIVED_CONFLICTS,  /* pairs of coherent atoms */
    DL_DERIVED_KINDS
} dl_derived_kind;

/* The first member of a derived thing. */
typedef struct dl_derived {
    void (*free)(struct dl_derived *derived);
} dl_derived;

typedef dltf_status (*dl_deriver)(const void *context, dl_derived **made);

struct dltf_model {
    dl_handle handle;
    dltf_model_view parts; /* points to the arrays below */
    float *dictionary, *encoder, *bias, *mean, *deviation, *offset, *scale, *threshold;
    float *cut; /* m: a score must exceed this, the larger of threshold and 0; NULL without thresholds */
    dl_packed packed; /* encoder (of a tied model: dictionary) and bias, packed for products */
    dl_notes notes;
    struct dl_derivatives *derivatives; /* of a const model, too: only dl_model_derive changes them */
};

/* The derived thing of a kind, made by `make` unless the model has it. Threads that need it at the same time
 * may all make it: the first one's is kept, the others are freed. No locks, so that it works without thread
 * library and after fork(). */
dltf_status dl_model_derive(const dltf_model *model, dl_derived_kind kind, dl_deriver make,
                            const void *context, const dl_derived **found);
/* NULL if there is none yet. */
const dl_derived *dl_model_derived(const dltf_model *model, dl_derived_kind kind);

/* Adds samples to those coded with the model so far, and returns their number, at most UINT_MAX. */
unsigned dl_model_count(const dltf_model *model, int64_t samples);

/* A model without atoms: the part of a rank that has none. It has the means and settings of `parts`. */
dltf_status dl_model_new_empty(const dltf_model_view *parts, dltf_model **model);

/* Replaces dictionary and encoder of an untied model, both in double, by others of the same size, and drops
 * all that was derived. No other thread may use the model, and no encoder may exist. */
dltf_status dl_model_replace(dltf_model *model, const double *dictionary, const double *encoder);

/* Samples as the model preprocesses them. */
static inline dl_samples dl_model_samples(const dltf_model *model, dltf_matrix X) {
    return (dl_samples){.X = X,
                        .mean = model->mean,
                        .deviation = model->deviation,
                        .remove_mean = model->parts.remove_mean,
                        .unit_norm = model->parts.unit_norm,
                        .layer_norm = model->parts.layer_norm,
                        .factor = model->parts.factor,
                        .offset = model->offset,
                        .scale = 1};
}

#endif
