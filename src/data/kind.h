/* The kind of a bundle. It is recorded in two notes, `format` and `version`. */
#ifndef DL_DATA_KIND_H
#define DL_DATA_KIND_H

#include "data/bundle.h"

typedef enum dl_kind {
    DL_KIND_MODEL,
    DL_KIND_CHECKPOINT,
    DL_KIND_SHARD,
    DL_KIND_ONLINE,
    DL_KIND_PCA,
    DL_KIND_NETWORK,
    DL_KIND_TRAINING,
    DL_KIND_HASHER,
    DL_KIND_CLUSTERING,
    DL_KIND_HASHING
} dl_kind;

/* Sets the two notes. */
dltf_status dl_kind_mark(dl_bundle *bundle, dl_kind kind);

/* What a file with this note `format` is: "model", "checkpoint"; NULL if dltf did not write it. */
const char *dl_kind_name(const char *format);

/* Rejects a bundle of another kind or version, with a message that says what it is and how to use it. */
dltf_status dl_kind_check(const dl_bundle *bundle, dl_kind kind);

#endif
