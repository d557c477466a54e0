/* max_k of the outputs of a layer. */
#include "network/keep.h"

#include "base/memory.h"
#include "kernels/select.h"

#include <string.h>

dltf_status dl_keep_alloc(dl_keep *keep, const dl_network *network, int threads) {
    dltf_status status = DLTF_OK;
    *keep = (dl_keep){.width = 0};
    for (int64_t l = 0; l < network->count; l++)
        if (network->layers[l].k > 0)
            keep->width = dl_network_width(network);
    if (keep->width == 0)
        return DLTF_OK;
    DL_TRY_NEW(keep->keys, threads * keep->width);
    DL_TRY_NEW(keep->index, threads * keep->width);
    DL_TRY_NEW(keep->value, threads * keep->width);
done:
    return status; /* the caller frees partial allocations */
}

void dl_keep_free(dl_keep *keep) {
    dl_free(keep->keys);
    dl_free(keep->index);
    dl_free(keep->value);
}

void dl_keep_apply(const dl_keep *keep, int worker, const dl_layer *layer, int64_t rows, float *Y) {
    int64_t m = layer->outputs, room = worker * keep->width;
    int32_t *index = keep->index + room;
    float *value = keep->value + room;
    for (int64_t i = 0; i < rows; i++) {
        float *row = Y + i * m;
        int64_t kept = dl_select(row, m, layer->k, false, keep->keys + room, index, value);
        memset(row, 0, (size_t)m * sizeof *row);
        for (int64_t e = 0; e < kept; e++)
            row[index[e]] = value[e];
    }
}

void dl_keep_slope(float *delta, const float *y, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        delta[i] = y[i] == 0 ? 0 : delta[i];
}
