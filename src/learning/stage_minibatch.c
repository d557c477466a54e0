/* Stage 1: finds the data's dictionary. Minibatches are coded in one pass by the dual encoder of the current
 * dictionary, the dictionary is the least-squares fit to running averages of the batch statistics, and atoms
 * that do no work are replaced by residuals. Called by the loop in dltf.c. */
#include "base/memory.h"
#include "base/random.h"
#include "coding/dual.h"
#include "data/matrix.h"
#include "learning/pass.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

static const double KEEP = 0.8;       /* share of the old average that a step keeps */
static const double FIT_RIDGE = 1e-3; /* of the mean diagonal of Z Z^T */

dltf_status dl_minibatch_alloc(dltf_learner *l) {
    dltf_status status = DLTF_OK;
    int64_t m = l->m, n = l->n;
    dl_minibatch *b = &l->minibatch;
    b->epoch = -1;
    DL_TRY_NEW(b->D, m * m);
    DL_TRY_NEW(b->C, m * n);
    DL_TRY_NEW(b->use, m);
    DL_TRY_NEW(b->E, m * n);
    DL_TRY_NEW(b->factor, m * m);
    DL_TRY_NEW(b->order, l->N);
done:
    return status;
}

void dl_minibatch_free(dltf_learner *l) {
    dl_minibatch *b = &l->minibatch;
    dl_free(b->D);
    dl_free(b->C);
    dl_free(b->use);
    dl_free(b->E);
    dl_free(b->factor);
    dl_free(b->order);
    *b = (dl_minibatch){0};
}

/* The samples of step `index`: epochs of all samples in random order, cut into batches. */
static int64_t choose_batch(dltf_learner *l, int64_t index, int64_t *first) {
    dl_minibatch *b = &l->minibatch;
    int64_t size = l->options.batch < l->N ? l->options.batch : l->N;
    int64_t per_epoch = l->N / size, epoch = index / per_epoch;
    if (epoch != b->epoch) {
        dl_random random = {(uint64_t)l->options.seed, DL_STREAM_BATCH};
        dl_random_permutation(random, (uint64_t)epoch * (uint64_t)l->N, l->N, b->order);
        b->epoch = epoch;
    }
    *first = index % per_epoch * size;
    return size;
}

static void code_tile(void *context, int64_t tile, int worker) {
    const dl_pass *pass = context;
    dl_tile t = dl_pass_tile(pass, tile, worker);
    dl_score_tile(&pass->problem.W, t.X, pass->l->n, t.rows, t.space->B);
    dl_threshold_tile(&pass->problem.W, t.space->B, t.rows, t.space->keys, t.Z);
}

static void add_block(dl_pass *pass) {
    dltf_learner *l = pass->l;
    dl_statistics_add(&l->statistics, l->block, dl_slots_from(&l->Z, 0, pass->rows), NULL);
    for (int64_t i = 0; i < pass->rows * l->n; i++)
        l->minibatch.X_square += (double)l->block[i] * (double)l->block[i];
}

/* Z = max_k(E^T X) for a batch, and its statistics; returns how many samples of it are still in the block. */
static int64_t code_batch(dltf_learner *l, int64_t first, int64_t size) {
    dl_pass pass = {.l = l, .order = l->minibatch.order + first, .count = size};
    pass.problem.W =
        (dl_feature){.E = &l->E32, .k = l->k, .positive = l->options.select == DLTF_SELECT_POSITIVE};
    dl_statistics_clear(&l->statistics);
    l->minibatch.X_square = 0;
    dl_pass_run(&pass, code_tile, add_block);
    return pass.rows;
}

static void average(double *mean, const double *sum, double share, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        mean[i] = KEEP * mean[i] + share * sum[i];
}

/* A new atom w_j: its statistics say that it was used like the average atom and fitted exactly. */
static void install_atom(dltf_learner *l, int64_t j, double mean_square, double mean_use) {
    dl_minibatch *b = &l->minibatch;
    for (int64_t i = 0; i < l->m; i++)
        b->D[j * l->m + i] = b->D[i * l->m + j] = 0;
    b->D[j * l->m + j] = mean_square;
    for (int64_t i = 0; i < l->n; i++)
        b->C[j * l->n + i] = mean_square * l->W[j * l->n + i];
    b->use[j] = mean_use;
}

static void replace_useless(dltf_learner *l, int64_t index, int64_t rows, dltf_iteration *record) {
    dl_minibatch *b = &l->minibatch;
    double mean_square = 0, mean_use = 0;
    for (int64_t j = 0; j < l->m; j++) {
        mean_square += b->D[j * l->m + j] / (double)l->m;
        mean_use += b->use[j] / (double)l->m;
    }
    record->atoms_replaced = dl_replace_useless(l, b->use, rows, index);
    for (int64_t a = 0; a < record->atoms_replaced; a++)
        install_atom(l, l->useless[a], mean_square, mean_use);
}

static void measure(const dltf_learner *l, dltf_iteration *record) {
    dl_w_problem batch = {.s = &l->statistics, .X_square = l->minibatch.X_square};
    double residual = fmax(0, dl_w_residual(&batch, l->W, &l->w_space));
    record->relative_error = batch.X_square > 0 ? residual / batch.X_square : 0;
    dl_learner_describe(l, record);
}

void dl_minibatch_step(dltf_learner *l, int64_t index, dltf_iteration *record) {
    dl_minibatch *b = &l->minibatch;
    int64_t m = l->m, n = l->n, first = 0;
    int64_t size = choose_batch(l, index, &first);
    double share = (1 - KEEP) / (double)size;
    dl_dual_encoder(l->threads, l->W, m, n, l->options.ridge, b->factor, b->E);
    dl_learner_pack(l, b->E, &l->E32);
    int64_t rows = code_batch(l, first, size);
    measure(l, record); /* of the dictionary that made the codes */
    average(b->D, l->statistics.D, share, m * m);
    average(b->C, l->statistics.C, share, m * n);
    average(b->use, l->statistics.use, share, m);
    memcpy(l->code_sum, l->statistics.code_sum, (size_t)m * sizeof *l->code_sum);
    dl_fit_dictionary(l, b->D, b->C, FIT_RIDGE, b->factor, b->E); /* E is free until the next dual */
    dl_learner_refresh(l);
    bool settling = (double)index >= 0.85 * (double)l->options.steps;
    if (!settling && (index + 1) % DL_REPLACE_EVERY == 0)
        replace_useless(l, index, rows, record);
}
