/* What iterative coders precompute from a dictionary: Gram matrix, packed atoms. */
#include "kernels/gram.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "coding/coder.h"
#include "data/matrix.h"
#include "data/model.h"

int64_t dl_score_rows(int64_t m) {
    return m <= 1024 ? DL_TILE / 2 : DL_TILE / 8;
}

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

dltf_status dl_gram_new(int threads, const float *W, int64_t m, int64_t n, float **G) {
    dltf_status status = dl_gram_check(m, 32);
    gram_job job = {.m = m, .n = n};
    double *wide = NULL;
    if (status != DLTF_OK)
        return status;
    DL_TRY(dl_widen(W, m * n, &wide));
    DL_TRY_NEW(job.rows, threads * m);
    DL_TRY_NEW(job.G, m * m);
    job.W = wide;
    if (!dl_parallel_polled(threads, m, gram_row, &job))
        DL_TRY(dl_fail(DLTF_CANCELLED, "encoding was cancelled"));
    *G = job.G;
    job.G = NULL;
done:
    dl_free(wide);
    dl_free(job.rows);
    dl_free(job.G);
    return status;
}

dltf_status dl_dictionary_pack(const dltf_model *model, dl_packed *packed) {
    dltf_status status = dl_packed_alloc(packed, model->parts.m, model->parts.n);
    if (status == DLTF_OK)
        dl_packed_fill(packed, model->dictionary, NULL);
    return status;
}
