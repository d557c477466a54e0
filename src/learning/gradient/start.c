/* The dual encoder of a dictionary that ranks may share. */
#include "learning/gradient/start.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "coding/dual.h"
#include "comm/comm.h"
#include "learning/gradient/descent.h"

#include <string.h>

static const double RIDGE = 0.1;

static double ridge_of(const dltf_learner *l) {
    return RIDGE * (double)l->m / (double)l->n;
}

/* Where the rows of a rank begin. */
static int64_t first_row(int64_t n, int rank) {
    return dl_min(n, DL_DUAL_ROWS * dl_comm_first(dl_tiles(n, DL_DUAL_ROWS), rank));
}

/* Rows of the product of the first atoms: ranks that share them divide the rows as well. */
static dltf_status find_product(const dltf_learner *l, double *B) {
    dltf_status status = DLTF_OK;
    int64_t n = l->n, row = n * (int64_t)sizeof *B, *counts = NULL;
    void *W = NULL;
    if (!dl_learner_shares_atoms(l))
        return dl_dual_product(l->threads, l->W, l->m, n, 0, n, B);
    DL_TRY_NEW(counts, dl_comm_size());
    for (int r = 0; r < dl_comm_size(); r++)
        counts[r] = first_row(n, r + 1) - first_row(n, r);
    DL_TRY(dl_learner_gather(l, l->W, row, dl_dual_atoms(l->m, n), true, &W));
    DL_TRY(dl_dual_product(l->threads, W, l->m, n, first_row(n, dl_comm_rank()), counts[dl_comm_rank()], B));
    dl_comm_gather_all(NULL, counts, row, B);
    status = dl_comm_status();
done:
    dl_free(counts);
    dl_free(W);
    return status;
}

static dltf_status start_wide(const dltf_learner *l, dl_gradient *g) {
    dltf_status status = DLTF_OK;
    double *B = NULL, *inverse = NULL;
    dl_gradient_from_learner(g, l, false);
    DL_TRY_NEW(B, l->n * l->n);
    DL_TRY_NEW(inverse, l->n * l->n);
    DL_TRY(find_product(l, B));
    DL_TRY(dl_dual_invert(l->threads, B, l->m, l->n, ridge_of(l), inverse));
    status = dl_dual_encoder32(l->threads, inverse, g->W.value, l->atoms, l->n, g->E.value);
done:
    dl_free(B);
    dl_free(inverse);
    return status;
}

/* With no more atoms than entries every rank computes the whole dual. */
static dltf_status start_narrow(dltf_learner *l, dl_gradient *g) {
    dltf_status status = DLTF_OK;
    void *W = NULL;
    double *factor = NULL, *E = NULL;
    int64_t row = l->n * (int64_t)sizeof *l->W;
    bool shared = dl_learner_shares_atoms(l);
    DL_TRY_NEW(factor, l->m * l->m);
    if (shared) {
        DL_TRY(dl_learner_gather(l, l->W, row, l->m, true, &W));
        DL_TRY_NEW(E, l->m * l->n);
    }
    dl_dual_encoder(l->threads, shared ? W : l->W, l->m, l->n, ridge_of(l), factor, shared ? E : l->E);
    if (shared)
        memcpy(l->E, E + l->first_atom * l->n, (size_t)(l->atoms * l->n) * sizeof *E);
    dl_gradient_from_learner(g, l, true);
done:
    dl_free(factor);
    dl_free(W);
    dl_free(E);
    return status;
}

dltf_status dl_gradient_start_dual(dl_gradient *g, dltf_learner *l) {
    return l->m > l->n ? start_wide(l, g) : start_narrow(l, g);
}
