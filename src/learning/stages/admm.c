/* Stage `admm`: the full model of the paper.
 *
 * The paper's cycle is Z, Q, W, Y. Here it starts at Y: the Y-step needs only the samples and the result of
 * the previous cycle, so that one pass over the samples does Y, Z, Q and the statistics for W. */
#include "learning/paper/model.h"
#include "learning/paper/step_q.h"
#include "learning/paper/step_y.h"

#include <math.h>
#include <string.h>

static dltf_status create(dltf_learner *l, void **state) {
    return dl_paper_model_new(l, true, (dl_paper_model **)state);
}

static int64_t length(const dltf_learner *l) {
    return l->options.admm;
}

static double bytes(const dltf_learner *l) {
    return dl_paper_model_bytes(l, true);
}

/* With Q and Y a sample costs several times more. */
static int64_t work(const dltf_learner *l) {
    return DL_ALGEBRA_WORK + 6 * l->N;
}

/* ---- The start ---- */

static void start_tile(void *context, int64_t tile, int worker) {
    const dl_pass *pass = context;
    dl_paper_model *p = pass->state;
    dl_tile t = dl_pass_tile(pass, tile, worker);
    dl_z_space *space = &p->spaces[worker];
    dl_score_tile(p->problem.W, t.X, pass->l->n, t.rows, space->B);
    dl_slots Z = dl_slots_from(&p->Z, t.first, t.rows);
    dl_z_step(&p->problem, NULL, t.rows, space, Z);
    dl_z_gap(&p->problem, space->B, Z, t.rows, -1, p->Q + t.first * pass->l->m);
}

static void add_moment(dl_pass *pass) {
    dl_paper_model *p = pass->state;
    dl_moment_add(p->threads, p->block.X, p->block.rows, pass->l->n, p->statistics.panel, p->A);
    dl_paper_model_rest(pass);
}

void dl_admm_start(const dltf_learner *l, dl_paper_model *p) {
    dl_pass pass = dl_paper_model_pass(l, p, l->options.theta, 0);
    pass.fold = &p->A_fold;
    dl_pass_run(&pass, start_tile, add_moment);
}

/* ---- The cycle ---- */

static void yzq_tile(void *context, int64_t tile, int worker) {
    const dl_pass *pass = context;
    dl_paper_model *p = pass->state;
    const dl_z_problem *problem = &p->problem;
    dl_tile t = dl_pass_tile(pass, tile, worker);
    dl_z_space *space = &p->spaces[worker];
    dl_slots Z = dl_slots_from(&p->Z, t.first, t.rows);
    int64_t m = pass->l->m, entries = t.rows * m;
    float *Q = p->Q + t.first * m, *Y = p->Y + t.first * m, *M = p->M + (t.first - pass->first) * m;
    float over_beta = (float)(1 / problem->beta);
    dl_score_tile(problem->W, t.X, pass->l->n, t.rows, space->B);
    dl_z_gap(problem, space->B, Z, t.rows, 1, space->P);
    dl_y_step(problem->beta, entries, space->P, Q, Y);
    for (int64_t i = 0; i < entries; i++)
        M[i] = Q[i] + Y[i] * over_beta;
    dl_z_step(problem, M, t.rows, space, Z);
    dl_q_outcome q = dl_q_step(problem, p->gamma, t.rows, Y, space, Q, M);
    double *sums = p->tile_sums + tile * DL_SUMS;
    sums[DL_SUM_NOISE] = q.noise;
    sums[DL_SUM_CHANGE] = q.change;
    sums[DL_SUM_GAP] = q.gap;
}

static void add_block(dl_pass *pass) {
    dl_paper_model *p = pass->state;
    p->statistics.M_square = p->sums[DL_SUMS];
    dl_statistics_add(&p->statistics, p->block.X, dl_slots_from(&p->Z, pass->first, p->block.rows), p->M);
    p->sums[DL_SUMS] = p->statistics.M_square;
    /* In order: the same sums for any number of threads. */
    for (int64_t tile = 0; tile < dl_tiles(p->block.rows, DL_TILE); tile++)
        for (int i = 0; i < DL_SUMS; i++)
            p->sums[i] += p->tile_sums[tile * DL_SUMS + i];
    dl_paper_model_rest(pass);
}

