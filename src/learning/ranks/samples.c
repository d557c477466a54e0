/* The samples of each rank. */
#include "base/integer.h"
#include "base/parallel.h"
#include "comm/comm.h"
#include "learning/learner.h"

#include <string.h>

int dl_learner_owner(const dltf_learner *l, int64_t i) {
    return dl_comm_owner(dl_tiles(l->N, DL_TILE), i / DL_TILE);
}

int64_t dl_learner_first(const dltf_learner *l, int rank) {
    return dl_min(l->N, DL_TILE * dl_comm_first(dl_tiles(l->N, DL_TILE), rank));
}

static uint64_t add_values(uint64_t checksum, const double *values, int64_t count) {
    for (int64_t i = 0; values && i < count; i++) {
        uint64_t word;
        memcpy(&word, &values[i], sizeof word);
        checksum = dl_checksum_add(checksum, word ^ word >> 32); /* signs would cancel in pairs */
    }
    return checksum;
}

dltf_status dl_learner_compare(const dltf_learner *l, dltf_subject source) {
    if (dl_comm_size() == 1)
        return DLTF_OK;
    const double sizes[] = {l->samples.scale, (double)l->N, (double)l->holdout.held_out, (double)l->k,
                            (double)l->options.seed};
    uint64_t start = add_values(0, sizes, sizeof sizes / sizeof *sizes);
    start = add_values(start, l->W, l->m * l->n);
    start = add_values(start, l->E, l->m * l->n);
    start = add_values(start, l->bias, l->m);
    if (dl_comm_same(&start, sizeof start))
        return dl_comm_agree(DLTF_OK);
    return dl_comm_agree(dl_fail_about(
        DLTF_DATA, source,
        "gives another start of the training than on rank 0: every rank needs the same data and options"));
}

dltf_status dl_learner_divide(dltf_learner *l) {
    int rank = dl_comm_rank(), ranks = dl_comm_size();
    l->first = dl_learner_first(l, rank);
    l->own = dl_learner_first(l, rank + 1) - l->first;
    if (ranks == 1)
        return DLTF_OK;
    dltf_status status = DLTF_OK;
    if (dl_tiles(l->N, DL_TILE) < ranks)
        status = dl_fail_about(DLTF_DATA, DLTF_SUBJECT_DATA,
                               "%lld samples are too few for %d ranks: use at most %lld", (long long)l->N,
                               ranks, (long long)dl_tiles(l->N, DL_TILE));
    return dl_comm_agree(status);
}
