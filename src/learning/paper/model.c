/* Memory, passes and the W-step of the paper's model. */
#include "learning/paper/model.h"

#include "base/memory.h"
#include "base/meter.h"
#include "kernels/packed.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

enum { W_STEPS = 10 };

/* ---- What is kept of every sample ---- */

static double sample_bytes(const dltf_learner *l) {
    return (double)l->own * (8 * (double)l->m + 8 * (double)l->k + 4);
}

/* A quarter of the memory is left for them. */
static bool in_file(const dltf_learner *l) {
    return l->options.memory > 0 && sample_bytes(l) > (double)l->options.memory / 4;
}

static dltf_status alloc_samples(const dltf_learner *l, dl_paper_model *p) {
    dltf_status status = DLTF_OK;
    int64_t N = l->own, entries = N * l->m, places = N * l->k;
    if (in_file(l)) {
        DL_TRY(dl_scratch_new((2 * entries + 2 * places + N) * (int64_t)sizeof(float), &p->file));
        p->Q = p->file.memory;
        p->Y = p->Q + entries;
        float *value = p->Y + entries;
        int32_t *index = (int32_t *)(value + places);
        p->Z = (dl_slots){.rows = N, .k = l->k, .count = index + places, .index = index, .value = value};
    } else {
        DL_TRY(dl_slots_alloc(&p->Z, N, l->k));
        DL_TRY_NEW(p->Q, entries);
        DL_TRY_NEW(p->Y, entries);
    }
done:
    return status;
}

static void free_samples(dl_paper_model *p) {
    if (p->file.memory) {
        dl_scratch_free(&p->file);
        return;
    }
    dl_slots_free(&p->Z);
    dl_free(p->Q);
    dl_free(p->Y);
}

void dl_paper_model_rest(const dl_pass *pass) {
    const dl_paper_model *p = pass->state;
    int64_t m = pass->l->m, k = pass->l->k, first = pass->first, rows = p->block.rows;
    dl_scratch_rest(&p->file, p->Q + first * m, rows * m * (int64_t)sizeof *p->Q);
    dl_scratch_rest(&p->file, p->Y + first * m, rows * m * (int64_t)sizeof *p->Y);
    dl_scratch_rest(&p->file, p->Z.value + first * k, rows * k * (int64_t)sizeof *p->Z.value);
    dl_scratch_rest(&p->file, p->Z.index + first * k, rows * k * (int64_t)sizeof *p->Z.index);
}

/* ---- All memory ---- */

static dltf_status alloc_noise(const dltf_learner *l, dl_paper_model *p) {
    dltf_status status = DLTF_OK;
    DL_TRY(alloc_samples(l, p));
    DL_TRY(dl_packed_alloc(&p->G, l->m, l->m));
    DL_TRY_NEW(p->M, DL_BLOCK * l->m);
    DL_TRY_NEW(p->A, l->n * l->n);
    DL_TRY(dl_rank_sum_alloc(&p->A_fold, l, p->A, l->n * l->n));
    DL_TRY_NEW(p->tile_sums, DL_SUMS * dl_tiles(DL_BLOCK, DL_TILE));
done:
    return status;
}

dltf_status dl_paper_model_new(const dltf_learner *l, bool noise, dl_paper_model **model) {
    dltf_status status = DLTF_OK;
    int64_t m = l->m, n = l->n;
    dl_paper_model *p = NULL;
    DL_TRY_NEW(p, 1);
    *model = p;
    p->threads = l->threads;
    DL_TRY(dl_block_alloc(&p->block, l));
    DL_TRY_NEW(p->spaces, l->threads);
    for (int t = 0; t < l->threads; t++)
        DL_TRY(dl_z_space_alloc(&p->spaces[t], m, l->k));
    DL_TRY(dl_statistics_alloc(&p->statistics, l->threads, m, n, p->block.Z.rows, l->k, noise));
    DL_TRY(dl_rank_sum_alloc(&p->fold, l, p->statistics.sums, p->statistics.sum_count));
    p->sums = p->statistics.sums + p->statistics.sum_count - DL_STATISTICS_OTHERS;
    DL_TRY(dl_w_space_alloc(&p->w_space, l->threads, m, n, noise));
    DL_TRY_NEW(p->W, m * n);
    DL_TRY_NEW(p->lanczos, (DL_LANCZOS_STEPS + 1) * m);
    if (noise)
        DL_TRY(alloc_noise(l, p));
    else
        DL_TRY(dl_replace_space_alloc(&p->replace, m, n, p->block.Z.rows));
done:
    return status;
}

