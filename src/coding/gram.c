/* What iterative coders derive from a dictionary: Gram matrix, packed atoms. */
#include "kernels/gram.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "coding/coder.h"
#include "data/matrix.h"

int64_t dl_score_rows(int64_t m) {
    return m <= 1024 ? DL_TILE / 2 : DL_TILE / 8;
}

int64_t dl_recipe_score_rows(const dl_recipe *recipe) {
    return dl_min(dl_score_rows(recipe->model->parts.m), recipe->rows);
}

/* ---- Things that a model keeps ---- */

static void free_packed(dl_derived *derived) {
    dl_derived_packed *made = (dl_derived_packed *)derived;
    dl_packed_free(&made->packed);
    dl_free(made);
}

dltf_status dl_derived_packed_new(const float *E, int64_t m, int64_t n, dl_derived **made) {
    dl_derived_packed *new = DL_NEW(dl_derived_packed, 1);
    if (!new)
        return DLTF_MEMORY;
    dltf_status status = dl_packed_alloc(&new->packed, m, n);
    if (status != DLTF_OK) {
        dl_free(new);
        return status;
    }
    dl_packed_fill(&new->packed, E, NULL);
    new->base.free = free_packed;
    *made = &new->base;
    return DLTF_OK;
}

static void free_matrix(dl_derived *derived) {
    dl_derived_matrix *made = (dl_derived_matrix *)derived;
    dl_free(made->values);
    dl_free(made);
}

dltf_status dl_derived_matrix_new(float *values, dl_derived **made) {
    dl_derived_matrix *new = DL_NEW(dl_derived_matrix, 1);
    if (!new) {
        dl_free(values);
        return DLTF_MEMORY;
    }
    *new = (dl_derived_matrix){{free_matrix}, values};
    *made = &new->base;
    return DLTF_OK;
}

/* ---- The dictionary ---- */

static dltf_status pack_atoms(const void *context, dl_derived **made) {
    const dltf_model *model = context;
    return dl_derived_packed_new(model->dictionary, model->parts.m, model->parts.n, made);
}

dltf_status dl_derive_atoms(const dl_recipe *recipe, const dl_packed **W) {
    const dltf_model *model = recipe->model;
    const dl_derived *found = NULL;
    if (!model->encoder && !model->bias) {
        *W = &model->packed;
        return DLTF_OK;
    }
    dltf_status status = dl_model_derive(model, DL_DERIVED_ATOMS, pack_atoms, model, &found);
    if (status == DLTF_OK)
        *W = &((const dl_derived_packed *)found)->packed;
    return status;
}

/* ---- The Gram matrix ---- */

enum { MOST_ATOMS = 8192 }; /* 256 MB */
static int64_t most_atoms = MOST_ATOMS;

bool dl_gram_fits(int64_t m) {
    return m <= most_atoms;
}

void dl_gram_limit(int64_t atoms) {
    most_atoms = atoms > 0 ? atoms : MOST_ATOMS;
}

typedef struct gram_job {
    const double *W;
    int64_t m, n;
    double *rows; /* m for each worker */
    float *G;
} gram_job;

static void gram_row(void *context, int64_t i, int worker) {
    const gram_job *job = context;
    double *row = job->rows + worker * job->m;
    dl_gram_row(job->W + i * job->n, job->W, i + 1, job->n, row);
    for (int64_t j = 0; j <= i; j++)
        job->G[i * job->m + j] = job->G[j * job->m + i] = (float)row[j];
}

dltf_status dl_gram_check(int64_t m, int bits) {
    double bytes = (double)m * (double)m * bits / 8;
    if (bytes <= dl_memory_of_machine())
        return DLTF_OK;
    return dl_fail_option(
        DLTF_MEMORY, "coder",
        "the matrix of all pairs of %lld atoms needs %.0f GB, but this machine has %.0f GB: use coder "
        "threshold",
        (long long)m, bytes / 1e9, dl_memory_of_machine() / 1e9);
}

static dltf_status make_gram(const void *context, dl_derived **made) {
    const dl_recipe *recipe = context;
    int64_t m = recipe->model->parts.m, n = recipe->model->parts.n;
    dltf_status status = dl_gram_check(m, 32);
    gram_job job = {.m = m, .n = n};
    double *wide = NULL;
    if (status != DLTF_OK)
        return status;
    DL_TRY(dl_widen(recipe->model->dictionary, m * n, &wide));
    DL_TRY_NEW(job.rows, recipe->threads * m);
    DL_TRY_NEW(job.G, m * m);
    job.W = wide;
    if (!dl_parallel_polled(recipe->threads, m, gram_row, &job))
        DL_TRY(dl_fail(DLTF_CANCELLED, "encoding was cancelled"));
    status = dl_derived_matrix_new(job.G, made);
    job.G = NULL;
done:
    dl_free(wide);
    dl_free(job.rows);
    dl_free(job.G);
    return status;
}

dltf_status dl_derive_gram(const dl_recipe *recipe, const float **G) {
    const dl_derived *found = NULL;
    dltf_status status = dl_model_derive(recipe->model, DL_DERIVED_GRAM, make_gram, recipe, &found);
    if (status == DLTF_OK)
        *G = ((const dl_derived_matrix *)found)->values;
    return status;
}
