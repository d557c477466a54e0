/* Replacement of atoms with the thresholds of the learner. */
#include "learning/stages/learner_replace.h"

/* Unused: less than this share of the mean use. Duplicate: |<w_i, w_j>| above this. */
static const double UNUSED = 0.1, DUPLICATE = 0.9;

int64_t dl_learner_replace_by(dltf_learner *l, const double *use, int64_t samples, int64_t index,
                              double (*residual)(void *context, int64_t i, double *r), void *context,
                              dl_replace_space *space) {
    dl_random random = {(uint64_t)l->options.seed, DL_STREAM_REPLACE};
    dl_replacement replacement = {
        .m = l->m,
        .n = l->n,
        .W = l->W,
        .G = l->G,
        .use = use,
        .min_share = UNUSED,
        .coherence = DUPLICATE,
        .samples = samples,
        .residual = residual,
        .context = context,
        .min_square = 1e-8 * (double)l->k, /* samples have mean square k */
        .random = &random,
        .first = (uint64_t)(index * l->m * l->n),
    };
    int64_t found = dl_replace_atoms(&replacement, space);
    if (found > 0)
        dl_learner_refresh(l);
    return found;
}

typedef struct coded_block {
    const dltf_learner *l;
    const dl_block *block;
} coded_block;

/* ||x - Wz||^2 of sample i of the block. */
static double block_residual(void *context, int64_t i, double *r) {
    const coded_block *c = context;
    const dl_slots *Z = &c->block->Z;
    int64_t n = c->l->n;
    double sum = 0;
    for (int64_t d = 0; d < n; d++)
        r[d] = (double)c->block->X[i * n + d];
    for (int64_t e = i * Z->k; e < i * Z->k + Z->count[i]; e++)
        for (int64_t d = 0; d < n; d++)
            r[d] -= (double)Z->value[e] * c->l->W[Z->index[e] * n + d];
    for (int64_t d = 0; d < n; d++)
        sum += r[d] * r[d];
    return sum;
}

int64_t dl_learner_replace(dltf_learner *l, const double *use, const dl_block *block, int64_t index,
                           dl_replace_space *space) {
    coded_block context = {l, block};
    return dl_learner_replace_by(l, use, block->rows, index, block_residual, &context, space);
}
