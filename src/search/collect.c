/* The neighbours that ranks have found in their parts of a database. */
#include "base/memory.h"
#include "comm/comm.h"
#include "search/neighbours.h"

/* Of all ranks, one after the other; on rank 0. */
typedef struct collected {
    int64_t *ones, *queries, *entries; /* numbers of each rank: 1, queries, hits */
    int64_t *counts;                   /* ranks x queries: hits of each query */
    uint64_t *hits;
    dl_found *found; /* ranks: the hits of a query */
} collected;

static void free_collected(collected *c) {
    dl_free(c->ones);
    dl_free(c->queries);
    dl_free(c->entries);
    dl_free(c->counts);
    dl_free(c->hits);
    dl_free(c->found);
}

/* How many hits each rank has, for each query. */
static dltf_status collect_counts(const dltf_neighbours *own, collected *c) {
    dltf_status status = DLTF_OK;
    int64_t ranks = dl_comm_size(), queries = own->view.queries, *mine = NULL;
    DL_TRY_NEW(c->ones, ranks);
    DL_TRY_NEW(c->queries, ranks);
    DL_TRY_NEW(c->entries, ranks);
    DL_TRY_NEW(c->found, ranks);
    DL_TRY_NEW(c->counts, dl_comm_rank() == 0 ? ranks * queries : 0);
    DL_TRY_NEW(mine, queries);
    for (int64_t r = 0; r < ranks; r++) {
        c->ones[r] = 1;
        c->queries[r] = queries;
    }
    for (int64_t q = 0; q < queries; q++)
        mine[q] = own->indptr[q + 1] - own->indptr[q];
    dl_comm_gather_all(&own->indptr[queries], c->ones, sizeof *c->entries, c->entries);
    dl_comm_gather(mine, c->queries, sizeof *mine, c->counts);
    status = dl_comm_status();
done:
    dl_free(mine);
    return status;
}

static dltf_status collect_hits(const dltf_neighbours *own, int64_t first, collected *c) {
    dltf_status status = DLTF_OK;
    int64_t count = own->indptr[own->view.queries], all = 0;
    uint64_t *mine = NULL;
    for (int r = 0; r < dl_comm_size(); r++)
        all += c->entries[r];
    DL_TRY_NEW(c->hits, dl_comm_rank() == 0 ? all : 0);
    DL_TRY_NEW(mine, count);
    for (int64_t i = 0; i < count; i++)
        mine[i] = dl_hit(own->distances[i], first + own->indices[i]);
    dl_comm_gather(mine, c->entries, sizeof *mine, c->hits);
    status = dl_comm_status();
done:
    dl_free(mine);
    return status;
}

/* Ranks have ascending rows: their hits are the pieces of a query. */
static dltf_status merge(collected *c, dltf_neighbours *result) {
    int64_t ranks = dl_comm_size(), queries = result->view.queries;
    uint64_t *next = c->hits;
    for (int64_t r = 0; r < ranks; r++) {
        c->found[r].hits = next;
        next += c->entries[r];
    }
    for (int64_t q = 0; q < queries; q++) {
        for (int64_t r = 0; r < ranks; r++)
            c->found[r].count = c->counts[r * queries + q];
        dltf_status status = dl_neighbours_append(result, c->found, ranks);
        if (status != DLTF_OK)
            return status;
        for (int64_t r = 0; r < ranks; r++)
            c->found[r].hits += c->found[r].count;
    }
    return DLTF_OK;
}

dltf_status dl_neighbours_collect(const dltf_index *index, int64_t k, int64_t first,
                                  dltf_neighbours **neighbours) {
    dltf_status status = DLTF_OK;
    dltf_neighbours *own = *neighbours, *all = NULL;
    collected c = {0};
    DL_TRY(collect_counts(own, &c));
    DL_TRY(collect_hits(own, first, &c));
    DL_TRY(dl_neighbours_new(own->view.queries, dl_comm_rank() == 0 ? k : 0, index, &all));
    all->view.method = own->view.method;
    if (dl_comm_rank() == 0)
        status = merge(&c, all);
done:
    free_collected(&c);
    dltf_neighbours_free(own);
    *neighbours = status == DLTF_OK ? all : NULL;
    if (status != DLTF_OK)
        dltf_neighbours_free(all);
    return status;
}
