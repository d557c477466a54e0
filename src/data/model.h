/* The model as its owner sees it. */
#ifndef DL_DATA_MODEL_H
#define DL_DATA_MODEL_H

#include "data/notes.h"
#include "kernels/packed.h"

struct dltf_model {
    dltf_model_view parts; /* its pointers are the four below */
    float *dictionary, *encoder, *bias, *mean;
    dl_packed packed; /* encoder (of a tied model: dictionary) and bias, ready for products */
    dl_notes notes;
};

#endif
