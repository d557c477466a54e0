/* The internals of a model. */
#ifndef DL_DATA_MODEL_H
#define DL_DATA_MODEL_H

#include "data/notes.h"
#include "kernels/packed.h"

struct dltf_model {
    dltf_model_view parts; /* points to the four arrays below */
    float *dictionary, *encoder, *bias, *mean;
    dl_packed packed; /* encoder (of a tied model: dictionary) and bias, packed for products */
    dl_notes notes;
};

#endif
