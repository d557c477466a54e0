/* Stage `minibatch`: learns the dictionary from minibatches. They are coded in one pass by the dual encoder
 * of the current dictionary; the dictionary is the least-squares fit to running averages of the batch
 * statistics, and residuals replace unused or duplicate atoms. */
#include "base/memory.h"
#include "coding/dual.h"
#include "learning/order.h"
#include "learning/paper/step_w.h"
#include "learning/stages/dictionary_fit.h"
#include "learning/stages/learner_replace.h"

#include <math.h>
#include <string.h>

static const double KEEP = 0.8;       /* share of the old average that a step keeps */
static const double FIT_RIDGE = 1e-3; /* relative to the mean diagonal of Z Z^T */

typedef struct minibatch {
    dl_block block;
    dl_statistics statistics; /* of the batch */
    double X_square;
    double *D, *C;  /* running averages of Z Z^T (m x m) and of X Z^T (m x n, rows are atoms), per sample */
    double *use;    /* m: running average of the share of codes that contain the atom */
    double *E;      /* dual encoder, m x n */
    double *factor; /* work space for the solves, m x m */
    dl_packed E32;
    float **scores;  /* per thread: DL_TILE x m */
    uint32_t **keys; /* per thread: m */
    int threads;
    int64_t *order; /* the samples in the order of this epoch, or if they are many, those of this batch */
    int64_t epoch;  /* of `order`; -1: none yet */
    dl_replace_space replace;
} minibatch;

static int64_t length(const dltf_learner *l) {
    return l->options.steps;
}

static int64_t batch_size(const dltf_learner *l) {
    return l->options.batch < l->N ? l->options.batch : l->N;
}

static int64_t order_size(const dltf_learner *l) {
    dl_order order = dl_order_new(l, DL_STREAM_BATCH);
    return order.whole ? l->N : batch_size(l);
}

static double bytes(const dltf_learner *l) {
    double m = (double)l->m, n = (double)l->n;
    return 3 * 8 * m * m + 28 * m * n + 8 * (double)order_size(l) + (double)l->threads * 4 * DL_TILE * m +
           dl_block_bytes(l);
}

static int64_t work(const dltf_learner *l) {
    return DL_ALGEBRA_WORK + batch_size(l);
}

static dltf_status create(dltf_learner *l, void **state) {
    dltf_status status = DLTF_OK;
    int64_t m = l->m, n = l->n;
    minibatch *b = NULL;
    DL_TRY_NEW(b, 1);
    *state = b;
    b->threads = l->threads;
    b->epoch = -1;
    DL_TRY(dl_block_alloc(&b->block, l));
    DL_TRY(dl_statistics_alloc(&b->statistics, l->threads, m, n, b->block.Z.rows, l->k, false));
    DL_TRY_NEW(b->D, m * m);
    DL_TRY_NEW(b->C, m * n);
    DL_TRY_NEW(b->use, m);
    DL_TRY_NEW(b->E, m * n);
    DL_TRY_NEW(b->factor, m * m);
    DL_TRY(dl_packed_alloc(&b->E32, m, n));
    DL_TRY_NEW(b->scores, l->threads);
    DL_TRY_NEW(b->keys, l->threads);
    for (int t = 0; t < l->threads; t++) {
        DL_TRY_NEW(b->scores[t], DL_TILE * m);
        DL_TRY_NEW(b->keys[t], m);
    }
    DL_TRY_NEW(b->order, order_size(l));
    DL_TRY(dl_replace_space_alloc(&b->replace, m, n, b->block.Z.rows));
done:
    return status;
}

static void free_state(void *state) {
    minibatch *b = state;
    dl_block_free(&b->block);
    dl_statistics_free(&b->statistics);
    dl_free(b->D);
    dl_free(b->C);
    dl_free(b->use);
    dl_free(b->E);
    dl_free(b->factor);
    dl_packed_free(&b->E32);
    for (int t = 0; t < b->threads; t++) {
        dl_free(b->scores ? b->scores[t] : NULL);
        dl_free(b->keys ? b->keys[t] : NULL);
    }
    dl_free(b->scores);
    dl_free(b->keys);
    dl_free(b->order);
    dl_replace_space_free(&b->replace);
    dl_free(b);
}

/* ---- Codes of a batch ---- */

/* The samples of the batch of step `index`. An epoch is a random order of all samples, cut into batches. */
static const int64_t *choose_batch(const dltf_learner *l, minibatch *b, int64_t index) {
    int64_t size = batch_size(l), per_epoch = l->N / size, epoch = index / per_epoch;
    int64_t first = index % per_epoch * size;
    dl_order order = dl_order_new(l, DL_STREAM_BATCH);
    if (!order.whole) {
        dl_order_expect(&order, l, epoch, first, size);
        for (int64_t i = 0; i < size; i++)
            b->order[i] = dl_order_sample(&order, epoch, first + i);
        return b->order;
    }
    if (epoch != b->epoch)
        dl_random_permutation(order.random, (uint64_t)epoch * (uint64_t)l->N, l->N, b->order);
    b->epoch = epoch;
    return b->order + first;
}

