/* Outputs of a network for samples. */
#include "base/finite.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "data/matrix.h"
#include "linalg/blas.h"
#include "network/keep.h"

enum { ROWS = 128 }; /* samples of a task */

typedef struct application {
    const dl_network *network;
    dltf_matrix X;
    int64_t width;
    float *buffers; /* per thread: two of ROWS x width */
    dl_keep keep;
    float *outputs;
    int64_t *overflow; /* per thread: the first sample with an output that is not finite, or X.rows */
} application;

static void note_overflow(const application *a, int worker, int64_t first, int64_t rows, const float *Y,
                          int64_t width) {
    if (dl_all_finite(Y, rows * width))
        return;
    int64_t i = 0;
    while (dl_all_finite(Y + i * width, width))
        i++;
    a->overflow[worker] = dl_min(a->overflow[worker], first + i);
}

static void apply_rows(void *context, int64_t task, int worker) {
    const application *a = context;
    int64_t first = task * ROWS, rows = dl_min(ROWS, a->X.rows - first), inputs = a->X.cols;
    int64_t count = a->network->count;
    float *in = a->buffers + 2 * worker * ROWS * a->width, *out = in + ROWS * a->width;
    for (int64_t i = 0; i < rows; i++)
        dl_network_input(a->network, a->X, first + i, in + i * inputs);
    for (int64_t l = 0; l < count; l++) {
        const dl_layer *layer = &a->network->layers[l];
        float *Y = l + 1 == count ? a->outputs + first * layer->outputs : out;
        dl_layer_forward(layer, in, rows, (dl_range){0, layer->outputs}, Y);
        note_overflow(a, worker, first, rows, Y, layer->outputs);
        if (layer->k > 0)
            dl_keep_apply(&a->keep, worker, layer, rows, Y);
        out = in;
        in = Y;
    }
}

static dltf_status check_overflow(const application *a, int workers) {
    int64_t first = a->X.rows;
    for (int t = 0; t < workers; t++)
        first = dl_min(first, a->overflow[t]);
    return first == a->X.rows ? DLTF_OK
                              : dl_fail_about(DLTF_NUMERIC, DLTF_SUBJECT_DATA,
                                              "row %lld: the outputs of the network overflow single "
                                              "precision: rescale the data",
                                              (long long)first);
}

dltf_status dl_network_apply(const dl_network *network, dltf_matrix X, int64_t threads, float *outputs) {
    DL_REQUIRE(network, outputs);
    application a = {.network = network, .X = X, .width = dl_network_width(network), .outputs = outputs};
    int workers = dl_thread_count(threads);
    dltf_status status = dl_network_check_data(network, X);
    if (status != DLTF_OK)
        return status;
    DL_TRY(dl_blas_ready(workers));
    DL_TRY(dl_keep_alloc(&a.keep, network, workers));
    DL_TRY_NEW(a.buffers, 2 * workers * ROWS * a.width);
    DL_TRY_NEW(a.overflow, workers);
    for (int t = 0; t < workers; t++)
        a.overflow[t] = X.rows;
    dl_parallel(workers, dl_tiles(X.rows, ROWS), apply_rows, &a);
    status = check_overflow(&a, workers);
done:
    dl_keep_free(&a.keep);
    dl_free(a.buffers);
    dl_free(a.overflow);
    return status;
}
