/* Samples as atoms: distinct rows in random order, minus the mean of all, with norm 1. */
#include "base/memory.h"
#include "base/random.h"
#include "data/matrix.h"
#include "data/samples.h"
#include "pretrain/pretrain.h"

static dltf_status make(const dl_start_job *job, dl_network **layer) {
    dltf_status status = DLTF_OK;
    int64_t n = job->X.cols, m = job->m;
    dl_random order = {(uint64_t)job->options->seed, DL_STREAM_INIT};
    float *mean = NULL, *atoms = NULL;
    double *row = NULL;
    if (job->X.rows < m)
        return dl_fail_about(DLTF_DATA, DLTF_SUBJECT_DATA, "%lld samples are too few for %lld units",
                             (long long)job->X.rows, (long long)m);
    DL_TRY_NEW(mean, n);
    DL_TRY_NEW(row, n);
    DL_TRY_NEW(atoms, m * n);
    DL_TRY(dl_samples_mean(&(dl_samples){.X = job->X}, mean));
    dl_samples samples = {.X = job->X, .mean = mean, .unit_norm = true, .scale = 1};
    for (int64_t j = 0; j < m; j++)
        dl_samples_row(&samples, dl_random_place(order, 0, job->X.rows, j), row, atoms + j * n);
    DL_TRY(dl_matrix_status(job->X));
    dl_layer_view shape = {.inputs = n, .outputs = m, .activation = DL_ACTIVATION_RELU, .weights = atoms};
    status = dl_network_new(&shape, 1, 0, layer);
done:
    dl_free(mean);
    dl_free(row);
    dl_free(atoms);
    return status;
}

const dl_start dl_start_samples = {"samples", DL_SCALING_RMS, false, make};
