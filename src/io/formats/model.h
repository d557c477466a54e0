/* Models in safetensors files. */
#ifndef DL_IO_FORMATS_MODEL_H
#define DL_IO_FORMATS_MODEL_H

#include "data/bundle.h"
#include "dltf/data.h"

/* A model from the content of a file; checks everything that docs/formats.md requires. */
dltf_status dl_model_from_bundle(const dl_bundle *bundle, dltf_model **model);

#endif
