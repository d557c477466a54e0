/* Models in safetensors files. */
#ifndef DL_IO_MODEL_H
#define DL_IO_MODEL_H

#include "data/bundle.h"

/* A model from what a file holds, every promise of the format checked. */
dltf_status dl_model_from_bundle(const dl_bundle *bundle, dltf_model **model);

#endif
