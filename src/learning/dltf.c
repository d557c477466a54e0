/* The paper's model as an outer loop over its steps.
 *
 *   min  lambda/2 sum_i ||q_i||^2_{2k,2} + ||W^T W - I||^2 + theta/2 ||X - WZ||^2
 *   s.t. Q = W^T(X - WZ), ||z_i||_0 <= k, ||w_j|| = 1      (the paper's eq. 3)
 *
 * Stage 2 leaves Q out (lambda = beta = 0) and lowers theta step by step: from the data's dictionary towards
 * the nearest tight frame. Stage 3 is the ADMM. Called by the learner in learner.c. */
#include "base/memory.h"
#include "learning/pass.h"
#include "learning/step_q.h"
#include "learning/step_y.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

enum { W_STEPS = 10 };

/* W-subproblem at the current statistics, and the terms of the objective after it. */
static void w_step(dltf_learner *l, double theta, double beta, dltf_iteration *record) {
    dl_w_problem problem = {
        .s = &l->statistics,
        .A = l->A,
        .X_square = (double)l->N * (double)l->k, /* by the scale of the samples */
        .rho = 1,
        .theta = theta * l->weight,
        .beta = beta * l->weight,
    };
    dl_w_step(&problem, W_STEPS, &l->tau, l->W, &l->w_space);
    dl_learner_refresh(l);
    double residual = fmax(0, dl_w_residual(&problem, l->W, &l->w_space));
    record->theta = theta;
    record->incoherence_term = dl_w_incoherence(&l->w_space, l->m);
    record->data_term = problem.theta / 2 * residual;
    record->relative_error = residual / problem.X_square;
    record->objective = record->incoherence_term + record->data_term + record->noise_term;
    memcpy(l->code_sum, l->statistics.code_sum, (size_t)l->m * sizeof *l->code_sum);
    dl_learner_describe(l, record);
}

/* ---- Stage 2: Z and W ---- */

static void z_tile(void *context, int64_t tile, int worker) {
    const dl_pass *pass = context;
    dl_tile t = dl_pass_tile(pass, tile, worker);
    dl_score_tile(&pass->problem.W, t.X, pass->l->n, t.rows, t.space->B);
    dl_z_step(&pass->problem, NULL, t.rows, t.space, t.Z);
}

static void add_block(dl_pass *pass) {
    dltf_learner *l = pass->l;
    dl_statistics_add(&l->statistics, l->block, dl_slots_from(&l->Z, 0, pass->rows), NULL);
}

/* theta_start for a tenth of the iterations, geometric to theta at half of them, then held. */
static double theta_at(const dltf_train_options *o, int64_t index) {
    if (index + 1 == o->iterations)
        return o->theta;
    double begin = 0.1 * (double)o->iterations, end = 0.5 * (double)o->iterations;
    double share = ((double)index - begin) / (end - begin);
    if (share <= 0)
        return o->theta_start;
    if (share >= 1 || o->theta_start == 0 || o->theta == 0)
        return o->theta;
    return o->theta_start * pow(o->theta / o->theta_start, share);
}

bool dl_model_holds(const dltf_train_options *options, int64_t index) {
    return index > 0 && theta_at(options, index) == options->theta &&
           theta_at(options, index - 1) == options->theta;
}

void dl_model_iteration(dltf_learner *l, int64_t index, dltf_iteration *record) {
    double theta = theta_at(&l->options, index);
    dl_pass pass = dl_pass_make(l, theta, 0);
    dl_statistics_clear(&l->statistics);
    dl_pass_run(&pass, z_tile, add_block);
    w_step(l, theta, 0, record);
    /* Only while theta still falls: what is put in late has no time to settle. */
    if (theta != l->options.theta && (index + 1) % DL_REPLACE_EVERY == 0)
        record->atoms_replaced = dl_replace_useless(l, l->statistics.use, pass.rows, index);
}

/* ---- Stage 3: Y, Z, Q, W ----
 *
 * The paper's cycle Z, Q, W, Y, entered at Y: the Y-step needs nothing but the samples and what the cycle
 * before left, so that one pass over the samples does Y, Z, Q and the statistics of W. */

