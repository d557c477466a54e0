/* Parameters to and from a learner, whose samples have mean square k where gradients want 1. */
#include "learning/gradient_learner.h"

#include <math.h>
#include <string.h>

dl_samples dl_gradient_samples(const dltf_learner *l) {
    dl_samples samples = l->samples;
    samples.scale /= sqrt((double)l->k);
    return samples;
}

static void take_matrices(dl_gradient *g, const dltf_learner *l) {
    for (int64_t i = 0; i < l->m * l->n; i++) {
        g->W.value[i] = (float)l->W[i];
        g->E.value[i] = (float)l->E[i];
    }
    dl_gradient_pack(g);
}

void dl_gradient_from_learner(dl_gradient *g, const dltf_learner *l, bool biased) {
    for (int64_t j = 0; biased && j < l->m; j++)
        g->b.value[j] = (float)(l->bias[j] / sqrt((double)l->k));
    take_matrices(g, l);
}

void dl_gradient_to_learner(dltf_learner *l, const float *W, const float *E, const float *b) {
    for (int64_t i = 0; i < l->m * l->n; i++) {
        l->W[i] = (double)W[i];
        l->E[i] = (double)E[i];
    }
    for (int64_t j = 0; j < l->m; j++)
        l->bias[j] = (double)b[j] * sqrt((double)l->k);
    dl_learner_refresh(l);
}

int dl_gradient_fields(dl_gradient *g, dl_field *fields) {
    int64_t m = g->m, n = g->n;
    const dl_field all[] = {
        {"gradient.b", DL_TENSOR_F32, m, 0, g->b.value},
        {"gradient.W.moment", DL_TENSOR_F32, m, n, g->W.moment},
        {"gradient.E.moment", DL_TENSOR_F32, m, n, g->E.moment},
        {"gradient.b.moment", DL_TENSOR_F32, m, 0, g->b.moment},
        {"gradient.W.square", DL_TENSOR_F32, m, 0, g->W.square},
        {"gradient.E.square", DL_TENSOR_F32, m, 0, g->E.square},
        {"gradient.b.square", DL_TENSOR_F32, m, 0, g->b.square},
        {"gradient.updates", DL_TENSOR_I32, m, 0, g->updates},
        {"gradient.idle", DL_TENSOR_I64, m, 0, g->idle},
    };
    memcpy(fields, all, sizeof all);
    return sizeof all / sizeof *all;
}

dltf_status dl_gradient_restored(dl_gradient *g, const dltf_learner *l) {
    for (int64_t j = 0; j < l->m; j++)
        if (g->updates[j] < 0 || g->idle[j] < 0 || g->W.square[j] < 0 || g->E.square[j] < 0 ||
            g->b.square[j] < 0)
            return dl_fail(DLTF_FORMAT, "the checkpoint has a negative count or square for atom %lld",
                           (long long)j);
    take_matrices(g, l);
    return DLTF_OK;
}
