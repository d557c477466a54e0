/* A fully connected layer: three products, each followed by elementwise work while its tile is in the cache.
 */
#include "network/layer.h"

#include "base/integer.h"
#include "kernels/kernels.h"
#include "linalg/blas.h"

#include <string.h>

dl_range dl_units(int64_t total, int64_t tile) {
    int64_t first = tile * DL_UNITS;
    return (dl_range){first, dl_min(DL_UNITS, total - first)};
}

void dl_layer_forward(const dl_layer *layer, const float *X, int64_t rows, dl_range units, float *Y) {
    int64_t n = layer->inputs, m = layer->outputs;
    dl_gemm32(DL_PLAIN, DL_TRANSPOSED, rows, units.count, n, X, n, layer->V + units.first * n, n,
              Y + units.first, m);
    for (int64_t i = 0; i < rows; i++)
        layer->activation->apply(Y + i * m + units.first, layer->b + units.first, units.count);
}

void dl_layer_backward(const dl_layer *layer, const float *D, int64_t rows, dl_range units, float *DX) {
    int64_t n = layer->inputs, m = layer->outputs;
    dl_gemm32(DL_PLAIN, DL_PLAIN, rows, units.count, m, D, m, layer->V + units.first, n, DX + units.first, n);
}

void dl_layer_gradient(const dl_layer *layer, const float *X, const float *D, int64_t rows, dl_range units,
                       float *DV, float *db) {
    int64_t n = layer->inputs, m = layer->outputs;
    const dl_kernels *kernels = dl_kernels_now();
    dl_gemm32(DL_TRANSPOSED, DL_PLAIN, units.count, n, rows, D + units.first, m, X, n, DV, n);
    memset(db, 0, (size_t)units.count * sizeof *db);
    for (int64_t i = 0; i < rows; i++)
        kernels->add_scaled32(db, 1, D + i * m + units.first, units.count);
}