/* What a pass sums up: noise term, change of Q, gap of the constraint. */
enum { ADMM_SUMS = 3 };

dltf_status dl_admm_alloc(dltf_learner *l) {
    dltf_status status = DLTF_OK;
    DL_TRY_NEW(l->Q, l->N * l->m);
    DL_TRY_NEW(l->Y, l->N * l->m);
    DL_TRY_NEW(l->M, DL_BLOCK * l->m);
    DL_TRY_NEW(l->A, l->n * l->n);
    DL_TRY_NEW(l->sums, ADMM_SUMS * dl_tiles(l->N, DL_TILE));
done:
    return status;
}

/* Q = W^T(X - WZ) at codes without noise term: the constraint holds. Y = 0 as allocated. */
static void start_tile(void *context, int64_t tile, int worker) {
    const dl_pass *pass = context;
    dl_tile t = dl_pass_tile(pass, tile, worker);
    dl_score_tile(&pass->problem.W, t.X, pass->l->n, t.rows, t.space->B);
    dl_z_step(&pass->problem, NULL, t.rows, t.space, t.Z);
    float *Q = pass->l->Q + t.first * pass->l->m;
    for (int64_t i = 0; i < t.rows * pass->l->m; i++)
        Q[i] = -t.space->P[i];
}

static void add_moment(dl_pass *pass) {
    dltf_learner *l = pass->l;
    dl_moment_add(l->threads, l->block, pass->rows, l->n, l->statistics.panel, l->A);
}

void dl_admm_start(dltf_learner *l) {
    memset(l->A, 0, (size_t)(l->n * l->n) * sizeof *l->A);
    dl_pass pass = dl_pass_make(l, l->options.theta, 0);
    dl_pass_run(&pass, start_tile, add_moment);
}

static void yzq_tile(void *context, int64_t tile, int worker) {
    const dl_pass *pass = context;
    const dl_z_problem *problem = &pass->problem;
    dltf_learner *l = pass->l;
    dl_tile t = dl_pass_tile(pass, tile, worker);
    int64_t entries = t.rows * l->m;
    float *Q = l->Q + t.first * l->m, *Y = l->Y + t.first * l->m, *M = l->M + (t.first - pass->first) * l->m;
    float over_beta = (float)(1 / problem->beta);
    dl_score_tile(&problem->W, t.X, l->n, t.rows, t.space->B);
    dl_z_gap(problem, t.space->B, t.Z, t.rows, t.space->P);
    dl_y_step(problem->beta, entries, t.space->P, Q, Y);
    for (int64_t i = 0; i < entries; i++)
        M[i] = Q[i] + Y[i] * over_beta;
    dl_z_step(problem, M, t.rows, t.space, t.Z);
    dl_q_outcome q = dl_q_step(problem, pass->gamma, t.rows, Y, t.space, Q, M);
    double *sums = l->sums + t.first / DL_TILE * ADMM_SUMS;
    sums[0] = q.noise;
    sums[1] = q.change;
    sums[2] = q.gap;
}

static void add_block_with_noise(dl_pass *pass) {
    dltf_learner *l = pass->l;
    dl_statistics_add(&l->statistics, l->block, dl_slots_from(&l->Z, pass->first, pass->rows), l->M);
}

/* The results of the tiles, added in order: the same sum for any number of threads. */
static double sum_tiles(const dltf_learner *l, int which) {
    double sum = 0;
    for (int64_t tile = 0; tile < dl_tiles(l->N, DL_TILE); tile++)
        sum += l->sums[tile * ADMM_SUMS + which];
    return sum;
}

void dl_admm_iteration(dltf_learner *l, dltf_iteration *record) {
    const dltf_train_options *o = &l->options;
    dl_pass pass = dl_pass_make(l, o->theta, o->beta);
    dl_statistics_clear(&l->statistics);
    dl_pass_run(&pass, yzq_tile, add_block_with_noise);
    record->noise_term = o->lambda / 2 * l->weight * sum_tiles(l, 0);
    record->dual_residual = o->beta * sqrt(sum_tiles(l, 1));
    record->primal_residual = sqrt(sum_tiles(l, 2));
    w_step(l, o->theta, o->beta, record);
}
