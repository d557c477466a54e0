/* Stage `tied`: the paper's model without its noise term, by alternating Z-steps and W-steps. theta
 * decreases, so that W moves from the dictionary that fits the data towards the nearest tight frame. */
#include "learning/paper/model.h"
#include "learning/stages/learner_replace.h"

#include <math.h>

static dltf_status create(dltf_learner *l, void **state) {
    return dl_paper_model_new(l, false, (dl_paper_model **)state);
}

static int64_t length(const dltf_learner *l) {
    return l->options.iterations;
}

static double bytes(const dltf_learner *l) {
    return dl_paper_model_bytes(l, false);
}

static int64_t work(const dltf_learner *l) {
    return DL_ALGEBRA_WORK + 2 * l->N;
}

/* theta_start for the first tenth of the iterations, then geometric down to theta at half of them. */
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

static void z_tile(void *context, int64_t tile, int worker) {
    const dl_pass *pass = context;
    dl_paper_model *p = pass->state;
    dl_tile t = dl_pass_tile(pass, tile, worker);
    dl_z_space *space = &p->spaces[worker];
    dl_score_tile(p->problem.W, t.X, pass->l->n, t.rows, space->B);
    dl_z_step(&p->problem, NULL, t.rows, space, t.Z);
}

static void add_block(dl_pass *pass) {
    dl_paper_model *p = pass->state;
    dl_statistics_add(&p->statistics, p->block.X, dl_slots_from(&p->block.Z, 0, p->block.rows), NULL);
}

static dltf_status iterate(dltf_learner *l, void *state, int64_t index, dltf_iteration *record) {
    dl_paper_model *p = state;
    double theta = theta_at(&l->options, index);
    dl_pass pass = dl_paper_model_pass(l, p, theta, 0);
    if (!dl_pass_run(&pass, z_tile, add_block) || !dl_paper_model_w_step(l, p, theta, 0, record))
        return DLTF_CANCELLED;
    /* Only while theta decreases: later, too few iterations are left to fit new atoms. */
    if (theta != l->options.theta && (index + 1) % DL_REPLACE_EVERY == 0) {
        dl_pass_collect_last(&pass);
        record->atoms_replaced = dl_learner_replace(l, p->statistics.use, &p->block, index, &p->replace);
    }
    return DLTF_OK;
}

/* The objective has settled at the final theta. */
static bool converged(const dltf_learner *l, const dltf_iteration *now, const dltf_iteration *before) {
    double tolerance = l->options.tolerance, theta = l->options.theta;
    return tolerance > 0 && before && now->theta == theta && before->theta == theta &&
           fabs(now->objective - before->objective) <= tolerance * now->objective;
}

const dl_stage dl_stage_tied = {
    .name = "tied",
    .columns = DL_THETA | DL_OBJECTIVE | DL_INCOHERENCE_TERM | DL_DATA_TERM | DL_RELATIVE_ERROR |
               DL_COHERENCE | DL_FRAME_POTENTIAL,
    .diverged = "rescale the data",
    .saving = "lower m",
    .needs_gram = true,
    .length = length,
    .bytes = bytes,
    .work = work,
    .create = create,
    .iterate = iterate,
    .converged = converged,
    .free = dl_paper_model_free,
};