static void code_tile(void *context, int64_t tile, int worker) {
    const dl_pass *pass = context;
    const dltf_learner *l = pass->l;
    const minibatch *b = pass->state;
    dl_tile t = dl_pass_tile(pass, tile, worker);
    dl_feature dual = {.E = &b->E32, .k = l->k, .positive = l->options.select == DLTF_SELECT_POSITIVE};
    dl_score_tile(dual.E, t.X, l->n, t.rows, b->scores[worker]);
    dl_threshold_tile(&dual, b->scores[worker], t.rows, b->keys[worker], t.Z);
}

static void add_block(dl_pass *pass) {
    minibatch *b = pass->state;
    const dl_block *block = &b->block;
    dl_pass_collect(pass);
    dl_statistics_add(&b->statistics, block->X, dl_slots_from(&block->Z, 0, block->rows), NULL);
    for (int64_t i = 0; i < block->rows * pass->l->n; i++)
        b->X_square += (double)block->X[i] * (double)block->X[i];
}

/* Z = max_k(E^T X) with the dual E of the dictionary, and its statistics. False: cancelled. */
static bool code_batch(const dltf_learner *l, minibatch *b, int64_t index) {
    const int64_t *samples = choose_batch(l, b, index);
    dl_dual_encoder(l->threads, l->W, l->m, l->n, l->options.ridge, b->factor, b->E);
    dl_packed_fill_f64(&b->E32, b->E);
    dl_pass pass = {.l = l, .block = &b->block, .state = b, .order = samples, .count = batch_size(l)};
    dl_statistics_clear(&b->statistics);
    b->X_square = 0;
    return dl_pass_run(&pass, code_tile, add_block);
}

/* ---- Replacement ---- */

/* Sets the statistics of a new atom to those of an atom with average use and an exact fit. */
static void install_atom(const dltf_learner *l, minibatch *b, int64_t j, double mean_square,
                         double mean_use) {
    for (int64_t i = 0; i < l->m; i++)
        b->D[j * l->m + i] = b->D[i * l->m + j] = 0;
    b->D[j * l->m + j] = mean_square;
    for (int64_t i = 0; i < l->n; i++)
        b->C[j * l->n + i] = mean_square * l->W[j * l->n + i];
    b->use[j] = mean_use;
}

static int64_t replace_atoms(dltf_learner *l, minibatch *b, int64_t index) {
    double mean_square = 0, mean_use = 0;
    for (int64_t j = 0; j < l->m; j++) {
        mean_square += b->D[j * l->m + j] / (double)l->m;
        mean_use += b->use[j] / (double)l->m;
    }
    int64_t replaced = dl_learner_replace(l, b->use, &b->block, index, &b->replace);
    for (int64_t a = 0; a < replaced; a++)
        install_atom(l, b, b->replace.atoms[a], mean_square, mean_use);
    return replaced;
}

/* ---- The iteration ---- */

/* Measures the dictionary before its update: the one that made the codes. */
static void measure(const dltf_learner *l, const minibatch *b, dltf_iteration *record) {
    dl_w_problem batch = {.s = &b->statistics, .X_square = b->X_square};
    double residual = fmax(0, dl_w_residual(&batch, l->W, l->G));
    record->relative_error = batch.X_square > 0 ? residual / batch.X_square : 0;
    dl_learner_describe(l, record);
}

static void average(double *mean, const double *sum, double share, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        mean[i] = KEEP * mean[i] + share * sum[i];
}

static dltf_status iterate(dltf_learner *l, void *state, int64_t index, dltf_iteration *record) {
    minibatch *b = state;
    int64_t m = l->m, n = l->n;
    double share = (1 - KEEP) / (double)batch_size(l);
    if (!code_batch(l, b, index))
        return DLTF_CANCELLED;
    measure(l, b, record);
    average(b->D, b->statistics.D, share, m * m);
    average(b->C, b->statistics.C, share, m * n);
    average(b->use, b->statistics.use, share, m);
    memcpy(l->code_sum, b->statistics.code_sum, (size_t)m * sizeof *l->code_sum);
    dl_fit_dictionary(l, b->D, b->C, FIT_RIDGE, b->factor, b->E); /* E serves as work space */
    dl_learner_refresh(l);
    bool settling = (double)index >= 0.85 * (double)l->options.steps;
    if (!settling && (index + 1) % DL_REPLACE_EVERY == 0)
        record->atoms_replaced = replace_atoms(l, b, index);
    return DLTF_OK;
}

static int fields(const dltf_learner *l, void *state, dl_field *list) {
    minibatch *b = state;
    list[0] = (dl_field){"minibatch.D", DL_TENSOR_F64, l->m, l->m, b->D};
    list[1] = (dl_field){"minibatch.C", DL_TENSOR_F64, l->m, l->n, b->C};
    list[2] = (dl_field){"minibatch.use", DL_TENSOR_F64, l->m, 0, b->use};
    return 3;
}

const dl_stage dl_stage_minibatch = {
    .name = "minibatch",
    .columns = DL_RELATIVE_ERROR | DL_COHERENCE | DL_FRAME_POTENTIAL,
    .diverged = "rescale the data",
    .saving = "lower m",
    .needs_gram = true,
    .length = length,
    .bytes = bytes,
    .work = work,
    .create = create,
    .iterate = iterate,
    .free = free_state,
    .fields = fields,
};
