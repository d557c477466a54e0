/* Models in safetensors files. */
#ifndef DL_IO_FORMATS_MODEL_H
#define DL_IO_FORMATS_MODEL_H

#include "data/bundle.h"
#include "dltf/data.h"
#include "io/files/writer.h"

/* Some atoms of a model that several processes have together. */
typedef struct dl_model_part {
    dltf_model *model;   /* of these atoms */
    int64_t first, m, k; /* the first of them; atoms and entries of codes of the whole model */
    bool encoder, bias;  /* whether that has them */
} dl_model_part;

/* Writes a model by parts: one process begins, all write their atoms to the file `name`, whose tensors begin
 * at byte `data`, then the first one commits `out`, or aborts it. */
dltf_status dl_model_parts_begin(const dl_model_part *part, const char *path, dl_writer *out, char **name,
                                 int64_t *data);
dltf_status dl_model_part_write(const dl_model_part *part, const char *path, const char *name, int64_t data);

/* A model from the content of a file; checks everything that docs/formats.md requires. */
dltf_status dl_model_from_bundle(const dl_bundle *bundle, dltf_model **model);

/* The same for part `number` of `count`. */
dltf_status dl_model_part_from_bundle(const dl_bundle *bundle, int number, int count, dl_model_part *part);
/* Reads part `number` of `count` of a model, of about equally many atoms, with k at most their number; checks
 * only these. The part owns its model. */
dltf_status dl_model_part_load(const char *path, int number, int count, dl_model_part *part);

#endif
