/* Replacement of a learner's atoms; its thresholds, and the residuals of the current block. */
#include "learning/learner.h"
#include "learning/replace.h"

static const double LEAST_SHARE = 0.1; /* of the mean use */
static const double COHERENCE = 0.9;   /* of two atoms that are one */

int64_t dl_replace_by(dltf_learner *l, const double *use, int64_t samples, int64_t index,
                      double (*residual)(void *context, int64_t i, double *r), void *context) {
    dl_random random = {(uint64_t)l->options.seed, DL_STREAM_REPLACE};
    dl_replace_space space = {.atoms = l->useless, .squares = l->squares, .residual = l->residual};
    dl_replacement replacement = {
        .m = l->m,
        .n = l->n,
        .W = l->W,
        .G = l->w_space.G,
        .use = use,
        .least_share = LEAST_SHARE,
        .coherence = COHERENCE,
        .samples = samples,
        .residual = residual,
        .context = context,
        .least_square = 1e-8 * (double)l->k, /* samples have mean square k */
        .random = &random,
        .first = (uint64_t)(index * l->m * l->n),
    };
    int64_t found = dl_replace_atoms(&replacement, &space);
    if (found > 0)
        dl_learner_refresh(l);
    return found;
}

/* ||x - Wz||^2 of sample i of the block. */
static double block_residual(void *context, int64_t i, double *r) {
    const dltf_learner *l = context;
    double sum = 0;
    for (int64_t d = 0; d < l->n; d++)
        r[d] = (double)l->block[i * l->n + d];
    for (int64_t e = i * l->k; e < i * l->k + l->Z.count[i]; e++)
        for (int64_t d = 0; d < l->n; d++)
            r[d] -= (double)l->Z.value[e] * l->W[l->Z.index[e] * l->n + d];
    for (int64_t d = 0; d < l->n; d++)
        sum += r[d] * r[d];
    return sum;
}

int64_t dl_replace_useless(dltf_learner *l, const double *use, int64_t rows, int64_t index) {
    return dl_replace_by(l, use, rows, index, block_residual, l);
}
