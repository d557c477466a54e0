/* Multi-pass codes by dltf_encoder with coder htp. */
#include "learning/stages/multipass.h"

#include "base/integer.h"
#include "base/memory.h"
#include "coding/dual.h"
#include "coding/encoder.h"
#include "data/model.h"
#include "learning/paper/step_w.h"

#include <math.h>
#include <string.h>

/* A model of the right size; every run replaces its contents. */
static dltf_status make_model(const dltf_learner *l, dltf_model **model) {
    dltf_status status = DLTF_OK;
    int64_t entries = l->m * l->n;
    float *ones = NULL;
    DL_TRY_NEW(ones, entries);
    for (int64_t i = 0; i < entries; i++)
        ones[i] = 1;
    dltf_model_view parts = {
        .m = l->m, .n = l->n, .k = l->k, .dictionary = ones, .encoder = ones, .select = l->options.select};
    status = dltf_model_new(&parts, model);
done:
    dl_free(ones);
    return status;
}

dltf_status dl_multipass_alloc(dl_multipass *p, const dltf_learner *l, int64_t samples, bool moments) {
    dltf_status status = DLTF_OK;
    int64_t m = l->m, n = l->n;
    *p = (dl_multipass){0};
    DL_TRY(dl_block_alloc(&p->block, l));
    DL_TRY(dl_statistics_alloc(&p->statistics, l->threads, m, n, p->block.Z.rows, l->k, false));
    DL_TRY_NEW(p->order, dl_min(l->N, samples));
    DL_TRY_NEW(p->dual, m * n);
    DL_TRY_NEW(p->factor, m * m);
    DL_TRY(make_model(l, &p->model));
    if (!moments)
        goto done;
    DL_TRY_NEW(p->A, n * n);
    DL_TRY_NEW(p->x_sum, n);
    DL_TRY_NEW(p->panel, l->threads * DL_STATISTICS_PANEL * n);
done:
    return status; /* the caller frees partial allocations */
}

void dl_multipass_free(dl_multipass *p) {
    dl_block_free(&p->block);
    dl_statistics_free(&p->statistics);
    dl_free(p->order);
    dl_free(p->dual);
    dl_free(p->factor);
    dl_free(p->A);
    dl_free(p->x_sum);
    dl_free(p->panel);
    dltf_model_free(p->model);
}

double dl_multipass_bytes(const dltf_learner *l, int64_t samples, bool moments) {
    double m = (double)l->m, n = (double)l->n;
    double own = 2 * 8 * m * m + 16 * m * n + 8 * (double)dl_min(l->N, samples) + (moments ? 8 * n * n : 0);
    double coder = 4 * m * m + 36 * m * n; /* E^T W, copies of dictionary and encoder */
    return own + coder + dl_block_bytes(l);
}

/* Evenly spread, and so that every block is: ranks, each of which owns a range of the samples, then have
 * about the same share of each. */
static void choose_samples(dl_multipass *p, const dltf_learner *l, int64_t samples) {
    p->count = dl_min(l->N, samples);
    int64_t blocks = dl_tiles(p->count, dl_pass_block(p->count)), next = 0;
    for (int64_t block = 0; block < blocks; block++)
        for (int64_t i = block; i < p->count; i += blocks)
            p->order[next++] = (int64_t)((double)i * (double)l->N / (double)p->count);
}

static void load_tile(void *context, int64_t tile, int worker) {
    dl_pass_tile(context, tile, worker);
}

static void add_moments(dl_multipass *p, const dltf_learner *l) {
    const dl_block *block = &p->block;
    dl_moment_add(l->threads, block->X, block->rows, l->n, p->panel, p->A);
    for (int64_t i = 0; i < block->rows; i++)
        for (int64_t d = 0; d < l->n; d++)
            p->x_sum[d] += (double)block->X[i * l->n + d];
}

/* Codes a loaded block and adds it to the statistics. */
static void code_block(dl_pass *pass) {
    const dltf_learner *l = pass->l;
    dl_multipass *p = pass->state;
    const dl_block *block = &p->block;
    if (p->status == DLTF_OK && block->rows > 0)
        p->status = dl_encoder_rows(p->encoder, dltf_matrix_f32(block->X, block->rows, l->n), 0, pass->first,
                                    dl_slots_from(&block->Z, 0, block->rows));
    if (p->status != DLTF_OK)
        return;
    dl_pass_collect(pass);
    dl_statistics_add(&p->statistics, block->X, dl_slots_from(&block->Z, 0, block->rows), NULL);
    for (int64_t i = 0; i < block->rows * l->n; i++)
        p->X_square += (double)block->X[i] * (double)block->X[i];
    if (p->A)
        add_moments(p, l);
}

static void clear(dl_multipass *p, int64_t n) {
    dl_statistics_clear(&p->statistics);
    p->X_square = 0;
    if (p->A) {
        memset(p->A, 0, (size_t)(n * n) * sizeof *p->A);
        memset(p->x_sum, 0, (size_t)n * sizeof *p->x_sum);
    }
}

dltf_status dl_multipass_run(dl_multipass *p, dltf_learner *l, int64_t samples, int64_t passes,
                             dltf_iteration *record) {
    dltf_encode_options options = dltf_encode_options_default();
    options.coder = DLTF_CODER_HTP;
    options.passes = passes;
    options.threads = l->threads;
    clear(p, l->n);
    choose_samples(p, l, samples);
    dl_dual_encoder(l->threads, l->W, l->m, l->n, l->options.ridge, p->factor, p->dual);
    p->status = dl_model_replace(p->model, l->W, p->dual);
    if (p->status == DLTF_OK)
        p->status = dltf_encoder_new(p->model, &options, &p->encoder);
    dl_pass pass = {.l = l, .block = &p->block, .state = p, .order = p->order, .count = p->count};
    if (p->status == DLTF_OK && !dl_pass_run(&pass, load_tile, code_block))
        p->status = DLTF_CANCELLED;
    dltf_encoder_free(p->encoder);
    p->encoder = NULL;
    if (p->status != DLTF_OK)
        return p->status;
    memcpy(l->code_sum, p->statistics.code_sum, (size_t)l->m * sizeof *l->code_sum);
    dl_w_problem problem = {.s = &p->statistics, .X_square = p->X_square};
    p->residual = fmax(0, dl_w_residual(&problem, l->W, l->G));
    record->relative_error = p->X_square > 0 ? p->residual / p->X_square : 0;
    return DLTF_OK;
}
