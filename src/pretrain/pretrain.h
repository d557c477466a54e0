/* Pre-training from the inside: where the weights of a layer come from. */
#ifndef DL_PRETRAIN_PRETRAIN_H
#define DL_PRETRAIN_PRETRAIN_H

#include "base/status.h"
#include "pretrain/pretraining.h"

/* What a start gets: inputs of the layer, its size, and options with a seed of this layer. */
typedef struct dl_start_job {
    dltf_matrix X; /* floats */
    int64_t m, k;
    const dl_pretrain_options *options;
    dltf_progress_fn progress;
    void *context;
} dl_start_job;

/* A start: a file start_NAME.c that defines dl_start_NAME, and a row of DL_STARTS. */
typedef struct dl_start {
    const char *name;
    dl_scaling scaling; /* for scaling auto */
    bool needs_k;
    /* A network of one layer, not scaled yet. */
    dltf_status (*make)(const dl_start_job *job, dl_network **layer);
} dl_start;

#define DL_DECLARE_START(NAME, name, help) extern const dl_start dl_start_##name;
DL_STARTS(DL_DECLARE_START)
#undef DL_DECLARE_START

const dl_start *dl_start_find(dl_start_kind start);

#endif