void dl_paper_model_free(void *model) {
    dl_paper_model *p = model;
    dl_block_free(&p->block);
    for (int t = 0; p->spaces && t < p->threads; t++)
        dl_z_space_free(&p->spaces[t]);
    dl_free(p->spaces);
    dl_statistics_free(&p->statistics);
    dl_rank_sum_free(&p->fold);
    dl_rank_sum_free(&p->A_fold);
    dl_w_space_free(&p->w_space);
    dl_free(p->W);
    dl_free(p->lanczos);
    dl_replace_space_free(&p->replace);
    free_samples(p);
    dl_packed_free(&p->G);
    dl_free(p->M);
    dl_free(p->A);
    dl_free(p->tile_sums);
    dl_free(p);
}

double dl_paper_model_bytes(const dltf_learner *l, bool noise) {
    double m = (double)l->m, n = (double)l->n;
    double squares = (noise ? 5 : 3) * 8 * m * m, dictionaries = (noise ? 8 : 6) * 8 * m * n;
    double spaces = (double)l->threads * (16 * DL_TILE * m + dl_z_space_least_squares(l->m, l->k));
    double samples =
        noise ? 8 * n * n + 4 * DL_BLOCK * m + 4 * m * m + (in_file(l) ? 0 : sample_bytes(l)) : 0;
    double folds =
        dl_rank_sum_bytes(l, (l->m * l->m + l->m * l->n) * (noise ? 2 : 1) + (noise ? l->n * l->n : 0));
    return squares + dictionaries + spaces + samples + folds + dl_block_bytes(l);
}

dl_pass dl_paper_model_pass(const dltf_learner *l, dl_paper_model *p, double theta, double beta) {
    double sigma = dl_largest_eigenvalue(l->G, l->m, p->lanczos);
    p->problem = (dl_z_problem){.m = l->m,
                                .k = l->k,
                                .positive = l->options.select == DLTF_SELECT_POSITIVE,
                                .W = &l->W32,
                                .G = l->G32,
                                .G_packed = &p->G,
                                .theta = theta,
                                .beta = beta,
                                .step = dl_z_step_length(sigma, theta, beta)};
    if (beta > 0)
        dl_packed_fill(&p->G, l->G32, NULL);
    p->gamma = beta > 0 ? l->options.lambda / beta : 0;
    dl_statistics_clear(&p->statistics);
    return (dl_pass){.l = l, .block = &p->block, .state = p, .count = l->own, .fold = &p->fold};
}

bool dl_paper_model_w_step(dltf_learner *l, dl_paper_model *p, double theta, double beta,
                           dltf_iteration *record) {
    size_t size = (size_t)(l->m * l->n) * sizeof *p->W;
    double tau = l->tau;
    dl_w_problem problem = {
        .s = &p->statistics,
        .A = p->A,
        .X_square = (double)l->N * (double)l->k, /* samples are scaled to mean ||x||^2 = k */
        .rho = 1,
        .theta = theta * l->weight,
        .beta = beta * l->weight,
    };
    memcpy(p->W, l->W, size);
    dl_w_step(&problem, W_STEPS, &tau, p->W, &p->w_space);
    if (!dl_poll())
        return false;
    memcpy(l->W, p->W, size);
    l->tau = tau;
    dl_learner_refresh(l);
    double residual = fmax(0, dl_w_residual(&problem, l->W, l->G));
    record->theta = theta;
    record->incoherence_term = dl_w_incoherence(l->G, l->m);
    record->data_term = problem.theta / 2 * residual;
    record->relative_error = residual / problem.X_square;
    record->objective = record->incoherence_term + record->data_term + record->noise_term;
    memcpy(l->code_sum, p->statistics.code_sum, (size_t)l->m * sizeof *l->code_sum);
    dl_learner_describe(l, record);
    return true;
}
