/* What a bundle is: a model, a checkpoint. Two of its notes tell, `format` and `version`. */
#ifndef DL_DATA_KIND_H
#define DL_DATA_KIND_H

#include "data/bundle.h"

typedef enum dl_kind { DL_KIND_MODEL, DL_KIND_CHECKPOINT } dl_kind;

/* Sets the two notes. */
dltf_status dl_kind_mark(dl_bundle *bundle, dl_kind kind);

/* Refuses a bundle of another kind or version, with a sentence that names what it is and what it is for. */
dltf_status dl_kind_check(const dl_bundle *bundle, dl_kind kind);

#endif