static dltf_status iterate(dltf_learner *l, void *state, int64_t index, dltf_iteration *record) {
    dl_paper_model *p = state;
    const dltf_train_options *o = &l->options;
    if (index == 0)
        dl_admm_start(l, p);
    dl_pass pass = dl_paper_model_pass(l, p, o->theta, o->beta);
    dl_pass_run(&pass, yzq_tile, add_block);
    p->statistics.M_square = p->sums[DL_SUMS];
    record->noise_term = o->lambda / 2 * l->weight * p->sums[DL_SUM_NOISE];
    record->dual_residual = o->beta * sqrt(p->sums[DL_SUM_CHANGE]);
    record->primal_residual = sqrt(p->sums[DL_SUM_GAP]);
    dl_paper_model_w_step(l, p, o->theta, o->beta, record);
    return DLTF_OK;
}

/* Both residuals are small relative to the scale of the data. */
static bool converged(const dltf_learner *l, const dltf_iteration *now, const dltf_iteration *before) {
    (void)before;
    double small = l->options.tolerance * sqrt((double)l->N * (double)l->k);
    return small > 0 && now->primal_residual <= small && now->dual_residual <= small * l->options.beta;
}

/* ---- Checkpoints ---- */

static int fields(const dltf_learner *l, void *state, dl_field *list) {
    dl_paper_model *p = state;
    const dl_field all[] = {
        {"admm.A", DL_TENSOR_F64, l->n, l->n, p->A},
        {"admm.Q", DL_TENSOR_F32, l->N, l->m, p->Q},
        {"admm.Y", DL_TENSOR_F32, l->N, l->m, p->Y},
        {"admm.Z.count", DL_TENSOR_I32, l->N, 0, p->Z.count},
        {"admm.Z.index", DL_TENSOR_I32, l->N, l->k, p->Z.index},
        {"admm.Z.value", DL_TENSOR_F32, l->N, l->k, p->Z.value},
    };
    memcpy(list, all, sizeof all);
    return sizeof all / sizeof *all;
}

static const dl_scratch *scratch(const void *state) {
    return &((const dl_paper_model *)state)->file;
}

/* Codes index memory, so they must be valid. */
static dltf_status restored(const dltf_learner *l, void *state) {
    const dl_slots *Z = &((dl_paper_model *)state)->Z;
    for (int64_t i = 0; i < l->own; i++) {
        int32_t count = Z->count[i], previous = -1;
        bool good = count >= 0 && count <= l->k;
        for (int64_t e = i * l->k; good && e < i * l->k + count; e++) {
            good = Z->index[e] > previous && Z->index[e] < l->m;
            previous = Z->index[e];
        }
        if (!good)
            return dl_fail(DLTF_FORMAT, "code %lld of the checkpoint has an out-of-range or unsorted index",
                           (long long)(l->first + i));
    }
    return DLTF_OK;
}

const dl_stage dl_stage_admm = {
    .name = "admm",
    .columns = DL_THETA | DL_OBJECTIVE | DL_NOISE_TERM | DL_INCOHERENCE_TERM | DL_DATA_TERM |
               DL_RELATIVE_ERROR | DL_PRIMAL_RESIDUAL | DL_DUAL_RESIDUAL | DL_COHERENCE | DL_FRAME_POTENTIAL,
    .diverged = "lower lambda or raise beta",
    .saving = "lower m, use fewer samples, or set admm to 0",
    .needs_gram = true,
    .whole = true,
    .length = length,
    .bytes = bytes,
    .work = work,
    .create = create,
    .iterate = iterate,
    .converged = converged,
    .free = dl_paper_model_free,
    .fields = fields,
    .divided_fields = 5, /* all but A */
    .restored = restored,
    .scratch = scratch,
};
