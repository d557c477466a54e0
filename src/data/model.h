/* The model as its owner sees it. */
#ifndef DL_DATA_MODEL_H
#define DL_DATA_MODEL_H

#include "data/notes.h"

struct dltf_model {
    dltf_model_view parts; /* its pointers are the four below */
    float *dictionary, *encoder, *bias, *mean;
    dl_notes notes;
};

/* The score matrix of the model's feature: the encoder, or the dictionary of a tied model. */
static inline const float *dl_model_encoder(const dltf_model *model) {
    return model->encoder ? model->encoder : model->dictionary;
}

#endif
