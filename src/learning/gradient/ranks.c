/* Exchanges of a batch between ranks that share the atoms. */
#include "learning/gradient/ranks.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "comm/comm.h"

#include <string.h>

/* ---- Memory ---- */

/* The largest subtrees of all ranks; those of one rank follow each other. */
static dltf_status alloc_nodes(dl_gradient *g) {
    dltf_status status = DLTF_OK;
    dl_gradient_ranks *r = g->ranks;
    int64_t all = 0, slice = dl_tiles(g->room, dl_comm_size());
    for (int rank = 0; rank < dl_comm_size(); rank++) {
        r->counts[rank] = dl_atom_spans(g->groups, dl_atoms_first_group(g->all, rank),
                                        dl_atoms_first_group(g->all, rank + 1), g->groups, NULL);
        all += r->counts[rank];
    }
    DL_TRY_NEW(r->nodes.spans, all);
    DL_TRY_NEW(r->nodes.sums, all * slice * g->n);
    DL_TRY_NEW(r->nodes.any, all * slice);
    for (int rank = 0; rank < dl_comm_size(); rank++) {
        if (rank == dl_comm_rank())
            r->own = r->nodes.spans + r->nodes.count;
        r->nodes.count +=
            dl_atom_spans(g->groups, dl_atoms_first_group(g->all, rank),
                          dl_atoms_first_group(g->all, rank + 1), g->groups, r->nodes.spans + r->nodes.count);
    }
done:
    return status;
}

dltf_status dl_gradient_ranks_alloc(dl_gradient *g) {
    dltf_status status = DLTF_OK;
    dl_gradient_ranks *r = NULL;
    DL_TRY_NEW(r, 1);
    g->ranks = r;
    DL_TRY(dl_slots_alloc(&r->found, g->room, g->k));
    DL_TRY(dl_rank_codes_alloc(&r->codes, g->threads, g->room, g->k));
    DL_TRY_NEW(r->counts, dl_comm_size());
    DL_TRY_NEW(r->slices, dl_comm_size());
    DL_TRY_NEW(r->out, dl_comm_size());
    DL_TRY_NEW(r->in, dl_comm_size());
    DL_TRY(alloc_nodes(g));
    DL_TRY_NEW(r->sent, r->counts[dl_comm_rank()] * g->room * g->n);
done:
    return status; /* the caller frees partial allocations */
}

dltf_status dl_gradient_ranks_alloc_refit(dl_gradient *g) {
    const int64_t most = 1 << 20; /* values */
    g->ranks->piece = dl_max(1, dl_min(g->room, most / (g->k * g->n)));
    return dl_rank_rows_alloc(&g->ranks->rows, g->all, g->n, g->ranks->piece * g->k);
}

void dl_gradient_ranks_free(dl_gradient *g) {
    dl_gradient_ranks *r = g->ranks;
    if (!r)
        return;
    dl_slots_free(&r->found);
    dl_rank_codes_free(&r->codes);
    dl_free(r->counts);
    dl_free(r->slices);
    dl_free(r->out);
    dl_free(r->in);
    dl_free(r->nodes.spans);
    dl_free(r->nodes.sums);
    dl_free(r->nodes.any);
    dl_free(r->sent);
    dl_rank_rows_free(&r->rows);
    dl_free(r);
}

/* ---- Residuals ---- */

/* Where the sum of a subtree for sample i is sent from. */
static float *sum_to_send(const dl_gradient *g, int64_t tree, int64_t i) {
    const dl_gradient_ranks *r = g->ranks;
    int rank = dl_comm_owner(g->rows, i);
    int64_t first = dl_comm_first(g->rows, rank);
    int64_t place = first * r->counts[dl_comm_rank()] + tree * r->slices[rank] + i - first;
    return r->sent + place * g->n;
}

static void fold_own(void *context, int64_t i, int worker) {
    (void)worker;
    dl_gradient *g = context;
    const dl_gradient_ranks *r = g->ranks;
    int64_t next = 0;
    for (int64_t tree = 0; tree < r->counts[dl_comm_rank()]; tree++) {
        int64_t branch = dl_branches_fold(&g->branches, i, r->own[tree].count, g->n, &next);
        if (branch >= 0)
            memcpy(sum_to_send(g, tree, i), dl_branch_sum(&g->branches, branch, i, g->n),
                   (size_t)g->n * sizeof *r->sent);
    }
}

/* Which subtrees have terms follows from the codes, whose indices ascend. */
static void find_terms(const dl_gradient *g, dl_branches *nodes, int64_t own, int64_t i) {
    int32_t e = 0;
    for (int64_t b = 0; b < nodes->count; b++) {
        int64_t end = dl_atom_group_first(g->all, g->groups, nodes->spans[b].first + nodes->spans[b].count);
        int32_t before = e;
        while (e < g->Z.count[i] && g->Z.index[i * g->k + e] < end)
            e++;
        nodes->any[b * nodes->room + own] = e > before;
    }
}

static void fold_all(void *context, int64_t own, int worker) {
    (void)worker;
    dl_gradient *g = context;
    dl_branches *nodes = &g->ranks->nodes;
    int64_t i = dl_comm_first(g->rows, dl_comm_rank()) + own, next = 0;
    find_terms(g, nodes, own, i);
    int64_t node = dl_branches_fold(nodes, own, g->groups, g->n, &next);
    dl_gradient_residual(g, i, node < 0 ? NULL : dl_branch_sum(nodes, node, own, g->n));
}

void dl_gradient_ranks_residuals(dl_gradient *g) {
    dl_gradient_ranks *r = g->ranks;
    int rank = dl_comm_rank();
    int64_t own = dl_comm_first(g->rows, rank + 1) - dl_comm_first(g->rows, rank);
    int64_t row = g->n * (int64_t)sizeof(float);
    for (int q = 0; q < dl_comm_size(); q++) {
        r->slices[q] = dl_comm_first(g->rows, q + 1) - dl_comm_first(g->rows, q);
        r->out[q] = r->counts[rank] * r->slices[q];
        r->in[q] = r->counts[q] * own;
    }
    r->nodes.room = own;
    dl_parallel(g->threads, g->rows, fold_own, g);
    dl_comm_exchange(r->sent, r->out, row, r->nodes.sums, r->in);
    dl_parallel(g->threads, own, fold_all, g);
    dl_comm_gather_all(NULL, r->slices, row, g->R);
}

/* ---- Atoms ---- */

int64_t dl_gradient_ranks_collect(dl_gradient *g, int64_t first) {
    int64_t rows = dl_min(g->ranks->piece, g->rows - first);
    g->ranks->collected = first;
    dl_rank_rows_collect(&g->ranks->rows, dl_slots_from(&g->Z, first, rows), g->W.value, g->first);
    return rows;
}
