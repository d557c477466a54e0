/* The samples and the atoms of each rank. */
#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "comm/comm.h"
#include "learning/learner.h"
#include "learning/ranks/atoms.h"

#include <string.h>

int dl_learner_owner(const dltf_learner *l, int64_t i) {
    return dl_comm_owner(dl_tiles(l->N, DL_TILE), i / DL_TILE);
}

int64_t dl_learner_first(const dltf_learner *l, int rank) {
    return dl_min(l->N, DL_TILE * dl_comm_first(dl_tiles(l->N, DL_TILE), rank));
}

dltf_status dl_learner_gather(const dltf_learner *l, const void *own, int64_t bytes, int64_t count,
                              bool everywhere, void **rows) {
    dltf_status status = DLTF_OK;
    int64_t *counts = NULL;
    DL_TRY_NEW(counts, dl_comm_size());
    for (int r = 0; r < dl_comm_size(); r++)
        counts[r] = dl_min(count, dl_atoms_first(l->m, r + 1)) - dl_min(count, dl_atoms_first(l->m, r));
    *rows = dl_alloc(everywhere || dl_comm_rank() == 0 ? count : 0, (size_t)bytes);
    DL_TRY(*rows ? DLTF_OK : DLTF_MEMORY);
    (everywhere ? dl_comm_gather_all : dl_comm_gather)(own, counts, bytes, *rows);
    status = dl_comm_status();
done:
    dl_free(counts);
    return status;
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
    if (!dl_learner_shares_atoms(l)) { /* otherwise batches are compared (gradient/descent.c) */
        start = add_values(start, l->W, l->m * l->n);
        start = add_values(start, l->E, l->m * l->n);
        start = add_values(start, l->bias, l->m);
    }
    if (dl_comm_same(&start, sizeof start))
        return dl_comm_agree(DLTF_OK);
    return dl_comm_agree(dl_fail_about(
        DLTF_DATA, source,
        "gives another start of the training than on rank 0: every rank needs the same data and options"));
}

bool dl_learner_shares_atoms(const dltf_learner *l) {
    return l->by_atoms && dl_comm_size() > 1;
}

dltf_status dl_learner_divide(dltf_learner *l) {
    int rank = dl_comm_rank(), ranks = dl_comm_size();
    l->own = l->N;
    l->atoms = l->m;
    if (dl_learner_shares_atoms(l)) {
        l->first_atom = dl_atoms_first(l->m, rank);
        l->atoms = dl_atoms_first(l->m, rank + 1) - l->first_atom;
        return DLTF_OK;
    }
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
