/* The losses, and their table. */
#include "network/loss.h"

#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

/* Squared error: 1/2 ||y - t||^2. Its gradient is y - t. */
static double square_row(const float *y, const void *target, int64_t n, float scale, float *gradient) {
    const dl_kernels *kernels = dl_kernels_now();
    memcpy(gradient, y, (size_t)n * sizeof *y);
    kernels->add_scaled32(gradient, -1, target, n);
    double square = kernels->square(gradient, n);
    kernels->combine32(gradient, scale, 0, gradient, n);
    return square / 2;
}

/* Cross-entropy of softmax(y): log sum_j exp(y_j) - y_label. Its gradient is softmax(y) minus the unit vector
 * of the label. */
static double softmax_row(const float *y, const void *target, int64_t n, float scale, float *gradient) {
    int32_t label = *(const int32_t *)target;
    float largest = y[0];
    double sum = 0;
    for (int64_t j = 1; j < n; j++)
        largest = fmaxf(largest, y[j]);
    for (int64_t j = 0; j < n; j++) {
        gradient[j] = expf(y[j] - largest);
        sum += (double)gradient[j];
    }
    float share = (float)((double)scale / sum);
    for (int64_t j = 0; j < n; j++)
        gradient[j] *= share;
    gradient[label] -= scale;
    return log(sum) + (double)largest - (double)y[label];
}

static const dl_loss losses[] = {
    [DL_LOSS_SQUARE] = {"square", false, square_row},
    [DL_LOSS_SOFTMAX] = {"softmax", true, softmax_row},
};

const dl_loss *dl_loss_find(dl_loss_kind loss) {
    return &losses[loss];
}
