/* Dropout: DL_UNITS random numbers of 16 bits per tile of a row. */
#include "network/dropout.h"

#include "base/integer.h"
#include "base/parallel.h"
#include "base/random.h"
#include "kernels/kernels.h"

#include <math.h>

_Static_assert((int)DL_UNITS == (int)DL_DRAWS, "a tile of a row uses one group of draws");

dl_dropout dl_dropout_new(double p, uint64_t seed, int64_t layer, int64_t width) {
    int32_t threshold = (int32_t)dl_integer(rint(p * 65536), 0, 65535);
    return (dl_dropout){.seed = seed,
                        .stream = DL_STREAM_DROPOUT + (uint32_t)layer,
                        .threshold = threshold,
                        .scale = 65536 / (float)(65536 - threshold),
                        .width = width};
}

void dl_dropout_apply(const dl_dropout *dropout, uint64_t first, int64_t rows, dl_range units, float *Y) {
    const dl_kernels *kernels = dl_kernels_now();
    uint64_t groups = (uint64_t)dl_tiles(dropout->width, DL_UNITS), tile = (uint64_t)units.first / DL_UNITS;
    uint16_t draws[DL_DRAWS];
    for (int64_t i = 0; i < rows && dropout->threshold > 0; i++) {
        kernels->draws16(dropout->seed, dropout->stream, (first + (uint64_t)i) * groups + tile, draws);
        kernels->drop(Y + i * dropout->width + units.first, draws, units.count, dropout->threshold,
                      dropout->scale);
    }
}
