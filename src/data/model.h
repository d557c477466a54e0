/* The internals of a model. */
#ifndef DL_DATA_MODEL_H
#define DL_DATA_MODEL_H

#include "data/notes.h"
#include "data/samples.h"
#include "kernels/packed.h"

struct dltf_model {
    dltf_model_view parts; /* points to the arrays below */
    float *dictionary, *encoder, *bias, *mean, *offset;
    dl_packed packed; /* encoder (of a tied model: dictionary) and bias, packed for products */
    dl_notes notes;
};

/* Samples as the model preprocesses them. */
static inline dl_samples dl_model_samples(const dltf_model *model, dltf_matrix X) {
    return (dl_samples){.X = X,
                        .mean = model->mean,
                        .remove_mean = model->parts.remove_mean,
                        .unit_norm = model->parts.unit_norm,
                        .offset = model->offset,
                        .scale = 1};
}

#endif
