/* Squared error: 1/2 ||y - t||^2. Its gradient is y - t. */
#include "kernels/kernels.h"
#include "network/loss.h"

#include <string.h>

static double row(const float *y, const void *target, int64_t n, float scale, float *gradient) {
    const dl_kernels *kernels = dl_kernels_now();
    memcpy(gradient, y, (size_t)n * sizeof *y);
    kernels->add_scaled32(gradient, -1, target, n);
    double square = kernels->square(gradient, n);
    kernels->combine32(gradient, scale, 0, gradient, n);
    return square / 2;
}

const dl_loss dl_loss_square = {"square", false, row};
