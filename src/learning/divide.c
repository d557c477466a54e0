/* The samples of each rank. */
#include "base/integer.h"
#include "base/parallel.h"
#include "comm/comm.h"
#include "kernels/kernels.h"
#include "learning/learner.h"
#include "linalg/blas.h"

#include <stdio.h>
#include <string.h>

int dl_learner_owner(const dltf_learner *l, int64_t i) {
    return dl_comm_owner(dl_tiles(l->N, DL_TILE), i / DL_TILE);
}

int64_t dl_learner_first(const dltf_learner *l, int rank) {
    return dl_min(l->N, DL_TILE * dl_comm_first(dl_tiles(l->N, DL_TILE), rank));
}

/* What must be the same everywhere, or ranks would not stay in step. */
typedef struct task {
    int64_t rows, cols, m, k, seed;
    char arithmetic[160];
} task;

static dltf_status compare_with_rank_0(const dltf_learner *l) {
    task mine, first;
    memset(&mine, 0, sizeof mine);
    mine.rows = l->N + l->split.held_out;
    mine.cols = l->n;
    mine.m = l->m;
    mine.k = l->k;
    mine.seed = l->options.seed;
    snprintf(mine.arithmetic, sizeof mine.arithmetic, "kernels %s, BLAS %s", dl_kernels_now()->level,
             dl_blas_name());
    first = mine;
    dl_comm_broadcast(&first, sizeof first);
    if (dl_comm_status() != DLTF_OK)
        return dl_comm_status();
    if (strcmp(mine.arithmetic, first.arithmetic) != 0)
        return dl_fail(DLTF_ARGUMENT,
                       "%s on one machine but %s on that of rank 0 would round differently: set DLTF_KERNELS "
                       "and OPENBLAS_CORETYPE to what all machines have",
                       mine.arithmetic, first.arithmetic);
    if (memcmp(&mine, &first, sizeof mine) != 0)
        return dl_fail_about(DLTF_DATA, DLTF_SUBJECT_DATA,
                             "%lld x %lld values, m = %lld, k = %lld, but rank 0 has %lld x %lld, m = %lld, "
                             "k = %lld: all ranks need the same data and options",
                             (long long)mine.rows, (long long)mine.cols, (long long)mine.m, (long long)mine.k,
                             (long long)first.rows, (long long)first.cols, (long long)first.m,
                             (long long)first.k);
    return DLTF_OK;
}

dltf_status dl_learner_divide(dltf_learner *l) {
    int rank = dl_comm_rank(), ranks = dl_comm_size();
    l->first = dl_learner_first(l, rank);
    l->own = dl_learner_first(l, rank + 1) - l->first;
    if (ranks == 1)
        return DLTF_OK;
    dltf_status status = compare_with_rank_0(l);
    if (status == DLTF_OK && dl_tiles(l->N, DL_TILE) < ranks)
        status = dl_fail_about(DLTF_DATA, DLTF_SUBJECT_DATA,
                               "%lld samples are too few for %d ranks: use at most %lld", (long long)l->N,
                               ranks, (long long)dl_tiles(l->N, DL_TILE));
    return dl_comm_agree(status);
}
