/* The dual encoder of a model's dictionary, ready for scores. */
#include "base/memory.h"
#include "coding/coder.h"
#include "coding/dual.h"
#include "data/matrix.h"
#include "data/model.h"
#include "linalg/blas.h"

static const double RIDGE = 0.1; /* as in the minibatch stage of the learner */

static dltf_status make_dual(const void *context, dl_derived **made) {
    const dl_recipe *recipe = context;
    dltf_status status = DLTF_OK;
    int64_t m = recipe->model->parts.m, n = recipe->model->parts.n, size = m < n ? m : n;
    double *W = NULL, *E = NULL, *factor = NULL;
    float *narrow = NULL;
    DL_TRY(dl_blas_ready(recipe->threads));
    DL_TRY(dl_widen(recipe->model->dictionary, m * n, &W));
    DL_TRY_NEW(E, m * n);
    DL_TRY_NEW(factor, size * size);
    DL_TRY_NEW(narrow, m * n);
    dl_dual_encoder(recipe->threads, W, m, n, RIDGE, factor, E);
    for (int64_t i = 0; i < m * n; i++)
        narrow[i] = (float)E[i];
    status = dl_derived_packed_new(narrow, m, n, made);
done:
    dl_free(W);
    dl_free(E);
    dl_free(factor);
    dl_free(narrow);
    return status;
}

dltf_status dl_derive_dual(const dl_recipe *recipe, const dl_packed **E) {
    const dl_derived *found = NULL;
    dltf_status status = dl_model_derive(recipe->model, DL_DERIVED_DUAL, make_dual, recipe, &found);
    if (status == DLTF_OK)
        *E = &((const dl_derived_packed *)found)->packed;
    return status;
}
